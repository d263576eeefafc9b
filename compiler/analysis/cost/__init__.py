"""`cpolc cost`: what a policy can cost at most, before it runs.

bounds.py    IR: folios visited and rounds of loops, of each handler
object.py    the BPF object: instructions, calls, lines
loops.py     how often each loop of it goes round
paths.py     its worst path, and the stack
verifier.py  what the verifier can have to look at
memory.py    bytes: of a folio, of ghosts, of tables
report.py    all of it, for one policy
summary.py   in sentences, for `cpolc doc`
"""
