"""Runs in the machine (guest.py): which folios are code, to a policy; and who maps a file while a policy asks."""

from __future__ import annotations

import json
import mmap
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Event, Process
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import cgroup, check, good, kernel_lines, main, no_complaint, nothing_left, obj, remove, run_in
from life_common import PAGE, small_file

CODE, DATA, FILLER = 96, 80, 1024
"""Pages of a file that is mapped as code, of one that is mapped to be read, and of what reclaim may take."""
ROUNDS = 20_000
"""How often the neighbour maps a file and unmaps it."""
SOME, MANY = 1 << 20, 24 << 20
AS_CODE = mmap.PROT_READ | mmap.PROT_EXEC


def fresh(name: str, pages: int) -> Path:
    file = small_file(name, pages)
    Path("/proc/sys/vm/drop_caches").write_text("3")
    return file


def read_pages(file: Path, pages: int) -> None:
    with file.open("rb", buffering=0) as opened:
        for page in range(pages):
            os.pread(opened.fileno(), PAGE, page * PAGE)


@contextmanager
def mapped(file: Path, pages: int, how: int) -> Iterator[mmap.mmap]:
    """Map a file, and use nothing of it."""
    with file.open("rb") as opened:
        mapping = mmap.mmap(opened.fileno(), pages * PAGE, flags=mmap.MAP_PRIVATE, prot=how)
    try:
        yield mapping
    finally:
        mapping.close()


def lists(path: Path) -> dict[str, int]:
    stat = json.loads(good("stat", path, "--json"))
    return dict(zip(stat["list_names"], stat["lists"], strict=True))


def reclaim(path: Path, size: int) -> None:
    """Take so many bytes of the cgroup; the kernel fails if there are no more."""
    with suppress(BlockingIOError):
        (path / "memory.reclaim").write_text(str(size))


def gone(path: Path) -> None:
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_complaint()


@check
def code_as_it_comes() -> dict[str, int]:
    """A page that a fault brings in is code already; one that is read is not, and one of a mapping of data."""
    path = cgroup("comes", MANY)
    code, data, read = fresh("code", CODE), fresh("data", DATA), fresh("read", FILLER)
    good("attach", obj("code"), path)
    before = lists(path)

    def work() -> None:
        read_pages(read, FILLER)
        for file, pages, how in ((code, CODE, AS_CODE), (data, DATA, mmap.PROT_READ)):
            with mapped(file, pages, how) as mapping:
                assert sum(mapping[page * PAGE] for page in range(pages)) >= 0

    run_in(path, work)
    found = {name: pages - before[name] for name, pages in lists(path).items()}
    print(found, file=sys.stderr, flush=True)
    assert CODE <= found["came"] < CODE + DATA, found  # libraries of Python may be among them
    assert found["queue"] >= FILLER + DATA, found
    gone(path)
    return found


@check
def code_when_reclaim_asks() -> dict[str, int]:
    """It is known from the mapping on, by another cgroup and without a use, and until the mapping ends."""
    path = cgroup("asked", MANY)
    code, data, filler = fresh("code", CODE), fresh("data", DATA), fresh("filler", FILLER)
    good("attach", obj("code"), path)

    def work() -> None:
        for file, pages in ((code, CODE), (data, DATA), (filler, FILLER)):
            read_pages(file, pages)

    run_in(path, work)
    before = lists(path)
    with mapped(data, DATA, mmap.PROT_READ), mapped(code, CODE, AS_CODE):
        reclaim(path, SOME)
        first = lists(path)
        reclaim(path, SOME)
        second = lists(path)
    print(before, first, second, file=sys.stderr, flush=True)
    assert before["found"] == before["again"] == 0, before
    assert CODE <= first["found"] + first["again"] < CODE + DATA, first
    assert second["again"] >= CODE, second
    assert second["queue"] <= before["queue"] - 2 * SOME // PAGE - CODE + DATA, second
    gone(path)

    # Reclaim asks for the first time when the mapping has ended.
    path = cgroup("ended", MANY)
    good("attach", obj("code"), path)
    with mapped(code, CODE, AS_CODE):
        Path("/proc/sys/vm/drop_caches").write_text("3")
        run_in(path, work)
    reclaim(path, SOME)
    ended = lists(path)
    print(ended, file=sys.stderr, flush=True)
    assert ended["found"] + ended["again"] < CODE, ended
    gone(path)
    return {"found": first["found"], "again": second["again"], "ended": ended["found"] + ended["again"]}


def maps(file: Path) -> float:
    """Map and unmap the file many times. Returns the microseconds that it took each time."""
    with file.open("rb") as opened, mapped(file, CODE, AS_CODE):
        start = time.monotonic()
        for _ in range(ROUNDS):
            mmap.mmap(opened.fileno(), CODE * PAGE, flags=mmap.MAP_PRIVATE, prot=AS_CODE).close()
        return (time.monotonic() - start) / ROUNDS * 1e6


def beside(file: Path, policy: str) -> tuple[float, int]:
    """The same, while tasks of a policy's cgroup read the file. Returns how often they did so, too."""
    path = cgroup(policy, MANY)
    good("attach", obj(policy), path)
    stop, began = Event(), Event()

    def read() -> None:
        with file.open("rb", buffering=0) as opened:
            while not stop.is_set():
                for page in range(CODE):  # one that is read twice in a row is not told of
                    os.pread(opened.fileno(), PAGE, page * PAGE)
                began.set()

    Path("/proc/sys/vm/drop_caches").write_text("3")
    readers = [Process(target=run_in, args=(path, read)) for _ in range(2)]
    for reader in readers:
        reader.start()
    assert began.wait(60)
    each = maps(file)
    stop.set()
    for reader in readers:
        reader.join()
        assert reader.exitcode == 0
    line = kernel_lines(path)[0]
    accessed = int(line["accessed"])
    assert line["state"] == "attached", line
    gone(path)
    return each, accessed


@check
def mapped_while_a_policy_asks() -> dict[str, float]:
    """A neighbour without a policy maps and unmaps a file, all of which a policy asks about without end."""
    file = fresh("library", CODE)
    alone = maps(file)
    calm, _ = beside(file, "code")
    asked, accessed = beside(file, "asks")
    found = {"alone_us": alone, "beside_readers_us": calm, "asked_us": asked, "asks": 400 * accessed}
    print(found, file=sys.stderr, flush=True)
    assert accessed > 10 * CODE, found
    return found


main()
