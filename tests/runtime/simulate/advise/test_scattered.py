"""Files that are read at random while readahead brings what nobody reads (scattered.py)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

from cpol.runtime.simulate.advise.scattered import scattered
from cpol.runtime.simulate.traces import Trace, read

Event = tuple[str, int]


def recorded(folder: Path, events: Iterable[Event]) -> Trace:
    lines = [f"{number},{what},1:1:1,{page},1,7,7,db" for number, (what, page) in enumerate(events)]
    text = ["cpol-record 3", "name,1:1:1,/base", *lines, f"end,{len(lines)},0", ""]
    (folder / "app.rec").write_text("\n".join(text))
    return read(folder / "app.rec", None, details=True)


def points(requests: int, in_vain: int) -> list[Event]:
    """Each is of another page; of `in_vain` of them, the page behind comes, too, and leaves."""
    pages = random.Random(1).sample(range(0, 100_000, 3), requests)
    return [
        event
        for number, page in enumerate(pages)
        for event in [
            ("added", page),
            ("accessed", page),
            *([("added", page + 1), ("removed", page + 1)] if number < in_vain else []),
        ]
    ]


def test_points_whose_readahead_is_in_vain(tmp_path: Path) -> None:
    (found,) = scattered(recorded(tmp_path, points(200, 40))).values()
    assert (found.name, found.unread, found.came, found.places, found.seen) == ("/base", 40, 240, 40, True)
    assert scattered(recorded(tmp_path, points(200, 20))) == {}  # a tenth is usual


def test_a_scan_is_not_scattered(tmp_path: Path) -> None:
    """The last pages are read ahead, and not used, since the reader ends."""
    events = [event for page in range(200) for event in (("added", page), ("accessed", page))]
    assert scattered(recorded(tmp_path, [*events, *(("added", page) for page in range(200, 240))])) == {}


def test_a_mapped_file_is_known_by_its_places(tmp_path: Path) -> None:
    """Around each fault, 16 pages come; no use of them is seen. A mapped scan goes on where it was."""
    starts = random.Random(1).sample(range(0, 100_000, 32), 50)
    (found,) = scattered(
        recorded(tmp_path, [("added", start + page) for start in starts for page in range(16)])
    ).values()
    assert (found.unread, found.came, found.places, found.seen) == (800, 800, 50, False)
    assert scattered(recorded(tmp_path, [("added", page) for page in range(800)])) == {}
    far = [("added", start + page) for start in range(0, 100_000, 5000) for page in range(100)]
    assert scattered(recorded(tmp_path, far)) == {}  # long runs here and there


def test_a_trace_that_does_not_tell(tmp_path: Path) -> None:
    (tmp_path / "keys.txt").write_text("1\n2\n3\n")
    assert scattered(read(tmp_path / "keys.txt", details=True)) == {}
