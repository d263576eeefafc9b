"""The start of a program that a recording begins with (starts.py)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from cpol.runtime.simulate.advise.starts import LEAST, is_library, ranges, start
from cpol.runtime.simulate.traces import Trace, read

NAMES = ("/usr/bin/shop", "/usr/lib/libc.so.6", "/usr/lib/libshop.so", "/srv/goods")


def recorded(folder: Path, events: Sequence[tuple[int, str, int, int]], names: Sequence[str] = NAMES) -> Trace:
    """Of events: milliseconds, what, the file, the page."""
    lines = [f"{ms * 1_000_000},{what},1:1:{file},{page},1,7,7,shop" for ms, what, file, page in events]
    known = [f"name,1:1:{number},{name}" for number, name in enumerate(names)]
    (folder / "app.rec").write_text("\n".join(["cpol-record 3", *known, *lines, f"end,{len(lines)},0", ""]))
    return read(folder / "app.rec", None, details=True)


def begun(at: int = 0, libraries: int = 2) -> list[tuple[int, str, int, int]]:
    """A start of LEAST pages: each file from its first page on, and the program in two places."""
    mapped = [(at + number, "added", 1 + number, 0) for number in range(libraries)]
    program = [(at + 10 + page, "added", 0, page if page < 20 else page + 100) for page in range(LEAST - libraries)]
    return [*mapped, *program]


def test_a_start_and_what_it_reads(tmp_path: Path) -> None:
    later = [(5000, "added", 3, 7), (5001, "accessed", 3, 7)]  # the program runs
    found = start(recorded(tmp_path, [*begun(), *later]))
    assert found is not None and (found.name, found.process, found.pages) == ("shop", 7, LEAST)
    assert found.files["/usr/bin/shop"] == [(0, 20), (120, LEAST - 22)] and found.files["/usr/lib/libc.so.6"] == [
        (0, 1)
    ]
    assert found.ms == 10 + LEAST - 3 and "/srv/goods" not in found.files


@pytest.mark.parametrize(
    "events",
    (begun(libraries=1), begun()[:-1], [(0, "accessed", 3, 0), *begun(6000)]),
    ids=("no program", "small", "in the middle"),
)
def test_no_start(tmp_path: Path, events: list[tuple[int, str, int, int]]) -> None:
    assert start(recorded(tmp_path, events)) is None


def test_names_of_files_tell_libraries(tmp_path: Path) -> None:
    assert [*map(is_library, ("/lib/ld-linux-x86-64.so.2", "/x.so", "/a.sock", "/so", "/a.so.d/x"))] == [
        *(True, True, False, False, False)
    ]
    assert start(recorded(tmp_path, begun(), names=())) is None


def test_ranges() -> None:
    assert ranges([5, 3, 4, 9]) == [(3, 3), (9, 1)] and ranges([]) == []
