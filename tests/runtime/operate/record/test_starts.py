"""What a recording says was touched, as the input of the policy replay; and what the policy makes of it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cpol.compiler import compile_file
from cpol.runtime.machine.events.prefetch import Request
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.settings.entries import settings_of
from cpol.runtime.machine.settings.start import MAX_RUN, NEAR, make, runs_of
from cpol.runtime.operate.record import touched
from cpol.runtime.operate.record.identity import mounts, paths
from cpol.runtime.operate.record.touched import read_touches
from cpol.runtime.simulate.traces import TraceError

STDLIB = Path(__file__).parents[4] / "stdlib"
SIZE = 2000
MOST = 64
"""Pages of a call."""


def recording(folder: Path, *lines: str) -> Path:
    path = folder / "app.rec"
    events = sum(not line.startswith("name,") for line in lines)
    path.write_text("\n".join(("cpol-record 2", "# time_ns,event", *lines, f"end,{events},0", "")))
    return path


def test_touched_pages(tmp_path: Path) -> None:
    """Used pages count, be they few of those read; of a file with more misses than used pages, all that were read."""
    path = recording(
        tmp_path,
        'name,8:1:5,"/a ""b"", c"',
        "1,window,8:1:5,0,32,1,1,sh",
        "1,added,8:1:5,0,32,1,1,sh",
        "2,accessed,8:1:5,2,1,1,1,sh",
        "3,dirtied,8:1:5,7,1,1,1,sh",
        "name,8:1:6,/lib",
        "4,window,8:1:6,16,16,1,1,sh",
        "4,window,8:1:6,32,16,1,1,sh",
        "4,added,8:1:6,16,32,1,1,sh",
        "5,accessed,8:1:6,0,1,1,1,sh",
        "6,removed,8:1:9,0,1,1,1,sh",
        "name,8:1:7,/read",
        "7,window,8:1:7,0,4,1,1,sh",
        "7,added,8:1:7,0,4,1,1,sh",
        "7,accessed,8:1:7,0,1,1,1,sh",
        "8,marked,8:1:7,1,1,1,1,sh",
        "8,window,8:1:7,4,8,1,1,sh",
        "8,added,8:1:7,4,8,1,1,sh",
    )
    touches = read_touches(path)
    assert dict(touches.touched()) == {"8:1:5": [2, 7], "8:1:6": [0, *range(16, 48)], "8:1:7": [0]}
    assert touches.names == {"8:1:5": b'/a "b", c', "8:1:6": b"/lib", "8:1:7": b"/read"}


def test_only_recordings(tmp_path: Path) -> None:
    path = tmp_path / "trace.txt"
    path.write_text("1\n2\n")
    with pytest.raises(TraceError, match=r"no recording: it does not begin as one; make one by `cpolc record"):
        read_touches(path)


def test_too_many_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touched, "MAX_PAGES", 10)
    path = recording(tmp_path, "1,added,8:1:5,0,10,1,1,sh", "2,added,8:1:6,0,1,1,1,sh")
    with pytest.raises(TraceError, match=r"line 4: the recording has more than 10 pages; record a start only"):
        read_touches(path)


def test_runs() -> None:
    assert list(runs_of([])) == []
    assert list(runs_of([3])) == [(3, 1)]
    assert list(runs_of([0, 1, 2, 9, 11, 12])) == [(0, 3), (9, 1), (11, 2)]
    assert list(runs_of(range(100, 100 + 2 * MAX_RUN + 1))) == [(100, MAX_RUN), (163, MAX_RUN), (226, 1)]


@pytest.mark.parametrize("files", [0, 1, 2, 50, 3000])
def test_each_file_is_near_its_place(files: int) -> None:
    source = Random(files)
    wanted = {source.getrandbits(64): sorted(source.sample(range(900), 1 + n % 9)) for n in range(files)}
    start = make(wanted)
    slots = start.entries[0]
    assert (start.files, start.pages) == (files, sum(map(len, wanted.values())))
    for file, pages in wanted.items():
        slot = next(slot for k in range(NEAR) if start.entries[1 + 2 * (slot := (file + k) % slots)] == file)
        begin = start.entries[2 + 2 * slot]
        runs = start.entries[begin + 1 : begin + 1 + start.entries[begin]]
        assert [page for run in runs for page in range(run >> 6, (run >> 6) + (run & 63))] == pages
    assert slots <= 4 * files + 1


def expected(pages: list[int], index: int, wanted: int, marker: bool) -> list[int] | None:
    """What replay names at a request: None is the kernel's own."""
    if index not in pages:
        return None
    if marker:
        return [page for page in pages if page >= index][MOST : 2 * MOST]
    return [page for page in pages if page >= index + wanted][:MOST]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_the_policy_reads_what_was_touched(seed: int) -> None:
    """Each request of random files: the next touched pages, or the kernel's own where the page was not touched."""
    source = Random(seed)
    files = {source.getrandbits(64): source.choice((2, 9, 300, 1500)) for _ in range(6)}
    wishes = {file: sorted(source.sample(range(SIZE), count)) for file, count in files.items()}
    policy = compile_file(STDLIB / "replay.cpol")
    (declaration,) = policy.inputs
    machine = Machine(policy, 1, inputs=settings_of(declaration, make(wishes).entries))
    asked = 0
    for _ in range(300):
        file = source.choice([*wishes, 77])
        pages = wishes.get(file, [])
        index = source.choice(pages) if pages and source.random() < 0.8 else source.randrange(SIZE)
        wanted, marker = source.choice((1, 1, 4)), source.random() < 0.3
        decided = machine.readahead(Request(file, index, wanted, index, 32, SIZE, marker=marker))
        wish = expected(pages, index, wanted, marker)
        assert decided.defaulted == (wish is None), (file, index)
        found = [target.number for target in decided.targets]
        if marker:  # the wanted pages at a marker are dropped from the targets in all executors
            assert found == [page for page in wish or [] if not index <= page < index + wanted], (file, index)
        else:
            assert found == (wish or []), (file, index)
        asked += bool(found)
    assert asked > 50


def test_where_a_file_may_be() -> None:
    text = (
        b"22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        b"23 1 8:1 /srv/it\\040is /mnt/a\\040b rw - ext4 /dev/sda1 rw\n"
        b"24 1 8:2 / /data rw - ext4 /dev/sda2 rw\n"
    )
    found = mounts(text)
    assert list(paths(b"/srv/it is/x", "8:1", found)) == [b"/srv/it is/x", b"/mnt/a b/x"]
    assert list(paths(b"/srv/it isnt/x", "8:1", found)) == [b"/srv/it isnt/x"]
    assert list(paths(b"/x", "8:2", found)) == [b"/data/x"]
    assert list(paths(b"/x", "8:3", found)) == []
