"""What brings a policy to a kernel and looks after it there: loader, recorder, plans, trials, units, libcpol."""
