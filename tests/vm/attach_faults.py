"""Checks in the machine (attach_checks.py): what an operator's day brings ends with nothing half done."""

from __future__ import annotations

import json
import os
import subprocess
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

from guest import (
    CGROUPS,
    DISK,
    PINS,
    big_file,
    cgroup,
    check,
    eventually,
    good,
    kernel_lines,
    no_bpf_left,
    no_complaint,
    nothing_left,
    obj,
    read_whole,
    refused,
    remove,
    run_in,
)
from life_common import Reader, policy_of
from unit import FOR_THE_MODULE, UNIT, capabilities, confined

IS_MODULE = Path("/sys/kernel/btf/cache_ext").exists()
MIB = 1 << 20
ODD = (
    b"with space",
    b'quo"te',
    b"back\\slash",
    b"-dash",
    "ümlaut".encode(),
    b"\xff\xfe",
    b"\x1b[31m",
    b"x" * 255,
)


@check
def each_missing_capability_is_named() -> dict[str, str]:
    """Without one of the unit's capabilities an attach succeeds whole, or leaves nothing and names what it lacks."""
    path, told = cgroup("one"), {}
    names = [*capabilities(UNIT), *(capabilities(FOR_THE_MODULE) if IS_MODULE else [])]
    Path("/sys/fs/bpf").chmod(0o711)
    good("attach", obj("fifo"), path)  # PINS is there, and root's
    good("detach", path)
    for missing in names:
        rest = [name for name in names if name != missing]
        done = confined(rest, "attach", obj("live"), path, "--input-group", "daemon")
        told[missing] = done.stderr.strip() or "not needed"
        if done.returncode == 0:
            good("detach", path)
        else:
            assert done.returncode == 1 and f"cap_{missing}" in done.stderr.lower(), (missing, done.stderr)
        nothing_left(path)
    needed = {name for name, said in told.items() if said != "not needed"}
    assert needed == ({"sys_admin", "chown"} if IS_MODULE else {"bpf", "perfmon", "chown"}), told
    remove(path)
    no_bpf_left()
    return told


@check
def odd_names_of_cgroups() -> list[str]:
    """Each is attached, listed on one line without a control character, found again in JSON, and detached."""
    shown = []
    for name in ODD:
        path = CGROUPS / os.fsdecode(name)
        path.mkdir()
        (path / "memory.max").write_text(str(4 * MIB))
        good("attach", obj("fifo"), path)
        (line,) = good("list").splitlines()
        assert line.isprintable() and line.startswith("fifo "), line
        (entry,) = json.loads(good("list", "--json"))
        assert entry["cgroup"] == path.stat().st_ino, entry
        if name.decode(errors="replace").encode() == name:
            assert entry["path"] == str(path), entry
        assert json.loads(good("stat", path, "--json"))["name"] == "fifo"
        good("detach", path)
        nothing_left(path)
        remove(path)
        shown.append(line)
    no_bpf_left()
    return shown


@check
def limits_reclaim_and_swapoff_under_load() -> dict[str, object]:
    """Limits go up and down, the operator reclaims, swap comes and goes: the policy governs, and its counts add up."""
    path, file = cgroup("one"), big_file("whole", 24 * MIB)
    swap = DISK / "swap"
    with swap.open("wb") as out:
        for _ in range(64):
            out.write(bytes(MIB))
    swap.chmod(0o600)
    subprocess.run(["mkswap", swap], check=True, capture_output=True)
    good("attach", obj("lfu"), path)
    with Reader(path, file):
        eventually(lambda: evicted(path) > 500, "the reader did not fill the cgroup")
        for step in range(3):
            subprocess.run(["swapon", swap], check=True)
            run_in(path, touch)
            for limit in (32 * MIB, 8 * MIB, 12 * MIB):
                (path / "memory.high").write_text(str(limit - MIB))
                (path / "memory.max").write_text(str(limit))
                reclaim(path, MIB)
                time.sleep(0.1)
            (path / "memory.high").write_text("max")
            subprocess.run(["swapoff", swap], check=True)
            before = evicted(path)
            eventually(partial(evicted_beyond, path, before), f"step {step}: it evicts no more")
            assert policy_of(path) == ["lfu"], step
    stat = json.loads(good("stat", path, "--json"))
    assert stat["owned"] == sum(stat["lists"]) and stat["state"] == "attached" and stat["nomem"] == 0, stat
    assert stat["added"] + stat["adopted"] >= stat["evicted"] + stat["owned"], stat
    events = dict(line.split() for line in (path / "memory.events").read_text().splitlines())
    assert events["oom_kill"] == "0", events
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    no_complaint()
    return {"evicted": stat["evicted"], "added": stat["added"], "owned": stat["owned"], "fallback": stat["fallback"]}


def evicted(path: Path) -> int:
    (line,) = kernel_lines(path)
    return int(line["evicted"])


def evicted_beyond(path: Path, before: int) -> bool:
    return evicted(path) > before


def touch() -> None:
    """Write to more anonymous memory than the cgroup leaves beside its cache."""
    memory = bytearray(8 * MIB)
    for at in range(0, len(memory), 4096):
        memory[at] = 1


def reclaim(path: Path, size: int) -> None:
    """As an operator does; EAGAIN says that less was reclaimed."""
    with suppress(BlockingIOError):
        (path / "memory.reclaim").write_text(str(size))


@check
def adopted_folios_are_no_hits() -> dict[str, int]:
    """What was read before the attach counts as adopted alone, so a comparison of before and after begins right."""
    path, file = cgroup("one", 32 * MIB), big_file("small", 8 * MIB)
    run_in(path, lambda: read_whole(file))
    good("attach", obj("fifo"), path)
    eventually(lambda: json.loads(good("stat", path, "--json"))["state"] == "attached", "it adopts for ever")
    stat = json.loads(good("stat", path, "--json"))
    told = {name: stat[name] for name in ("adopted", "hits", "misses")}
    assert stat["adopted"] >= 2000 and (stat["hits"], stat["misses"]) == (0, 0), told
    run_in(path, lambda: read_whole(file))
    assert json.loads(good("stat", path, "--json"))["hits"] > 0
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return told


@check
def pins_are_gone_after_all_that() -> None:
    refused("has no policy", "detach", cgroup("one"))
    remove(CGROUPS / "one")
    assert not [*PINS.iterdir()]
