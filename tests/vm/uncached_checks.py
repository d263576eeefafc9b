"""Runs in the machine (see guest.py): files without the page cache, by `cpolc uncached` and by stdlib policies.

cpolc is imported once and forked for each command, since Python starts slowly under emulation.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it
sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from disk_counts import SECTOR, counted
from guest import (
    CGROUPS,
    DISK,
    big_file,
    cgroup,
    check,
    good,
    main,
    nothing_left,
    obj,
    refused,
    remove,
    run_in,
)
from guest_journal import entry, journal
from uncached_common import all_gone, cpolc, governing, prepare, uncached

SIZE = 4 << 20
NEAR = 0.02


def sectors() -> tuple[int, int]:
    """Return the sectors that the disk has read and written."""
    _, read, _, written = counted(DISK)
    return read, written


def dd(file: Path, *words: str) -> tuple[str, ...]:
    return ("dd", f"if={file}", "of=/dev/null", "status=none", *words)


@check
def each_read_comes_from_the_disk() -> dict[str, float]:
    file = big_file("cold", SIZE)
    file.stat()  # its inode, and what ext4 reads with that, are no data
    os.sched_setaffinity(0, {0})  # what a reader left in the batch of another processor stays: docs/uncached.md
    ratios: dict[str, float] = {}
    for name, words in {"64k": ("bs=64k",), "4k": ("bs=4k", "count=256"), "1m": ("bs=1M",)}.items():
        asked = 256 * 4096 if name == "4k" else SIZE
        for again in ("first", "second"):
            before = sectors()[0]
            assert uncached(*dd(file, *words)) == 0
            ratios[f"{name} {again}"] = (sectors()[0] - before) * SECTOR / asked
    assert all(abs(ratio - 1) <= NEAR for ratio in ratios.values()), ratios
    before = sectors()[0]
    for _ in range(2):
        subprocess.run(dd(file, "bs=64k"), check=True)
    ratios["cached, twice"] = (sectors()[0] - before) * SECTOR / SIZE
    assert ratios["cached, twice"] <= 1 + NEAR, "the cache was off for others, too"
    assert all_gone()
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    return ratios


@check
def blocks_of_any_size_are_read_once() -> dict[str, int]:
    """Blocks begin and end inside pages. A policy that drops what was read has no more read than nobody does."""
    file, read = big_file("cold", SIZE), {}
    path = cgroup("blocks", 64 << 20)
    settings = {
        "none": None,
        "uncached": ("--set", "all=true"),
        "drop_behind": ("--set", "after=0"),
        "backup": ("--input", "commands=dd"),
    }
    for name, words in settings.items():
        if words is not None:
            good("attach", obj(name), path, *words)
        for size in (3000, 4096, 10240, 20480):
            Path("/proc/sys/vm/drop_caches").write_text("3")
            file.stat()
            before = sectors()[0]
            run_in(path, partial(subprocess.run, dd(file, f"bs={size}"), check=True))
            read[f"{name} {size}"] = pages = (sectors()[0] - before) * SECTOR // 4096
            assert SIZE // 4096 <= pages <= SIZE // 4096 * (1 + NEAR), read
        if words is not None:
            stat = json.loads(good("stat", path, "--json"))
            # Some are in the batch of a processor that the reader has left: docs/uncached.md.
            assert stat["dropped"] + stat["left"] >= SIZE // 4096 * 4 * (1 - NEAR), stat
            assert stat["dropped"] > stat["left"], stat
            good("detach", path)
            nothing_left(path)
    remove(path)
    return read


@check
def writes_are_on_the_disk_when_they_return() -> dict[str, float]:
    before = sectors()[1]
    target = f"of={DISK}/written"
    assert uncached("dd", "if=/dev/urandom", target, "bs=64k", "count=32", "status=none") == 0
    ratio = (sectors()[1] - before) * SECTOR / (32 << 16)
    assert ratio >= 1, ratio
    assert all_gone()
    return {"written": ratio}


@check
def write_through_waits() -> dict[str, float]:
    path = cgroup("through", 64 << 20)
    good("attach", obj("write_through"), path)
    name = DISK / "through"
    ratios = []

    def write() -> None:
        content = os.urandom(1 << 16)
        with name.open("wb", buffering=0) as file:
            for number in range(1, 17):
                file.write(content)
                assert sectors()[1] - before >= number * len(content) // SECTOR, number

    before = sectors()[1]
    run_in(path, write)
    ratios.append((sectors()[1] - before) * SECTOR / (16 << 16))
    stat = json.loads(good("stat", path, "--json"))
    assert stat["waited"] >= 16 and stat["dropped"] == 0, stat
    good("detach", path)
    nothing_left(path)
    remove(path)
    return {"written": ratios[0], "waited": stat["waited"]}


@check
def all_four_attach_and_are_told() -> dict[str, int]:
    file, told = big_file("cold", SIZE), {}
    path = cgroup("four", 64 << 20)
    settings = {
        "uncached": ("--set", "all=true"),
        "write_through": (),
        "drop_behind": (),
        "backup": ("--input", f"commands={Path('/proc/self/comm').read_text().strip()}"),
    }

    def work() -> None:
        with file.open("rb", buffering=0) as reads, (DISK / "copy").open("wb", buffering=0) as writes:
            while some := reads.read(1 << 16):
                writes.write(some)

    for name, words in settings.items():
        Path("/proc/sys/vm/drop_caches").write_text("3")
        good("attach", obj(name), path, *words)
        run_in(path, work)
        stat = json.loads(good("stat", path, "--json"))
        assert stat["ranges"] > 0 and stat["state"] == "attached", stat
        told[name] = stat["dropped"]
        assert (stat["dropped"] > 0) == (name != "write_through"), stat
        assert (stat["flushed"] > 0) == (name != "drop_behind"), stat
        good("detach", path)
        nothing_left(path)
    remove(path)
    return told


@check
def a_killed_cpolc_leaves_nothing() -> None:
    pid = cpolc("uncached", str(DISK), "--", "sleep", "1000")
    end = time.monotonic() + 120
    while not governing() and time.monotonic() < end:
        time.sleep(0.2)
    assert governing(), "the policy was never attached"
    time.sleep(1)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert all_gone(), (list(CGROUPS.iterdir()), governing())


@check
def the_journal_says_who_held_what() -> None:
    """An entry when the policy is attached, one when it is gone, and one for what failed."""
    with journal() as server:
        assert uncached("true") == 0
        attached, detached = entry(server), entry(server)
        assert all_gone()
        for one, action in ((attached, "attach-unpinned"), (detached, "detach-unpinned")):
            assert (one["CPOL_ACTION"], one["CPOL_RESULT"], one["CPOL_POLICY"]) == (action, "done", "uncached"), one
            assert one["CPOL_CGROUP"].startswith(f"{CGROUPS}/cpol-uncached-") and len(one["CPOL_OBJECT_SHA256"]) == 64
            assert one["CPOL_CGROUP"] == attached["CPOL_CGROUP"] and one["PRIORITY"] == "5", one
        refused("no cgroup", "attach-unpinned", obj("uncached"), CGROUPS / "none")
        failed = entry(server)
    assert (failed["CPOL_ACTION"], failed["CPOL_RESULT"], failed["PRIORITY"]) == ("attach-unpinned", "failed", "4"), (
        failed
    )


@check
def the_exit_code_is_that_of_the_command() -> None:
    assert uncached("sh", "-c", "exit 7") == 7
    assert uncached("sh", "-c", "kill -TERM $$") == 128 + signal.SIGTERM
    assert all_gone()


if __name__ == "__main__":
    prepare()
main()
