"""`cpolc cost`: what a policy can cost at most, before it runs.

bounds.py   IR: folios visited and rounds of loops, of each handler
object.py   the BPF object: instructions, calls, lines
loops.py    how often each loop of it runs
paths.py    its worst path; what the verifier can have to look at; stack
memory.py   bytes: of a folio, of ghosts, of tables
profile.py  what a kernel's profile cannot carry
report.py   all of it, for one policy
"""
