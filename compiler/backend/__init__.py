"""From policy IR to C, and from C to what runs: a simulator's shared object, or a BPF object."""
