"""Checks in the machine (attach_checks.py): records of files and threads count what was read, and by whom."""

from __future__ import annotations

import os
import struct
from functools import partial
from pathlib import Path

from attach_ghosts import sizes_of_ghost
from guest import DISK, PINS, cgroup, check, good, map_value, nothing_left, obj, remove, run_in

STRIDE = 8 + 16
PAGE = 4096
FIRST_THREAD, LAST_THREAD = 400, 480


def records(pins: Path, name: str) -> list[tuple[int, int, int]]:
    """Return id, first and further reads of each record, the oldest first (bpf_ghost.h)."""
    value = map_value(pins / f"data_ghost_my_{name}")
    last = sizes_of_ghost(pins, STRIDE)[1]
    _, _, span, oldest, _, _ = struct.unpack_from("6I", value)
    value = value[24:]
    places = ((oldest - STRIDE + step) % last + STRIDE for step in range(0, span, STRIDE))
    return [struct.unpack_from("Q2I", value, at + 8) for at in places if struct.unpack_from("I", value, at)[0]]


def make(name: str, pages: int) -> Path:
    file = DISK / name
    file.write_bytes(bytes(pages * PAGE))
    with file.open("rb") as made:
        os.fsync(made.fileno())
        os.posix_fadvise(made.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return file


def read(file: Path) -> None:
    with file.open("rb", buffering=0) as opened:
        while opened.read(PAGE):
            pass


def read_as(path: Path, pid: int, file: Path) -> None:
    """Read the file in a process that gets this id."""
    for _ in range(10_000):
        child = os.fork()
        if child == 0:
            if pid == os.getpid():
                (path / "cgroup.procs").write_text(str(os.getpid()))
                read(file)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        if child == pid:
            return
    raise AssertionError(f"no process got the id {pid}")


@check
def records_of_files_count_what_was_read() -> dict[str, int]:
    path = cgroup("one")
    good("attach", obj("records"), path)
    pins = PINS / str(path.stat().st_ino)
    once, twice = make("once", 50), make("twice", 70)
    for file in (once, twice, twice):
        run_in(path, partial(read, file))
    found = {(first, again): id for id, first, again in records(pins, "file")}
    assert (50, 0) in found and (70, 70) in found, found
    inode = once.stat().st_ino
    once.unlink()
    for number in range(100):  # a file with the inode of the removed one is another file
        other = make(f"other{number}", 30)
        if other.stat().st_ino == inode:
            break
    assert other.stat().st_ino == inode
    run_in(path, partial(read, other))
    after = {(first, again): id for id, first, again in records(pins, "file")}
    assert after[30, 0] != found[50, 0] and after[50, 0] == found[50, 0], after
    good("detach", path)
    nothing_left(path)
    remove(path)
    for file in DISK.glob("other*"):
        file.unlink()
    return {"records": len(after)}


@check
def record_of_a_thread_is_gone_with_it() -> dict[str, int]:
    path = cgroup("one")
    good("attach", obj("records"), path)
    pins = PINS / str(path.stat().st_ino)
    file = make("threads", 40)
    limit = Path("/proc/sys/kernel/pid_max")
    before = limit.read_text()
    limit.write_text(str(LAST_THREAD + 1))  # so that ids come again soon; none below 300 does
    # A thread of the kernel may have any of them.
    thread = next(id for id in range(FIRST_THREAD, LAST_THREAD) if not Path(f"/proc/{id}").exists())
    for _ in range(2):
        read_as(path, thread, file)
    limit.write_text(before)
    found = [(reads, again) for id, reads, again in records(pins, "task") if id == thread]
    assert found == [(40, 0), (0, 40)], found
    good("detach", path)
    nothing_left(path)
    remove(path)
    return {"records": len(found)}
