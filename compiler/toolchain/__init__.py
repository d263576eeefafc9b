"""The compilers and tools that cpol runs."""
