"""What looks for the states that a policy can get into: checks of scenarios, and steps by hand."""
