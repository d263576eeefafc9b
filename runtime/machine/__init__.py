"""What executes a policy: the interpreter, the native machine, the C headers, settings and the event log."""
