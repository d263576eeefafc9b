"""Checks in the machine (life_checks.py): replace one policy by another."""

from __future__ import annotations

import json
import re

from guest import (
    big_file,
    cgroup,
    check,
    eventually,
    good,
    kernel_lines,
    no_bpf_left,
    nothing_left,
    obj,
    refused,
    remove,
)
from life_common import Reader, params_of, pins_of, policy_of, read_fresh, small_file

GAP = re.compile(r"no policy governed for at most ([0-9.]+) ms: (\d+) pages were reclaimed, (\d+) refaulted\n")


@check
def replace_keeps_the_cache() -> dict[str, object]:
    """Repeatedly under load: the cgroup's cache stays, and the loader reports the gap."""
    path, file = cgroup("one"), big_file("whole", 24 << 20)
    gaps: list[float] = []
    reclaimed = returned = 0
    assert good("attach", obj("mru"), path, "--replace") == f"mru is attached to {path}\n"
    with Reader(path, file):
        eventually(lambda: int(kernel_lines(path)[0]["evicted"]) > 500, "the reader did not fill the cgroup")
        for name in ("s3fifo", "lfu", "fifo", "live", "mru"):
            old = policy_of(path)
            said = good("attach", obj(name), path, "--replace")
            full = "live_by_hand" if name == "live" else name
            assert said.startswith(f"{full} replaced {old[0]} on {path}"), said
            found = GAP.search(said)
            assert found, said
            gaps.append(float(found[1]))
            reclaimed += int(found[2])
            returned += int(found[3])
            assert policy_of(path) == [full]
            assert [entry["policy"] for entry in json.loads(good("list", "--json"))] == [full]
            stat = json.loads(good("stat", path, "--json"))
            assert stat["added"] > 1000, "the new policy did not adopt the cached folios"
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return {"gaps_ms": gaps, "reclaimed": reclaimed, "came_back": returned}


@check
def failed_replace_keeps_the_old_policy() -> str:
    path, file = cgroup("one"), small_file("replace", 64)
    good("attach", obj("live"), path, "--set", "step=9", "--input", "scanners=4242")
    good("set", path, "step=10")
    before = sorted(pin.name for pin in pins_of(path).iterdir())

    # Refused before any change: a wrong object, a wrong setting, a program that the verifier refuses.
    refused("not a BPF object", "attach", "/etc/passwd", path, "--replace")
    refused("sample must be", "attach", obj("lfu"), path, "--replace", "--set", "sample=0")
    refused("already has the policy live_by_hand", "attach", obj("lfu"), path)
    refused(
        "there is no group nobody-at-all", "attach", obj("lfu"), path, "--replace", "--input-group", "nobody-at-all"
    )
    assert policy_of(path) == ["live_by_hand"]

    # Refused in the gap, because init fails: the old policy returns with its state.
    said = refused(r"refused to attach live_by_hand", "attach", obj("live"), path, "--replace", "--set", "bias=-128")
    assert f"the policy live_by_hand is attached to {path} again" in said, said
    assert policy_of(path) == ["live_by_hand"]
    assert sorted(pin.name for pin in pins_of(path).iterdir()) == before
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
