"""Checks in the machine (life_checks.py): statistics, removed cgroups, groups and capabilities, sanitizers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from guest import (
    DISK,
    LOADER,
    OBJECTS,
    PINS,
    big_file,
    cgroup,
    check,
    ended,
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
from life_common import listed, params_of, pins_of, policy_of, read_fresh, small_file
from unit import UNIT, capabilities, confined

from cpol.runtime.operate.watch.families import KNOWN


def current() -> list[dict[str, Any]]:
    """Return the statistics of policies whose link exists."""
    return [entry for entry in json.loads(good("stat", "--all")) if entry["state"] != "ended"]


@check
def stat_shows_counted_and_missing_keys() -> list[str]:
    """`stat` shows every key of the contract; n/a marks those that this kernel does not count."""
    path, other, file = cgroup("one"), cgroup("two"), big_file("whole", 24 << 20)
    good("attach", obj("s3fifo"), path)
    good("attach", obj("live"), other)
    run_in(path, lambda: read_whole(file))
    (line,) = kernel_lines(path)
    told = json.loads(good("stat", path, "--json"))
    shown = dict(row.split(None, 1) for row in good("stat", path).splitlines())
    assert not line.keys() - told.keys() and not line.keys() - shown.keys()
    missing = [key for key in KNOWN if key not in line]
    for key in KNOWN:
        assert (told[key] is None) == (shown[key] == "n/a") == (key in missing), key
    assert told["evicted"] == int(shown["evicted"]) > 1000 and told["list_names"] == ["small", "main"]
    entries = {entry["name"]: entry for entry in current()}
    assert set(entries) == {"s3fifo", "live_by_hand"} and entries["live_by_hand"]["list_names"] == ["queue"]
    assert entries["s3fifo"]["path"] == str(path) and len(entries["s3fifo"]["lists"]) == 2
    for name in (path, other):
        good("detach", name)
        nothing_left(name)
        remove(name)
    assert current() == []
    return missing


@check
def removed_cgroup_is_shown_and_detached() -> None:
    paths = [cgroup("gone"), cgroup("gone-too"), cgroup("stays")]
    for path in paths:
        good("attach", obj("live"), path)
    ids = [path.stat().st_ino for path in paths]
    for path in paths[:2]:
        remove(path)
    shown = json.loads(good("list", "--json"))
    assert [entry["state"] for entry in shown] == ["cgroup removed", "cgroup removed", "attached"], shown
    refused("there is no cgroup", "set", paths[0], "step=1")
    assert good("detach", "--gone").splitlines() == [
        f"live_by_hand is detached from the removed cgroup with id {number}" for number in ids[:2]
    ]
    assert good("detach", "--gone") == ""
    assert listed() == [("live_by_hand", "attached")]

    again = cgroup("gone")
    good("attach", obj("mru"), again)
    number = again.stat().st_ino
    remove(again)
    said = good("attach", obj("fifo"), paths[2], "--replace").splitlines()
    assert said[-1] == f"mru is detached from the removed cgroup with id {number}", "attach sweeps up, too"
    assert listed() == [("fifo", "attached")]
    good("detach", paths[2])
    nothing_left(paths[2])
    remove(paths[2])
    no_bpf_left()


@check
def overruled_policy_is_shown_and_replaced() -> str:
    """The kernel detaches a policy that rotates forever; all commands say so, and it can be replaced or detached."""
    path, file = cgroup("one"), big_file("whole", 24 << 20)
    number = path.stat().st_ino
    for last in ("attach", "detach"):
        good("attach", obj("rotating"), path)
        for _ in range(20):
            run_in(path, lambda: read_whole(file))
            (line,) = kernel_lines(path)
            if line["state"] == "overruled":
                break
        assert line["state"] == "overruled" and line["reason"] == "rotates" and int(line["offences"]) >= 64, line
        told = json.loads(good("stat", path, "--json"))
        assert told["state"] == "overruled" and told["reason"] == "rotates" and told["offences"] >= 64, told
        (entry,) = json.loads(good("list", "--json"))
        assert entry["cgroup"] == number and entry["path"] == str(path) and entry["policy"] == "rotating", entry
        assert entry["state"] == "overruled" and entry["exit"] == "watchdog" and entry["held"], entry
        assert entry["message"] == told["message"] == ended(path)[-1]["message"] != "", entry
        said = good("list")
        assert re.search(
            rf"\(does not govern: the kernel detached it for its offences, .*{re.escape(entry['message'])}.*"
            r" s ago; run cpolc attach --replace or detach\)$",
            said,
            re.MULTILINE,
        ), said
        refused("already has the policy rotating", "attach", obj("fifo"), path)
        if last == "attach":
            assert "\nrotating had governed no more: the kernel det" in good("attach", obj("fifo"), path, "--replace")
            run_in(path, lambda: read_whole(file))
            (line,) = kernel_lines(path)
            assert line["state"] == "attached" and int(line["evicted"]) > 1000 and line["offences"] == "0", line
        good("detach", path)
        nothing_left(path)
        gone = json.loads(good("list", "--all", "--json"))
        (gone,) = [one for one in gone if one["policy"] == "rotating" and one["ended_ms"] == entry["ended_ms"]]
        entry.pop("attached_ms")  # it was pinned
        assert gone == {**entry, "state": "ended", "held": False}, gone
    assert good("list") == "no policy is attached\n"
    told = json.loads(good("stat", path, "--json"))
    assert (told["state"], told["exit"], told["message"]) == ("ended", "watchdog", entry["message"]), told
    log = subprocess.run(["dmesg"], capture_output=True, text=True, check=True).stdout
    assert log.count(f"policy rotating of cgroup {number} (/{path.name}) is detached after 64 offences") == 2, log[
        -2000:
    ]
    remove(path)
    no_bpf_left()
    return said


@check
def error_of_a_program_is_shown() -> str:
    """The policy ends; its link, its pins and its numbers stay until it is replaced."""
    path, file = cgroup("one"), small_file("error", 8)
    good("attach", obj("live"), path)
    good("set", path, "step=99")
    read_fresh(path, file)
    eventually(lambda: not policy_of(path), "the policy still governs")
    told = json.loads(good("stat", path, "--json"))
    assert (told["exit"], told["code"], told["message"]) == ("error", 7, "the step is ?99?"), told
    assert told["held"] and told["added"] >= 1, told  # it may end before the second folio comes
    (entry,) = json.loads(good("list", "--json"))
    assert (entry["policy"], entry["state"], entry["exit"]) == ("live_by_hand", "ended", "error"), entry
    said = good("list")
    error = r"its program reported an error, code 7 \(the step is \?99\?\)"
    assert re.search(rf"\(does not govern: {error}, [0-9.]+ s ago; run", said), said
    assert "had governed no more: its program reported an error" in good("attach", obj("fifo"), path, "--replace")
    assert policy_of(path) == ["fifo"]
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return said


@check
def input_group_can_only_write_inputs() -> dict[str, str]:
    """User nobody, with and without the group, runs a copy of the loader."""
    path, file = cgroup("one"), small_file("group", 8)
    loader = Path("/run/cpol-loader")
    shutil.copyfile(LOADER, loader)
    loader.chmod(0o755)

    def as_nobody(group: int, *words: object) -> subprocess.CompletedProcess[str]:
        command = ["setpriv", "--reuid=65534", f"--regid={group}", "--clear-groups", loader, *words]
        return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)

    bpffs = Path("/sys/fs/bpf")
    bpffs.chmod(0o700)
    refused(r"cannot enter /sys/fs/bpf, .*: chmod o\+x /sys/fs/bpf", "attach", obj("live"), path, "--input-group", 777)
    assert not policy_of(path)
    bpffs.chmod(0o711)
    good("attach", obj("live"), path, "--input-group", 777)
    assert PINS.stat().st_mode & 0o777 == 0o711 and pins_of(path).stat().st_mode & 0o777 == 0o710
    assert as_nobody(777, "input", path, "scanners", "add", 2).stdout == "scanners: 1 added\n"
    assert as_nobody(777, "input", path).stdout.startswith("scanners         set of threads; holds 1\n")
    assert as_nobody(777, "input", path, "weights", "add", f"{file}=5").stdout == "weights: 1 added\n"
    counted = read_fresh(path, file)
    assert counted["scanner"] >= 8 and counted["weight"] == 40, counted
    said = {}
    for group, words in (
        (777, ("set", path, "step=2")),
        (777, ("detach", path)),
        (777, ("attach", "/run/cpol-loader", path)),
        (65534, ("input", path)),
        (65534, ("input", path, "scanners", "add", 1)),
    ):
        done = as_nobody(group, *words)
        assert done.returncode == 1 and not done.stdout, (words, done.stdout)
        said[" ".join(map(str, words[:1]))] = done.stderr
    assert "no permission" in said["input"] and "no permission" in said["detach"]
    assert params_of(path)[0] == 3 and good("input", path, "scanners", "list") == "2  kthreadd\n"
    good("detach", path)
    nothing_left(path)
    PINS.chmod(0o700)
    remove(path)
    return said


@check
def restrictions_of_the_unit_leave_enough() -> list[str]:
    """Its capabilities and system calls suffice. Without lookup of cgroups by id, none counts as removed."""
    path, names = cgroup("one"), capabilities(UNIT)
    assert "sys_admin" not in names and "net_admin" not in names

    def run(names: list[str], *words: object) -> str:
        done = confined(names, *words)
        assert done.returncode == 0, (names, words, done.stderr)
        return done.stdout

    Path("/sys/fs/bpf").chmod(0o711)
    for words in (
        ("attach", obj("live"), path, "--set", "step=2", "--input-group", 777),
        ("attach", obj("live"), path, "--replace", "--input-group", 777),
        ("set", path, "step=3"),
        ("input", path, "scanners", "add", 1),
        ("stat", path),
        ("list",),
        ("detach", "--gone"),
    ):
        run(names, *words)
        assert policy_of(path) == ["live_by_hand"], words
    less = [name for name in names if name != "dac_read_search"]
    assert run(less, "list") == f"live_by_hand     (cgroup {path.stat().st_ino})\n"
    assert run(less, "detach", "--gone") == ""
    assert policy_of(path) == ["live_by_hand"]
    run(less, "detach", path)
    nothing_left(path)
    PINS.chmod(0o700)
    remove(path)
    return names


@check
def clean_under_sanitizers() -> None:
    clean = (OBJECTS / "loader-sanitize").read_text()
    path, file = cgroup("one"), small_file("clean", 8)
    environment = {**os.environ, "ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "exitcode=99"}
    ranges = [f"{file}:{first}..{first + 3 * first}" for first in (0, 1, 5, 9, 100, 7)]
    for expected, *words in (
        (0, "attach", obj("live"), path, "--set", "step=4", "--input", f"weights={file}=-1"),
        (0, "set", path, "step=5", "share=0.3"),
        (1, "set", path, "step=5", "bias=1"),
        (0, "set", path),
        (0, "set", path, "--json"),
        (0, "input", path),
        (0, "input", path, "--json"),
        (0, "input", path, "headers", "add", *ranges),
        (0, "input", path, "headers", "remove", f"{file}:2..6", f"{file}:8..1000"),
        (0, "input", path, "headers", "list"),
        (0, "input", path, "headers", "list", "--json"),
        (0, "input", path, "headers", "clear"),
        (0, "input", path, "hot_files_of_the_application", "add", DISK),
        (0, "input", path, "hot_files_of_the_application", "list", file),
        (1, "input", path, "hot_files_of_the_application", "add", "/dev/null"),
        (0, "input", path, "scanners", "add", 1, 2, 3),
        (0, "input", path, "scanners", "remove", 2, 9),
        (0, "input", path, "scanners", "clear"),
        (1, "input", path, "nothing", "clear"),
        (0, "stat", path),
        (0, "stat", "--all"),
        (0, "list", "--json"),
        (1, "attach", obj("live"), path, "--replace", "--set", "bias=-128"),
        (0, "attach", obj("mru"), path, "--replace"),
        (0, "detach", path),
        (0, "detach", "--gone"),
    ):
        done = subprocess.run([clean, *map(str, words)], capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == expected and "Sanitizer" not in done.stderr, (words, done.returncode, done.stderr)
    nothing_left(path)
    remove(path)


@check
def kernel_log_is_clean() -> None:
    no_complaint()
