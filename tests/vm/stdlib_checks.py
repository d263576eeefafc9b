"""Runs in the machine (see guest.py): each stdlib policy under memory pressure; no data is lost."""

from __future__ import annotations

import json
import os
import random
import sys
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import (
    CHECKS,
    DISK,
    LIMIT,
    OBJECTS,
    big_file,
    cgroup,
    good,
    main,
    no_bpf_left,
    no_complaint,
    nothing_left,
    obj,
    remove,
    run_in,
)

SIZE = 18 << 20  # half as much again as the limit
PAGES = SIZE // 4096
LEAVES = ("noop", "admit")  # they govern no folios
FALLBACK = int(os.environ.get("CPOL_TEST_FALLBACK", "50"))
"""Most fallback, in percent of the policy's evictions. The slower the disk, the more of what a policy proposes is still
being read or written, and the more the kernel takes by itself: 13 % was seen."""


def digest(path: Path) -> int:
    """Return the checksum of a file, read in pieces of 256 KiB. With KASAN, a hash takes a fifth of the time."""
    crc = 0
    with path.open("rb", buffering=0) as file:
        while piece := file.read(1 << 18):
            crc = zlib.crc32(piece, crc)
    return crc


def digest_of(data: bytes, times: int) -> int:
    crc = 0
    for _ in range(times):
        crc = zlib.crc32(data, crc)
    return crc


def pressure(file: Path, expected: int, fill: Callable[[], None]) -> None:
    """Run scans, skewed reads and a loop; write, truncate and delete files; check all data read."""
    fill()
    source = random.Random(5)
    assert digest(file) == expected
    with file.open("rb", buffering=0) as points:
        for _ in range(2000):
            os.pread(points.fileno(), 100, 4096 * int(PAGES * source.random() ** 4))
        for _ in range(2):
            for page in range(PAGES // 3):
                os.pread(points.fileno(), 100, 4096 * page)
    written = DISK / f"written-{os.getpid()}"
    data = source.randbytes(1 << 20)  # the limit covers this process's memory, too
    with written.open("wb", buffering=0) as out:
        for _ in range(8):
            out.write(data)
    os.sync()
    assert digest(written) == digest_of(data, 8)
    os.truncate(written, 3 << 20)
    assert digest(written) == digest_of(data, 3)
    written.unlink()
    assert digest(file) == expected


def points(file: Path) -> None:
    """Skewed reads, and a scan of the whole file."""
    source = random.Random(6)
    with file.open("rb", buffering=0) as opened:
        for page in [int(PAGES * source.random() ** 4) for _ in range(2000)] + list(range(PAGES)):
            os.pread(opened.fileno(), 100, 4096 * page)


def room_falls_and_rises(path: Path, file: Path) -> tuple[int, int]:
    """Take a third of the limit away, and give it back. Pages that went meanwhile: as the policy says, and not."""
    before = json.loads(good("stat", path, "--json"))
    for limit in (LIMIT * 2 // 3, LIMIT):
        (path / "memory.max").write_text(str(limit))
        run_in(path, lambda: points(file))
    after = json.loads(good("stat", path, "--json"))
    return after["evicted"] - before["evicted"], after["fallback"] - before["fallback"]


def works(name: str) -> dict[str, int]:
    path, file = cgroup("stdlib"), big_file("whole", SIZE)
    expected = digest(file)
    Path("/proc/sys/vm/drop_caches").write_text("3")
    good("attach", obj(name), path)

    def fill() -> None:
        for told, inputs in (("get_scan", "scanners"), ("admit", "bypass")):
            if name == told:
                good("input", path, inputs, "add", os.getpid())

    run_in(path, lambda: pressure(file, expected, fill))
    stat = json.loads(good("stat", path, "--json"))
    assert stat["name"] == name, stat
    # Offences depend on the disk: folios being read cannot go, and what is read ahead may go before it is used.
    assert stat["state"] == "attached", stat
    events = dict(line.split() for line in (path / "memory.events").read_text().splitlines())
    assert events["oom_kill"] == "0", events
    if stat["kind"] == "prefetch":
        assert stat["nomem"] <= stat["ra_prefetched"] // 10, stat
    elif name in LEAVES:
        assert stat["nomem"] == stat["owned"] == stat["evicted"] == 0, stat
        # Counts folios, and XFS has large ones.
        assert (stat["refused_admission"] > PAGES // 4) == (name == "admit"), stat
    else:
        # Of a policy with many lists, `lists` has the first ones.
        assert stat["nomem"] == 0 < stat["owned"] <= LIMIT // 4096 and stat["owned"] == stat["listed"], stat
        assert stat["evicted"] > PAGES // 2, stat
        assert stat["fallback"] <= stat["evicted"] * FALLBACK // 100, stat
        evicted, fallback = room_falls_and_rises(path, file)
        assert evicted > PAGES // 2 and fallback <= evicted * FALLBACK // 100, (evicted, fallback)
        stat |= {"evicted_by_room": evicted, "fallback_by_room": fallback}
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    no_complaint()
    return {key: value for key, value in stat.items() if isinstance(value, int)}


for policy in sorted(found.name.removesuffix(".bpf.o") for found in OBJECTS.glob("*.bpf.o")):
    CHECKS[policy] = partial(works, policy)


if __name__ == "__main__":
    main()
