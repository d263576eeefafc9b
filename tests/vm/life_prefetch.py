"""Checks in the machine (life_checks.py): policies that prefetch, beside policies that evict, and in one with them."""

from __future__ import annotations

import json
import os
from pathlib import Path

from guest import (
    OBJECTS,
    PAIR,
    PINS,
    cgroup,
    check,
    eventually,
    good,
    load,
    no_bpf_left,
    nothing_left,
    obj,
    refused,
    remove,
    run_in,
)
from life_common import PAGE, pins_of, policy_of, small_file
from life_kills import killed_at

STAT = Path("/proc/prefetch_ext/stat")
PAGES = 64


def prefetching(path: Path) -> list[dict[str, str]]:
    """Return the kernel's lines of policies that prefetch for the cgroup."""
    lines = [{key: words or word for key, words, word in PAIR.findall(line)} for line in STAT.read_text().splitlines()]
    return [line for line in lines if line["cgroup"] == str(path.stat().st_ino) and line["state"] == "attached"]


def prefetcher_of(path: Path) -> list[str]:
    return [line["name"] for line in prefetching(path)]


def pins_that_prefetch(path: Path) -> Path:
    return PINS / f"{path.stat().st_ino}_prefetch"


def nothing_prefetches(path: Path) -> None:
    pins = pins_that_prefetch(path)
    assert not pins.exists() and not pins.with_name(f"{pins.name}_new").exists()
    eventually(lambda: not prefetching(path), f"a policy is still in {STAT}")


def listed() -> list[tuple[str, str, str]]:
    return [(entry["kind"], entry["policy"], entry["state"]) for entry in json.loads(good("list", "--json"))]


def read_in_steps(path: Path, file: Path, step: int) -> None:
    """Read each `step`-th page of an uncached file, in order."""
    Path("/proc/sys/vm/drop_caches").write_text("3")

    def work() -> None:
        handle = os.open(file, os.O_RDONLY)
        for page in range(0, PAGES, step):
            os.pread(handle, 1, page * PAGE)

    run_in(path, work)


def figures(path: Path) -> dict[str, int]:
    (line,) = prefetching(path)
    return {key: int(value) for key, value in line.items() if key.startswith("ra_")}


@check
def a_policy_that_only_prefetches() -> dict[str, int]:
    """It is attached, shown, changed, replaced without a gap and detached like any other."""
    path, file = cgroup("one"), small_file("ahead", PAGES)
    good("attach", obj("ahead"), path)
    assert listed() == [("prefetch", "ahead", "attached")]
    assert good("list").startswith("ahead            (prefetches) ")
    refused("already has the policy ahead; add --replace", "attach", obj("ahead"), path)
    read_in_steps(path, file, 1)
    told = figures(path)
    assert told["ra_asked"] < PAGES and told["ra_used"] >= PAGES // 2, told
    assert good("set", path, "depth=1") == "depth = 1 (was 8)\n"
    good("input", path, "often", "add", file)
    read_in_steps(path, file, 8)
    before = figures(path)["ra_wasted"]
    Path("/proc/sys/vm/drop_caches").write_text("3")  # pages are wasted when they leave the cache unused
    assert figures(path)["ra_wasted"] >= before + PAGES // 8 - 1, (before, figures(path))
    state = json.loads(good("stat", "--state", "--json", path))
    assert state["states"]["chosen"] >= PAGES // 8, state
    told = json.loads(good("stat", "--json", path))
    assert told["kind"] == "prefetch" and told["ra_asked"] == figures(path)["ra_asked"]
    done = good("attach", "--replace", obj("ahead"), path)
    assert "there was no gap: ahead governed until ahead did" in done, done
    assert figures(path)["ra_asked"] == 0
    good("detach", path)
    refused("has no policy", "detach", path)
    nothing_prefetches(path)
    remove(path)
    no_bpf_left()
    return told


@check
def one_policy_of_each_kind() -> None:
    """Each is attached and detached by itself."""
    path = cgroup("one")
    good("attach", obj("fifo"), path)
    good("attach", obj("ahead"), path)
    assert listed() == [("evict", "fifo", "attached"), ("prefetch", "ahead", "attached")]
    both = json.loads(good("stat", "--json", path))
    assert [one["name"] for one in both] == ["fifo", "ahead"]
    assert json.loads(good("stat", "--prefetch", "--json", path))["name"] == "ahead"
    refused("the policy fifo has no param|no param .*depth", "set", path, "depth=2")
    good("set", "--prefetch", path, "depth=2")
    good("detach", "--prefetch", path)
    refused("has no policy that prefetches", "detach", "--prefetch", path)
    assert (policy_of(path), prefetcher_of(path)) == (["fifo"], [])
    good("attach", obj("ahead"), path)
    good("detach", path)
    nothing_left(path)
    nothing_prefetches(path)
    good("attach", obj("ahead"), path)
    told = json.loads(good("stat", "--json", path))
    assert (told["name"], told["state"]) == ("ahead", "attached"), "how the other policy ended is old"
    good("detach", path)
    told = json.loads(good("stat", "--json", path))
    assert (told["name"], told["state"]) == ("ahead", "ended"), told
    remove(path)
    no_bpf_left()


@check
def a_policy_that_does_both() -> None:
    """It is one policy with two links. No other prefetches beside it, and one that replaces it takes both places."""
    path, file = cgroup("one"), small_file("double", PAGES)
    good("attach", obj("double"), path)
    assert listed() == [("evict", "double", "attached")]
    read_in_steps(path, file, 1)
    told = figures(path)
    assert told["ra_asked"] >= PAGES and told["ra_prefetched"] == 0, told
    refused("already has the policy double, which prefetches, as ahead would", "attach", obj("ahead"), path)
    assert "there was no gap" in good("attach", "--replace", obj("double"), path)
    assert (policy_of(path), prefetcher_of(path)) == (["double"], ["double"])
    good("attach", "--replace", obj("fifo"), path)
    eventually(lambda: prefetcher_of(path) == [], "the old policy still prefetches")
    assert policy_of(path) == ["fifo"]
    good("attach", obj("ahead"), path)
    refused(
        "already has the policy ahead, which prefetches, as double would", "attach", "--replace", obj("double"), path
    )
    assert (policy_of(path), prefetcher_of(path)) == (["fifo"], ["ahead"])
    good("detach", "--prefetch", path)
    good("attach", "--replace", obj("double"), path)
    good("detach", path)
    nothing_left(path)
    nothing_prefetches(path)
    remove(path)
    no_bpf_left()


@check
def kill_at_any_step_of_attaching_both() -> list[str]:
    """Afterwards the old policy governs whole, or the new one does, or there is none."""
    path, steps = cgroup("one"), []
    while where := killed_at(len(steps) + 1, "attach", obj("double"), path):
        steps.append(where)
        listed()  # repairs
        assert len(policy_of(path)) == len(prefetcher_of(path)), (where, policy_of(path), prefetcher_of(path))
        load("detach", path)
        nothing_left(path)
        eventually(lambda: not prefetching(path), where)
        no_bpf_left()
    assert any("second link" in step for step in steps) or len(steps) >= 10, steps
    replaced: list[str] = []
    while where := killed_at(len(replaced) + 1, "attach", "--replace", obj("double"), path):
        replaced.append(where)
        listed()
        assert (policy_of(path), prefetcher_of(path)) == (["double"], ["double"]), where
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return steps + replaced


@check
def a_removed_cgroup_takes_both_policies_along() -> None:
    path = cgroup("gone")
    good("attach", obj("fifo"), path)
    good("attach", obj("ahead"), path)
    pins = [pins_of(path), pins_that_prefetch(path)]
    assert all(folder.exists() for folder in pins)
    remove(path)
    good("detach", "--gone")
    assert not any(folder.exists() for folder in pins), OBJECTS
    no_bpf_left()
