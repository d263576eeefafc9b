"""What a recording shows of threads, commands and files, and what policies would be told of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import Read, loop, points_beside_scans, recorded

from cpol.runtime.simulate.advise.proposals import proposals
from cpol.runtime.simulate.advise.seen import seen
from cpol.runtime.simulate.traces import read

ROUNDS = 60


def test_threads_and_commands_that_read_in_order_scan(tmp_path: Path) -> None:
    trace = read(recorded(tmp_path / "app.rec", points_beside_scans(100, ROUNDS), 150), details=True)
    found = seen(trace)
    assert found.requests == 60 * ROUNDS
    assert [part.name for part in found.scanning_threads.values()] == ["thread 8"]
    assert [part.name for part in found.scanning_commands.values()] == ["scan"]
    scan = found.threads[8]
    assert (scan.requests, scan.pages, scan.again, scan.stays) == (40 * ROUNDS, 40 * ROUNDS, 0, True)
    assert scan.reads == 40 * ROUNDS and found.commands and scan.in_order == scan.requests
    by_policy = {each.policy: each for each in proposals(trace, trace, found, found, 450)}
    assert by_policy["get_scan"].keys == ("8",) and by_policy["get_scan"].live == ()  # whose number lives on?
    assert "thread 8 scan: 67% of the requests" in by_policy["get_scan"].words
    assert by_policy["backup"].live == ("scan",)
    aside = by_policy["backup"].aside
    assert aside is not None and sum(aside) == 40 * ROUNDS
    assert by_policy["keep_files"].live == ("/srv/index",)  # by its path, and the simulator's key is a number
    assert by_policy["keep_files"].keys[0].isdecimal()


def test_a_file_that_is_larger_than_its_share_is_not_kept(tmp_path: Path) -> None:
    trace = read(recorded(tmp_path / "app.rec", points_beside_scans(100, ROUNDS), 150), details=True)
    assert "keep_files" not in {each.policy for each in proposals(trace, trace, seen(trace), seen(trace), 150)}


def test_nobody_is_protected_where_all_scan(tmp_path: Path) -> None:
    trace = read(recorded(tmp_path / "app.rec", loop(100, 20), 60), details=True)
    found = seen(trace)
    assert found.scanning_threads and [*proposals(trace, trace, found, found, 60)] == []


@pytest.mark.slow
def test_threads_that_end_are_not_named(tmp_path: Path) -> None:
    reads = [*points_beside_scans(100, ROUNDS), *(Read(1, page % 100, 7, "server") for page in range(3000, 0, -7))]
    reads += [Read(1, page % 97, 7, "server") for page in range(60 * ROUNDS, 0, -1)]
    trace = read(recorded(tmp_path / "app.rec", reads, 150), details=True)
    found = seen(trace)
    assert not found.threads[8].stays
    assert "get_scan" not in {each.policy for each in proposals(trace, trace, found, found, 150)}


def test_a_trace_without_files_shows_none(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    path.write_text("".join(f"{number % 9}\n" for number in range(100)))
    trace = read(path, details=True)
    found = seen(trace)
    assert (found.requests, found.files, found.commands) == (100, {}, {}) and [
        *proposals(trace, trace, found, found, 9)
    ] == []
