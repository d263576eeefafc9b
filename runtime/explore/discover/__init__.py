"""`cpolc discover`: a search for a policy that misses less on the traces of a workload.

genome.py      a candidate: the text of a policy, and the values of its params
tree.py        where a text can change, and which names it has there
invent.py      new conditions, statements and declarations
operators.py   mutations
crossover.py   handlers of one policy in another
cost.py        what a candidate costs in a kernel
evaluate.py    what a candidate misses on the traces, as a share of what LRU does
search.py      all of it, from traces to a policy
population.py  the candidates that breed, and the Pareto front
evolve.py      generations
accept.py      the checks of `cpolc check` and of the kernel's profile
prune.py       what makes no difference goes
judge.py       held-out traces, against every policy of the standard library
write.py       the file
"""
