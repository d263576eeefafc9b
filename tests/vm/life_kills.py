"""Checks in the machine (life_checks.py): SIGKILL at each step of the loader."""

from __future__ import annotations

import json

from guest import (
    PINS,
    big_file,
    cgroup,
    check,
    eventually,
    good,
    kernel_lines,
    load,
    no_bpf_left,
    nothing_left,
    obj,
    read_whole,
    refused,
    remove,
    run_in,
)
from killing import WITHOUT_UPDATE, killed_at
from life_common import listed, params_of, pins_of, policy_of


@check
def kill_at_any_step_of_attach() -> list[str]:
    """Afterwards, nothing is left, or `list` shows it and `detach` removes it."""
    path, steps = cgroup("one"), []
    while where := killed_at(len(steps) + 1, "attach", obj("live"), path):
        steps.append(where)
        eventually(lambda: policy_of(path) in ([], ["live_by_hand"]), "the policy is half attached")
        if len(steps) % 2:  # in every other round, `list` runs before `detach`
            shown = listed()
            assert shown in ([], [("live_by_hand", "attached")]), (where, shown)
            assert bool(shown) == bool(policy_of(path)), (where, shown)
        governs = bool((pins_of(path) / "link").exists() or list(PINS.glob("*_new/link")))
        done = load("detach", path)
        assert (done.returncode == 0) == governs, (where, done.stderr)
        nothing_left(path)
        no_bpf_left()
    assert len(steps) >= 10, steps
    good("detach", path)
    for step in range(1, len(steps) + 1):
        killed_at(step, "attach", obj("live"), path)
        done = load("attach", obj("fifo"), path)
        assert done.returncode == 0 or "already has the policy live_by_hand" in done.stderr, done.stderr
        good("detach", path)
        nothing_left(path)
    remove(path)
    no_bpf_left()
    return steps


@check
def kill_at_any_step_of_replace() -> list[str]:
    """At each step one of the two policies governs, and has its own pins afterwards."""
    path, file, steps = cgroup("one"), big_file("part", 4 << 20), []
    governed = []
    good("attach", obj("mru"), path)
    while where := killed_at(len(steps) + 1, "attach", obj("live"), path, "--replace"):
        steps.append(where)
        (governs,) = policy_of(path)
        governed.append(governs)
        assert listed() == [(governs, "attached")], where
        assert [pin.name for pin in PINS.iterdir()] == [pins_of(path).name], where
        assert (pins_of(path) / f"policy_{governs}").exists(), where
        if governs == "live_by_hand":
            good("set", path, f"step={len(steps)}")
            assert params_of(path)[0] == len(steps), where
            if len(steps) % 2:
                good("detach", path)
                nothing_left(path)
        else:
            refused("the policy mru has no params", "set", path, "step=1")
        run_in(path, lambda: read_whole(file))
        good("attach", obj("mru"), path, "--replace")
        assert policy_of(path) == ["mru"] and listed() == [("mru", "attached")], where
    assert sorted(governed, reverse=True) == governed and len({*governed}) == 2, list(zip(steps, governed, strict=True))
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return steps


@check
def kill_at_any_step_of_replace_without_update() -> list[str]:
    path, file, steps = cgroup("one"), big_file("part", 4 << 20), []
    good("attach", obj("mru"), path)
    words = ("attach", obj("live"), path, "--replace")
    while where := killed_at(len(steps) + 1, *words, prefix=WITHOUT_UPDATE):
        steps.append(where)
        governs, shown = policy_of(path), listed()
        if not governs:  # in the gap
            eventually(lambda: not kernel_lines(path), "the policy is still attached")
            assert shown == [("mru", "broken off")], (where, shown)
            (broken,) = [one for one in json.loads(good("stat", "--all")) if one["state"] == "broken off"]
            assert (broken["name"], broken["path"], broken["cgroup"]) == ("mru", str(path), path.stat().st_ino), broken
            assert "does not govern: a killed command left it" in good("list")
            if len(steps) % 2:
                assert good("detach", path) == f"mru is detached from {path}\n"
                nothing_left(path)
        else:
            assert shown == [(governs[0], "attached")], (where, shown)
        run_in(path, lambda: read_whole(file))
        good("attach", obj("mru"), path, "--replace")
        assert policy_of(path) == ["mru"] and listed() == [("mru", "attached")], where
        assert [pin.name for pin in PINS.iterdir()] == [pins_of(path).name], where
    assert any("old policy is detached" in step for step in steps), steps
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return steps


@check
def kill_at_any_step_of_detach() -> list[str]:
    path, steps = cgroup("one"), []
    good("attach", obj("live"), path)
    while where := killed_at(len(steps) + 1, "detach", path):
        steps.append(where)
        eventually(lambda: not policy_of(path), "the policy is still attached")
        assert listed() in ([], [("live_by_hand", "broken off")]), where
        load("detach", path)
        nothing_left(path)
        no_bpf_left()
        good("attach", obj("live"), path)
    assert len(steps) == 3, steps
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return steps
