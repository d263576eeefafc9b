"""Checks in the machine (trial_checks.py): whole trials of `cpolc attach --trial`, on the real page cache."""

from __future__ import annotations

import errno
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from confine import BPF_OBJ_PIN, confine, fails
from guest import (
    LOADER,
    OBJECTS,
    PINS,
    big_file,
    cgroup,
    check,
    eventually,
    good,
    no_bpf_left,
    nothing_left,
    obj,
    remove,
)
from life_common import params_of, pins_of, policy_of

TRIALS = Path("/var/lib/cpol/trials")
SAID = OBJECTS / "said"


def scan_forever(path: Path, file: Path) -> int:
    """Read a file in the cgroup again and again, from end to end: mru keeps a part of it, lfu and the kernel none."""
    return forever(path, lambda: [None for _ in iter(lambda: handle.read(1 << 18), b"")], file)


def forever(path: Path, work: Callable[[], object], file: Path) -> int:
    pid = os.fork()
    if pid == 0:
        global handle
        (path / "cgroup.procs").write_text(str(os.getpid()))
        handle = file.open("rb", buffering=0)
        while True:
            handle.seek(0)
            work()
    return pid


def end(pid: int, with_signal: int = signal.SIGKILL) -> int:
    os.kill(pid, with_signal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def cpolc(*words: object, full: bool = False) -> int:
    """Start cpolc in a process of its own, whose output goes to SAID. It is forked: Python starts slowly here.

    `full`: no process that it starts can pin anything, as if bpffs were full.
    """
    for module in ("cpol.cli.attach", "cpol.cli.trial"):  # once, for all that are forked
        importlib.import_module(module)
    pid = os.fork()
    if pid:
        return pid
    status = 70
    try:
        for number in (1, 2):
            os.dup2(os.open(SAID, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) if number == 1 else 1, number)
        if full:
            confine(fails(BPF_OBJ_PIN, errno.ENOSPC))
        from cpol.cli.main import main
        from cpol.runtime.operate import loader

        loader.find = lambda: Path(LOADER)
        sys.argv = ["cpolc", *map(str, words)]
        try:
            main()
            status = 0
        except SystemExit as done:
            status = int(done.code or 0)
        sys.stdout.flush()
    finally:
        os._exit(status)


def finished(pid: int) -> tuple[int, str]:
    """Wait for a cpolc; return its exit code and what it said."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), SAID.read_text()


def attach(path: Path, policy: str, rule: str, *more: object, full: bool = False) -> int:
    return cpolc("attach", obj(policy), path, "--replace", "--keep-if", rule, *more, full=full)


def facts(path: Path) -> dict[str, object]:
    """The last trial of a cgroup, as `cpolc trial status --json` has it."""
    code, said = finished(cpolc("trial", "status", path, "--json"))
    assert code == 0, said
    (found,) = json.loads(said)
    return dict(found)


def cleared(path: Path) -> None:
    assert [one.name for one in TRIALS.iterdir()] == ["ended"], "a trial is left"
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()


@check
def trial_that_is_kept() -> dict[str, object]:
    """A loop over more than fits: mru reads less than lfu, by the device's count and by the service's own."""
    path, file = cgroup("shop"), big_file("whole", 24 << 20)
    good("attach", obj("lfu"), path)
    reader = scan_forever(path, file)
    rule = "miss_ratio < 0.9 * before and misses >= 0 and read_bytes > 0"
    code, said = finished(attach(path, "mru", rule, "--trial", "20s", "--before", "20s", "--settle", "10s"))
    end(reader)
    assert code == 0, said
    assert policy_of(path) == ["mru"]
    told = facts(path)
    assert told["result"] == "kept" and told["cgroups"][0]["had"] == {"evict": "lfu"}, told
    good("attach", obj("fifo"), path, "--replace")
    cleared(path)
    return {"said": said, "measures": told["measures"]}


@check
def trial_that_is_rolled_back() -> dict[str, object]:
    """The old policy comes back with its params, and the rule's metric is read from a file of the service."""
    path, file = cgroup("shop"), big_file("whole", 24 << 20)
    good("attach", obj("live"), path, "--set", "step=9")
    good("set", path, "step=13")
    metric = OBJECTS / "slow"
    metric.write_text("1.5\n")
    reader = scan_forever(path, file)
    rule = "misses < 0.1 * before and slow <= before"
    windows = ("--trial", "5s", "--before", "5s", "--metric", f"slow={metric}", "--json")
    code, said = finished(attach(path, "fifo", rule, *windows))
    end(reader)
    assert code == 3, said
    assert policy_of(path) == ["live_by_hand"] and params_of(path)[0] == 13
    told = json.loads(said.splitlines()[-1])
    assert told["result"] == "rolled back" and told["measures"]["slow"] == {"before": 1.5, "now": 1.5}, told
    assert told["why"].startswith("the rule does not hold: misses < 0.1 * before does not hold"), told
    cleared(path)
    return {"said": said}


@check
def trial_that_is_killed_and_resumed() -> dict[str, object]:
    """With -9 in the window: the policy stays on trial, another process goes on, decides, and rolls back."""
    path = cgroup("shop")
    good("attach", obj("live"), path, "--set", "step=9")
    good("set", path, "step=17")
    trial = attach(path, "mru", "refaults < before", "--trial", "15s", "--before", "200ms")
    eventually(lambda: policy_of(path) == ["mru"], "the trial did not begin")
    eventually(lambda: '"phase": "trial"' in state(), "the window did not begin")
    assert end(trial) == -signal.SIGKILL
    assert policy_of(path) == ["mru"]
    code, said = finished(cpolc("trial", "resume", "--all"))
    assert (code, policy_of(path)) == (0, ["mru"]), said
    code, said = finished(cpolc("trial", "resume", path))
    assert code == 3 and "refaults < before does not hold" in said, said
    assert policy_of(path) == ["live_by_hand"] and params_of(path)[0] == 17, said
    cleared(path)
    return {"said": said}


@check
def trial_that_is_killed_in_any_phase() -> dict[str, int]:
    """Wherever -9 comes, `trial stop` leaves the old policy, its own pins, and no trial."""
    path = cgroup("shop")
    killed = dict.fromkeys(("before", "attach", "settle", "trial", "back"), 0)
    good("attach", obj("lfu"), path)
    for _ in range(30):
        phase = min(killed, key=lambda name: killed[name])
        windows = ("--trial", "500ms", "--before", "500ms", "--settle", "500ms")
        trial = attach(path, "mru", "refaults < before", *windows)
        if wait_for_phase(trial, phase):
            assert end(trial) == -signal.SIGKILL
            killed[phase] += 1
            code, said = finished(cpolc("trial", "stop", path))
            assert code == 3 or "has no trial that runs" in said, said
        assert policy_of(path) == ["lfu"], killed
        assert [one.name for one in TRIALS.iterdir()] == ["ended"], killed
        assert [one.name for one in PINS.iterdir()] == [pins_of(path).name], killed
        if all(killed.values()):
            break
    assert all(killed.values()), killed
    cleared(path)
    return killed


def wait_for_phase(trial: int, phase: str) -> bool:
    """Wait until a trial is in a phase. False: it ended first; phases are short."""
    while f'"phase": "{phase}"' not in state():
        if os.waitpid(trial, os.WNOHANG)[0]:
            return False
    return True


def state() -> str:
    """The files of the trials that run."""
    found = ""
    for path in TRIALS.glob("*.json"):
        with suppress(FileNotFoundError):  # it ended
            found += path.read_text()
    return found


@check
def trial_while_bpffs_is_read_only() -> dict[str, str]:
    """It begins nothing. In its window, the trial waits with the new policy, and is rolled back once that is mended."""
    path, told = cgroup("shop"), {}
    good("attach", obj("live"), path, "--set", "step=9")
    remount("ro")
    code, told["begin"] = finished(attach(path, "mru", "refaults < before", "--trial", "1s", "--before", "1s"))
    assert code == 3 and "the new policy cannot be attached to" in told["begin"], told
    assert "Read-only file system; nothing was changed" in told["begin"], told
    assert policy_of(path) == ["live_by_hand"], told
    remount("rw")
    trial = attach(path, "mru", "refaults < before", "--trial", "15s", "--before", "1s")
    eventually(lambda: '"phase": "trial"' in state(), "the window did not begin")
    remount("ro")
    code, told["back"] = finished(trial)
    assert code == 1 and "not rolled back: cannot open the pins" in told["back"], told
    assert f"Read-only file system; nothing was changed; the trial waits: cpolc trial resume {path}" in told["back"], (
        told
    )
    assert policy_of(path) == ["mru"] and '"phase": "back"' in state(), told
    remount("rw")
    code, told["after"] = finished(cpolc("trial", "resume", "--all"))
    assert code == 0 and policy_of(path) == ["live_by_hand"] and params_of(path)[0] == 9, told
    assert [one.name for one in PINS.iterdir()] == [pins_of(path).name], told
    cleared(path)
    return told


def remount(how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", "/sys/fs/bpf"], check=True)


@check
def trial_while_bpffs_is_full() -> dict[str, str]:
    """No pin can be made, neither of the new policy nor of the old one that is kept: the old one governs as before."""
    path, told = cgroup("shop"), {}
    good("attach", obj("live"), path, "--set", "step=9")
    code, told["begin"] = finished(
        attach(path, "mru", "refaults < before", "--trial", "1s", "--before", "1s", full=True)
    )
    assert code == 3 and "the new policy cannot be attached to" in told["begin"], told
    assert "No space left on device" in told["begin"], told
    assert policy_of(path) == ["live_by_hand"] and params_of(path)[0] == 9, told
    assert [one.name for one in PINS.iterdir()] == [pins_of(path).name], told
    cleared(path)
    return told


@check
def trial_that_the_watchdog_ends() -> dict[str, object]:
    """The kernel overrules the new policy: the old one is back long before the window ends."""
    path, file = cgroup("shop"), big_file("whole", 24 << 20)
    good("attach", obj("lfu"), path)
    reader = scan_forever(path, file)
    code, said = finished(
        attach(path, "rotating", "refaults <= before", "--trial", "1h", "--before", "200ms", "--json")
    )
    end(reader)
    assert code == 3, said
    assert policy_of(path) == ["lfu"]
    told = json.loads(said.splitlines()[-1])
    assert "governs /sys/fs/cgroup/shop no more: it is overruled (watchdog: " in told["why"], told
    cleared(path)
    return {"said": said}


@check
def trial_of_several_cgroups() -> dict[str, object]:
    """Half of four workers get mru, by the seed; it reads less there, and stays there."""
    paths = [cgroup(f"worker-{number}", 4 << 20) for number in range(4)]
    file = big_file("whole", 24 << 20)
    for path in paths:
        good("attach", obj("lfu"), path)
    readers = [scan_forever(path, file) for path in paths]
    words = ("attach", obj("mru"), "/sys/fs/cgroup/worker-*", "--replace", "--trial", "30s", "--settle", "10s")
    code, said = finished(cpolc(*words, "--seed", "1", "--keep-if", "read_bytes >= 0 and misses >= 0", "--json"))
    for reader in readers:
        end(reader)
    assert code == 0, said
    told = json.loads(said.splitlines()[-1])
    for path, one in zip(paths, told["cgroups"], strict=True):
        assert policy_of(path) == (["mru"] if one["arm"] == "new" else ["lfu"]), told
    measured = told["measures"]["misses"]
    assert measured["low"] <= measured["now"] - measured["before"] <= measured["high"], measured
    for path in paths:
        good("detach", path)
        remove(path)
    no_bpf_left()
    return {"said": said}
