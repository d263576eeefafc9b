"""What the parser in C finds wrong with a trace, in words."""

from __future__ import annotations

from typing import NamedTuple

RECORD = {"oraclegeneral": 24, "vscsi1": 32, "vscsi2": 40, "lcs2": 28}
"""Bytes per record of the binary layouts."""

MAX_REQUEST_PAGES = 1 << 20
"""The most pages of a request: 4 GiB, the largest size that a record of `oraclegeneral` or `vscsi` holds."""

MAX_PAGES = 1 << 28
"""The most pages of a trace whose requests are cut into pages: 1 TiB, with ids of 2 GiB and numbers of 1 GiB. Bounds
hostile input, since a short line can ask for any number."""

_COLUMNS = {
    "csv": ("time", "object", "size", "next"),
    "twitter": ("timestamp", "key", "key size", "value size", "client", "operation", "ttl"),
}
_OPERATIONS = "get, gets, set, add, replace, cas, append, prepend, delete, incr, decr"


class Fault(NamedTuple):
    """An error of the parser.

    Args:
        number: by `enum error` of requests.h.
        layout: of the parser.
        unit: what a line of text is in messages.
        where: the line, or the byte.
        found: what the parser found there.
        wanted: the columns that a line must have.
        before: bytes of the file before its first record.
        named: whether --columns names the columns.
    """

    number: int
    layout: str
    unit: str
    where: int
    found: int
    wanted: int
    before: int = 0
    named: bool = True

    @property
    def place(self) -> str:
        return place_of(self.layout, self.unit, self.where, self.before)

    @property
    def words(self) -> str:
        """What is wrong, and what to do."""
        found, layout = self.found, self.layout
        leave = "cut the range, or the trace" if layout == "lis" else "correct its size, or leave out --pages"
        match self.number:
            case 1:
                return "out of memory: too many requests; cut the trace, or leave out --pages"
            case 2:
                return (
                    f"the trace ends after {found} of {RECORD.get(layout)} bytes: it is cut off, or of another format; "
                    "fetch it again, or give another --format"
                )
            case 3:
                return f"the record does not have version {layout[-1]} of vscsi, as the first one has; it is damaged"
            case 4:
                return "the line is longer than 65536 bytes: this is not a trace, or is of another --format"
            case 5:
                return "a line of text has a zero byte; the trace is damaged, or binary: give another --format"
            case 6:
                return "neither a block number nor *; for keys that are not numbers, give --format text"
            case 7:
                return f"{found} columns; {layout} has {self._all_columns}: {self._way_out}"
            case 8:
                return self._column(0, "is not a time (a number)")
            case 9:
                return self._column(found, "is not a whole number below 2^64")
            case 10 if layout in _COLUMNS:
                return self._column(1, "is empty, so the object's key is missing")
            case 10:
                return f"the object's key is missing; correct the {self.unit}"
            case 11:
                return self._column(5, f"is none of {_OPERATIONS}")
            case 12:
                return f"the request has {found:,} pages, more than {MAX_REQUEST_PAGES:,} (4 GiB); {leave}"
            case 13:
                return f"the requests up to here have more than {MAX_PAGES:,} pages (1 TiB); cut the trace" + (
                    "" if layout == "lis" else ", or leave out --pages"
                )
            case _:
                return self._of_columns

    @property
    def _of_columns(self) -> str:
        """What is wrong with columns that --columns names, and with lines of keys."""
        found = self.found
        again = f"correct the {self.unit}, or " + ("--columns" if self.named else "give another --format")
        match self.number:
            case 14:
                names = "--columns names" if self.named else "the format has"
                return f"{found} columns, but {names} column {self.wanted - 1} (from 0); {again}"
            case 15:
                return (
                    'a quote (") in a column that is not quoted whole, or that is not closed on the line; '
                    "correct the line"
                )
            case 16:
                return f"column {found} (from 0) is not a whole number below 2^64; {again}"
            case 17:
                return f"column {found} (from 0) is not a time (a number); {again}"
            case 18:
                heading = "; or begin a heading with #" if self.where == 1 and self.unit == "line" else ""
                return f"column {found} (from 0) begins with neither R (read) nor W (write); {again}{heading}"
            case 19:
                return (
                    f"the last of the request's {found:,} pages has a number of 2^64 or more, which no page has; "
                    "correct its page or size, or leave out --pages"
                )
            case 20:
                return (
                    "blanks or tabs where one key is expected: either they separate columns, then write --columns "
                    "object=COLUMN (from 0), or the whole line is a key, then write --format text"
                )
            case 21:
                return RETURNS
            case 22:
                return (
                    "not a range of blocks: four whole numbers, the first block, how many (1 or more), 0 and the "
                    "line's number; correct the line, or give another --format"
                )
            case _:
                return (
                    f"with this row's count, {found:,}, the trace has more than {MAX_PAGES:,} requests; cut the trace, "
                    "or leave count out of --columns"
                )

    def _column(self, number: int, what: str) -> str:
        """What is wrong with a column of a format with a fixed order."""
        name = _COLUMNS[self.layout][number]
        return (
            f"column {number} (from 0), the {name} of {self.layout} traces ({', '.join(_COLUMNS[self.layout])}), "
            f"{what}; {self._way_out}"
        )

    @property
    def _all_columns(self) -> str:
        return "time, object, size and perhaps next" if self.layout == "csv" else ", ".join(_COLUMNS[self.layout])

    @property
    def _way_out(self) -> str:
        return (
            "correct the line, give another --format, or say which column (from 0) has the keys: "
            "--columns object=COLUMN"
        )


RETURNS = (
    "a carriage return (CR) within the line: the lines end as those of old Macs do; convert them, such as with "
    "tr '\\r' '\\n'"
)


def place_of(layout: str, unit: str, where: int, before: int = 0) -> str:
    """A place in a trace: a line, or a record and its first byte."""
    size = RECORD.get(layout)
    return f"record {where // size + 1} (byte {before + where})" if size else f"{unit} {where}"
