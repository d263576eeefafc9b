"""Which policy each cgroup gets: /etc/cpol.d/*.conf, the tree of cgroups, and what is to be done."""
