"""What the playground asks of cpol: the compiler, the formatter, tests, steps and runs of traces in the interpreter.

It runs in the browser (docs/playground.md). The page sends a request and gets an answer, both as JSON.

answer.py    a request to its answer; no error leaves it but as a message
sources.py   compiled policies, and their diagnostics with places in the text of the editor
stepping.py  a session of `cpolc step`, with the state after each step
traces.py    traces, generated or written down
curves.py    misses by capacity
native.py    the same by native code, of the standard library's policies
"""
