"""What is wrong with a trace."""

from __future__ import annotations


class TraceError(Exception):
    """The trace cannot be read. The message names the file, where in it, what is wrong and what to do."""
