"""Checks in the machine (life_checks.py): params of an attached policy, handwritten and compiled."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

from guest import cgroup, check, good, no_bpf_left, nothing_left, obj, read_whole, refused, remove, run_in
from life_common import params_of, read_fresh, seen, small_file


@check
def live_params_change_while_attached() -> dict[str, int]:
    path, file = cgroup("one"), small_file("params", 64)
    said = good("attach", obj("live"), path, "--set", "step=5", "--set", "bias=-7")
    assert said == f"live_by_hand is attached to {path} (step = 5, share = 0.1, bias = -7)\n", said
    assert params_of(path) == (5, 6554, -7)
    counted = read_fresh(path, file)
    assert counted["added"] >= 64 and counted["step"] == 5 * counted["added"], counted
    assert good("set", path, "step=11", "share=0.25") == "step = 11 (was 5)\nshare = 0.25 (was 0.1)\n"
    assert params_of(path) == (11, 16384, -7)
    counted = read_fresh(path, file)
    assert counted["added"] >= 64 and counted["step"] == 11 * counted["added"], counted
    assert seen(path)["bias"] == -7

    # All or nothing.
    refused("set: share must be a number from 0.01 to 0.5, not `7`", "set", path, "step=12", "share=7")
    refused("set: step must be a whole number from 1 to 100, not `101`", "set", path, "step=101")
    refused(
        "set: the policy live_by_hand has no param stop; it has: step, share, bias", "set", path, "step=12", "stop=1"
    )
    refused("set: step is set twice", "set", path, "step=12", "step=13")
    refused("set needs name=value, not `step`", "set", path, "step")
    refused(
        "set: bias is not live; only attach can set it: cpolc attach --replace --set bias=1; "
        "live params: step, share",
        "set", path, "step=12", "bias=1",
    )  # fmt: skip
    assert params_of(path) == (11, 16384, -7)

    assert good("set", path).splitlines() == [
        "step             = 11  (live, from 1 to 100)",
        "share            = 0.25  (live, from 0.01 to 0.5)",
        "bias             = -7  (fixed, from -128 to 10)",
    ]
    assert json.loads(good("set", path, "--json")) == [
        {"name": "step", "type": "u32", "live": True, "value": 11, "low": 1, "high": 100},
        {"name": "share", "type": "fix", "live": True, "value": 0.25, "low": 0.01, "high": 0.5},
        {"name": "bias", "type": "s8", "live": False, "value": -7, "low": -128, "high": 10},
    ]
    good("detach", path)
    refused("has no policy", "set", path, "step=1")
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return counted


@check
def params_of_a_policy_without_live_params() -> None:
    path = cgroup("one")
    good("attach", obj("lfu"), path, "--set", "sample=7")
    assert good("set", path).startswith("sample           = 7  (fixed, from ")
    said = refused("sample is not live", "set", path, "sample=8")
    assert "live are" not in said
    refused("the policy lfu has no input hot", "input", path, "hot", "list")
    assert good("input", path) == "the policy lfu has no inputs\n"
    assert json.loads(good("input", path, "--json")) == []
    good("detach", path)
    good("attach", obj("fifo"), path)
    assert good("set", path) == "the policy fifo has no params\n"
    good("detach", path)
    nothing_left(path)
    remove(path)


def lists_of(path: Path) -> dict[str, int]:
    """Return the sizes of a policy's lists in pages, without empty ones."""
    stat = json.loads(good("stat", path, "--json"))
    return {name: pages for name, pages in zip(stat["list_names"], stat["lists"], strict=True) if pages}


def sorted_into(path: Path, file: Path) -> dict[str, int]:
    """Read the file's 16 pages again, and return by how many pages each list grew; `plain` gets others, too."""
    Path("/proc/sys/vm/drop_caches").write_text("3")
    before = lists_of(path)
    run_in(path, lambda: read_whole(file))
    grown = {name: pages - before.get(name, 0) for name, pages in lists_of(path).items()}
    plain = grown.pop("plain", 0)
    assert plain + sum(grown.values()) >= 16, grown
    return {name: pages for name, pages in grown.items() if pages}


@check
def compiled_policy_sees_params_and_inputs() -> None:
    """A compiled policy, with a list for each param and input, sees their changes."""
    path, file, other = cgroup("one"), small_file("sorted", 16), small_file("not-sorted", 16)
    good("attach", obj("sorting"), path)
    assert sorted_into(path, file) == {}
    good("input", path, "files", "add", file)
    assert (sorted_into(path, file), sorted_into(path, other)) == ({"of_files": 16}, {})
    good("input", path, "files", "clear")
    good("input", path, "weights", "add", f"{file}=-1", f"{other}=2147483647")
    assert (sorted_into(path, file), sorted_into(path, other)) == ({"of_weights": 16}, {})
    good("input", path, "weights", "remove", file)
    good("input", path, "pages", "add", f"{file}:3..6=1000", f"{file}:6..9=60000", f"{file}:12..12=999")
    assert sorted_into(path, file) == {"of_pages": 7}
    good("set", path, "heavy=999")
    assert sorted_into(path, file) == {"of_pages": 8}
    good("set", path, "heavy=60000")
    assert sorted_into(path, file) == {"of_pages": 4}
    good("input", path, "pages", "clear")

    # The reader is a child of this process and adds itself before it reads.
    def as_member(name: str, suffix: str) -> None:
        good("input", path, name, "add", f"{os.getpid()}{suffix}")
        read_whole(file)
        good("input", path, name, "clear")

    for name, suffix in (("threads", ""), ("processes", "=true")):
        Path("/proc/sys/vm/drop_caches").write_text("3")
        before = lists_of(path)
        run_in(path, partial(as_member, name, suffix))
        grown = lists_of(path).get(f"of_{name}", 0) - before.get(f"of_{name}", 0)
        assert grown >= 16, (name, before, lists_of(path))
    good("set", path, "by_hand=true")
    assert sorted_into(path, file)["forced"] >= 16
    good("set", path, "by_hand=false")
    assert sorted_into(path, file) == {}
    good("detach", path)
    nothing_left(path)
    remove(path)
