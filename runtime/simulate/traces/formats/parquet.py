"""Parquet files as traces. pyarrow reads them, in batches; each row becomes a line of CSV for the parser in C.

pyarrow is optional: only this module imports it, and only to read such a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cpol.runtime.simulate.traces.columns import NAMES, Columns, read_columns
from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.formats.format import Format

FIRST = b"PAR1"
BATCH = 1 << 16
"""Rows in memory at once."""

LIMIT = 2.0**64
"""Times are less: they are counted in 64 bits."""

_WHOLE = ("page", "offset", "size", "time", "count")
"""Columns of numbers that may be neither null nor negative."""

_UNITS = {"s": 0, "ms": 1, "us": 1000, "ns": 1_000_000}
"""Of timestamps, as `Columns.time_unit`."""


def is_parquet(path: Path) -> bool:
    """Whether it is a file, not a pipe, that begins as Parquet files do."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(FIRST)) == FIRST
    except OSError:
        return False  # the readers of other formats report it


class Parquet:
    """A Parquet file.

    Args:
        columns: where it has what; None: its columns have the names of `--columns`.

    Raises:
        TraceError: it cannot be read, or a column is missing or of a wrong type.
    """

    def __init__(self, path: Path, columns: Columns | None) -> None:
        try:
            import pyarrow
            import pyarrow.compute
            import pyarrow.csv
            import pyarrow.parquet
        except ImportError:
            raise TraceError(f"{path}: pyarrow, which reads Parquet, is not installed: pip install pyarrow") from None
        self._arrow: Any = pyarrow
        self._path = path
        try:
            self._file = pyarrow.parquet.ParquetFile(path)
            schema = self._file.schema_arrow
        except (pyarrow.ArrowException, OSError) as error:
            raise self._wrong(error) from None
        given = columns or self._by_names(schema.names)
        self._names = {name: self._name(name, place, schema.names) for name, place in given.places.items()}
        self._types = {name: schema.field(column).type for name, column in self._names.items()}
        unit = given.time_unit
        for name, type_ in self._types.items():
            self._check(name, type_)
            if pyarrow.types.is_timestamp(type_):
                unit = _UNITS[type_.unit]
        self.columns = Columns({name: number for number, name in enumerate(self._names)}, unit)

    def _by_names(self, names: list[str]) -> Columns:
        found = [name for name in NAMES if name in names]
        try:
            return read_columns(",".join(f"{name}={name}" for name in found) if found else "")
        except TraceError as error:
            has = ", ".join(names)[:200]
            why = str(error) if found else f"the file has the columns {has}"
            raise TraceError(f"{self._path}: say with --columns what is where; {why}") from None

    def _name(self, name: str, place: int | str, names: list[str]) -> str:
        if isinstance(place, int):
            if place >= len(names):
                raise TraceError(f"{self._path}: {len(names)} columns, but --columns names column {place} (from 0)")
            place = names[place]
        if names.count(place) != 1:
            what = "no column is" if place not in names else f"{names.count(place)} columns are"
            has = ", ".join(names)[:200]
            raise TraceError(f"{self._path}: {what} called {place!r}, for {name}; the file has {has}")
        return place

    def _check(self, name: str, type_: Any) -> None:
        types = self._arrow.types
        right = types.is_integer(type_)
        if name == "time":
            right = right or types.is_floating(type_) or types.is_timestamp(type_)
        elif name not in _WHOLE:
            held = type_.value_type if types.is_dictionary(type_) else type_
            right = right or types.is_string(held) or types.is_large_string(held)
        if not right:
            column = self._names[name]
            wanted = "whole numbers" if name in _WHOLE else "whole numbers or text"
            raise TraceError(f"{self._path}: the column {column!r}, for {name}, has the type {type_}, not {wanted}")

    def lines(self) -> Iterator[bytes]:
        """The rows as CSV, in pieces: a line has the number of its row, from 1.

        Raises:
            TraceError: the file is damaged, or a value is wrong.
        """
        before = 0
        try:
            for batch in self._file.iter_batches(batch_size=BATCH, columns=[*self._names.values()]):
                yield self._csv(batch, before)
                before += batch.num_rows
        except (self._arrow.ArrowException, OSError) as error:
            raise self._wrong(error) from None

    def _csv(self, batch: Any, before: int) -> bytes:
        arrow = self._arrow
        arrays = [self._text(name, batch.column(column), before) for name, column in self._names.items()]
        sink = arrow.BufferOutputStream()
        options = arrow.csv.WriteOptions(include_header=False, quoting_style="needed")
        arrow.csv.write_csv(arrow.table(arrays, names=[*self._names]), sink, options)
        return bytes(sink.getvalue())

    def _text(self, name: str, array: Any, before: int) -> Any:
        """The array with values as CSV has them."""
        arrow, compute, types = self._arrow, self._arrow.compute, self._arrow.types
        if name not in _WHOLE:
            if name == "object":
                self._refuse(name, compute.is_null(array), "is null", before)
            array = array.cast(arrow.string())
            self._refuse(name, compute.match_substring(array, "\n"), "has a line break", before)
            return array
        self._refuse(name, compute.is_null(array), "is null", before)
        if types.is_timestamp(array.type):
            array = array.cast(arrow.int64())
        if types.is_floating(array.type):
            array = array.cast(arrow.float64())
            self._refuse(name, compute.is_nan(array), "is not a number (NaN)", before)
        if not types.is_unsigned_integer(array.type):  # arrow would convert those to signed ones, and fail
            self._refuse(name, compute.less(array, 0), "is negative", before)
        if types.is_floating(array.type):  # not with an exponent, which no CSV has
            self._refuse(name, compute.greater_equal(array, LIMIT), "is infinite, or 2^64 or more", before)
            return array.cast(arrow.decimal128(38, 6)).cast(arrow.string())
        return array

    def _refuse(self, name: str, wrong: Any, what: str, before: int) -> None:
        row = self._arrow.compute.index(wrong, True).as_py()
        if row >= 0:
            place = f"row {before + row + 1}: the column {self._names[name]!r}"
            raise TraceError(f"{self._path}: {place}, for {name}, {what}; correct it")

    def _wrong(self, error: Exception) -> TraceError:
        text = " ".join(str(error).split())[:200]
        return TraceError(f"{self._path}: not a Parquet file that can be read: {text}; write or fetch it again")


FORMAT = Format(
    "parquet", "Parquet files, with columns as csv with --columns", binary=True, suffixes=(".parquet",), begins=FIRST
)
