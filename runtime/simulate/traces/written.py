"""Writes of a recording, as the kernel takes them: they bring pages, and access none.

In the machine, a write marks no page as accessed. So it brings its page if that is missing, and makes it dirty; to the
policy it is no access, and a read that follows is the first one. That one finds the page, so nothing is missed.
"""

from __future__ import annotations

from dataclasses import replace

from cpol.runtime.simulate.traces.formats.record import FORMAT, REQUEST, WRITTEN
from cpol.runtime.simulate.traces.trace import Trace


def as_kernel(trace: Trace) -> Trace:
    """The trace, with the writes of a recording as no requests. Other traces stay."""
    if trace.format != FORMAT.name or not any(trace.writes or ()):
        return trace
    assert trace.writes is not None
    kinds = trace.ahead or bytes(len(trace.ids))
    pairs = zip(kinds, trace.writes, strict=True)
    return replace(trace, ahead=bytes(WRITTEN if write and kind == REQUEST else kind for kind, write in pairs))


def has_written(trace: Trace) -> bool:
    """Whether pages come by writes."""
    return trace.ahead is not None and WRITTEN in trace.ahead
