"""From `.cpol` text to policy IR to C; one pass a file."""
