"""What is asked of a policy at the desk: readers of traces, runs of traces, and the model of swap and readahead."""
