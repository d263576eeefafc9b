"""Generates C from policy IR, and compiles it to a simulator's shared object or a BPF object."""
