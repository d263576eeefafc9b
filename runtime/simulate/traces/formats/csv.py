"""libCacheSim's CSV: time, object, size, and perhaps the number of the next request."""

from __future__ import annotations

from pathlib import Path

from cpol.runtime.simulate.traces.columns import check_heading
from cpol.runtime.simulate.traces.formats.format import Format, Lines
from cpol.runtime.simulate.traces.formats.keys import NUMBER, is_time
from cpol.runtime.simulate.traces.separators import check_returns


def _is(text: Lines) -> bool:
    return all(len(row) in (3, 4) and is_time(row[0]) and NUMBER.fullmatch(row[2]) for row in text.rows)


def _check(path: Path, head: bytes) -> None:
    check_returns(path, head)
    check_heading(path, head)


FORMAT = Format("csv", "time, object, size[, next]", carries=frozenset(("time",)), sized=True, lines=_is, check=_check)
