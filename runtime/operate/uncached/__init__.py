"""A command that runs without the page cache: its cgroup, the policy that governs that, and the command itself."""
