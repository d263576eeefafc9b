"""Checks in the machine (attach_checks.py): `stat --state` shows what a policy holds."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from attach_ghosts import ghost_is_whole
from guest import (
    DISK,
    LIMIT,
    OBJECTS,
    PINS,
    big_file,
    cgroup,
    check,
    good,
    nothing_left,
    obj,
    read_whole,
    refused,
    remove,
    run_in,
)

PAGES = 10


def held(path: Path, *words: str) -> Any:
    return json.loads(good("stat", path, "--state", "--json", *words))


def read_one_by_one(file: Path) -> None:
    """Read the file without readahead, so that each page is a folio."""
    handle = os.open(file, os.O_RDONLY)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_RANDOM)
    for page in range(PAGES):
        os.pread(handle, 1, page * 4096)
    os.close(handle)


@check
def state_of_a_policy_is_shown() -> str:
    """Values of every type, lists and ghosts; then the whole file, so that the policy evicts."""
    path, file = cgroup("one"), DISK / "ten"
    file.write_bytes(bytes(PAGES * 4096))
    subprocess.run(["sync"], check=True)
    Path("/proc/sys/vm/drop_caches").write_text("3")
    good("attach", obj("holding"), path)
    assert held(path)["states"] == {"linux": 0, "share": -0.25, "kind": "cold", "deep": -3, "even": True}
    run_in(path, lambda: read_one_by_one(file))
    told = held(path)
    n = told["states"]["linux"]
    assert n >= PAGES, told
    assert (told["path"], told["name"], told["cache"]) == (str(path), "holding", n), told
    states = {"linux": n, "share": -0.25 - n / 4, "kind": "warm", "deep": max(-128, -3 - n), "even": n % 2 == 0}
    assert told["states"] == states and told["lists"] == {"young": n, "old": 0}, told
    assert told["ghosts"] == {"likely": 0, "none": 0} and told["capacities"]["none"] == 8, told
    tables = told["tables"]
    assert sum(tables["barrier"]) == 8 + n and len(tables["barrier"]) == 8, tables["barrier"]
    assert len(tables["added"]) > LIMIT // 4096 // 2 and tables["added"][PAGES - 1] in range(PAGES, n + 1), tables
    assert tables["grid"][0] == [0.5] * 3 and min(tables["grid"][1]) == states["share"], tables["grid"]
    text = good("stat", path, "--state")
    lines = dict(line.split(None, 1) for line in text.splitlines())
    assert lines["list.young"] == lines["cache"] == lines["state.linux"] == str(n), text
    assert lines["ghost.none"] == "0 of 8" and lines["state.kind"] == "warm", text
    assert lines["table.grid"].endswith("else 0.5"), text
    whole = big_file("sixteen", 16 << 20)
    for _ in range(2):
        run_in(path, lambda: read_whole(whole))
    told, pins = held(path), PINS / str(path.stat().st_ino)
    entries, capacity = ghost_is_whole(pins, "likely")
    assert 0 < entries == told["ghosts"]["likely"] and told["capacities"]["likely"] == capacity, told["ghosts"]
    assert told["cache"] == sum(told["lists"].values()) and told["lists"]["old"] > 0, told["lists"]
    clean = (OBJECTS / "sanitized-loader").read_text()
    for words in ((), ("--json",)):
        done = subprocess.run([clean, "stat", path, "--state", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0 and not done.stderr, done.stderr
    refused("has no policy", "stat", cgroup("two"), "--state")
    good("detach", path)
    refused("has no policy", "stat", path, "--state")
    nothing_left(path)
    remove(path)
    remove(cgroup("two"))
    return text


@check
def state_of_stdlib_policies_is_shown() -> list[str]:
    """Every policy of the standard library, while it runs."""
    path, file, names = cgroup("one"), big_file("whole", 24 << 20), []
    for name in ("arc", "lecar", "lhd", "lirs", "mglru", "wtinylfu"):
        good("attach", obj(name), path)
        run_in(path, lambda: read_whole(file))
        told = held(path)
        assert told["name"] == name and told["cache"] > 0, told
        names.append(name)
        good("detach", path)
    remove(path)
    return names
