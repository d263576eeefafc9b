"""Checks in the machine (life_checks.py): what programs read of folios."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
from pathlib import Path

from guest import DISK, cgroup, check, good, nothing_left, obj, remove, run_in
from life_common import PAGE, small_file

WET, USED, AHEAD, PLAIN = 64, 32, 16, 96
"""Pages that are written, mapped, read ahead, and only read."""


def read_single_pages(file: Path, pages: int) -> int:
    """Read them without readahead. Returns the open file."""
    handle = os.open(file, os.O_RDONLY)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_RANDOM)
    for page in range(pages):
        os.pread(handle, 1, page * PAGE)
    return handle


@check
def flags_of_folios() -> dict[str, int]:
    """The policy tells written, unread and mapped pages from others, when reclaim asks; clean again, they go."""
    path, written, found = cgroup("one"), DISK / "flags-written", DISK / "flags.json"
    used, plain = small_file("flags-used", USED), small_file("flags-plain", PLAIN)
    ahead = small_file("flags-ahead", AHEAD)
    Path("/proc/sys/vm/drop_caches").write_text("3")
    good("attach", obj("flags"), path)

    def listed() -> dict[str, int]:
        stat = json.loads(good("stat", path, "--json"))
        return dict(zip(stat["list_names"], stat["lists"], strict=True))

    def reclaim(pages: int) -> None:
        with contextlib.suppress(BlockingIOError):  # it could not take as many
            (path / "memory.reclaim").write_text(str(pages * PAGE))

    def work() -> None:
        written.write_bytes(b"w" * (WET * PAGE))
        with mmap.mmap(read_single_pages(used, USED), USED * PAGE, mmap.MAP_SHARED, mmap.PROT_READ) as mapping:
            assert all(mapping[page * PAGE] == 0 for page in range(USED))
            os.posix_fadvise(os.open(ahead, os.O_RDONLY), 0, 0, os.POSIX_FADV_WILLNEED)
            read_single_pages(plain, PLAIN)
            reclaim(PLAIN // 2)
            found.write_text(json.dumps(listed()))
        os.sync()

    run_in(path, work)
    sizes: dict[str, int] = json.loads(found.read_text())
    assert sizes["wet"] == WET, sizes
    assert sizes["ahead"] >= AHEAD and sizes["used"] >= USED, sizes  # Python's own files are so, too
    assert 0 < sizes["queue"] < PLAIN, sizes
    reclaim(WET + USED + PLAIN)
    assert listed()["wet"] < WET, listed()
    good("detach", path)
    nothing_left(path)
    remove(path)
    return sizes
