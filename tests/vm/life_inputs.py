"""Checks in the machine (life_checks.py): inputs of an attached policy."""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import struct
import subprocess
from pathlib import Path

from guest import DISK, bpf, cgroup, check, good, no_bpf_left, nothing_left, obj, refused, remove, run_in
from life_common import pins_of, read_fresh, small_file


@check
def file_identities_match_those_of_the_policy() -> dict[str, int]:
    """The loader and bpf.h compute the same identity of a file."""
    path, name = cgroup("one"), "hot_files_of_the_application"
    hot, cold, deep = small_file("hot", 16), small_file("cold", 16), small_file("tree/a/deep", 16)
    (DISK / "tree" / "link").symlink_to(cold)
    (DISK / "tree" / "a" / "loop").symlink_to(DISK / "tree")
    good("attach", obj("live"), path)
    assert read_fresh(path, hot)["hot"] == 0
    assert good("input", path, name, "add", hot, DISK / "tree") == f"{name}: 2 added\n"
    assert good("input", path, name, "add", hot) == f"{name}: 1 replaced\n"
    results = [read_fresh(path, file)["hot"] for file in (hot, deep, cold)]
    assert results[0] >= 16 and results[1] >= 16 and results[2] == 0, results
    listed = good("input", path, name, "list").split()
    assert len(listed) == 2 and all(re.fullmatch("id:[0-9a-f]{16}", word) for word in listed), listed
    assert json.loads(good("input", path, name, "list", "--json")) == [{"file": word, "value": True} for word in listed]
    assert good("input", path, name, "list", hot, cold) in [f"{word}\n" for word in listed]
    assert good("input", path, name, "list", cold) == ""
    deep.unlink()
    for word in listed:
        assert good("input", path, name, "remove", word) == f"{name}: 1 removed\n"
    assert good("input", path, name, "remove", hot) == f"{name}: 1 not there\n"
    assert read_fresh(path, hot)["hot"] == 0

    refused("/link is a symbolic link, which is not followed", "input", path, name, "add", DISK / "tree" / "link")
    refused("cannot look at .*/none: No such file", "input", path, name, "add", hot, DISK / "none")
    refused("/dev/null is neither a file nor a folder", "input", path, name, "add", "/dev/null")
    refused("is on an overlay", "input", path, name, "add", "/etc/passwd")
    refused("is on tmpfs", "input", path, name, "add", Path("/dev/shm/x").write_text("x") and "/dev/shm/x")
    refused("there is no file in", "input", path, name, "add", DISK / "tree")
    refused("write id: and 16 digits", "input", path, name, "add", "id:123")
    assert good("input", path, name, "list") == ""

    # A map with files as keys.
    assert good("input", path, "weights", "add", f"{hot}=-3", f"{cold}=1000") == "weights: 2 added\n"
    assert read_fresh(path, hot)["weight"] == -3 * 16
    assert read_fresh(path, cold)["weight"] == 16000
    refused("a value of weights must be a whole number from -2147483648", "input", path, "weights", "add", f"{hot}=x")
    refused("weights is a map: write PATH=VALUE", "input", path, "weights", "add", hot)
    assert {entry["value"] for entry in json.loads(good("input", path, "weights", "list", "--json"))} == {-3, 1000}
    assert good("input", path, "weights", "clear") == "weights: 2 removed\n"
    assert read_fresh(path, hot)["weight"] == 0
    good("detach", path)
    nothing_left(path)
    remove(path)
    return {"hot": results[0], "deep": results[1]}


@check
def page_ranges_of_an_input() -> dict[str, int]:
    path, file, name = cgroup("one"), small_file("pages", 100), "headers"
    good("attach", obj("live"), path, "--input", f"{name}={file}:0..9,{file}:20..29")

    def ranges() -> list[tuple[int, int]]:
        return [(entry["first"], entry["last"]) for entry in json.loads(good("input", path, name, "list", "--json"))]

    def pages() -> int:
        """Return how many of the 100 pages the program finds in the input; without readahead, each is added once."""
        return read_fresh(path, file)["headers"]

    assert (ranges(), pages()) == ([(0, 9), (20, 29)], 20)
    good("input", path, name, "add", f"{file}:5..24")
    assert (ranges(), pages()) == ([(0, 29)], 30)
    assert good("input", path, name, "add", f"{file}:7..13") == f"{name}: unchanged\n"
    good("input", path, name, "remove", f"{file}:3..3", f"{file}:10..19")
    assert (ranges(), pages()) == ([(0, 2), (4, 9), (20, 29)], 19)
    good("input", path, name, "add", f"{file}:1..18446744073709551615")
    assert (ranges(), pages()) == ([(0, 18446744073709551615)], 100)
    good("input", path, name, "remove", f"{file}:50..18446744073709551615")
    assert (ranges(), pages()) == ([(0, 49)], 50)
    other = small_file("other-pages", 4)
    good("input", path, name, "add", f"{other}:1..2")
    assert ranges().count((1, 2)) == 1 and ranges().count((0, 49)) == 1 and pages() == 50
    listed = good("input", path, name, "list", f"{other}:1..1")
    assert re.fullmatch(r"id:[0-9a-f]{16}:1\.\.1\n", listed), listed
    for wrong in (
        file,
        f"{file}:",
        f"{file}:1",
        f"{file}:1..",
        f"{file}:..1",
        f"{file}:-1..1",
        ":1..2",
        f"{file}:1..x",
    ):
        refused("write pages as PATH:FIRST..LAST", "input", path, name, "add", wrong)
    refused("the first page is after the last", "input", path, name, "add", f"{file}:2..1")
    assert good("input", path, name, "clear").startswith(f"{name}: ")
    assert (ranges(), pages()) == ([], 0)
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return {"pages": 100}


def put_prefix(path: Path, file: int, first: int, free_bits: int) -> None:
    """Insert a prefix as an application may: any prefix, even inside another one."""
    name = ctypes.create_string_buffer(str(pins_of(path) / "cpol_input_headers").encode())
    fd = bpf(7, ctypes.create_string_buffer(struct.pack("QII", ctypes.addressof(name), 0, 0), 16))
    assert fd >= 0
    key = ctypes.create_string_buffer(struct.pack("<I", 128 - free_bits) + struct.pack(">QQ", file, first), 20)
    value = ctypes.create_string_buffer(struct.pack("<q", 1), 8)
    attributes = struct.pack("IIQQQ", fd, 0, ctypes.addressof(key), ctypes.addressof(value), 0)
    assert bpf(2, ctypes.create_string_buffer(attributes, 32)) == 0
    os.close(fd)


@check
def page_ranges_match_a_model() -> dict[str, int]:
    """Compare random additions and removals of ranges, and an application's prefixes, with a set of pages."""
    path, name, source = cgroup("one"), "headers", random.Random(11)
    good("attach", obj("live"), path)
    files, model, steps = (0x1111, 0x1112), {0x1111: set[int](), 0x1112: set[int]()}, 60
    for _ in range(steps):
        file = source.choice(files)
        if source.random() < 0.3:
            bits = source.randrange(6)
            first = source.randrange(128 >> bits) << bits
            put_prefix(path, file, first, bits)
            model[file] |= {*range(first, first + (1 << bits))}
        else:
            first = source.randrange(128)
            last = source.randrange(first, 128)
            action = source.choice(("add", "remove"))
            good("input", path, name, action, f"id:{file:016x}:{first}..{last}")
            changed = {*range(first, last + 1)}
            model[file] = model[file] | changed if action == "add" else model[file] - changed
        told: dict[int, set[int]] = {number: set() for number in files}
        listed = json.loads(good("input", path, name, "list", "--json"))
        for entry in listed:
            told[int(entry["file"][3:], 16)] |= {*range(entry["first"], entry["last"] + 1)}
        assert told == model, (file, told, model)
        ends = {(entry["file"], entry["last"] + 1) for entry in listed}
        assert not ends & {(entry["file"], entry["first"]) for entry in listed}, "adjacent ranges must be merged"
    good("detach", path)
    remove(path)
    return {"steps": steps, "pages": sum(map(len, model.values()))}


@check
def threads_and_processes_of_an_input() -> None:
    path, file = cgroup("one"), small_file("threads", 8)
    good("attach", obj("live"), path, "--input", "tenants=2=65535,1=1", "--input", "tenants=3=0")
    assert read_fresh(path, file)["scanner"] == 0
    assert good("input", path, "scanners", "add", 2, 1, 3) == "scanners: 3 added\n"
    counted = read_fresh(path, file)
    assert counted["scanner"] == counted["refuse"] == counted["added"] >= 8, counted
    names = [Path(f"/proc/{number}/comm").read_text().strip() for number in (1, 2, 3)]
    assert good("input", path, "scanners", "list") == "1  {}\n2  {}\n3  {}\n".format(*names)
    assert good("input", path, "tenants", "list") == "1=1  {}\n2=65535  {}\n3=0  {}\n".format(*names)
    assert json.loads(good("input", path, "tenants", "list", 1, 9, "--json")) == [
        {"process": 1, "value": 1, "comm": names[0]}
    ]
    assert good("input", path).splitlines() == [
        "scanners         set of threads; holds 3",
        "tenants          map of processes to u16, otherwise 7; holds 3",
        "hot_files_of_the_application set of files; holds 0",
        "weights          map of files to s32, otherwise 0; holds 0",
        "headers          set of pages; holds 0",
    ]
    told = {entry["name"]: entry for entry in json.loads(good("input", path, "--json"))}
    assert told["tenants"] == {
        "name": "tenants", "kind": "map", "key": "process", "type": "u16", "default": 7, "elements": 3
    }  # fmt: skip
    for wrong in ("0", "-1", "x", "4194305", "1.5", "99999999999999999999"):
        refused("is not the number of a thread", "input", path, "scanners", "add", "--", 1, wrong)
    refused("add: 999999 is not the number of a thread: there is none", "input", path, "scanners", "add", 1, 999999)
    refused("tenants is a map: write NUMBER=VALUE", "input", path, "tenants", "add", 9)
    refused("must be a whole number from 0 to 65535, not `65536`", "input", path, "tenants", "add", "9=65536")
    refused("has no input scaners; it has: scanners, tenants, hot", "input", path, "scaners", "list")
    assert good("input", path, "scanners", "remove", 1, 999999) == "scanners: 1 removed, 1 not there\n"
    ended = subprocess.Popen(["sleep", "1000"])
    good("input", path, "scanners", "add", ended.pid)
    ended.kill()
    ended.wait()
    assert f"{ended.pid}  (ended)\n" in good("input", path, "scanners", "list")
    assert good("input", path, "scanners", "remove", ended.pid) == "scanners: 1 removed\n"
    assert json.loads(good("input", path, "scanners", "clear", "--json"))["removed"] == 2
    assert good("input", path, "scanners", "list", "--json") == "[]\n"
    good("detach", path)
    nothing_left(path)
    remove(path)


@check
def commands_of_an_input() -> None:
    """Names that the loader fills are those that programs read; a name beyond 15 bytes is cut by the kernel alone."""
    path, files = cgroup("one"), [small_file(f"command-{number}", 8) for number in range(5)]
    long = "fifteen-bytes15"
    good("attach", obj("commands"), path, "--input", "backups=rsync,tmux: server", "--input", "weight=tar=65535")
    refused("it has 16 bytes, and the kernel keeps 15: write `" + long, "input", path, "backups", "add", long + "!")
    refused("weight is a map: write NAME=VALUE", "input", path, "weight", "add", "tar")
    assert good("input", path, "backups", "list").splitlines() == ["rsync", "tmux: server"]
    assert good("input", path, "weight", "list").split() == ["tar=65535"]
    for name, file in zip(("rsync", "tar", long + "!", "tmux: server", "rsyncd"), files, strict=True):
        read_as(path, name, file)
    assert good("input", path).splitlines() == [
        "backups          set of commands; holds 2",
        "weight           map of commands to u16, otherwise 1; holds 1",
    ]
    assert json.loads(good("input", path, "backups", "list", "rsync", "--json")) == [{"comm": "rsync", "value": True}]
    lists = list_sizes(path)
    assert [lists[name] for name in ("backup", "heavy", "named", "other")] == [16, 8, 8, 8], lists
    assert good("input", path, "backups", "remove", "rsync", "rsyncd") == "backups: 1 removed, 1 not there\n"
    read_as(path, "rsync", small_file("command-5", 8))
    assert list_sizes(path)["other"] == 16
    good("detach", path)
    nothing_left(path)
    remove(path)


def list_sizes(path: Path) -> dict[str, int]:
    stat = json.loads(good("stat", path, "--json"))
    return dict(zip(stat["list_names"], stat["lists"], strict=True))


def read_as(path: Path, name: str, file: Path) -> None:
    """Read a file in the cgroup by a command of that name, without readahead."""

    def work() -> None:
        assert ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0) == 0  # PR_SET_NAME
        handle = os.open(file, os.O_RDONLY)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_RANDOM)
        for page in range(8):
            os.pread(handle, 1, page * 4096)

    os.sync()
    os.posix_fadvise(os.open(file, os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED)
    run_in(path, work)


@check
def full_input_adds_all_or_nothing() -> dict[str, int]:
    path = cgroup("one")
    good("attach", obj("live"), path)
    name, at = "hot_files_of_the_application", 1
    while at <= 65530:
        good("input", path, name, "add", *(f"id:{file:016x}" for file in range(at, min(at + 6553, 65531))))
        at += 6553
    before = good("input", path, name, "list")
    held = len(before.split())
    more = [f"id:{file:016x}" for file in range(100_000, 100_010)]
    refused(
        f"the input {name} is full: it holds 65536 elements; nothing was changed", "input", path, name, "add", *more
    )
    assert good("input", path, name, "list") == before
    assert good("input", path, name, "clear") == f"{name}: {held} removed\n"
    good("detach", path)
    remove(path)
    return {"held": held}
