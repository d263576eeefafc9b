"""Blocks count what a run counts, and what the machine did."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import HEAD, loop, points, recorded

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.machine.settings.assumed import NOTHING
from cpol.runtime.simulate.advise.blocks import BLOCKS, Blocks
from cpol.runtime.simulate.runs.candidates import Candidate
from cpol.runtime.simulate.runs.evict import Setup, Workload
from cpol.runtime.simulate.runs.room import followed
from cpol.runtime.simulate.traces import Trace, read


def setup(name: str) -> Setup:
    return Setup(Candidate(name, compiled(resolve(name)), {}, [], name, {}), 32, 1, NOTHING, False)


def trace_of(tmp_path: Path, room: int = 50) -> Trace:
    return read(recorded(tmp_path / "app.rec", [*loop(70, 20), *points(90, 1500)], room), details=True)


@pytest.mark.parametrize("policy", ("linux_lru", "s3fifo", "mru"))
def test_the_sum_of_the_blocks_is_what_a_run_misses(tmp_path: Path, policy: str) -> None:
    trace = trace_of(tmp_path)
    room = followed(trace)
    assert room is not None
    blocks = Blocks.of(trace, room)
    reads = blocks.reads(setup(policy).simulator(trace, room.first))
    whole = Workload(trace, 0, room).run(setup(policy).simulator(trace, room.first))
    assert len(reads) == BLOCKS and sum(reads) == whole.misses
    assert blocks.reads(setup(policy).simulator(trace, room.first), blocks=7) == reads[:7]


def test_the_room_changes_between_blocks_and_in_them(tmp_path: Path) -> None:
    path = recorded(tmp_path / "app.rec", loop(70, 20), 50)
    lines = path.read_text().splitlines(keepends=True)
    for at, pages in ((900, 20), (300, 80)):
        lines.insert(at, f"room,{at},100,{pages}\n")
    path.write_text("".join(lines))
    trace = read(path, details=True)
    room = followed(trace)
    assert room is not None and len(room.changes) == 3
    reads = Blocks.of(trace, room).reads(setup("lru").simulator(trace, room.first))
    assert sum(reads) == Workload(trace, 0, room).run(setup("lru").simulator(trace, room.first)).misses
    less = Blocks.of(trace, room).reads(setup("lru").simulator(trace, 25), percent=50)
    assert sum(less) == Workload(trace, 0, room).run(setup("lru").simulator(trace, 25), percent=50).misses


def test_what_the_machine_read_is_told_block_by_block(tmp_path: Path) -> None:
    trace = trace_of(tmp_path)
    blocks = Blocks.of(trace, followed(trace))
    told = blocks.recorded()
    assert told == blocks.reads(setup("linux_lru").simulator(trace, 50))  # it made the recording
    assert sum(told) == trace.path.read_text().count(",added,")


def test_a_page_that_is_written_first_is_not_read(tmp_path: Path) -> None:
    lines = ["1,added,8:0:2,0,1,1,1,x", "2,dirtied,8:0:2,0,1,1,1,x", "3,added,8:0:2,1,1,1,1,x"]
    lines += ["4,accessed,8:0:2,1,1,1,1,x", "5,accessed,8:0:2,0,1,1,1,x"]
    path = tmp_path / "app.rec"
    path.write_text(HEAD + "room,0,9,9\n" + "".join(f"{line}\n" for line in lines) + "end,5,0\n")
    trace = read(path, details=True)
    blocks = Blocks(trace, followed(trace), [len(trace.ids)])
    assert blocks.recorded() == [1] == blocks.reads(setup("lru").simulator(trace, 9))
    assert blocks.requested(bytes([1]) * len(trace.ids)) == [2]


def test_without_some_requests_the_blocks_are_those_of_the_others(tmp_path: Path) -> None:
    trace = trace_of(tmp_path)
    blocks = Blocks.of(trace, followed(trace))
    kept = bytes(place % 3 > 0 for place in range(len(trace.ids)))
    rest = blocks.without(kept)
    assert rest.ends == [sum(kept[:end]) for end in blocks.ends]
    assert sum(rest.requested(bytes([1]) * len(rest.trace.ids))) == sum(kept)


@pytest.mark.parametrize("gap", ((0, 9), (7, 12), (30, BLOCKS)))
def test_blocks_without_requests_have_no_reads(tmp_path: Path, gap: tuple[int, int]) -> None:
    trace = trace_of(tmp_path)
    blocks = Blocks.of(trace, followed(trace))
    starts = [0, *blocks.ends]
    kept = bytes(not starts[gap[0]] <= place < starts[gap[1]] for place in range(len(trace.ids)))
    rest = blocks.without(kept)
    reads = rest.reads(setup("lru").simulator(rest.trace, 50))
    assert len(reads) == BLOCKS and reads[gap[0] : gap[1]] == [0] * (gap[1] - gap[0]) and 0 not in reads[: gap[0]]
    whole = Workload(rest.trace, 0, rest.room).run(setup("lru").simulator(rest.trace, 50))
    assert sum(reads) == whole.misses
    assert rest.reads(setup("lru").simulator(rest.trace, 50), blocks=9) == reads[:9]
