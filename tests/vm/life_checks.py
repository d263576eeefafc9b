"""Runs in the machine (guest.py says how): what becomes of a policy after it was attached."""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I leaves it out

from guest import (
    DISK,
    LOADER,
    OBJECTS,
    PINS,
    big_file,
    bpf,
    cgroup,
    check,
    eventually,
    good,
    kernel_lines,
    load,
    main,
    map_value,
    no_bpf_left,
    nothing_left,
    obj,
    read_whole,
    refused,
    remove,
    run_in,
)

PAGE = 4096
UNIT = Path(__file__).parents[2] / "runtime" / "systemd" / "cpol@.service"


def pins_of(path: Path) -> Path:
    return PINS / str(path.stat().st_ino)


def params_of(path: Path) -> tuple[int, int, int]:
    """step, share, bias as they lie in the kernel."""
    return struct.unpack_from("<I4xqb", map_value(pins_of(path) / "data_params"))


def seen(path: Path) -> dict[str, int]:
    """What the policy live_by_hand counted."""
    names = ("added", "hot", "headers", "weight", "step", "scanner", "bias", "refuse")
    return dict(zip(names, struct.unpack_from("<8q", map_value(pins_of(path) / "bss")), strict=True))


def read_fresh(path: Path, file: Path, first: int = 0, pages: int = 1 << 30) -> dict[str, int]:
    """Read pages of a file one by one, none of it cached, without readahead, in the cgroup; what the policy counted."""
    Path("/proc/sys/vm/drop_caches").write_text("3")
    before = seen(path)

    def work() -> None:
        handle = os.open(file, os.O_RDONLY)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_RANDOM)
        for page in range(first, min(first + pages, file.stat().st_size // PAGE)):
            os.pread(handle, 1, page * PAGE)

    run_in(path, work)
    after = seen(path)
    return {name: after[name] - before[name] for name in after}


def small_file(name: str, pages: int) -> Path:
    path = DISK / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(range(256)) * (PAGE // 256 * pages))
    subprocess.run(["sync"], check=True)
    return path


@check
def live_params_change_under_the_policy() -> dict[str, int]:
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
        "set: bias is not live, so it can only be set when the policy is attached: cpolc attach --replace "
        "--set bias=1; live are: step, share",
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
def params_of_a_policy_without_live_ones() -> None:
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


@check
def files_of_an_input_are_those_that_the_policy_sees() -> dict[str, int]:
    """The identity of a file is computed twice, by the loader and by bpf.h in the kernel, and must be the same."""
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

    refused("/link is a symbolic link, and links are not followed", "input", path, name, "add", DISK / "tree" / "link")
    refused("cannot look at .*/none: No such file", "input", path, name, "add", hot, DISK / "none")
    refused("/dev/null is neither a file nor a folder", "input", path, name, "add", "/dev/null")
    refused("is on an overlay", "input", path, name, "add", "/etc/passwd")
    refused("is on tmpfs", "input", path, name, "add", Path("/dev/shm/x").write_text("x") and "/dev/shm/x")
    refused("there is no file in", "input", path, name, "add", DISK / "tree")
    refused("behind id: there are 16 digits", "input", path, name, "add", "id:123")
    assert good("input", path, name, "list") == ""

    # A map: values by file.
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


def lists_of(path: Path) -> dict[str, int]:
    """Pages on the lists of a policy that are not empty."""
    stat = json.loads(good("stat", path, "--json"))
    return {name: pages for name, pages in zip(stat["list_names"], stat["lists"], strict=True) if pages}


def sorted_into(path: Path, file: Path) -> dict[str, int]:
    """How many pages more are on which list after the file's 16 pages were read anew; `plain` has others too."""
    Path("/proc/sys/vm/drop_caches").write_text("3")
    before = lists_of(path)
    run_in(path, lambda: read_whole(file))
    grown = {name: pages - before.get(name, 0) for name, pages in lists_of(path).items()}
    plain = grown.pop("plain", 0)
    assert plain + sum(grown.values()) >= 16, grown
    return {name: pages for name, pages in grown.items() if pages}


@check
def what_the_compiler_makes_hears_of_params_and_inputs() -> None:
    """The same contract from the compiler's side: a policy with a list for each thing that it is told."""
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

    # The reader is a child of this process, and puts itself in before it reads.
    def as_member(name: str, suffix: str) -> None:
        good("input", path, name, "add", f"{os.getpid()}{suffix}")
        read_whole(file)
        good("input", path, name, "clear")

    for name, suffix in (("threads", ""), ("processes", "=true")):
        Path("/proc/sys/vm/drop_caches").write_text("3")
        before = lists_of(path)
        run_in(path, lambda name=name, suffix=suffix: as_member(name, suffix))  # type: ignore[misc]
        grown = lists_of(path).get(f"of_{name}", 0) - before.get(f"of_{name}", 0)
        assert grown >= 16, (name, before, lists_of(path))
    good("set", path, "by_hand=true")
    assert sorted_into(path, file)["forced"] >= 16
    good("set", path, "by_hand=false")
    assert sorted_into(path, file) == {}
    good("detach", path)
    nothing_left(path)
    remove(path)


@check
def ranges_of_pages() -> dict[str, int]:
    path, file, name = cgroup("one"), small_file("pages", 100), "headers"
    good("attach", obj("live"), path, "--input", f"{name}={file}:0..9,{file}:20..29")

    def ranges() -> list[tuple[int, int]]:
        return [(entry["first"], entry["last"]) for entry in json.loads(good("input", path, name, "list", "--json"))]

    def pages() -> int:
        """How many of the 100 pages the program finds; readahead is off, so that each is added once."""
        return read_fresh(path, file)["headers"]

    assert ranges() == [(0, 9), (20, 29)] and pages() == 20
    good("input", path, name, "add", f"{file}:5..24")
    assert ranges() == [(0, 29)] and pages() == 30
    assert good("input", path, name, "add", f"{file}:7..13") == f"{name}: unchanged\n"
    good("input", path, name, "remove", f"{file}:3..3", f"{file}:10..19")
    assert ranges() == [(0, 2), (4, 9), (20, 29)] and pages() == 19
    good("input", path, name, "add", f"{file}:1..18446744073709551615")
    assert ranges() == [(0, 18446744073709551615)] and pages() == 100
    good("input", path, name, "remove", f"{file}:50..18446744073709551615")
    assert ranges() == [(0, 49)] and pages() == 50
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
        refused("pages are named PATH:FIRST..LAST", "input", path, name, "add", wrong)
    refused("the first page lies behind the last", "input", path, name, "add", f"{file}:2..1")
    assert good("input", path, name, "clear").startswith(f"{name}: ")
    assert ranges() == [] and pages() == 0
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return {"pages": 100}


def put_prefix(path: Path, file: int, first: int, free_bits: int) -> None:
    """What an application may write by itself: any prefix, also inside another."""
    name = ctypes.create_string_buffer(str(pins_of(path) / "cpol_input_headers").encode())
    fd = bpf(7, ctypes.create_string_buffer(struct.pack("QII", ctypes.addressof(name), 0, 0), 16))
    assert fd >= 0
    key = ctypes.create_string_buffer(struct.pack("<I", 128 - free_bits) + struct.pack(">QQ", file, first), 20)
    value = ctypes.create_string_buffer(struct.pack("<q", 1), 8)
    attributes = struct.pack("IIQQQ", fd, 0, ctypes.addressof(key), ctypes.addressof(value), 0)
    assert bpf(2, ctypes.create_string_buffer(attributes, 32)) == 0
    os.close(fd)


@check
def ranges_against_a_model() -> dict[str, int]:
    """Random ranges put in and cut out, and prefixes of an application; a set of pages says what is right."""
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
        assert not ends & {(entry["file"], entry["first"]) for entry in listed}, "neighbours of one value are one range"
    good("detach", path)
    remove(path)
    return {"steps": steps, "pages": sum(map(len, model.values()))}


@check
def threads_and_processes() -> None:
    path, file = cgroup("one"), small_file("threads", 8)
    good("attach", obj("live"), path, "--input", "tenants=4242=65535,7=1", "--input", "tenants=8=0")
    assert read_fresh(path, file)["scanner"] == 0
    assert good("input", path, "scanners", "add", 4242, 1, 4194304) == "scanners: 3 added\n"
    counted = read_fresh(path, file)
    assert counted["scanner"] == counted["refuse"] == counted["added"] >= 8, counted
    assert good("input", path, "scanners", "list").split() == ["1", "4242", "4194304"]
    assert good("input", path, "tenants", "list").split() == ["7=1", "8=0", "4242=65535"]
    assert json.loads(good("input", path, "tenants", "list", 7, 9, "--json")) == [{"process": 7, "value": 1}]
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
        refused("is not the number of a thread", "input", path, "scanners", "add", "--", 5, wrong)
    refused("tenants is a map: write NUMBER=VALUE", "input", path, "tenants", "add", 9)
    refused("must be a whole number from 0 to 65535, not `65536`", "input", path, "tenants", "add", "9=65536")
    refused("has no input scaners; it has: scanners, tenants, hot", "input", path, "scaners", "list")
    assert good("input", path, "scanners", "remove", 1, 2) == "scanners: 1 removed, 1 not there\n"
    assert json.loads(good("input", path, "scanners", "clear", "--json"))["removed"] == 2
    assert good("input", path, "scanners", "list", "--json") == "[]\n"
    good("detach", path)
    nothing_left(path)
    remove(path)


@check
def a_full_input_takes_all_or_nothing() -> dict[str, int]:
    path = cgroup("one")
    good("attach", obj("live"), path)
    at = 1
    while at <= 65530:
        good("input", path, "scanners", "add", *range(at, min(at + 6553, 65531)))
        at += 6553
    before = good("input", path, "scanners", "list")
    held = len(before.split())
    more = range(100_000, 100_010)
    full = "the input scanners is full: it holds 65536 elements; nothing was changed"
    refused(full, "input", path, "scanners", "add", *more)
    assert good("input", path, "scanners", "list") == before
    assert good("input", path, "scanners", "clear") == f"scanners: {held} removed\n"
    good("detach", path)
    remove(path)
    return {"held": held}


def policy_of(path: Path) -> list[str]:
    """The kernel's word on who governs."""
    return [line["name"] for line in kernel_lines(path) if line["state"] == "attached"]


class Reader:
    """Reads a file over and over in a cgroup, until left."""

    def __init__(self, path: Path, file: Path) -> None:
        self.path, self.file, self.pid = path, file, 0

    def __enter__(self) -> None:
        self.pid = os.fork()
        if self.pid == 0:
            (self.path / "cgroup.procs").write_text(str(os.getpid()))
            while True:
                read_whole(self.file)

    def __exit__(self, *_: object) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


GAP = re.compile(
    r"without a policy for at most ([0-9.]+) ms, in which (\d+) pages were reclaimed and (\d+) came back\n"
)


@check
def a_policy_takes_the_place_of_another() -> dict[str, object]:
    """Under load, again and again: what the cgroup had cached stays, the gap is told."""
    path, file = cgroup("one"), big_file("whole", 24 << 20)
    gaps: list[float] = []
    reclaimed = returned = 0
    assert good("attach", obj("mru"), path, "--replace") == f"mru is attached to {path}\n"
    with Reader(path, file):
        eventually(lambda: int(kernel_lines(path)[0]["evicted"]) > 500, "the reader fills the cgroup")
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
            assert stat["added"] > 1000, "it did not get what was cached"
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return {"gaps_ms": gaps, "reclaimed": reclaimed, "came_back": returned}


@check
def a_replacement_that_fails_leaves_the_old_policy() -> str:
    path, file = cgroup("one"), small_file("replace", 64)
    good("attach", obj("live"), path, "--set", "step=9", "--input", "scanners=4242")
    good("set", path, "step=10")
    before = sorted(pin.name for pin in pins_of(path).iterdir())

    # Before anything is touched: a wrong object, a wrong setting, one that the verifier refuses.
    refused("not a BPF object", "attach", "/etc/passwd", path, "--replace")
    refused("sample must be", "attach", obj("lfu"), path, "--replace", "--set", "sample=0")
    refused("has the policy live_by_hand already", "attach", obj("lfu"), path)
    refused(
        "there is no group nobody-at-all", "attach", obj("lfu"), path, "--replace", "--input-group", "nobody-at-all"
    )
    assert policy_of(path) == ["live_by_hand"]

    # In the gap: its init fails. The old one comes back, with what it knew.
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


def killed_at(step: int, *words: object) -> str | None:
    """Run the loader that kills itself at a step; where that was, or None: it has no such step."""
    loader = (OBJECTS / "loader-kill-at").read_text()
    done = subprocess.run(
        [loader, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "CPOL_KILL_AT": str(step)},
    )
    if done.returncode == 0:
        return None
    assert done.returncode == -signal.SIGKILL, done.stderr
    return done.stderr.strip()


def listed() -> list[tuple[str, str]]:
    return [(entry["policy"], entry["state"]) for entry in json.loads(good("list", "--json"))]


@check
def a_kill_at_any_step_of_attach() -> list[str]:
    """Afterwards there is nothing, or what list shows and detach removes."""
    path, steps = cgroup("one"), []
    while where := killed_at(len(steps) + 1, "attach", obj("live"), path):
        steps.append(where)
        eventually(lambda: policy_of(path) in ([], ["live_by_hand"]), "a policy halfway")
        if len(steps) % 2:  # the first command after it is list, or detach, or attach
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
        assert done.returncode == 0 or "has the policy live_by_hand already" in done.stderr, done.stderr
        good("detach", path)
        nothing_left(path)
    remove(path)
    no_bpf_left()
    return steps


@check
def a_kill_at_any_step_of_replace() -> list[str]:
    path, file, steps = cgroup("one"), big_file("whole", 24 << 20), []
    good("attach", obj("mru"), path)
    while where := killed_at(len(steps) + 1, "attach", obj("live"), path, "--replace"):
        steps.append(where)
        governs, shown = policy_of(path), listed()
        if not governs:  # in the gap
            eventually(lambda: not kernel_lines(path), "the policy goes")
            assert shown == [("mru", "broken off")], (where, shown)
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
def a_kill_at_any_step_of_detach() -> list[str]:
    path, steps = cgroup("one"), []
    good("attach", obj("live"), path)
    while where := killed_at(len(steps) + 1, "detach", path):
        steps.append(where)
        eventually(lambda: not policy_of(path), "the policy goes")
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


STAT_KEYS = [
    "added",
    "accessed",
    "removed",
    "hits",
    "misses",
    "refaults",
    "ticks",
    "requests",
    "calls",
    "wanted",
    "proposed",
    "evicted",
    "refused_dirty",
    "refused_writeback",
    "refused_locked",
    "refused_busy",
    "refused_other",
    "refused_admission",
    "admit_overruled",
    "fallback",
    "stalled",
    "nomem",
    "migrated",
    "split",
    "owned",
    "nr_lists",
    "listed",
    "capacity",
    "untracked",
    "prog_ns",
    "memory",
]


@check
def what_is_counted_and_what_is_not() -> list[str]:
    """Every key of the kernel is shown, also those that only another kernel has; what it does not count is n/a."""
    path, other, file = cgroup("one"), cgroup("two"), big_file("whole", 24 << 20)
    good("attach", obj("s3fifo"), path)
    good("attach", obj("live"), other)
    run_in(path, lambda: read_whole(file))
    (line,) = kernel_lines(path)
    told = json.loads(good("stat", path, "--json"))
    shown = dict(row.split(None, 1) for row in good("stat", path).splitlines())
    assert not line.keys() - told.keys() and not line.keys() - shown.keys()
    missing = [key for key in STAT_KEYS if key not in line]
    for key in STAT_KEYS:
        assert (told[key] is None) == (shown[key] == "n/a") == (key in missing), key
    assert told["evicted"] == int(shown["evicted"]) > 1000 and told["list_names"] == ["small", "main"]
    entries = {entry["name"]: entry for entry in json.loads(good("stat", "--all"))}
    assert set(entries) == {"s3fifo", "live_by_hand"} and entries["live_by_hand"]["list_names"] == ["queue"]
    assert entries["s3fifo"]["path"] == str(path) and len(entries["s3fifo"]["lists"]) == 2
    for name in (path, other):
        good("detach", name)
        nothing_left(name)
        remove(name)
    assert json.loads(good("stat", "--all")) == []
    return missing


@check
def a_removed_cgroup_is_shown_and_swept() -> None:
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
    good("detach", paths[2])
    nothing_left(paths[2])
    remove(paths[2])
    no_bpf_left()


@check
def a_group_writes_inputs_and_nothing_else() -> dict[str, str]:
    """As nobody, with and without the group; the loader lies where nobody can reach it."""
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
    assert as_nobody(777, "input", path, "scanners", "add", 4242).stdout == "scanners: 1 added\n"
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
    assert params_of(path)[0] == 3 and good("input", path, "scanners", "list") == "4242\n"
    good("detach", path)
    nothing_left(path)
    PINS.chmod(0o700)
    remove(path)
    return said


@check
def the_capabilities_of_the_unit_suffice() -> list[str]:
    """What cpol@.service may do is all that is needed; without finding cgroups by id nothing is taken for removed."""
    path, unit = cgroup("one"), UNIT.read_text()
    found = re.search(r"^CapabilityBoundingSet=(.*)$", unit, re.MULTILINE)
    assert found
    names = [name.removeprefix("CAP_").lower() for name in found[1].split()]
    assert "sys_admin" not in names and "net_admin" not in names

    def run(names: list[str], *words: object) -> str:
        caps = ",".join(["-all", *(f"+{name}" for name in names)])
        command = ["setpriv", f"--bounding-set={caps}", f"--inh-caps={caps}", "--no-new-privs", LOADER, *words]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, (names, words, done.stderr)
        return done.stdout

    Path("/sys/fs/bpf").chmod(0o711)
    for words in (
        ("attach", obj("live"), path, "--set", "step=2", "--input-group", 777),
        ("attach", obj("live"), path, "--replace", "--input-group", 777),
        ("set", path, "step=3"),
        ("input", path, "scanners", "add", 5),
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
def the_kernel_is_content() -> None:
    log = subprocess.run(["dmesg"], capture_output=True, text=True, check=True).stdout
    bad = [line for line in log.splitlines() if re.search(r"WARNING|\bBUG\b|Oops|\bstall|\bhung\b|lockup", line)]
    assert not bad, "\n".join(bad)


main()
