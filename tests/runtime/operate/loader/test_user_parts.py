"""Parts of the glue without a kernel part: the policy in a process, marks, runs of pages, files by their handles."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import random
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from loader_types import Build

from cpol.compiler import compile_file
from cpol.compiler.backend import host
from cpol.compiler.policies import resolve
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.native import EventSimulator

pytestmark = pytest.mark.slow

CAPACITY, MOST = 64, 1000
MOUNTS = r"""22 1 8:1 / / rw - ext4 /dev/sda1 rw
23 22 8:1 /srv/a\040b /mnt/c\134d rw - ext4 /dev/sda1 rw
24 22 0:30 / /proc rw - proc proc rw
damaged
25 22 8:17 /srv /data rw - ext4 /dev/sdb1 rw
26 22 0:40 / /mnt/btrfs rw shared:3 - btrfs /dev/sdc1 rw
27 22 0:41 / /mnt/nfs rw - nfs4 server:/srv rw
28 22 0:42 / /mnt/ext4 rw - fuse.ext4 /dev/sdd rw
29 22 8:33 / /mnt/xfs rw shared:4 - xfs /dev/sdc1 rw
"""
DEVICE = 8 << 20 | 1


@pytest.fixture(scope="module")
def parts(build: Build) -> Path:
    return build("user_parts")


def told(parts: Path, *words: object, text: str = "", code: int = 0) -> list[str]:
    done = subprocess.run(
        [parts, *map(str, words)], input=text, capture_output=True, text=True, timeout=60, check=False
    )
    assert "Sanitizer" not in done.stderr and done.returncode == code, (done.returncode, done.stderr)
    return done.stdout.splitlines() if code == 0 else done.stderr.splitlines()


def govern(parts: Path, policy: str, *orders: str, most: int = MOST) -> list[str]:
    library = host.build(compile_file(resolve(policy)), events=True)
    return told(parts, "executor", library, CAPACITY, most, text="\n".join(orders))


def tally(line: str) -> dict[str, int]:
    words = line.split()
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


def test_an_access_tells_the_first_one_from_others(parts: Path) -> None:
    """mru: what was read last goes first, and what nobody has read goes last."""
    orders = ["add 1 0 1", "add 1 1 1", "add 1 2 2", "use 1 0", "use 1 2", "use 1 0", "want 3", "tell"]
    proposed, line = govern(parts, "mru", *orders)
    assert proposed == "1:0:1 1:2:2"
    assert tally(line)["pages"] == 4 and tally(line)["proposed"] == 3


def test_what_stays_is_proposed_last(parts: Path) -> None:
    adds = [f"add 1 {index} 1" for index in range(4)]
    uses = [f"use 1 {index}" for index in range(4)]
    lines = govern(parts, "mru", *adds, *uses, "want 2", "gone 1 3", "settle 1", "want 4", "settle 1", "tell")
    assert lines[:2] == ["1:3:1 1:2:1", "1:1:1 1:0:1 1:2:1"]
    found = tally(lines[2])
    assert found["evicted"] == 1 and found["stayed"] == 4 and found["folios"] == 3 and found["forgotten"] == 0


def test_what_may_have_gone_is_forgotten_and_adopted(parts: Path) -> None:
    """Events were lost: a proposal of which no removal is told is not known to be there."""
    lines = govern(parts, "mru", "add 1 0 1", "use 1 0", "want 1", "settle 0", "tell", "use 1 0", "want 1", "tell")
    first, second = tally(lines[1]), tally(lines[3])
    assert first["forgotten"] == 1 and first["folios"] == first["pages"] == 0
    assert lines[2] == "1:0:1" and second["adopted"] == 1


def test_removals_by_others_are_counted_apart(parts: Path) -> None:
    orders = ["add 7 0 1", "add 7 1 3", "use 7 1", "gone 7 1", "gone 7 9", "tell"]
    found = tally(govern(parts, "s3fifo", *orders)[0])
    assert found["fallback"] == 3 and found["evicted"] == 0 and found["pages"] == 1


def test_folios_beyond_the_bound_are_left_out(parts: Path) -> None:
    orders = [*(f"add 1 {index} 2" for index in range(10)), "use 1 9", "gone 1 0", "use 1 9", "tell"]
    found = tally(govern(parts, "lru", *orders, most=4)[0])
    assert (found["added"], found["left_out"], found["adopted"], found["folios"]) == (8, 13, 1, 4)


def test_a_large_request_takes_several_calls(parts: Path) -> None:
    proposed, line = govern(parts, "fifo", *(f"add 1 {index} 1" for index in range(100)), "want 70", "tell")
    assert proposed.split() == [f"1:{index}:1" for index in range(70)] and tally(line)["proposed"] == 70


@pytest.mark.parametrize("policy", ["mru", "s3fifo", "lfu", "lru", "wtinylfu", "mglru"])
def test_it_decides_as_the_simulator(parts: Path, policy: str) -> None:
    """Random events to both: the same proposals, in the same order."""
    dice = random.Random(policy)
    simulator = EventSimulator(compile_file(resolve(policy)), CAPACITY, batch=32)
    orders, expected, there = list[str](), list[str](), dict[int, bool]()
    for step in range(600):
        page = dice.randrange(80)
        if page not in there:
            simulator.event(Row(Op.ADDED, 1, page, 1))
            there[page] = False
            orders.append(f"add 1 {page} 1")
        elif dice.random() < 0.1:
            simulator.event(Row(Op.FALLBACK, 1, page))
            del there[page]
            orders.append(f"gone 1 {page}")
        else:
            simulator.event(Row(Op.ACCESSED if there[page] else Op.FIRST_ACCESSED, 1, page))
            there[page] = True
            orders.append(f"use 1 {page}")
        if len(there) < CAPACITY:
            continue
        simulator.take_log()
        simulator.event(Row(Op.EVICT, 0, 0, 8))
        proposed = [row.page for row in simulator.take_log() if row.op == Op.PROPOSE]
        expected.append(" ".join(f"1:{page}:1" for page in proposed))
        orders.append("want 8")
        for page in proposed:
            if step % 3:
                simulator.event(Row(Op.REMOVED, 1, page))
                del there[page]
                orders.append(f"gone 1 {page}")
            else:
                simulator.event(Row(Op.REFUSED, 1, page))
        orders.append("settle 1")
    assert len(expected) > 10
    assert govern(parts, policy, *orders) == expected


def test_a_library_that_is_no_policy_is_refused(parts: Path, tmp_path: Path) -> None:
    (said,) = told(parts, "executor", tmp_path / "none.so", 1, 1, code=1)
    assert "cannot load the policy" in said
    libc = next(line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libc.so" in line)
    (said,) = told(parts, "executor", libc, 1, 1, code=1)
    assert "is no policy compiled for this machine: it has no cpol_sim_new" in said


def test_params_are_all_given_or_none(parts: Path) -> None:
    """None are the defaults."""
    library = host.build(compile_file(resolve("lfu")), events=True)
    (said,) = told(parts, "executor", library, 1000, 1000, 1, 2, code=1)
    assert "the policy has 1 params, and 2 values are given; give all, in the order of declaration, or none" in said
    orders = [*(f"add 1 {index} 1" for index in range(200)), *(f"use 1 {index}" for index in range(200))]
    orders += [f"use 1 {index}" for index in range(10)] + ["want 1"]
    text = "\n".join(orders)
    usual, one = (
        told(parts, "executor", library, 1000, 1000, text=text),
        told(parts, "executor", library, 1000, 1000, 1, text=text),
    )
    assert one == ["1:0:1"] != usual, "a sample of one page takes the first one"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((6400, 0, 6200, 6000), "6200 6175 0 6000"),
        ((6400, 0, 6201, 6000), "6200 6175 26 5999"),
        ((6400, 400, 6000, 1000), "6000 5950 0 1000"),
        ((64, 0, 64, 64), "32 28 36 32"),
        ((40, 0, 0, 0), "20 18 0 20"),
        ((100_000_000, 0, 99_999_999, 0), "99983616 99981568 18431 1"),
    ],
)
def test_marks(parts: Path, words: tuple[int, ...], expected: str) -> None:
    """A 32nd of the limit is free above the mark, at least 32 pages, at most 64 MiB; others' pages are no room."""
    assert told(parts, "marks", *words) == [expected]


def test_the_margin_grows_while_the_limit_is_reached(parts: Path) -> None:
    grown = told(parts, "margins", 3200, *[1] * 6)
    assert grown == ["150", "225", "337", "400", "400", "400"]
    shrunk = told(parts, "margins", 3200, *[1] * 4, *[0] * 60)
    assert shrunk[4:13] == ["400"] * 9 and shrunk[13] == "300" and shrunk[-1] == "100"


def test_runs_of_adjacent_pages(parts: Path) -> None:
    words = ["2:5:1", "1:9:1", "1:4:4", "1:8:1", "1:11:1", "2:4:1"]
    assert told(parts, "runs", *words) == ["1:4+3", "1:11+1", "2:4+2"]


@pytest.mark.parametrize(
    ("device", "path", "expected"),
    [
        (DEVICE, "/srv/a b/x", ["22 / srv/a b/x", r"23 /mnt/c\d x"]),
        (DEVICE, "/srv/a bc", ["22 / srv/a bc"]),
        (8 << 20 | 17, "/srv/deep/x", ["25 /data deep/x"]),
        (8 << 20 | 17, "/other", []),
        (5, "/srv", []),
        (8 << 20 | 33, "/x", ["29 /mnt/xfs x"]),
        (40, "/x", []),  # btrfs: a device has several files of one number
        (41, "/x", []),  # another machine may never answer
        (42, "/x", []),
    ],
)
def test_where_a_file_may_be(parts: Path, device: int, path: str, expected: list[str]) -> None:
    assert told(parts, "mounts", device, path, text=MOUNTS) == expected


def test_files_without_pages_make_room_for_others(parts: Path) -> None:
    known, idle, forgotten, first, second = told(parts, "many", 64)[0].split(", ")
    assert first == "the first stays" and second == "the second is gone"
    assert int(known.split()[0]) <= 64 and int(forgotten.split()[0]) >= 32 and int(idle.split()[0]) <= 32


def test_what_stays_is_left_alone_for_a_while(parts: Path) -> None:
    """A second, then two, then four; the fourth time, it is forgotten, and begins anew."""
    times = [*range(100, 20_000, 100)]
    assert told(parts, "stays", *times) == [
        "100 1",
        "1100 2",
        "3100 3",
        "7100 4",
        *["7200 1", "8200 2", "10200 3"],
        *["14200 4"],
        *["14300 1", "15300 2", "17300 3"],
    ]
    assert told(parts, "stays", 0, 100_000) == ["0 1", "100000 1"]


def cached(path: Path) -> list[bool]:
    """Which pages of a file the cache has."""
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as area:
        pages = (len(area) + mmap.PAGESIZE - 1) // mmap.PAGESIZE
        seen = (ctypes.c_ubyte * pages)()
        start = ctypes.c_char.from_buffer(area)
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.mincore(ctypes.c_void_p(ctypes.addressof(start)), ctypes.c_size_t(len(area)), seen) == 0
        del start
    return [bool(page & 1) for page in seen]


def generation_of(path: Path) -> int:
    """FS_IOC_GETVERSION."""
    with path.open("rb") as file:
        return int.from_bytes(fcntl.ioctl(file, 0x80087601, bytes(8))[:4], "little")


REACHED = ("ext2", "ext3", "ext4", "xfs", "f2fs")
"""The file systems whose files the glue opens (user/mounts.c)."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on such a file system, which temporary files or the checkout may be on.

    In a container both may be on an overlay, where no test of files can run: what is skipped then, runs in a machine
    (tests/vm/test_user_glue.py). CI has such a disk, so there it fails.
    """
    assert os.geteuid() == 0, "files are opened by their handles, which takes root, as make setup does"
    build = Path(__file__).resolve().parents[4] / "build"
    build.mkdir(exist_ok=True)
    for folder in (tmp_path, build):
        words = ["findmnt", "--noheadings", "--output", "FSTYPE", "--target", str(folder)]
        if subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip() in REACHED:
            with tempfile.TemporaryDirectory(dir=folder) as own:
                yield Path(own)
            return
    why = f"neither {tmp_path} nor {build} is on one of {', '.join(REACHED)}"
    assert not os.environ.get("CI"), why
    pytest.skip(why)


def file_on_disk(folder: Path) -> tuple[Path, str, int]:
    """A clean and cached file, its path in its file system, and the device of that."""
    path = folder / "file"
    with path.open("wb") as file:
        file.write(os.urandom(16 * mmap.PAGESIZE))
        file.flush()
        os.fsync(file.fileno())
    path.read_bytes()
    mount, place, device = "/", "/", 0
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        _, _, numbers, root, point, *_ = line.split()
        if path.is_relative_to(point) and len(point) >= len(place):
            major, _, minor = numbers.partition(":")
            mount, place, device = root, point, int(major) << 20 | int(minor)
    return path, f"{mount.rstrip('/')}/{path.relative_to(place)}", device


@pytest.mark.parametrize("fate", ["stays", "moves", "is deleted"])
def test_pages_are_dropped_through_the_handle(parts: Path, disk: Path, fate: str) -> None:
    path, name, device = file_on_disk(disk)
    words = [
        parts,
        "drop",
        name,
        path.stat().st_ino,
        device,
        generation_of(path),
        "0:8:8",
        "0:0:8",
    ]  # all: a folio may be large
    with subprocess.Popen([*map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        assert process.stdout.readline() == "known\n"
        assert all(cached(path))
        if fate == "moves":
            path = path.rename(disk / "moved")
        elif fate == "is deleted":
            path.unlink()
        process.stdin.write("\n")
        process.stdin.flush()
        said = process.stdout.readline()
    if fate == "is deleted":
        assert said == "0 calls, unreachable\n"
        return
    assert said == "1 calls, reachable\n"
    assert not any(cached(path))


def test_a_name_that_is_old_when_it_is_told(parts: Path, disk: Path) -> None:
    """The name is asked for again, and at once a second time only later; a handle that is known stays."""
    path, name, device = file_on_disk(disk)
    words = path.stat().st_ino, device, generation_of(path)
    assert told(parts, "named", *words, name, f"{name}.old") == ["opens 0", "opens 0"]
    assert told(parts, "named", *words, f"{name}.old", f"{name}.old", name) == ["does not 1", "does not 1", "opens 1"]
    other = words[0], device, words[2] ^ 1
    assert told(parts, "named", *other, name) == ["does not 1"], "another file had the number of this inode"


def test_a_file_that_cannot_be_opened_now_is_not_lost(parts: Path, disk: Path) -> None:
    """Another process has a lease: the open does not wait for it, and the file can be opened later."""
    path, name, device = file_on_disk(disk)
    words = [parts, "drop", name, path.stat().st_ino, device, generation_of(path), "0:0:8"]
    before = signal.signal(signal.SIGIO, signal.SIG_IGN)
    with subprocess.Popen([*map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        assert process.stdout.readline() == "known\n"
        with path.open("r+b") as leased:
            fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            process.stdin.write("\n")
            process.stdin.flush()
            said = process.stdout.readline()
    signal.signal(signal.SIGIO, before)
    assert said == "0 calls, reachable\n"
