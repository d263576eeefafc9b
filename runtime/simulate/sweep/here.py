"""Does units in this process, on all its processors: native code leaves Python's lock to the other threads."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from cpol.runtime.simulate.runs.jobs import Task, completed
from cpol.runtime.simulate.sweep.kept import Kept, Local
from cpol.runtime.simulate.sweep.unit import Ended, Unit
from cpol.runtime.simulate.sweep.work import run_unit

CGROUPS = Path("/sys/fs/cgroup")
LEAST = 1 << 28
"""Bytes for traces, however little memory there is."""

WIDEST = 80
"""Characters that say which traces are run on."""


def available() -> int:
    """Bytes that the machine could give to programs, page cache included."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def memory(own: Path = Path("/proc/self/cgroup"), root: Path = CGROUPS) -> int:
    """Bytes for traces, unless somebody says otherwise: half of what the machine can give, or of the cgroup's limit."""
    rooms = [available()]
    with suppress(OSError):
        place = root / own.read_text().partition("0::/")[2].strip()
        for folder in (place, *place.parents):
            with suppress(OSError, ValueError):  # no limit, or no cgroup any more
                rooms.append(int((folder / "memory.max").read_text()))
    return max(LEAST, min(rooms) // 2)


def execute(
    units: Sequence[Unit], local: Local, jobs: int, bound: int, show: Callable[[str], None] = lambda _: None
) -> Generator[Ended, None, None]:
    """Do the units, `jobs` at a time, with traces of at most `bound` bytes in memory. Meanwhile, say on which."""
    kept, running, began = Kept(local, bound), dict[int, str](), time.monotonic()

    def do(number: int) -> Ended:
        unit = units[number]
        running[number] = unit.label
        try:
            return unit, run_unit(unit, kept)
        finally:
            del running[number]

    tasks = [Task(unit.label, partial(do, number)) for number, unit in enumerate(units)]

    def now(_: str) -> None:  # of units, which users do not count in
        labels = ", ".join(dict.fromkeys([*running.values()]))
        show(f"{time.monotonic() - began:.0f} s, now {labels}"[:WIDEST])

    with closing(completed(tasks, jobs, now)) as ended:
        for _, each in ended:
            yield each
