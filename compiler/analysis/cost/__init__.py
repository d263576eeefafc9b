"""`cpolc cost`: upper bounds of a policy's cost, before it runs.

bounds.py    from the IR: folio visits and loop rounds of each handler
object.py    from the BPF object: instructions, calls and lines
loops.py     loops of the object and their trip counts
paths.py     its longest path
stack.py     its stack, with that of what it calls
verifier.py  a bound of the verifier's effort
memory.py    bytes of folio records, ghosts and tables
typical.py   costs with the trip counts of a run
verdict.py   whether the kernel will take the object
report.py    all of it, for one policy
summary.py   sentences for `cpolc doc`
"""
