"""Checks in the machine (trial_checks.py): the loader keeps a policy, brings it back, notes it in the journal."""

from __future__ import annotations

import json
from pathlib import Path

from guest import (
    PINS,
    big_file,
    cgroup,
    check,
    ended,
    good,
    kernel_lines,
    no_bpf_left,
    nothing_left,
    obj,
    read_whole,
    refused,
    remove,
    run_in,
)
from guest_journal import entry, journal
from killing import WITHOUT_UPDATE, killed_at
from life_common import listed, params_of, pins_of, policy_of
from unit import FOR_THE_MODULE, UNIT, capabilities, confined

TRIALS_UNIT = UNIT.with_name("cpol-trials.service")
IS_MODULE = Path("/sys/kernel/btf/cache_ext").exists()
TRY = ("--replace", "--keep-old", "--tag", "trial:1")


def kept(path: Path) -> Path:
    return PINS / f"{path.stat().st_ino}_old"


@check
def rollback_brings_back_what_the_policy_knew() -> dict[str, object]:
    """Params that were changed live, inputs, and the count of calls are as before; the pins are the old policy's."""
    path, file = cgroup("one"), big_file("whole", 24 << 20)
    good("attach", obj("live"), path, "--set", "step=9", "--input", "scanners=2", "--input-group", "daemon")
    good("set", path, "step=11")
    run_in(path, lambda: read_whole(file))
    access = (pins_of(path) / "cpol_input_scanners").stat()
    with journal() as server:
        good("attach", obj("mru"), path, *TRY)
        assert kept(path).exists() and policy_of(path) == ["mru"]
        first = entry(server)
        assert (first["CPOL_ACTION"], first["CPOL_RESULT"], first["CPOL_POLICY"]) == ("replace", "done", "mru"), first
        assert (first["CPOL_CGROUP"], first["CPOL_TAG"], first["CPOL_UID"]) == (str(path), "trial:1", "0"), first
        run_in(path, lambda: read_whole(file))
        refused("not the one that was tried", "rollback", path, "--tag", "trial:2")
        second = entry(server)
        assert (second["CPOL_RESULT"], second["PRIORITY"]) == ("failed", "4") and "not the one" in second["CPOL_REASON"]
        said = good("rollback", path, "--tag", "trial:1")
        assert said.startswith(f"live_by_hand is back on {path}, in place of mru\nthere was no gap: mru governed"), said
        third = entry(server)
        assert (third["CPOL_ACTION"], third["CPOL_POLICY"]) == ("rollback", "live_by_hand"), third
    assert policy_of(path) == ["live_by_hand"] and listed() == [("live_by_hand", "attached")]
    assert params_of(path)[0] == 11 and good("input", path, "scanners", "list").startswith("2 ")
    now = (pins_of(path) / "cpol_input_scanners").stat()
    assert (now.st_gid, now.st_mode) == (access.st_gid, access.st_mode), "the group lost its input"
    assert not kept(path).exists() and ended(path)[-1]["name"] == "mru"
    (line,) = kernel_lines(path)
    assert int(line["adopted"]) > 100, line
    good("set", path, "step=12")
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return {"adopted": line["adopted"], "said": said}


@check
def rollback_without_old_policy_detaches() -> None:
    path = cgroup("one")
    refused("has no policy", "rollback", path)
    good("attach", obj("mru"), path, *TRY)
    assert not kept(path).exists()
    assert "mru is detached" in good("rollback", path, "--tag", "trial:1")
    nothing_left(path)
    remove(path)
    no_bpf_left()


@check
def unit_of_trials_has_what_a_rollback_needs() -> list[str]:
    """Its capabilities and system calls suffice to attach and to roll back, with an input that a group may write."""
    path, names = cgroup("one"), capabilities(TRIALS_UNIT)
    if IS_MODULE:
        names += capabilities(FOR_THE_MODULE)
    Path("/sys/fs/bpf").chmod(0o711)
    good("attach", obj("live"), path, "--input-group", "daemon")
    for words in (("attach", obj("mru"), path, *TRY), ("rollback", path, "--tag", "trial:1")):
        done = confined(names, *words)
        assert done.returncode == 0, done.stderr
    assert policy_of(path) == ["live_by_hand"]
    good("detach", path)
    remove(path)
    return names


@check
def rollback_of_both_kinds() -> None:
    """A policy that evicts and prefetches comes back with both links, also in the place of one that only evicts."""
    path = cgroup("one")
    for tried in ("mru", "double"):
        good("attach", obj("double"), path, "--replace")
        good("attach", obj(tried), path, *TRY)
        good("rollback", path)
        links = sorted(pin.name for pin in pins_of(path).iterdir() if pin.name.endswith("link"))
        assert links == ["link", "prefetch_link"], links
        assert len({entry["policy"] for entry in json.loads(good("list", "--json"))}) == 1
    good("attach", obj("mru"), path, "--replace")
    good("attach", obj("double"), path, *TRY)
    good("rollback", path)
    assert not (pins_of(path) / "prefetch_link").exists() and policy_of(path) == ["mru"]
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()


@check
def rollback_beside_a_policy_of_the_other_kind() -> None:
    """Each kind has its own kept policy, and the other one stays as it is."""
    path = cgroup("one")
    good("attach", obj("lfu"), path)
    good("attach", obj("ahead"), path)
    before = (pins_of(path) / "link").stat().st_ino
    good("attach", obj("ahead"), path, *TRY)
    assert [one.name for one in PINS.glob("*_old")] == [f"{path.stat().st_ino}_prefetch_old"]
    refused("not the one that was tried", "rollback", path, "--tag", "trial:1")
    assert "ahead is back on" in good("rollback", path, "--prefetch", "--tag", "trial:1")
    policies = {one["policy"]: one.get("tag") for one in json.loads(good("list", "--json"))}
    assert policies == {"lfu": None, "ahead": None} and (pins_of(path) / "link").stat().st_ino == before, policies
    assert not list(PINS.glob("*_old"))
    good("attach", obj("ahead"), path, *TRY)
    refused("has no policy with the tag trial:2", "detach", path, "--tag", "trial:2")
    assert "ahead is detached" in good("detach", path, "--tag", "trial:1")
    assert [one["policy"] for one in json.loads(good("list", "--json"))] == ["lfu"]
    good("detach", path)
    nothing_left(path)
    ends = [one["ended_ms"] for one in json.loads(good("list", "--all", "--json")) if one["state"] == "ended"]
    assert len(ends) >= 4 and ends == sorted(ends), "they are shown by kind, and not by time"
    remove(path)
    no_bpf_left()


@check
def kept_policy_goes_with_the_next_change() -> None:
    """What another command attaches or detaches leaves nothing behind, and so does a cgroup that is removed."""
    for change in ("replace", "detach", "forget", "remove"):
        path = cgroup("one")
        good("attach", obj("lfu"), path)
        good("attach", obj("mru"), path, *TRY)
        assert kept(path).exists()
        gone = kept(path)
        if change == "replace":
            good("attach", obj("fifo"), path, "--replace")
        elif change == "detach":
            good("detach", path)
        elif change == "forget":
            good("rollback", path, "--forget")
            assert policy_of(path) == ["mru"]
        else:
            remove(path)
            good("detach", "--gone")
        assert not gone.exists(), change
        if path.exists():
            if change != "detach":
                good("detach", path)
            remove(path)
        no_bpf_left()


@check
def kill_at_any_step_of_trial() -> dict[str, list[str]]:
    """Killed at any step, with an update of the link or without: the next command puts it right."""
    path = cgroup("one")
    found: dict[str, list[str]] = {}
    for prefix in ((), WITHOUT_UPDATE):
        for words in (("attach", obj("mru"), path, *TRY), ("rollback", path)):
            steps: list[str] = []
            while True:
                good("attach", obj("live"), path, "--replace", "--set", "step=9")
                if words[0] == "rollback":
                    good("attach", obj("mru"), path, *TRY)
                where = killed_at(len(steps) + 1, *words, prefix=prefix)
                if where is None:
                    break
                steps.append(where)
                governs = policy_of(path)
                assert len(governs) == 1 or prefix, where
                if governs:
                    assert listed() == [(governs[0], "attached")], where
                if governs == ["mru"]:
                    good("rollback", path)
                    assert policy_of(path) == ["live_by_hand"] and params_of(path)[0] == 9, where
                good("attach", obj("fifo"), path, "--replace")
                assert [pin.name for pin in PINS.iterdir()] == [pins_of(path).name], where
            found[f"{words[0]}{' without update' if prefix else ''}"] = steps
            good("detach", path)
            nothing_left(path)
    remove(path)
    no_bpf_left()
    assert all(len(steps) >= 10 for steps in found.values()), found
    return found
