"""A trace, as Python sees it."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping, Set
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cpol.errors import RequestError
from cpol.printable import shown
from cpol.runtime.simulate.traces import Columns, Names, as_kernel, read, read_columns
from cpol.runtime.simulate.traces import Trace as Read
from cpol.runtime.simulate.traces.memory import Column

if TYPE_CHECKING:
    from typing_extensions import Buffer


CODES = {1: "b", 2: "h", 4: "i", 8: "q"}
"""Of signed numbers, by their bytes."""


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
        """A trace of columns: lists, arrays, or what has a buffer of whole numbers, as NumPy's have.

        One of 64-bit numbers is not copied, if they stand one after the other. So do not change it as long as the trace
        lives.
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
        if not isinstance(name, str):
            raise RequestError(f"name is {name!r}; give a text")
        if ids is None:
            raise RequestError("ids is None; give the object of each request")
        given = {"ids": ids, "times": times, "threads": threads, "files": files, "writes": writes}
        columns = {key: _column(key, value) for key, value in given.items() if value is not None}
        objects = columns["ids"]
        if not objects:
            raise RequestError("there is no request in ids; give at least one")
        if (writes := columns.get("writes")) and max(writes) > 1:
            raise RequestError("writes has something else than 0 and 1; give 1 where the request writes")
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
        return f"<Trace {shown(str(self.read.path), keep='')}: {len(self):,} requests of {self.objects:,} objects>"


def trace_of(given: Trace | str | Path) -> Trace:
    """Raises RequestError: it is neither a trace nor the path of one."""
    return given if isinstance(given, Trace) else Trace.open(given)


def _column(name: str, given: Any) -> Column:
    """A column as 64-bit numbers. Raises RequestError."""
    if isinstance(given, Mapping | Set):
        raise RequestError(
            f"{name} is a {type(given).__name__}; give a list or an array, whose order is that of requests"
        )
    if getattr(given, "mask", None) is not None:
        raise RequestError(f"{name} has a mask, which says nothing here; leave such requests out: x.compressed()")
    try:
        view = memoryview(given)
    except (TypeError, ValueError):  # a list; an array of NumPy's times, say
        view = None
    if view is None:
        try:
            return array("Q", given)
        except (OverflowError, TypeError, ValueError) as error:
            raise RequestError(f"{name} holds something that is no whole number from 0 to 2^64 - 1: {error}") from None
    code = view.format.lstrip("@=<" if sys.byteorder == "little" else "@=>!")
    if view.ndim != 1 or code not in [*"QqLlIiHhBb?"]:
        raise RequestError(
            f"{name} is no column of whole numbers in this machine's order of bytes; convert it: "
            "x.astype('uint64') cuts fractions off"
        )
    if not view.nbytes:
        return array("Q")
    own = code if code == "?" else CODES[view.itemsize] if code.islower() else CODES[view.itemsize].upper()
    if not view.c_contiguous or code != view.format:  # a field of records, say, which need not be aligned
        view = memoryview(view.tobytes())
    view = view.cast("B").cast(own)  # type: ignore[call-overload]  # which takes no name of a format
    if own.islower() and min(view) < 0:
        raise RequestError(f"{name} has a negative number; give whole numbers from 0 to 2^64 - 1")
    return view.cast("B").cast("Q") if view.itemsize == 8 else array("Q", view)
