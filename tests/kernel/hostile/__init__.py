"""Random programs for cache_ext_ops and prefetch_ext_ops that the verifier accepts and nobody would write, and a storm
around them.

interface   kfuncs and members, from compiler/contract.toml
tree        programs and rounds as trees of statements
values      random arguments
sequences   short sequences of calls that are meant to hurt
statements  random statements, for both
generate    a program that decides about the cache, from its seed and index
prefetch    one that decides what is read ahead
emit        a program as BPF C
activity    a round: which programs govern which cgroups, and what goes on there meanwhile
build       objects and the guest's runner (storm*.c)
machine     rounds in virtual machines
reduce      the smallest part of a failing round that still fails
"""
