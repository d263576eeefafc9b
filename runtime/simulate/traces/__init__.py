"""Trace readers: convert a file of requests, in one of several formats, to ids."""

from cpol.runtime.simulate.traces.aside import Aside
from cpol.runtime.simulate.traces.columns import Columns, read_columns
from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.formats import FORMATS
from cpol.runtime.simulate.traces.parser import Numbers, belady_misses, lru_misses
from cpol.runtime.simulate.traces.recognise import format_of
from cpol.runtime.simulate.traces.requests import Comms, Names, Numbered, Requests, requested
from cpol.runtime.simulate.traces.sample import Sample, sample
from cpol.runtime.simulate.traces.stream import Stream
from cpol.runtime.simulate.traces.trace import Trace, begin, read, whole
from cpol.runtime.simulate.traces.written import as_kernel, has_written

__all__ = [
    "FORMATS",
    "Aside",
    "Columns",
    "Comms",
    "Names",
    "Numbered",
    "Numbers",
    "Requests",
    "Sample",
    "Stream",
    "Trace",
    "TraceError",
    "as_kernel",
    "begin",
    "belady_misses",
    "format_of",
    "has_written",
    "lru_misses",
    "read",
    "read_columns",
    "requested",
    "sample",
    "whole",
]
