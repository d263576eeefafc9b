"""Checks in the machine (attach_checks.py): which cgroups can have a policy; one policy per cgroup; removed cgroups."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from guest import (
    CGROUPS,
    LOADER,
    PINS,
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


@check
def second_policy_is_refused() -> None:
    path = cgroup("one")
    good("attach", obj("lfu"), path)
    pins = sorted(pin.name for pin in (PINS / str(path.stat().st_ino)).iterdir())
    refused(
        f"{path} already has the policy lfu; add --replace to replace it, or detach it first: cpolc detach {path}",
        "attach",
        obj("mru"),
        path,
    )
    assert sorted(pin.name for pin in (PINS / str(path.stat().st_ino)).iterdir()) == pins
    assert [line["name"] for line in kernel_lines(path)] == ["lfu"]
    good("detach", path)
    refused("has no policy", "detach", path)
    assert re.search("^state +ended$", good("stat", path), re.MULTILINE)
    nothing_left(path)
    remove(path)


@check
def one_of_concurrent_attaches_wins() -> None:
    path = cgroup("one")
    command = [LOADER, "attach", str(obj("fifo")), str(path)]
    racers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    said = [racer.communicate() for racer in racers]
    assert sorted(racer.returncode for racer in racers) == [0, 1, 1, 1], said
    assert all("already has the policy fifo" in words[1] for words in said if words[1]), said
    good("detach", path)
    nothing_left(path)
    remove(path)


@check
def removed_cgroup() -> None:
    path = cgroup("gone")
    number = path.stat().st_ino
    good("attach", obj("mru"), path)
    remove(path)
    (entry,) = json.loads(good("list", "--json"))
    shown = {"cgroup": number, "path": None, "policy": "mru", "state": "cgroup removed"}
    assert shown.items() <= entry.items(), entry
    # The kernel ends the policy a moment after rmdir has returned.
    eventually(lambda: json.loads(good("list", "--json"))[0].get("exit") == "cgroup", "the policy has not ended")
    assert f"cpolc detach --id {number}" in good("list")
    assert good("detach", "--id", number).startswith("mru is detached")
    assert not (PINS / str(number)).exists()
    no_bpf_left()


@check
def nested_cgroups_and_the_memory_controller() -> None:
    outer = cgroup("outer")
    inner = outer / "inner"
    inner.mkdir()
    refused(
        rf"{inner} has no memory controller; turn it on: echo \+memory > {outer}/cgroup.subtree_control",
        "attach",
        obj("fifo"),
        inner,
    )
    (outer / "cgroup.subtree_control").write_text("+memory")
    good("attach", obj("fifo"), inner)
    os.chdir(inner)
    assert good("stat", ".").splitlines()[0].split() == ["path", str(inner)]
    os.chdir("/")
    good("detach", inner)
    nothing_left(inner)
    remove(inner)
    remove(outer)


@check
def root_cgroup_and_other_users_are_refused() -> None:
    refused("is the root cgroup", "attach", obj("fifo"), CGROUPS)
    path = cgroup("one")
    # Only root can enter pytest's folder, so copy the files: the loader must refuse, not the file system.
    readable = Path("/run/fifo.bpf.o")
    shutil.copyfile(obj("fifo"), readable)
    readable.chmod(0o644)
    command = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        LOADER,
        "attach",
        str(readable),
        str(path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "no permission: this needs root" in done.stderr, done.stderr
    PINS.mkdir(mode=0o700, exist_ok=True)
    assert PINS.stat().st_mode & 0o077 == 0
    PINS.chmod(0o755)
    refused("lets others read or write it; run chmod go-rw", "attach", obj("fifo"), path)
    PINS.chmod(0o700)
    os.chown(PINS, 65534, 65534)
    refused("belongs to another user", "attach", obj("fifo"), path)
    os.chown(PINS, 0, 0)
    nothing_left(path)
    remove(path)
