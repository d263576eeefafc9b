"""Twitter's traces of its caches; the thread is the client."""

from __future__ import annotations

from cpol.runtime.simulate.traces.formats.format import Format, Lines
from cpol.runtime.simulate.traces.formats.keys import is_time

_OPERATIONS = b"get gets set add replace cas append prepend delete incr decr".split()


def _is(text: Lines) -> bool:
    return all(len(row) == 7 and row[5] in _OPERATIONS and is_time(row[0]) for row in text.rows)


FORMAT = Format(
    "twitter",
    "timestamp, key, key size, value size, client, operation, ttl",
    carries=frozenset(("time", "thread")),
    sized=True,
    lines=_is,
)
