"""Checks in the machine (attach_checks.py): replace one policy by another, through the link and without its update."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

from guest import (
    LOADER,
    big_file,
    cgroup,
    check,
    ended,
    eventually,
    good,
    kernel_lines,
    load,
    no_bpf_left,
    nothing_left,
    obj,
    refused,
    remove,
)
from life_common import Reader, params_of, pins_of, policy_of, read_fresh, small_file

CONFINE = Path(__file__).with_name("confine.py")
GAP = re.compile(
    r"this kernel cannot exchange policies, so there was a gap: "
    r"no policy governed for at most ([0-9.]+) ms: (\d+) pages were reclaimed, (\d+) refaulted\n"
)
NAMES = ("s3fifo", "lfu", "fifo", "live", "mru")
AGAIN = ("live", "mru")


def without_update(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the loader as on a kernel that cannot update a link."""
    command = [sys.executable, "-I", CONFINE, "no-link-update", LOADER, *words]
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)


def full(name: str) -> str:
    return "live_by_hand" if name == "live" else name


def cached(path: Path) -> int:
    """Return the pages that the cgroup has in the page cache."""
    found = re.search(r"^file (\d+)$", (path / "memory.stat").read_text(), re.MULTILINE)
    assert found
    return int(found[1]) >> 12


class Watcher:
    """Context manager: looks at a cgroup all the time, and counts the looks at which no policy governs it."""

    def __init__(self, path: Path) -> None:
        self.path, self.looks, self.gaps = path, 0, 0
        self.first = self.fewest = cached(path)
        self.end = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self) -> None:
        while not self.end.is_set():
            self.gaps += len(policy_of(self.path)) != 1
            self.looks += 1
            self.fewest = min(self.fewest, cached(self.path))

    def figures(self) -> dict[str, int]:
        return {"looks": self.looks, "without": self.gaps, "cached_before": self.first, "cached_fewest": self.fewest}

    def __enter__(self) -> Watcher:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end.set()
        self.thread.join()


@check
def replace_leaves_no_gap() -> dict[str, object]:
    """Repeatedly under load: one of the two policies governs at any moment, and the pins are the right one's.

    It is the only policy of the machine first, so nothing else keeps the hooks; then another cgroup has one, too.
    """
    path, file, other = cgroup("one"), big_file("whole", 24 << 20), cgroup("other")
    figures: dict[str, object] = {}
    assert good("attach", obj("mru"), path, "--replace") == f"mru is attached to {path}\n"
    link = (pins_of(path) / "link").stat().st_ino
    with Reader(path, file):
        eventually(lambda: int(kernel_lines(path)[0]["evicted"]) > 500, "the reader did not fill the cgroup")
        for beside, names in (("alone", NAMES), ("beside another", AGAIN)):
            if beside != "alone":
                good("attach", obj("fifo"), other)
            seconds = []
            with Watcher(path) as watcher:
                for name in names:
                    seconds.append(replaced(path, name))
            assert watcher.gaps == 0 and watcher.looks > 50, (beside, watcher.figures())
            assert watcher.fewest > watcher.first / 2, (beside, watcher.figures())
            figures[beside] = {**watcher.figures(), "seconds": seconds}
    good("detach", other)
    remove(other)
    assert (pins_of(path) / "link").stat().st_ino != link, "the folder is a new one"
    good("detach", path)
    nothing_left(path)
    evict = [one["policy"] for one in json.loads(good("list", "--all", "--json")) if one["kind"] == "evict"]
    assert evict[-8:] == [*map(full, (*NAMES, *AGAIN[:-1])), "fifo", AGAIN[-1]], evict
    remove(path)
    no_bpf_left()
    return figures


def replaced(path: Path, name: str) -> float:
    """Replace the policy, and check what is told; return the seconds of the command."""
    (old,) = policy_of(path)
    begun = time.monotonic()
    said = good("attach", obj(name), path, "--replace")
    took = round(time.monotonic() - begun, 2)
    assert said.startswith(f"{full(name)} replaced {old} on {path}"), said
    assert said.endswith(f"\nthere was no gap: {old} governed until {full(name)} did\n"), said
    assert policy_of(path) == [full(name)]
    last = ended(path)[-1]
    assert (last["name"], last["exit"]) == (old, "replaced"), last
    shown = {one["path"]: one["policy"] for one in json.loads(good("list", "--json"))}
    assert shown[str(path)] == full(name), shown
    eventually(lambda: json.loads(good("stat", path, "--json"))["adopted"] > 1000, "it adopted too little")
    if name == "live":
        good("set", path, "step=7")
        assert params_of(path)[0] == 7
    return took


@check
def replace_without_update_keeps_the_cache() -> dict[str, object]:
    """The same where the kernel cannot update a link: the cgroup's cache stays, and the loader reports the gap."""
    path, file = cgroup("one"), big_file("whole", 24 << 20)
    gaps: list[float] = []
    reclaimed = returned = 0
    good("attach", obj("mru"), path)
    with Reader(path, file):
        eventually(lambda: int(kernel_lines(path)[0]["evicted"]) > 500, "the reader did not fill the cgroup")
        for name in NAMES:
            (old,) = policy_of(path)
            done = without_update("attach", obj(name), path, "--replace")
            assert done.returncode == 0, done.stderr
            assert done.stdout.startswith(f"{full(name)} replaced {old} on {path}"), done.stdout
            found = GAP.search(done.stdout)
            assert found, done.stdout
            gaps.append(float(found[1]))
            reclaimed += int(found[2])
            returned += int(found[3])
            assert policy_of(path) == [full(name)]
            assert [entry["policy"] for entry in json.loads(good("list", "--json"))] == [full(name)]
            eventually(lambda: json.loads(good("stat", path, "--json"))["adopted"] > 1000, "it adopted too little")
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return {"gaps_ms": gaps, "reclaimed": reclaimed, "came_back": returned}


@check
def failed_replace_keeps_the_old_policy() -> list[str]:
    path, file = cgroup("one"), small_file("replace", 64)
    good("attach", obj("live"), path, "--set", "step=9", "--input", "scanners=2")
    good("set", path, "step=10")
    before = sorted((pin.name, pin.stat().st_ino) for pin in pins_of(path).iterdir() if pin.name != "link")

    # Refused before any change: a wrong object, a wrong setting, a program that the verifier refuses.
    refused("not a BPF object", "attach", "/etc/passwd", path, "--replace")
    refused("sample must be", "attach", obj("lfu"), path, "--replace", "--set", "sample=0")
    refused("already has the policy live_by_hand", "attach", obj("lfu"), path)
    refused(
        "there is no group nobody-at-all", "attach", obj("lfu"), path, "--replace", "--input-group", "nobody-at-all"
    )
    assert policy_of(path) == ["live_by_hand"]

    # Refused by the kernel, because init fails: the old policy has its state, its pins and its params.
    said = []
    failing = ("attach", obj("live"), path, "--replace", "--set", "bias=-128")
    for run, told in (
        (load, "live_by_hand governs as before"),
        (without_update, f"the policy live_by_hand is attached to {path} again"),
    ):
        added = int(kernel_lines(path)[0]["added"])
        done = run(*failing)
        assert done.returncode == 1 and told in done.stderr, done
        assert f"live_by_hand to {path}: the policy's init failed with code -12 (Cannot allocate memory)" in done.stderr
        said.append(done.stderr)
        assert policy_of(path) == ["live_by_hand"]
        assert (ended(path)[-1]["exit"], ended(path)[-1]["code"]) == ("init", "-12") or run is without_update
        assert run is without_update or int(kernel_lines(path)[0]["added"]) == added, "it was attached anew"
        assert before == sorted((pin.name, pin.stat().st_ino) for pin in pins_of(path).iterdir() if pin.name != "link")
        assert not pins_of(path).with_name(f"{pins_of(path).name}_new").exists()
        assert params_of(path) == (10, 6554, -2)
        counted = read_fresh(path, file)
        assert counted["added"] >= 64 and counted["step"] == 10 * counted["added"] and counted["scanner"] >= 64, counted
    good("set", path, "step=20")
    assert read_fresh(path, file)["step"] >= 20 * 64
    good("attach", obj("lfu"), path, "--replace")
    assert good("detach", path) == f"lfu is detached from {path}\n"
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return said
