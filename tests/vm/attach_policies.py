"""Checks in the machine (attach_checks.py): stdlib policies govern, evict and lose no data."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import time
from functools import partial
from pathlib import Path

from guest import (
    CHECKS,
    DISK,
    LIMIT,
    OBJECTS,
    big_file,
    cgroup,
    check,
    good,
    no_bpf_left,
    nothing_left,
    obj,
    read_whole,
    remove,
    run_in,
    scan_and_points,
)

POLICIES = ("fifo", "lfu", "mru", "s3fifo")
FOR_FILES = ("random_access", "readahead", "replay", "stream", "stride", "backup", "drop_behind", "uncached")
OF_READS = ("backup", "drop_behind", "uncached")
"""Policies that are told of what was read; `write_through` only of what is written."""
"""Policies that only prefetch, and are asked what to read of files; others of their kind are asked at swap faults."""
NO_STDLIB = ("everything", "refused", "live", "newer", "noop", "admit")
"""Objects that other checks attach; noop and admit are of stdlib, but own no folios."""


def attach_works(name: str) -> dict[str, float]:
    path = cgroup("one")
    file = big_file("whole", 24 << 20)
    begun = time.monotonic()
    assert good("attach", obj(name), path).startswith(f"{name} is attached to {path}")
    took = time.monotonic() - begun
    (listed,) = json.loads(good("list", "--json"))
    del listed["attached_ms"]
    assert listed == {
        "cgroup": path.stat().st_ino, "path": str(path), "kind": "evict", "policy": name, "state": "attached"
    }  # fmt: skip
    assert good("list").split() == [name, str(path)]
    run_in(path, lambda: scan_and_points(file))
    stat = json.loads(good("stat", path, "--json"))
    assert (stat["cgroup"], stat["name"], stat["path"]) == (path.stat().st_ino, name, str(path))
    assert stat["added"] >= 6144, stat
    assert stat["evicted"] >= 3000, stat
    assert stat["nomem"] == 0, stat
    assert 0 < stat["owned"] <= LIMIT // 4096 and stat["owned"] == sum(stat["lists"]), stat
    assert stat["fallback"] <= stat["evicted"] // 4, stat
    assert "oom_kill 0" in (path / "memory.events").read_text()
    assert good("detach", path) == f"{name} is detached from {path}\n"
    nothing_left(path)
    run_in(path, lambda: scan_and_points(file))
    remove(path)
    no_bpf_left()
    assert good("list") == "no policy is attached\n"
    assert good("list", "--json") == "[]\n"
    return {"attach": took, **{key: value for key, value in stat.items() if isinstance(value, int)}}


for policy in POLICIES:
    CHECKS[f"attach_works_{policy}"] = partial(attach_works, policy)


@check
def other_stdlib_policies_work() -> dict[str, int]:
    path, file, evicted = cgroup("one"), big_file("whole", 24 << 20), {}
    names = {found.name.removesuffix(".bpf.o") for found in OBJECTS.glob("*.bpf.o")}
    for name in sorted(names - {*POLICIES, *NO_STDLIB}):
        good("attach", obj(name), path)
        run_in(path, lambda: read_whole(file))
        stat = json.loads(good("stat", path, "--json"))
        if stat["kind"] == "prefetch":
            reads_ahead(name, path, file)
            continue
        evicted[name] = stat["evicted"]
        # lirs has a queue of 1 %, so it proposes folios that readahead has locked; then the kernel falls back
        assert stat["name"] == name and stat["evicted"] + stat["fallback"] > 2000 and stat["nomem"] == 0, stat
        good("detach", path)
        nothing_left(path)
        Path("/proc/sys/vm/drop_caches").write_text("3")
    remove(path)
    no_bpf_left()
    return evicted


def reads_ahead(name: str, path: Path, file: Path) -> None:
    """Read a file in small pieces under a policy that only prefetches, and check its statistics."""
    Path("/proc/sys/vm/drop_caches").write_text("3")
    run_in(path, lambda: read_in_pieces(file))
    stat = json.loads(good("stat", path, "--json"))
    assert (stat["name"], stat["state"]) == (name, "attached"), stat
    # What follows a page is charged to the cgroup, which is at its limit, and no reclaim is done for it.
    assert stat["nomem"] <= stat["ra_prefetched"] // 20, stat
    assert (stat["ra_asked"] > 0) == (name in FOR_FILES), stat
    assert (stat["ranges"] > 0) == (name in OF_READS), stat
    if name in ("readahead", "stream"):
        assert stat["ra_used"] > 5000 and stat["ra_used"] >= 10 * stat["ra_wasted"], stat
    good("detach", path)
    Path("/proc/sys/vm/drop_caches").write_text("3")


def read_in_pieces(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 14):
            pass


@check
def every_construct_loads() -> None:
    """The verifier accepts a policy that uses every construct."""
    path = cgroup("one")
    file = big_file("whole", 24 << 20)
    good("attach", obj("everything"), path, "--set", "bias=-100", "--set", "eager=false", "--set", "share=-0.5")
    run_in(path, lambda: scan_and_points(file))
    assert json.loads(good("stat", path, "--json"))["evicted"] > 0
    good("detach", path)
    nothing_left(path)
    remove(path)


@check
def two_cgroups_two_policies() -> None:
    left, right = cgroup("left"), cgroup("right")
    files = big_file("left", 20 << 20), big_file("right", 20 << 20)
    good("attach", obj("mru"), left)
    good("attach", obj("lfu"), right)
    assert [line["policy"] for line in json.loads(good("list", "--json"))] == ["mru", "lfu"]
    pids = []
    for path, file in zip((left, right), files, strict=True):
        pid = os.fork()
        if pid == 0:
            (path / "cgroup.procs").write_text(str(os.getpid()))
            scan_and_points(file)
            os._exit(0)
        pids.append(pid)
    assert all(os.waitpid(pid, 0)[1] == 0 for pid in pids)
    for path, name in ((left, "mru"), (right, "lfu")):
        stat = json.loads(good("stat", path, "--json"))
        assert stat["name"] == name and stat["evicted"] > 1000 and stat["added"] > 4000, stat
    good("detach", left)
    assert [line["policy"] for line in json.loads(good("list", "--json"))] == ["lfu"]
    good("detach", right)
    for path in (left, right):
        nothing_left(path)
        remove(path)


@check
def written_data_is_read_back() -> None:
    path = cgroup("one")
    for name in POLICIES:
        good("attach", obj(name), path)
        file = DISK / f"written-{name}"

        block = random.Random(name).randbytes(1 << 20)

        def write(file: Path = file, block: bytes = block) -> None:
            with file.open("wb", buffering=0) as out:
                for number in range(16):
                    out.write(block[number:] + block[:number])
                    if number % 4 == 3:  # docs/stock-kernel.md, Limits: a cgroup full of dirty pages
                        os.fdatasync(out.fileno())
                os.ftruncate(out.fileno(), 14 << 20)
                out.seek(5 << 20)
                out.write(b"in the middle")
            read_whole(file)

        run_in(path, write)
        expected = bytearray(b"".join(block[number:] + block[:number] for number in range(14)))
        expected[5 << 20 : (5 << 20) + 13] = b"in the middle"
        for _ in range(2):
            digest = hashlib.sha256(file.read_bytes())
            assert digest.digest() == hashlib.sha256(expected).digest(), f"{name}: wrong data read"
            subprocess.run(["sync"], check=True)
            Path("/proc/sys/vm/drop_caches").write_text("3")
        good("detach", path)
        file.unlink()
    nothing_left(path)
    remove(path)
