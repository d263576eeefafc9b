"""The error of the trace readers."""

from __future__ import annotations


class TraceError(Exception):
    """The trace cannot be read. The message names the file, the place, what is wrong and what to do."""
