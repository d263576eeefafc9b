"""Checks in the machine (attach_checks.py): the device of a folio, and the cgroup that pays for it."""

from __future__ import annotations

import contextlib
import json
import os
from functools import partial
from pathlib import Path

from attach_records import PAGE, make, read
from guest import DISK, cgroup, check, good, nothing_left, obj, refused, remove, run_in

PAGES = 64


def list_sizes(path: Path) -> dict[str, int]:
    stat = json.loads(good("stat", path, "--json"))
    return dict(zip(stat["list_names"], stat["lists"], strict=True))


def read_in(path: Path, name: str) -> None:
    """Read a file in the cgroup that is not cached."""
    run_in(path, partial(read, make(name, PAGES)))


@check
def devices_and_cgroups_of_folios() -> dict[str, int]:
    """The numbers that the loader fills are those that programs read, when a folio comes, is scanned and is evicted."""
    path = cgroup("one")
    (path / "cgroup.subtree_control").write_text("+memory")
    children = {name: path / name for name in ("batch", "web")}
    for child in children.values():
        child.mkdir()
    batch, web = children["batch"], children["web"]
    device = DISK.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    good("attach", obj("origins"), path, "--input", f"share={batch}=3")
    read_in(web, "origin-web")
    read_in(batch, "origin-batch")
    sizes = list_sizes(path)
    assert sizes["other"] >= PAGES and sizes["batch"] >= PAGES and sizes["slow"] == 0, sizes
    assert good("input", path, "disks", "add", DISK, "/dev/vda", number) in (
        "disks: 1 added\n",
        "disks: 1 added, 2 replaced\n",
    )
    read_in(web, "origin-slow")
    assert list_sizes(path)["slow"] >= PAGES, list_sizes(path)

    assert good("input", path, "disks", "list") == f"{number}\n"
    assert json.loads(good("input", path, "disks", "list", "--json")) == [{"device": number, "value": True}]
    assert good("input", path, "share", "list") == f"{batch}=3\n"
    assert json.loads(good("input", path, "share", "list", "--json")) == [{"cgroup": str(batch), "value": 3}]
    assert "set of devices; holds 1" in good("input", path) and "map of cgroups to u16" in good("input", path)
    refused("is on tmpfs", "input", path, "disks", "add", "/dev/shm")
    refused("is neither a block device nor", "input", path, "disks", "add", "/dev/null")
    refused("neither MAJOR:MINOR nor a path", "input", path, "disks", "add", "4096:1")
    refused("not a cgroup", "input", path, "share", "add", f"{DISK}=2")
    refused("share is a map: write PATH=VALUE", "input", path, "share", "add", batch)

    with contextlib.suppress(BlockingIOError):  # it could not take as many
        (path / "memory.reclaim").write_text(str(3 * PAGES // 2 * PAGE))
    gone = list_sizes(path)
    assert gone["batch"] < 32 and gone["slow"] < PAGES, gone
    seen: int = json.loads(good("stat", path, "--state", "--json"))["states"]["seen"]
    assert seen >= PAGES, seen
    good("input", path, "disks", "remove", number)
    id = f"id:{batch.stat().st_ino:016x}"
    for child in children.values():
        remove(child)
    assert good("input", path, "share", "list") == f"{id}=3\n"
    assert good("input", path, "share", "remove", id) == "share: 1 removed\n"
    good("detach", path)
    nothing_left(path)
    (path / "cgroup.subtree_control").write_text("-memory")
    remove(path)
    return {"other": sizes["other"], "batch": sizes["batch"], "seen": seen}
