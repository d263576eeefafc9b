"""Who scans (seen.py), so that a policy may be told: threads that read in order and live to the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cpol.runtime.simulate.advise.seen import Seen, seen
from cpol.runtime.simulate.traces import read, read_columns

COLUMNS = read_columns("time_ms=0,thread=1,file=2,page=3,rw=4")


def of(folder: Path, threads: Sequence[int], writers: Sequence[int] = ()) -> Seen:
    """Requests of threads, each in a file of its own, in order."""
    pages = dict.fromkeys(threads, -1)
    lines = []
    for number, thread in enumerate(threads):
        pages[thread] += 1
        lines.append(f"{number},{thread},file{thread},{pages[thread]},{'W' if thread in writers else 'R'}\n")
    (folder / "app.csv").write_text("".join(lines))
    return seen(read(folder / "app.csv", "csv", details=True, columns=COLUMNS))


def test_a_thread_stays_if_it_reads_at_both_ends(tmp_path: Path) -> None:
    """Thread 2 is busy in the middle, and gone in the end."""
    found = of(tmp_path, [1] * 10 + [2] * 25 + [1] * 5).threads
    assert {key: part.stays for key, part in found.items()} == {1: True, 2: False}


def test_who_writes_does_not_scan(tmp_path: Path) -> None:
    """Thread 2 appends to a log, and 3 reads one."""
    found = of(tmp_path, [2, 3] * 20, writers=[2])
    assert {*found.threads} == {2, 3} and {*found.scanning_threads} == {3}
