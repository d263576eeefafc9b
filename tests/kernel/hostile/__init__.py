"""Random programs for struct cache_ext_ops that the verifier accepts and nobody would write, and a storm around them.

interface   kfuncs and members, from compiler/contract.toml
tree        programs and rounds as trees of statements
values      random arguments
sequences   short sequences of calls that are meant to hurt
generate    a program, from its seed and index
emit        a program as BPF C
activity    a round: which programs govern which cgroups, and what goes on there meanwhile
build       objects and the guest's runner (storm*.c)
machine     rounds in virtual machines
reduce      the smallest part of a failing round that still fails
"""
