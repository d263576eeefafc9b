"""The kernel side, and the VM that runs it."""
