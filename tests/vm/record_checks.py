"""Runs in the machine (see guest.py): `cpolc record` and the loader's `record` on the page cache of cgroups."""

from __future__ import annotations

import csv
import ctypes
import json
import mmap
import os
import re
import resource
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import (
    CGROUPS,
    DISK,
    LIBC,
    LOADER,
    OBJECTS,
    big_file,
    cgroup,
    check,
    eventually,
    good,
    main,
    no_bpf_left,
    no_complaint,
    read_whole,
    refused,
    remove,
    run_in,
)
from recorder import Recorder

OUT = Path(os.environ["CPOL_EXCHANGE"]) / "app.rec"
RECORDER = OBJECTS / "record.bpf.o"
COMMAND = ("record", RECORDER)
PAGES = 512
WRITTEN = 64
REREADS = 500
"""Of PAGES each: more events than the ring buffer holds."""
NAME = 'a,"b\n'
READAHEAD = ("missed", "marked", "window")
LIMIT = 64 << 20
ARRAY = 8192
SWAP = 16384
SWAP_LIMIT = 24 << 20
"""An array of 32 MiB under a limit of 24 MiB, with 64 MiB of swap."""


class Recording(Recorder):
    """A recording that runs, and its lines afterwards."""

    def rows(self) -> tuple[list[list[str]], int]:
        """The events, and how many were lost. Sets `names`, by file."""
        text = self.out.read_text(errors="surrogateescape")
        first, heading, *rows = csv.reader(text.splitlines())
        assert first == ["cpol-record 3"] and heading[0] == "# time_ns", text[:200]
        *all_rows, (end, count, lost) = rows
        events = [row for row in all_rows if row[0] not in ("name", "room", "governed")]
        self.rooms = [[*map(int, row[1:])] for row in all_rows if row[0] == "room"]
        self.names = {file: name for word, file, name in (row for row in all_rows if row[0] == "name")}
        assert end == "end" and int(count) == len(events), (end, count, len(events))
        return events, int(lost)


def by_loader(group: Path, *options: str) -> Recording:
    out = OBJECTS / "loader.out"
    return Recording([LOADER, *COMMAND, group, *options], out)


def number_of(path: Path) -> str:
    status = path.stat()
    return f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}:{status.st_ino}"


def of_file(events: list[list[str]], path: Path) -> list[list[str]]:
    name = number_of(path)
    return [row for row in events if row[2] == name]


def pages(events: list[list[str]], path: Path) -> Counter[str]:
    """The pages of each kind of event of a file's folios."""
    found: Counter[str] = Counter()
    for _, event, _, _, count, *_ in of_file(events, path):
        if event not in READAHEAD:
            found[event] += int(count)
    return found


@contextmanager
def groups(*names: str) -> Iterator[list[Path]]:
    made = [cgroup(name, LIMIT) for name in names]
    yield made
    for path in reversed(made):
        if path.exists():
            remove(path)


def reader(*paths: Path) -> Callable[[], None]:
    return lambda: [read_whole(path) for path in paths] and None


def write_pages(path: Path) -> None:
    with path.open("wb") as file:
        file.write(os.urandom(WRITTEN * 4096))
        file.flush()
        os.fsync(file.fileno())


@check
def reads_and_writes_of_the_cgroup() -> object:
    (CGROUPS / "cgroup.subtree_control").write_text("+memory")
    (DISK / "deep").mkdir()
    mine, below, other = (big_file(name, PAGES * 4096) for name in ('deep/a "name", of\tmine', "below", "other"))
    written = DISK / "written"
    with groups("rec", "rec2") as (rec, rec2):
        (rec / "cgroup.subtree_control").write_text("+memory")
        child = cgroup("rec/child", LIMIT)
        leaf = cgroup("rec/leaf", LIMIT)
        recording = Recording(["cpolc", "record", rec, "-o", OUT], OUT)

        def work() -> None:
            LIBC.prctl(15, NAME.encode())
            read_whole(mine)
            read_whole(mine)
            write_pages(written)

        run_in(leaf, work)
        run_in(child, reader(below))
        run_in(rec2, reader(other))
        Path("/proc/sys/vm/drop_caches").write_text("1")
        assert not recording.out.exists()
        said = recording.end()
        remove(child)
        remove(leaf)
    events, lost = recording.rows()
    assert lost == 0 and "none was lost" in said, said
    assert pages(events, mine) == {"added": PAGES, "accessed": 2 * PAGES, "removed": PAGES}, pages(events, mine)
    assert pages(events, below) == {"added": PAGES, "accessed": PAGES, "removed": PAGES}, pages(events, below)
    assert pages(events, written) == {"added": WRITTEN, "dirtied": WRITTEN, "removed": WRITTEN}, pages(events, written)
    assert not of_file(events, other), of_file(events, other)
    windows = [(int(row[3]), int(row[4])) for row in of_file(events, mine) if row[1] == "window"]
    assert {page for first, count in windows for page in range(first, first + count)} >= {*range(PAGES)}, windows
    kinds = Counter(row[1] for row in of_file(events, mine) if row[1] in READAHEAD)
    assert kinds["missed"] >= 1 and kinds["marked"] >= 1, kinds
    names = {row[7] for row in of_file(events, mine) if row[1] == "accessed"}
    assert names == {NAME.replace("\n", "?")}, names
    assert recording.names[number_of(mine)] == '/deep/a "name", of?mine', recording.names
    assert recording.names[number_of(below)] == "/below" and number_of(other) not in recording.names, recording.names
    times = [int(row[0]) for row in events]
    assert times[0] > 0 and times[-1] < 600 * 10**9
    limits, rooms = ({row[at] for row in recording.rooms} for at in (1, 2))
    assert limits == {LIMIT // 4096} and 0 < min(rooms) <= max(rooms) <= LIMIT // 4096, recording.rooms
    requests = sum(int(row[4]) for row in events if row[1] == "accessed")  # a write is none
    return {"requests": requests, "readahead": kinds, "said": said}


@check
def a_policy_that_evicts_is_told() -> object:
    """Of the cgroup, and of one above it; not of another one."""
    if not Path("/proc/cache_ext/stat").exists():
        return "no cache_ext in this kernel: no policy can be attached"
    (CGROUPS / "cgroup.subtree_control").write_text("+memory")
    with groups("governed", "free") as (governed, free):
        (governed / "cgroup.subtree_control").write_text("+memory")
        below = cgroup("governed/below", LIMIT)
        good("attach", OBJECTS / "noop.bpf.o", governed)
        for group, told in ((governed, True), (below, True), (free, False)):
            recording = by_loader(group, "--seconds", "1")
            said = recording.end(None)
            assert ("noop governs what is recorded" in said) == told, said
            assert ("\ngoverned,noop\n" in recording.out.read_text()) == told
        good("detach", governed)
        remove(below)
    return "told"


@check
def options_and_the_end_of_time() -> object:
    path = big_file("brief", PAGES * 4096)
    with groups("brief") as (group,):
        recording = by_loader(group, "--seconds", "3", "--no-comm", "--no-names")
        run_in(group, reader(path))
        said = recording.end(None)
    recording.out = recording.out.with_suffix(".out")
    events, _ = recording.rows()
    assert "until its time was over" in said, said
    assert {row[7] for row in events} == {""} and pages(events, path)["added"] == PAGES
    assert not recording.names
    return said


def vmstat(name: str) -> int:
    return int(re.search(rf"^{name} (\d+)$", Path("/proc/vmstat").read_text(), re.MULTILINE)[1])


@contextmanager
def swap_file(pages: int) -> Iterator[None]:
    path = DISK / "swap"
    path.write_bytes(bytes(pages * 4096))
    path.chmod(0o600)
    subprocess.run(["mkswap", "-q", path], check=True)
    subprocess.run(["swapon", path], check=True)
    yield
    subprocess.run(["swapoff", path], check=True)
    path.unlink()


def touch_in_order(told: Path) -> None:
    """Fill an array that memory cannot hold with noise, then read a byte of each page; tell where it is."""
    noise = os.urandom(4096)
    with mmap.mmap(-1, ARRAY * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as array:
        for page in range(ARRAY):
            array[page * 4096 : page * 4096 + 4096] = page.to_bytes(8, "little") + noise[8:]
        before = (resource.getrusage(resource.RUSAGE_SELF).ru_majflt, vmstat("swap_ra_hit"))
        for page in range(ARRAY):
            assert array[page * 4096] == page & 255
        after = (resource.getrusage(resource.RUSAGE_SELF).ru_majflt, vmstat("swap_ra_hit"))
        address = ctypes.addressof(ctypes.c_char.from_buffer(array))
        told.write_text(json.dumps([address >> 12, *(b - a for a, b in zip(before, after, strict=True))]))
        os._exit(0)  # the array is exported, so it cannot be closed


@check
def swap_faults_of_the_cgroup() -> object:
    told, told2 = OBJECTS / "swap.json", OBJECTS / "swap2.json"
    with swap_file(SWAP), groups("swap", "swap2") as (group, other):
        for each in (group, other):
            (each / "memory.max").write_text(str(SWAP_LIMIT))
        recording = Recording(["cpolc", "record", group, "-o", OUT.with_name("swap.rec")], OUT.with_name("swap.rec"))
        run_in(other, lambda: touch_in_order(told2))
        run_in(group, lambda: touch_in_order(told))
        said = recording.end()
    events, lost = recording.rows()
    assert lost == 0, said
    first, majors, hits = json.loads(told.read_text())
    faults = [row for row in events if row[2].startswith("swap:") and first <= int(row[3]) < first + ARRAY]
    kinds = Counter(row[1] for row in faults)
    missed = [int(row[3]) for row in faults if row[1] == "fault"]
    assert missed == sorted(missed), "the second round goes from the first page to the last"
    # The kernel counts what the interpreter touches of its own, too.
    assert 0.95 * majors <= kinds["fault"] <= majors, (kinds, majors)
    assert 0.95 * hits <= kinds["prefetched"] <= hits, (kinds, hits)
    areas = {(int(row[8]), int(row[9])) for row in faults}
    assert all(low <= first and first + ARRAY - 1 <= high for low, high in areas), (areas, first)
    slots = [int(row[2].split(":")[2]) for row in faults if row[1] == "fault"]
    assert all(0 < slot < SWAP for slot in slots) and len({row[5] for row in faults}) == 1
    return {"kinds": kinds, "majors": majors, "hits": hits, "faults": len(faults), "said": said}


@check
def removal_of_the_cgroup_ends_it() -> object:
    with groups("gone") as (group,):
        recording = by_loader(group)
        remove(group)
        said = recording.end(None)
    assert "until the cgroup was removed" in said, said
    return said


@check
def lost_events_are_counted() -> object:
    path = big_file("often", PAGES * 4096)
    with groups("often") as (group,):
        run_in(group, reader(path))
        recording = by_loader(group)
        recording.process.send_signal(signal.SIGSTOP)
        run_in(group, reader(*[path] * REREADS))
        recording.process.send_signal(signal.SIGCONT)
        said = recording.end(signal.SIGTERM)
    events, lost = recording.rows()
    assert lost > 0 and f"{lost} events were lost" in said, said
    assert pages(events, path)["accessed"] + lost >= REREADS * PAGES, (len(events), lost)
    return said


@check
def full_disk_leaves_no_file() -> object:
    small = Path("/run/small")
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], check=True)
    path = big_file("full", PAGES * 4096)
    with groups("full") as (group,):
        recording = Recording(["cpolc", "record", group, "-o", small / "app.rec"], OBJECTS / "full.rec")
        run_in(group, reader(path, path))
        recording.process.send_signal(signal.SIGTERM)
        said = recording._rest()
        assert recording.process.wait() == 1, said
    assert "cannot write the recording: No space left on device" in said, said
    assert not list(small.iterdir())
    return said


def with_capabilities(*names: str) -> list[str]:
    caps = ",".join(["-all", *(f"+{name}" for name in names)])
    return ["setpriv", f"--bounding-set={caps}", f"--inh-caps={caps}", "--no-new-privs"]


@check
def two_capabilities_suffice() -> object:
    path = big_file("few", PAGES * 4096)
    with groups("few") as (group,):
        command = [LOADER, *COMMAND, group]
        recording = Recording([*with_capabilities("bpf", "perfmon"), *command], OBJECTS / "few.rec")
        run_in(group, reader(path))
        said = recording.end()
        for missing in ("bpf", "perfmon"):
            done = subprocess.run(
                [*with_capabilities(missing), *map(str, command)], capture_output=True, text=True, check=False
            )
            assert done.returncode == 1 and re.search(r"CAP_BPF and CAP_PERFMON", done.stderr), done.stderr
    return said


@check
def memory_controller_is_needed() -> None:
    with groups("plain") as (group,):
        child = group / "child"
        child.mkdir()
        refused(
            r"has no memory controller; turn it on: echo \+memory > .*/plain/cgroup.subtree_control", *COMMAND, child
        )
        child.rmdir()


@check
def nothing_is_left() -> None:
    eventually(lambda: not list(OUT.parent.glob(".app.rec.*")), "a file of the recording is left")
    no_bpf_left()
    no_complaint()


main()
