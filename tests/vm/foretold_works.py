"""Workloads in the machine that are recorded, and then run under policies (foretold_runs.py).

- search: several greps look through their parts of a tree at once, again and again (examples/file-search, in parallel).
- database: SQLite looks up rows by a Zipf distribution, while tar reads other files from end to end.
- zipf: one thread reads single pages by a Zipf distribution.
- get-scan: so does one thread, and another reads a file from end to end.
- backup: so does one thread, beside tar.
- shipping: one thread appends to a log, one reads it once, a mebibyte behind; one reads an index, by Zipf.
- epochs: one thread reads all files, each time in another order, as a training does.
- model: one thread reads a mapped file from end to end, again and again.
- backfill: one thread appends to a log, two read it, shortly and far behind; one reads an old log from end to end.
- analytics: SQLite looks up rows by a Zipf distribution, and scans another table of the same database.
- postgres: pgbench looks up rows of PostgreSQL by a Zipf distribution (postgres_cluster.py).
- rocks: RocksDB looks up rows by a Zipf distribution, overwrites each tenth, and merges tables (rocks_store.c).

The programs of search, database, postgres and rocks run as fast as they can. In the others, threads take turns, as if
their requests came at a fixed rate: so which request follows which does not depend on what a policy caches. They live
until the end.
"""

from __future__ import annotations

import mmap
import os
import random
import re
import shutil
import sqlite3
import subprocess
import threading
import traceback
from bisect import bisect
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from pathlib import Path

from guest import DISK, OBJECTS
from postgres_cluster import PROGRAMS, pgbench, served

PAGE = 4096
SMALL_FOLDER = DISK / "small"
LOOKUP = "select data from rows where id = ?"
SKEW = 0.9
CHUNK = 16
"""Pages that a reader in order takes at once."""
POINTS = 24
"""Single pages, or samples' files, or rows: so many a turn."""

Tell = Callable[[dict[str, int]], None]
"""Called with the threads that live, by their parts; returns when they are to begin."""
Steps = Generator[None, None, None]


@dataclass(frozen=True)
class Work:
    """A workload: how much of it, and the cgroup's limit in bytes."""

    kind: str
    limit: int
    parts: int = 4
    files: int = 150
    """Of each part of the tree, or that tar reads, or that a training reads."""
    most_pages: int = 10
    """Of a file: 1 to so many in the tree, so many in the others."""
    passes: int = 6
    rows: int = 4000
    """Of a table; pages of the file that points are read of."""
    lookups: int = 6000
    turns: int = 1000
    pages: int = 5000
    """Of the file that is read in order."""

    def make(self) -> None:
        """Make its files, on the disk alone."""
        MAKERS.get(self.kind, make_files)(self)
        SMALL_FOLDER.mkdir(exist_ok=True)
        (SMALL_FOLDER / "file").write_text("nothing\n")

    def run(self, tell: Tell = lambda _: None) -> None:
        if self.kind in ALONE:
            tell({})
            ALONE[self.kind](self)
        else:
            in_turns(self, TURNS[self.kind](self), tell)

    def remove_logs(self) -> None:
        """Remove what a run wrote."""
        (DISK / "log").unlink(missing_ok=True)
        if self.kind == "rocks":
            shutil.rmtree(STORE, ignore_errors=True)
            shutil.copytree(MADE, STORE)


def make_tree(work: Work) -> None:
    source = random.Random(1)
    for part in range(work.parts):
        folder = DISK / f"tree-{work.files}" / str(part)
        folder.mkdir(parents=True)
        for number in range(work.files):
            line = f"{part} {number} {source.random()} the same again\n"
            size = PAGE * source.randint(1, work.most_pages)
            (folder / f"{number}.txt").write_text((line * (size // len(line) + 1))[:size])


def make_table(path: Path, name: str, rows: int) -> None:
    source = random.Random(2)
    with sqlite3.connect(path) as base:
        base.execute(f"create table {name} (id integer primary key, data blob)")
        made = ((number, source.randbytes(PAGE - 300)) for number in range(rows))
        base.executemany(f"insert into {name} values (?, ?)", made)
    base.close()


def make_folder(folder: Path, files: int, pages: int) -> None:
    source = random.Random(4)
    folder.mkdir()
    for number in range(files):
        (folder / str(number)).write_bytes(source.randbytes(PAGE) * pages)


def make_database(work: Work) -> None:
    make_table(DISK / "rows.db", "rows", work.rows)
    make_folder(DISK / "archived", work.files, work.most_pages)


def make_files(work: Work) -> None:
    """The files of a kind whose threads take turns, in a folder of its own."""
    folder = own(work)
    folder.mkdir()
    if work.kind == "analytics":
        make_table(folder / "base", "rows", work.rows)
        make_table(folder / "base", "facts", work.pages)
        return
    if "files" in NEEDS[work.kind]:
        make_folder(folder / "files", work.files, work.most_pages)
    for name, pages in (("points", work.rows), ("scanned", work.pages)):
        if name in NEEDS[work.kind]:
            (folder / name).write_bytes(random.Random(name).randbytes(PAGE) * pages)


def programs(work: Work) -> list[Path]:
    """Programs of a kind that `commands` does not run, and their libraries."""
    own = {
        "postgres": [PROGRAMS / name for name in ("postgres", "pgbench", "pg_isready")],
        "rocks": [OBJECTS / "rocks_store"],
    }
    found = own.get(work.kind, [])
    libraries = subprocess.run(["ldd", *found], capture_output=True, text=True, check=True).stdout if found else ""
    return [*found, *map(Path, re.findall(r"(/\S+) \(0x", libraries))]


def make_cluster(work: Work) -> None:
    """Unpack the host's, which has made it (postgres_cluster.py)."""
    subprocess.run(["tar", "-C", DISK, "-xf", OBJECTS / "cluster.tar"], check=True)


def make_store(work: Work) -> None:
    """The keys are drawn here, too: a run only reads them."""
    subprocess.run([OBJECTS / "rocks_store", MADE, "make", str(work.rows)], check=True)
    drawn = zipf(work.rows)
    KEYS.write_text("\n".join(str(next(drawn)) for _ in range(work.lookups)))


MAKERS: dict[str, Callable[[Work], None]] = {
    "search": make_tree,
    "database": make_database,
    "postgres": make_cluster,
    "rocks": make_store,
}

MADE, STORE, KEYS = DISK / "rocks-made", DISK / "rocks", DISK / "rocks-keys"

NEEDS = {
    "zipf": ("points",),
    "get-scan": ("points", "scanned"),
    "backup": ("points", "files"),
    "shipping": ("points",),
    "epochs": ("files",),
    "model": ("scanned",),
    "backfill": ("scanned",),
}


def own(work: Work) -> Path:
    return DISK / f"{work.kind}-files"


def commands(work: Work, folders: Sequence[Path]) -> list[list[str | Path]]:
    """The programs that it runs, one for each folder."""
    if work.kind == "search":
        return [["grep", "-rcF", "never there", folder] for folder in folders]
    # tar reads nothing if its archive is /dev/null.
    return [["sh", "-c", 'tar -cf - "$0" 2>/dev/null | cat >/dev/null', folder] for folder in folders]


def search(work: Work) -> None:
    tree = DISK / f"tree-{work.files}"
    for _ in range(work.passes):
        running = [
            subprocess.Popen(words, stdout=subprocess.DEVNULL)
            for words in commands(work, [tree / str(part) for part in range(work.parts)])
        ]
        assert [one.wait() for one in running] == [1] * work.parts, "grep finds nothing"


def look_up_beside_tar(work: Work) -> None:
    if (beside := os.fork()) == 0:
        for _ in range(work.passes):
            subprocess.run(commands(work, [DISK / "archived"])[0], check=True)
        os._exit(0)
    base = small_cache(DISK / "rows.db")
    drawn = zipf(work.rows)
    for _ in range(work.lookups):
        base.execute(LOOKUP, (next(drawn),)).fetchone()
    assert os.waitpid(beside, 0)[1] == 0


LOOK_UP = """\\set popular random_zipfian(1, :rows, 1.001)
\\set row 1 + permute(:popular - 1, :rows)
select abalance from pgbench_accounts where aid = :row;
"""


def look_up_in_postgres(work: Work) -> None:
    run = Path("/run/postgres")
    run.mkdir(exist_ok=True)
    shutil.chown(run, "postgres", "postgres")
    script = run / "look-up"
    script.write_text(LOOK_UP)
    with served(DISK / "cluster", run, shared_buffers="1MB"):
        options = ["-M", "prepared", "--random-seed=3", "-D", f"rows={work.rows}", "-f", str(script)]
        pgbench(run, *options, "-t", str(work.lookups))


def look_up_in_rocks(work: Work) -> None:
    subprocess.run([OBJECTS / "rocks_store", STORE, "run", str(work.rows), KEYS], check=True)


def zipf(objects: int) -> Iterator[int]:
    """Numbers of objects, drawn by Zipf's law. Popular ones lie anywhere among the others."""
    source = random.Random(3)
    order = list(range(objects))
    source.shuffle(order)
    bounds = list(accumulate((rank + 1) ** -SKEW for rank in range(objects)))
    while True:
        yield order[bisect(bounds, source.random() * bounds[-1])]


def small_cache(path: Path) -> sqlite3.Connection:
    base = sqlite3.connect(path, isolation_level=None)
    base.execute("pragma cache_size = 16")
    return base


def points(path: Path, pages: int) -> Steps:
    """Read single pages by Zipf's law."""
    file, drawn = os.open(path, os.O_RDONLY), zipf(pages)
    while True:
        for _ in range(POINTS):
            os.pread(file, PAGE, next(drawn) * PAGE)
        yield


def in_order(path: Path, pages: int) -> Steps:
    """Read a file from end to end, again and again."""
    file = os.open(path, os.O_RDONLY)
    while True:
        for first in range(0, pages, CHUNK):
            os.pread(file, CHUNK * PAGE, first * PAGE)
            yield


def archive(folder: Path) -> Steps:
    """Take what tar makes of a folder, again and again."""
    while True:
        running = subprocess.Popen(["tar", "-cf", "-", folder], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert running.stdout
        try:
            while running.stdout.read(CHUNK * PAGE):
                yield
        finally:
            running.stdout.close()
            running.wait()


LOG_PAGES = 8


def append() -> Steps:
    """Append to the log."""
    file = os.open(DISK / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in count():
        os.write(file, bytes([number % 256]) * (LOG_PAGES * PAGE))
        yield


def follow(behind: int) -> Steps:
    """Read the log once, so many pages behind its end."""
    for turn in count():
        first = turn * LOG_PAGES - behind
        if first == -behind:
            file = os.open(DISK / "log", os.O_RDONLY | os.O_CREAT)
        if first >= 0:
            os.pread(file, LOG_PAGES * PAGE, first * PAGE)
        yield


def epochs(folder: Path, files: int) -> Steps:
    source, order = random.Random(5), list(range(files))
    while True:
        source.shuffle(order)
        for number, name in enumerate(order):
            (folder / str(name)).read_bytes()
            if number % POINTS == POINTS - 1:
                yield


def mapped(path: Path, pages: int) -> Steps:
    """Touch each page of a mapped file in order, again and again."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as area:
        while True:
            for first in range(0, pages, 4 * CHUNK):
                for page in range(first, min(first + 4 * CHUNK, pages)):
                    _ = area[page * PAGE]
                yield


def rows_by_zipf(path: Path, rows: int) -> Steps:
    base, drawn = small_cache(path), zipf(rows)
    while True:
        for _ in range(POINTS // 2):
            base.execute(LOOKUP, (next(drawn),)).fetchone()
        yield


def scan_rows(path: Path) -> Steps:
    base = small_cache(path)
    while True:
        found = base.execute("select length(data) from facts")
        while found.fetchmany(CHUNK // 2):
            yield


ALONE: dict[str, Callable[[Work], None]] = {
    "search": search,
    "database": look_up_beside_tar,
    "postgres": look_up_in_postgres,
    "rocks": look_up_in_rocks,
}

TURNS: dict[str, Callable[[Work], dict[str, Steps]]] = {
    "zipf": lambda work: {"get": points(own(work) / "points", work.rows)},
    "get-scan": lambda work: {
        "get": points(own(work) / "points", work.rows),
        "scan": in_order(own(work) / "scanned", work.pages),
    },
    "backup": lambda work: {
        "get": points(own(work) / "points", work.rows),
        "archive": archive(own(work) / "files"),
    },
    "shipping": lambda work: {
        "append": append(),
        "ship": follow(256),
        "index": points(own(work) / "points", work.rows),
    },
    "epochs": lambda work: {"train": epochs(own(work) / "files", work.files)},
    "model": lambda work: {"infer": mapped(own(work) / "scanned", work.pages)},
    "backfill": lambda work: {
        "append": append(),
        "tail": follow(64),
        "late": follow(1024),
        "fill": in_order(own(work) / "scanned", work.pages),
    },
    "analytics": lambda work: {
        "look-up": rows_by_zipf(own(work) / "base", work.rows),
        "report": scan_rows(own(work) / "base"),
    },
}
KINDS = (*ALONE, *TURNS)


class Part:
    """A thread that takes a step of its work whenever it is told to. Its command's name is that of its part."""

    def __init__(self, name: str, steps: Steps) -> None:
        self.go, self.done = threading.Semaphore(0), threading.Semaphore(0)
        self.failed = self.ends = False
        self.thread = threading.Thread(target=self._run, args=(name, steps))
        self.thread.start()
        self.done.acquire()
        assert self.thread.native_id
        self.id = self.thread.native_id

    def _run(self, name: str, steps: Steps) -> None:
        try:
            Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text(name)
            self.done.release()
            while self.go.acquire() and not self.ends:
                next(steps)
                self.done.release()
            steps.close()
        except BaseException:
            traceback.print_exc()
            self.failed = True
            self.done.release()

    def step(self) -> None:
        self.go.release()
        self.done.acquire()
        assert not self.failed

    def end(self) -> None:
        self.ends = True
        self.go.release()
        self.thread.join()


def in_turns(work: Work, steps: dict[str, Steps], tell: Tell) -> None:
    """Let each part take a step after the other, so many times."""
    parts = {name: Part(name, each) for name, each in steps.items()}
    tell({name: part.id for name, part in parts.items()})
    try:
        for _ in range(work.turns):
            for part in parts.values():
                part.step()
    finally:
        for part in parts.values():
            part.end()
