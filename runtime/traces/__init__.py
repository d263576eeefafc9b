"""Trace readers: convert a file of requests, in one of several formats, to ids."""

from cpol.runtime.traces.columns import Columns, read_columns
from cpol.runtime.traces.errors import TraceError
from cpol.runtime.traces.formats import FORMATS, format_of
from cpol.runtime.traces.parser import belady_misses
from cpol.runtime.traces.trace import Trace, read

__all__ = ["FORMATS", "Columns", "Trace", "TraceError", "belady_misses", "format_of", "read", "read_columns"]
