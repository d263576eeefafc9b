"""The three executors' runtime, trace readers and the loader."""
