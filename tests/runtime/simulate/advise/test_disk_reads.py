"""Disk reads of a recording, block by block (blocks.py): what a write and what readahead are."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.compiler import compile_source
from cpol.runtime.simulate.advise.blocks import BLOCKS, Blocks
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Trace, read

UNREAD_FIRST = compile_source(
    """policy p {
  list unread, used
  on added(f) { place f at tail of unread }
  on first_accessed(f) { move f to tail of used }
  on evict {
    scan unread from head as f { evict f }
    scan used from head as f { evict f }
  }
}
""",
    "p.cpol",
)


def recorded(folder: Path, *events: str) -> Trace:
    """A recording of events, such as `added 3`."""
    lines = [f"{number},{what},1:1:1,{page},1,7,7,cat" for number, (what, page) in enumerate(map(str.split, events))]
    text = "\n".join(["cpol-record 3", *lines, f"end,{len(lines)},0", ""])
    (folder / "app.rec").write_text(text)
    return read(folder / "app.rec", None, details=True)


def reads(trace: Trace, capacity: int) -> int:
    return sum(Blocks.of(trace, None).reads(Simulator(UNREAD_FIRST, capacity, named=True)))


@pytest.mark.parametrize(("how", "expected"), [("dirtied", 2), ("accessed", 4)])
def test_a_write_is_no_access(tmp_path: Path, how: str, expected: int) -> None:
    """Page 0 leaves for page 2 if it was written, else page 1, which came first, and is then read again."""
    events = ["added 1", "accessed 1", "added 0", f"{how} 0", "added 2", "accessed 2", "accessed 1"]
    assert reads(recorded(tmp_path, *events), 2) == expected


def test_the_first_read_of_what_was_written_is_none_of_the_disk(tmp_path: Path) -> None:
    assert reads(recorded(tmp_path, "added 0", "dirtied 0", "accessed 0"), 2) == 0


@pytest.mark.parametrize(("capacity", "expected"), [(2, 4), (4, 3)])
def test_readahead_reads_what_is_not_cached(tmp_path: Path, capacity: int, expected: int) -> None:
    """Nobody reads page 5. The machine brought it twice; a larger cache still has it."""
    events = ["added 5", "added 1", "accessed 1", "added 2", "accessed 2", "removed 5", "added 5"]
    trace = recorded(tmp_path, *events)
    assert len(Blocks.of(trace, None).ends) == BLOCKS and sum(Blocks.of(trace, None).unread()) == 2
    assert reads(trace, capacity) == expected


PASSES = {"none": ([0, 0, 0, 0, 0], 2, 5), "two": ([0, 0, 1, 1, 0], 2, 4), "all": ([1] * 5, 9, 5)}
PASSES["cached"] = ([0, 0, 0, 0, 1], 9, 4)


@pytest.mark.parametrize("name", PASSES)
def test_pages_that_pass_take_no_room(tmp_path: Path, name: str) -> None:
    """Of two pages of room, 3 and 4 drive 1 out, unless they pass. One that is cached is found."""
    trace = recorded(tmp_path, *(f"{what} {page}" for page in (1, 2, 3, 4, 1) for what in ("added", "accessed")))
    aside, capacity, expected = PASSES[name]
    blocks = Blocks.of(trace, None).passing(bytes(aside))
    assert sum(blocks.reads(Simulator(UNREAD_FIRST, capacity, named=True))) == expected


def test_what_passes_needs_no_readahead_and_writes_nothing(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "added 1", "added 2", "accessed 1", "accessed 2", "dirtied 3")
    aside = bytes([1] * len(trace.ids))
    rest = Blocks.of(trace, None).passing(aside).trace
    assert [rest.ids[place] for place in range(len(rest.ids))] == [trace.ids[-3], trace.ids[-2]]
