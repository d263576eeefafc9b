"""Jobs of no_fscache's experiments: without the page cache the disk moves what it does when the job is short of memory.

A few of them, and small (uncached_arms.PAPER has all). Bytes and requests of the disk are counted, nothing is timed.
"""

from __future__ import annotations

import pytest
from uncached_arms import Figures, jobs, run_arms

pytestmark = [pytest.mark.vm, pytest.mark.long]

CHOSEN = ("random read", "random write", "random mix")
AHEAD = "sequential mix"
"""fio says POSIX_FADV_SEQUENTIAL for it, and then reads and writes in turns."""
LATE = "io_uring: sequential write"
"""Its writers must not wait, so workers flush what they write, while the kernel's own writeback does so, too."""
NEAR, AS_STARVED = 0.02, 0.1


@pytest.fixture(scope="module", params=["patched", "module"])
def figures(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Figures:
    """A file system for each mount, since the core is the same."""
    plan = {name: job for name, job in jobs(("sync",), 64, 8, 800).items() if name.endswith((*CHOSEN, AHEAD))}
    plan[LATE] = jobs(("io_uring",), 64, 64, 800)[LATE]
    module = request.param == "module"
    return run_arms(
        tmp_path_factory.mktemp("arms") / "exchange",
        plan,
        module=module,
        file_system="ext4" if module else "xfs",
        file_mib=64,
    )["jobs"]


@pytest.mark.parametrize("job", CHOSEN)
def test_the_disk_does_as_when_memory_is_short(figures: Figures, job: str) -> None:
    arms = figures[f"sync: {job}"]
    uncached, starved = arms["uncached"], arms["starved"]
    for moved, asked in (("read", "asked_read"), ("written", "asked_written")):
        assert uncached[asked] == starved[asked], arms
        if uncached[asked]:
            assert uncached[moved] == pytest.approx(starved[moved], rel=AS_STARVED), arms
    if uncached["asked_read"]:
        assert uncached["read"] == pytest.approx(uncached["asked_read"], rel=NEAR), arms
    assert uncached["left"] <= 64 < starved["left"], arms


def test_nothing_is_read_ahead(figures: Figures) -> None:
    """Also not for who asks for it. What is read ahead goes with each write in between, and is read again."""
    uncached = figures[f"sync: {AHEAD}"]["uncached"]
    assert uncached["read"] == pytest.approx(uncached["asked_read"], rel=NEAR), uncached


def test_workers_leave_nothing(figures: Figures) -> None:
    """Not what somebody uses when its flush ends, either: the kernel's own writeback, which holds folios in batches."""
    uncached = figures[LATE]["uncached"]
    assert uncached["left"] <= 16, uncached
