"""The rows of a sweep: a folder with Parquet files, each of which is written whole or not at all.

    _plan: the runs that the last command wanted, as Parquet under a name that readers of data sets skip
    part-000001.parquet, ...: rows, in the order in which they ended

One process at a time writes into a folder. A row that is there twice counts as written last: a run that failed may have
been done again.
"""

from __future__ import annotations

import errno
import fcntl
import importlib
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock, Timer
from typing import Any, NamedTuple, get_type_hints

from cpol.compiler.toolchain.files import replacing
from cpol.errors import UserError
from cpol.runtime.simulate.sweep.plan import KEY, Key, key_of
from cpol.runtime.simulate.sweep.unit import Row

PLAN = "_plan"
LOCK = ".lock"
COST = "cost"
"""The column of the plan that says how long a run takes, in any unit."""
BASE = b"cpol.base"
"""What the plan's metadata calls the policy that others are compared with."""
PART = re.compile(r"part-([0-9]{6,12})\.parquet")
MOST_PARTS = 10**12 - 1
UNFINISHED = re.compile(r"\.(part-[0-9]{6,12}\.parquet|_plan)\..*")
"""What `replacing` calls a file while it is written. Its writer was killed."""

MOST_ROWS, MOST_SECONDS = 4096, 10.0
"""Rows are written when there are so many, or when the first of them has waited for so long, whatever else happens."""

BLOCK = 1 << 16
"""Rows that are read at a time."""


def needed(module: str) -> Any:
    """A module of pyarrow. Raises UserError if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UserError("pyarrow is missing, which keeps the rows of a sweep: pip install pyarrow") from None


def schema() -> Any:
    """The columns of the table. Raises UserError: pyarrow is missing."""
    arrow = needed("pyarrow")
    kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64()}
    hints = get_type_hints(Row)
    fields = []
    for name in Row._fields:
        kind, *optional = getattr(hints[name], "__args__", (hints[name],))
        column = arrow.uint64() if name == "seed" else kinds[kind]
        fields.append(arrow.field(name, column, nullable=bool(optional)))
    return arrow.schema(fields)


class Store:
    """A folder that this process writes into; `opened` makes one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._schema = schema()
        self._rows: list[Row] = []
        self._since = 0.0
        self._lock, self._timer = RLock(), Timer(0, self.flush)  # of the rows that wait
        parts = parts_of(folder)
        self._next = 1 + max((int(found[1]) for each in parts if (found := PART.fullmatch(each.name))), default=0)
        if self._next > MOST_PARTS:
            raise UserError(f"{parts[-1]} has the last number that there is; name another folder")

    def done(self) -> dict[Key, str]:
        """The runs that have a row, and why they failed. Raises UserError: a file is damaged."""
        last: dict[Key, str] = {}
        for path in parts_of(self.folder):
            for block in _blocks(path, self._schema, [*KEY, "error"]):
                *columns, errors = block.columns
                last.update(zip(zip(*columns, strict=True), errors, strict=True))
        return last

    def plan(self, costs: Mapping[Key, int], base: str) -> None:
        """Keep which runs there are to be, and which policy others are compared with. Raises UserError."""
        arrow, fields = needed("pyarrow"), _planned(self._schema)
        columns = zip(*((*key, cost) for key, cost in costs.items()), strict=True) if costs else ([] for _ in fields)
        arrays = [arrow.array([*each], field.type) for each, field in zip(columns, fields, strict=True)]
        table = arrow.Table.from_arrays(arrays, schema=fields.with_metadata({BASE: base}))
        self._write(self.folder / PLAN, table)

    def put(self, rows: Sequence[Row]) -> None:
        """Keep rows; see MOST_ROWS. Raises UserError."""
        with self._lock:
            if not self._rows:
                self._since = time.monotonic()
                self._timer = Timer(MOST_SECONDS, self._late)
                self._timer.daemon = True
                self._timer.start()
            self._rows += rows
            if len(self._rows) >= MOST_ROWS or time.monotonic() - self._since >= MOST_SECONDS:
                self.flush()

    def _late(self) -> None:
        """No unit has ended for long. If the rows cannot be written, whoever puts the next ones is told."""
        with suppress(UserError):
            self.flush()

    def flush(self) -> None:
        """Write the rows that wait. Raises UserError."""
        with self._lock:
            self._timer.cancel()
            if not self._rows:
                return
            self._write(self.folder / f"part-{self._next:06}.parquet", table_of(self._rows))
            self._next += 1
            self._rows = []

    def close(self) -> None:
        """Write the rows that wait; nothing is written later. Raises UserError."""
        try:
            self.flush()
        finally:
            with self._lock:
                self._rows = []

    def _write(self, path: Path, table: Any) -> None:
        parquet = needed("pyarrow.parquet")
        try:
            with replacing(path) as file:
                parquet.write_table(table, file, compression="zstd")
                file.flush()
                os.fsync(file.fileno())
            _sync(self.folder)
        except OSError as error:
            raise UserError(
                f"cannot write {path}: {error.strerror or error}; make room there, and run the same command again"
            ) from None


def _planned(fields: Any) -> Any:
    """The columns of the plan."""
    arrow = needed("pyarrow")
    return arrow.schema([*(fields.field(name) for name in KEY), arrow.field(COST, arrow.int64(), nullable=False)])


def table_of(rows: Sequence[Row]) -> Any:
    """Rows as a table of Arrow. Raises UserError: pyarrow is missing."""
    arrow, fields = needed("pyarrow"), schema()
    columns: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else ([] for _ in fields)
    arrays = [arrow.array([*each], field.type) for each, field in zip(columns, fields, strict=True)]
    return arrow.Table.from_arrays(arrays, schema=fields)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def opened(folder: Path) -> Iterator[Store]:
    """The folder to write rows into, made if it is missing. What waits is written when the block ends.

    Raises:
        UserError: it is no folder of a sweep, another process writes into it, or it cannot be written.
    """
    needed("pyarrow.parquet")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not is_sweep(folder) and any(folder.iterdir()):
            raise UserError(f"{folder} has other files, and none of a sweep; name another folder")
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise UserError(f"cannot write into {folder}: {_why(error)}; name another folder") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"another sweep writes into {folder}; wait until it ends, or name another folder") from None
        for left in folder.iterdir():
            if UNFINISHED.fullmatch(left.name):
                left.unlink()
        parts_of(folder)
        store = Store(folder)
        try:
            yield store
        finally:
            store.close()
    finally:
        os.close(handle)


def is_sweep(folder: Path) -> bool:
    """Whether a sweep made the folder, though it may have been killed before it wrote a row."""
    return (folder / LOCK).exists() or (folder / PLAN).exists()


def parts_of(folder: Path) -> list[Path]:
    """The files with rows, in order.

    Raises:
        UserError: something else is in the folder, or it is none of a sweep.
    """
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise UserError(f"{folder}: {_why(error)}; name the folder of a sweep") from None
    if not is_sweep(folder):
        raise UserError(f"{folder} is no folder of a sweep; name one that a sweep has written")
    parts = []
    for path in found:
        if PART.fullmatch(path.name) or path.name == PLAN:
            if not stat.S_ISREG(path.lstat().st_mode):
                raise UserError(f"{path} is no regular file, so no sweep wrote it; remove it")
            parts += [path] if path.name != PLAN else []
        elif not path.name.startswith((".", "_")):  # what readers of data sets skip is of no harm
            raise UserError(f"{path} is no file of a sweep; move it elsewhere: the folder is one table")
    return parts


class Stored(NamedTuple):
    """What a folder has: the runs that there are to be, with how long each takes, and the rows of those that ended."""

    costs: dict[Key, int]
    base: str
    rows: dict[Key, Row]
    running: bool
    others: int
    """Rows of runs that the last command did not want: of a policy or a trace that has changed, say."""
    paid: int
    """The costs of the rows that were written since the last command began."""
    since: float
    """When the last command began, in seconds since the epoch."""
    last: float | None
    """When the last rows were written."""


def stored(folder: Path) -> Stored:
    """Read a folder, which a sweep may be writing into.

    Raises:
        UserError: it is none of a sweep, or a file is damaged.
    """
    fields = schema()
    parts = parts_of(folder)  # first: each of their rows is of a run of the plan that follows, or of an older one
    costs: dict[Key, int] = {}
    since, base = 0.0, ""
    if (plan := folder / PLAN).exists():
        since = plan.stat().st_mtime
        for block in _blocks(plan, _planned(fields), [*KEY, COST]):
            base = block.metadata.get(BASE, b"").decode(errors="replace")
            *columns, cost = block.columns
            costs.update(zip(zip(*columns, strict=True), cost, strict=True))
    rows: dict[Key, Row] = {}
    others, last, paid = set[Key](), None, 0
    for path in parts:
        last = path.stat().st_mtime
        for block in _blocks(path, fields, Row._fields):
            for values in zip(*block.columns, strict=True):
                row = Row(*values)
                key = key_of(row)
                if key in costs:
                    rows[key] = row
                    paid += costs[key] if last >= since else 0
                else:
                    others.add(key)
    found = {key: rows[key] for key in costs if key in rows}
    return Stored(costs, base, found, _is_locked(folder), len(others), paid, since, last)


def _is_locked(folder: Path) -> bool:
    try:
        handle = os.open(folder / LOCK, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno == errno.EWOULDBLOCK
    finally:
        os.close(handle)
    return False


class _Block(NamedTuple):
    columns: list[list[Any]]
    metadata: dict[bytes, bytes]


def _blocks(path: Path, fields: Any, columns: Sequence[str]) -> Iterator[_Block]:
    """The rows of a file, some at a time. Raises UserError: it is damaged, or no sweep wrote it."""
    arrow, parquet = needed("pyarrow"), needed("pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            if not file.schema_arrow.equals(fields):
                raise UserError(
                    f"{path} has other columns than this cpol writes; move it elsewhere, or name another folder"
                )
            for batch in file.iter_batches(BLOCK, columns=[*columns]):
                values = [batch.column(name).to_pylist() for name in columns]  # which decodes texts
                yield _Block(values, batch.schema.metadata or {})
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        said = " ".join(str(error).split())[:200]
        raise UserError(f"{path} is damaged: {said}; remove it, and what is missing then runs again") from None


def _why(error: OSError) -> str:
    return error.strerror or str(error)
