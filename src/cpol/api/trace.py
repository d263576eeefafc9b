"""A trace, as Python sees it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cpol.errors import RequestError
from cpol.runtime.simulate.traces import Columns, Names, as_kernel, read, read_columns
from cpol.runtime.simulate.traces import Trace as Read
from cpol.runtime.simulate.traces.memory import Column

if TYPE_CHECKING:
    from typing_extensions import Buffer


class Trace:
    """Requests in their order. `open` reads a file, `from_arrays` takes columns.

    >>> trace = Trace.from_arrays([1, 2, 1, 3])
    >>> len(trace), trace.objects
    (4, 3)
    """

    def __init__(self, made: Read) -> None:
        if not isinstance(made, Read):
            raise RequestError("a trace is made by cpol.Trace.open(path) or cpol.Trace.from_arrays(ids)")
        self.read = made

    @property
    def requests(self) -> Read:
        """What runs are fed: of a recording, a write is no request, as in the kernel."""
        return as_kernel(self.read)

    @classmethod
    def open(
        cls, path: str | Path, format: str | None = None, *, pages: bool = False, columns: str | None = None
    ) -> Trace:
        """Read a file of any format of docs/simulator.md, which may be compressed.

        Args:
            format: its name; None: found from the file.
            pages: cut requests into pages of 4 KiB.
            columns: where a CSV file or a Parquet file has what, as `--columns`.

        Raises:
            TraceError: the file has no such trace; the message says where and why.
        """
        if not isinstance(path, str | Path):
            raise RequestError(f"{path!r} is no path of a trace")
        mapped: Columns | None = read_columns(columns) if columns else None
        return cls(read(Path(path), format, pages=pages, details=True, columns=mapped))

    @classmethod
    def from_arrays(
        cls,
        ids: Iterable[int] | Buffer,
        *,
        times: Iterable[int] | Buffer | None = None,
        threads: Iterable[int] | Buffer | None = None,
        files: Iterable[int] | Buffer | None = None,
        writes: Iterable[int] | Buffer | None = None,
        name: str = "arrays",
    ) -> Trace:
        """A trace of columns: lists, arrays, or what has a buffer of 64-bit numbers, as NumPy's have.

        Such a buffer is not copied, if its numbers stand one after the other; so do not change it while runs use it.
        With `files`, pages get numbers of their own.

        Args:
            ids: the object of each request; with `files`, the page within the file.
            times: milliseconds, ascending.
            threads: who requests.
            files: the file of each page.
            writes: 1 where the request writes, else 0.

        Raises:
            RequestError: the columns have different lengths, there is no request, or a number is not a u64.
        """
        if ids is None:
            raise RequestError("ids is None; give the object of each request")
        given = {"ids": ids, "times": times, "threads": threads, "files": files, "writes": writes}
        columns = {key: _column(key, value) for key, value in given.items() if value is not None}
        objects = columns["ids"]
        if not objects:
            raise RequestError("there is no request in ids; give at least one")
        for key, column in columns.items():
            if len(column) != len(objects):
                raise RequestError(f"{len(objects)} ids, but {len(column)} {key}; give one for each request")
        names = None
        if "files" in columns:
            pages = list(zip(columns["files"], objects, strict=True))
            numbers = {page: number for number, page in enumerate(dict.fromkeys(pages))}
            objects = array("Q", map(numbers.__getitem__, pages))
            names = Names(array("Q", (file for file, _ in numbers)), array("Q", (index for _, index in numbers)))
        facts = {"times": "time", "threads": "thread", "files": "file", "writes": "rw"}
        carries = frozenset(facts[key] for key in columns if key in facts)
        moments = columns.get("times")
        if moments:
            if any(later < earlier for earlier, later in pairwise(moments)):
                raise RequestError("times go back; sort the requests by time")
            if moments[0]:
                moments = array("Q", (moment - moments[0] for moment in moments))
        made = Read(
            Path(name), "arrays", objects, 0, times=moments, tasks=columns.get("threads"),
            writes=columns.get("writes"), names=names, carries=carries,
        )  # fmt: skip
        return cls(made)

    @property
    def objects(self) -> int:
        """Different objects."""
        return self.read.distinct

    def __len__(self) -> int:
        return self.read.requests

    def __repr__(self) -> str:
        return f"<Trace {self.read.path}: {len(self):,} requests of {self.objects:,} objects>"


def trace_of(given: Trace | str | Path) -> Trace:
    """Raises RequestError: it is neither a trace nor the path of one."""
    return given if isinstance(given, Trace) else Trace.open(given)


def _column(name: str, given: Any) -> Column:
    """A column as 64-bit numbers. Raises RequestError."""
    try:
        view = memoryview(given)
    except (TypeError, ValueError):  # a list; an array of NumPy's times, say
        view = None
    if view is None:
        try:
            return array("Q", given)
        except (OverflowError, TypeError, ValueError) as error:
            raise RequestError(f"{name} holds something that is no whole number from 0 to 2^64 - 1: {error}") from None
    if view.ndim != 1 or view.itemsize != 8 or view.format not in ("Q", "L", "q", "l"):
        raise RequestError(
            f"{name} is no column of 64-bit whole numbers; convert it (x.astype('uint64') cuts fractions off)"
        )
    if view.format in "ql" and min(view, default=0) < 0:
        raise RequestError(f"{name} has a negative number; give whole numbers from 0 to 2^64 - 1")
    if not view.c_contiguous or not view.nbytes:
        view = memoryview(view.tobytes())
    return view.cast("B").cast("Q") if view.nbytes else array("Q")
