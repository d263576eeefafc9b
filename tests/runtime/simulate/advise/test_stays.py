"""Which threads a policy can be told (seen.py): those that live as long as the recording."""

from __future__ import annotations

from pathlib import Path

from cpol.runtime.simulate.advise.seen import seen
from cpol.runtime.simulate.traces import read, read_columns


def test_a_thread_stays_if_it_reads_at_both_ends(tmp_path: Path) -> None:
    """Thread 2 is busy in the middle, and gone in the end."""
    threads = [1] * 10 + [2] * 25 + [1] * 5
    file = tmp_path / "app.csv"
    file.write_text("".join(f"{number},{thread},f,{number}\n" for number, thread in enumerate(threads)))
    columns = read_columns("time_ms=0,thread=1,file=2,page=3")
    found = seen(read(file, "csv", details=True, columns=columns)).threads
    assert {key: part.stays for key, part in found.items()} == {1: True, 2: False}
