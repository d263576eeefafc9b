"""Runs the parser in C (parse.c), and turns its errors into messages."""

from __future__ import annotations

import ctypes
import os
from array import array
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cpol.compiler.toolchain import native
from cpol.runtime.simulate.traces import faults
from cpol.runtime.simulate.traces.columns import COLUMNS
from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.faults import MAX_REQUEST_PAGES, RECORD, Fault, place_of
from cpol.runtime.simulate.traces.memory import Column, address
from cpol.runtime.simulate.traces.requests import Comms, Names, Numbered, Requests

_HERE = Path(__file__).resolve().parent
_LAYOUTS = ("oraclegeneral", "vscsi1", "vscsi2", "lcs2", "lirs", "lis", "text", "lines", "csv", "twitter", "columns")
"""In the order of `enum format` in requests.h."""

SMALLEST = min(RECORD.values())
"""The bytes of a record."""


class Heading(IntEnum):
    """Whether the first line of columns is a heading, as `enum heading` in requests.h. ROWS: there are rows alone."""

    MAY_BE = 0
    IS = 1
    ROWS = 2


class Back(NamedTuple):
    """Requests with an earlier time than one before them."""

    total: int
    place: str  # of the first one
    ms: int  # by so much that one is earlier


class Parser:
    """Parses one trace, fed in pieces.

    Args:
        path: for messages.
        layout: one of the parser's formats; `vscsi1` and `vscsi2` are the versions of `vscsi`. A line of `lines` is a
            key whatever it has, one of `text` has no blanks. `columns` is CSV, for which `map` must be called before
            `feed`.
        pages: whether to cut requests into pages of 4 KiB.
        details: whether to keep times and tasks.
        sizes: whether to keep the bytes of each request.
        unit: what a line of text is in messages.
        before: bytes of the file before its first record.

    Raises:
        TraceError: out of memory. `feed` and `finish` raise it for a malformed trace, with the place.
    """

    def __init__(
        self,
        path: Path,
        layout: str,
        pages: bool,
        details: bool = False,
        unit: str = "line",
        before: int = 0,
        sizes: bool = False,
    ) -> None:
        self._path = path
        self._layout = layout
        self._unit = unit
        self._before = before
        self._named = True
        self._library = library()
        self._wanted = 0
        self._parser = ctypes.c_void_p(
            self._library.parser_new(_LAYOUTS.index(layout), pages, details, sizes, MAX_REQUEST_PAGES, faults.MAX_PAGES)
        )
        if not self._parser:
            raise TraceError(f"{path}: out of memory")

    def map(
        self,
        columns: list[int],
        time_unit: int,
        *,
        heading: Heading,
        separator: str = ",",
        file_width: int = 1,
        named: bool = True,
    ) -> None:
        """For the layout `columns`: where each of COLUMNS is, -1 for nowhere; how many units of time are a millisecond,
        0 for seconds; whether the first line is a heading; what separates columns, a blank standing for blanks and
        tabs; how many columns name the file; whether the user named the columns."""
        self._named = named
        file = columns[COLUMNS.index("file")]
        self._wanted = max(*columns, file + file_width - 1) + 1
        places = (ctypes.c_int32 * len(columns))(*columns)
        self._library.parser_columns(self._parser, places, time_unit, heading, ord(separator), file_width)

    def feed(self, piece: bytes) -> None:
        self._check(self._library.parser_feed(self._parser, piece, len(piece)))

    def take(self, numbers: Numbers | None = None) -> Requests:
        """The requests since the last call, which the parser then forgets. With `numbers`, in place of ids."""
        count, address, *_ = self._state()
        times, tasks, _ = self.details()
        if numbers is None:
            part = Requests(_copy(address, count), times, tasks, sizes=self.sizes())
        else:
            numbered = numbers.of_all(address, count)
            part = Requests(None, times, tasks, sizes=self.sizes(), numbered=numbered)
        self._library.parser_take(self._parser)
        return part

    def read(self, file: int, numbers: Numbers, size: int) -> Requests:
        """The requests of about so many bytes of a file, at least a block (parse.c): numbered, without ids and details.
        The format is a binary one, and a record is a request. No requests: the file has ended.

        Raises:
            OSError: it cannot be read.
        """
        count, objects, places = ctypes.c_uint64(), ctypes.c_int64(), array("I", (0,)) * (size // SMALLEST + 1)
        to = (places.buffer_info()[0], len(places), ctypes.byref(count), ctypes.byref(objects))
        error = self._library.parser_read(self._parser, numbers.known, file, *to)
        if error < 0:
            raise OSError(-error, os.strerror(-error))
        self._check(error)
        del places[count.value :]
        return Requests(None, numbered=Numbered(places, numbers.counted(objects.value)))

    def finish(self) -> tuple[array[int], int]:
        """End the trace. Returns the ids, and the number of deletions, which were skipped."""
        self._check(self._library.parser_finish(self._parser))
        count, address, _, skipped, _ = self._state()
        return _copy(address, count), skipped

    def details(self) -> list[array[int] | None]:
        """The times of the requests, in milliseconds since the first, their threads, and their processes. None: the
        format has none, or `details` was not set."""
        count = self._state()[0]
        addresses = [ctypes.c_void_p() for _ in range(3)]
        self._library.parser_details(self._parser, *(ctypes.byref(address) for address in addresses))
        return [_copy(address.value, count) if address.value else None for address in addresses]

    def names(self) -> Names | None:
        """The file and index of each id; None: ids are no numbers of names."""
        files, indices = ctypes.c_void_p(), ctypes.c_void_p()
        count = self._library.parser_names(self._parser, ctypes.byref(files), ctypes.byref(indices))
        return Names(_copy(files.value, count), _copy(indices.value, count)) if files.value and indices.value else None

    def comms(self) -> Comms | None:
        """The commands of the requests; None: no column names them, or `details` was not set."""
        numbers, firsts, seconds = (ctypes.c_void_p() for _ in range(3))
        references = (ctypes.byref(address) for address in (numbers, firsts, seconds))
        count = self._library.parser_comms(self._parser, *references)
        if not (numbers.value and firsts.value and seconds.value):
            return None
        return Comms(_copy(numbers.value, self._state()[0]), _copy(firsts.value, count), _copy(seconds.value, count))

    def writes(self) -> array[int] | None:
        """Whether each request writes; None: no column tells, or `details` was not set."""
        address: int | None = self._library.parser_writes(self._parser)
        return _copy(address, self._state()[0]) if address else None

    def sizes(self) -> array[int] | None:
        """The bytes of each request; None: `sizes` was not set, or there are no requests."""
        address: int | None = self._library.parser_sizes(self._parser)
        return _copy(address, self._state()[0]) if address else None

    @property
    def back(self) -> Back | None:
        """The requests so far whose times go back, if there are any."""
        where, ms = ctypes.c_uint64(), ctypes.c_uint64()
        count: int = self._library.parser_back(self._parser, ctypes.byref(where), ctypes.byref(ms))
        place = place_of(self._layout, self._unit, where.value, self._before)
        return Back(count, place, ms.value) if count else None

    def _state(self) -> tuple[int, int, int, int, int]:
        numbers = [ctypes.c_uint64() for _ in range(4)]
        count = self._library.parser_state(self._parser, *(ctypes.byref(number) for number in numbers))
        address, where, skipped, found = (number.value for number in numbers)
        return count, address, where, skipped, found

    def _check(self, error: int) -> None:
        if error == 0:
            return
        where, found = self._state()[2::2]
        fault = Fault(error, self._layout, self._unit, where, found, self._wanted, self._before, self._named)
        raise TraceError(f"{self._path}: {fault.place}: {fault.words}")

    def __del__(self) -> None:
        if getattr(self, "_parser", None):
            self._library.parser_free(self._parser)


def _copy(address: int | None, count: int) -> array[int]:
    numbers = array("Q")
    if count and address:
        numbers.frombytes(memoryview((ctypes.c_char * (8 * count)).from_address(address)))
    return numbers


class Numbers:
    """Numbers the objects of a trace, from 0 in the order of their first requests.

    Args:
        requests: how many will come, if that is known.

    Raises:
        TraceError: out of memory.
    """

    def __init__(self, requests: int = 0) -> None:
        self._library = library()
        self.known = ctypes.c_void_p(self._library.numbers_new(requests))
        self.count = 0
        """Different objects so far."""
        if not self.known:
            raise TraceError("out of memory")

    def of(self, ids: Column) -> Numbered:
        """The numbers of ids, which are of type Q.

        Raises:
            TraceError: out of memory, or there are more than 2**32 objects.
        """
        return self.of_all(address(ids), len(ids))

    def of_all(self, address: int, length: int) -> Numbered:
        """The numbers of so many ids at an address, of u64. Raises as `of` does."""
        numbers = array("I", bytes(4 * length))
        count = self._library.numbers_add(self.known, address, length, numbers.buffer_info()[0])
        return Numbered(numbers, self.counted(count))

    def counted(self, count: int) -> int:
        """So many objects have a number now; less than 0: not all could get one."""
        if count < 0:
            raise TraceError(f"out of memory: cannot number more than {self.count:,} different objects; cut the trace")
        self.count = count
        return count

    def __del__(self) -> None:
        if getattr(self, "known", None):
            self._library.numbers_free(self.known)


def belady_misses(numbered: Numbered, capacity: int, warmup: int = 0) -> int:
    """The misses of Belady's MIN with `capacity` pages. No policy that admits every page has fewer.

    Source: Belady, IBM Systems Journal 5(2), 1966.

    Args:
        numbered: the requests, by the numbers of their objects.
        capacity: pages, at least 1.
        warmup: misses of so many first requests do not count.

    Raises:
        TraceError: out of memory.
    """
    place, length = address(numbered.numbers), len(numbered.numbers)
    misses: int = library().belady_misses(place, length, numbered.objects, capacity, warmup)
    if misses < 0:
        raise TraceError(f"out of memory for Belady's policy on {length} requests; leave out --belady")
    return misses


def lru_misses(
    numbered: Numbered, capacities: Sequence[int], groups: bytes | None = None, count: int = 1
) -> list[list[int]]:
    """The misses of LRU with each of the capacities, in pages and ascending, of each group of objects.

    Source: Mattson, Gecsei, Slutz and Traiger, IBM Systems Journal 9(2), 1970.

    Args:
        groups: by the number of an object, each below `count`; None: all are of one group.

    Raises:
        TraceError: out of memory.
    """
    numbers, objects = numbered
    wanted, misses = array("Q", capacities), array("Q", bytes(8 * count * (len(capacities) + 1)))
    to = (wanted.buffer_info()[0], len(wanted), groups, count, misses.buffer_info()[0])
    if library().lru_misses(address(numbers), len(numbers), objects, *to):
        raise TraceError(f"out of memory for LRU on {len(numbers)} requests")
    return [misses[place : place + count].tolist() for place in range(count, len(misses), count)]


@cache
def library() -> ctypes.CDLL:
    """The code in C of this folder."""
    text = (_HERE / "parse.c").read_text(encoding="utf-8")
    flags = (*native.COMMON, *native.OPTIMISED, *native.SHARED)
    library = ctypes.CDLL(str(native.compile_cached(text, "parse", flags, (_HERE,))))
    pointer, number = ctypes.c_void_p, ctypes.c_uint64
    library.parser_new.argtypes = [ctypes.c_uint32] * 4 + [number] * 2
    library.parser_new.restype = pointer
    library.parser_feed.argtypes = [pointer, ctypes.c_char_p, number]
    library.parser_read.argtypes = [pointer, pointer, ctypes.c_int, pointer, number, pointer, pointer]
    library.parser_finish.argtypes = [pointer]
    library.parser_free.argtypes = [pointer]
    library.parser_state.argtypes = [pointer] * 5
    library.parser_state.restype = number
    library.parser_columns.argtypes = [pointer, pointer, number, *[ctypes.c_uint32] * 3]
    library.parser_columns.restype = None
    library.parser_back.argtypes = [pointer] * 3
    library.parser_back.restype = number
    library.parser_comms.argtypes = [pointer] * 4
    library.parser_comms.restype = number
    library.parser_writes.argtypes = [pointer]
    library.parser_writes.restype = pointer
    library.parser_sizes.argtypes = [pointer]
    library.parser_sizes.restype = pointer
    library.parser_names.argtypes = [pointer] * 3
    library.parser_names.restype = number
    library.parser_details.argtypes = [pointer] * 4
    library.parser_details.restype = None
    library.parser_take.argtypes = [pointer]
    library.parser_take.restype = None
    library.numbers_new.argtypes = [number]
    library.numbers_new.restype = pointer
    library.numbers_add.argtypes = [pointer, pointer, number, pointer]
    library.numbers_add.restype = ctypes.c_int64
    library.numbers_free.argtypes = [pointer]
    library.numbers_free.restype = None
    library.belady_misses.argtypes = [pointer, number, number, number, number]
    library.belady_misses.restype = ctypes.c_int64
    library.lru_misses.argtypes = [pointer, number, number, pointer, number, ctypes.c_char_p, number, pointer]
    library.sample_objects.argtypes = [number, number, number, pointer, pointer, pointer, ctypes.c_uint32]
    library.sample_objects.restype = number
    library.sample_count.argtypes = [pointer, number, pointer]
    library.sample_count.restype = number
    library.sample_places.argtypes = [pointer, number, pointer, pointer]
    library.sample_places.restype = number
    library.sample_numbers.argtypes = [pointer, number, pointer, pointer, pointer]
    library.sample_numbers.restype = None
    library.sample_column.argtypes = [pointer, pointer, number, pointer]
    library.sample_column.restype = None
    return library
