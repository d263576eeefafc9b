"""The simulator for single events, with the log of events and decisions: what tests compare, and replays use."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from cpol.compiler import ir
from cpol.compiler.ir import uses
from cpol.runtime.machine.errors import SimulationError
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.events.prefetch import NOTHING, Decided
from cpol.runtime.machine.native.library import Counts, Instance, signed
from cpol.runtime.machine.native.prefetch import DecidedStruct, answer
from cpol.runtime.machine.settings.inputs import Setting, Value

_ERRORS = (
    "",
    "out of memory",
    "not an event",
    "the folio is not in the cache",
    "the folio is in the cache already",
    "the folio has been accessed before",
    "the folio has not been accessed before: first_accessed is missing",
    "a folio has at least one page",
    "an evict request wants 1 to 32 pages",
    "the reason is neither evicted nor deleted",
    "the folio is not proposed",
    "the folio is proposed",
    "the handler of added did not place the folio",
    "the folio is left to the kernel",
    "the policy has no handler of admit",
    "time does not go back",
    "the flags have bits that mean nothing",
    "the policy only prefetches, so it has no folios",
    "there is no such fault, request, area or device",
    "the room is at least 1 page",
)
"""The messages of `enum cpol_error` in events.h."""


class _Row(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("op", "file", "index", "a", "b")]


_WORDS = len(_Row._fields_)
_GONE = frozenset((Op.REMOVED, Op.FALLBACK))


@dataclass(frozen=True)
class CachedFolio:
    """A folio on a list; `fields` is its record, with raw values."""

    file: int
    index: int
    pages: int
    fields: dict[str, int]


@dataclass(frozen=True)
class Pins:
    """What is pinned, and the pages that were beyond the quota, evicted while pinned, or taken all the same."""

    pages: int
    refused: int
    kept: int
    overruled: int
    folios: list[tuple[int, int]]  # file and index, in the order of the lists


@dataclass(frozen=True)
class Keeps:
    """A second, the pages that were kept from swap in it; all that were kept; those beyond the quota."""

    second: int
    pages: int
    kept: int
    refused: int


@dataclass(frozen=True)
class Dump:
    """The whole state in the interpreter's terms, with raw values."""

    size: int
    state: dict[str, int]
    left: list[tuple[int, int, int]]  # folios left to the kernel, oldest first: file, index, pages
    lists: dict[str, list[CachedFolio]]  # head to tail; `generation.5` of an array only if it has folios
    ghosts: dict[str, list[tuple[int, int]]]  # file and index of the entries, oldest first
    records: dict[str, list[dict[str, int]]]  # the records of the ghosts' entries
    tables: dict[str, dict[int, int]]  # the elements that differ from the initial value, by position
    pins: Pins
    keeps: Keeps
    reclaims: int  # statements that wanted pages


class EventSimulator:
    """Like `Simulator`, but takes single events. Rows are those of `cpol.runtime.machine.events`."""

    def __init__(
        self,
        policy: ir.Policy,
        capacity: int,
        params: Mapping[str, int | str] | None = None,
        batch: int = 1,
        seed: int = 1,
        inputs: Iterable[Setting] = (),
        code: str | None = None,
    ) -> None:
        self._policy = policy
        self._instance = Instance(policy, capacity, params, batch, events=True, seed=seed, inputs=inputs, code=code)
        library = self._instance.library
        library.cpol_sim_event.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        library.cpol_sim_request.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
        library.cpol_sim_wrote.argtypes = library.cpol_sim_request.argtypes
        library.cpol_sim_read_ahead.argtypes = library.cpol_sim_request.argtypes
        library.cpol_sim_room.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
        library.cpol_sim_log.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        library.cpol_sim_log.restype = ctypes.POINTER(_Row)
        library.cpol_sim_log_clear.argtypes = [ctypes.c_void_p]
        library.cpol_sim_dump.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64]
        library.cpol_sim_dump.restype = ctypes.c_uint64
        if policy.prefetches:
            library.cpol_sim_decided.argtypes = [ctypes.c_void_p]
            library.cpol_sim_decided.restype = ctypes.POINTER(DecidedStruct)
        self._library = library

    def fill(self, name: str, key: tuple[int, ...], value: Value) -> None:
        """Put `key` into an input with a raw value (1 in a set), or remove it if `value` is None.

        Raises:
            ParamError: the input cannot have this key or value.
            SimulationError: out of memory.
        """
        self._instance.fill(name, key, value)

    def event(self, row: Row) -> None:
        """Apply one event.

        Raises:
            SimulationError: the event cannot happen; the state is unchanged.
        """
        self._check(self._library.cpol_sim_event(self._instance.pointer, ctypes.byref(_Row(*row))), str(row))

    def events(self, rows: Iterable[Row]) -> None:
        """Apply several events, up to one that raises SimulationError."""
        for row in rows:
            self.event(row)

    def request(self, file: int, index: int) -> None:
        """Make one request of a trace, with all events that it causes.

        Raises:
            SimulationError: the policy is broken, or memory is exhausted.
        """
        self._check(self._library.cpol_sim_request(self._instance.pointer, file, index), f"request {file} {index}")

    def read_ahead(self, file: int, index: int) -> None:
        """Readahead brings a page, unless it is cached, with all events that it causes. Raises as `request`."""
        self._check(self._library.cpol_sim_read_ahead(self._instance.pointer, file, index), f"page {file} {index}")

    def room(self, pages: int) -> None:
        """The cache may hold so many pages from now on; what is too much is evicted, with all events that this causes.

        Raises:
            SimulationError: memory is exhausted.
        """
        self._check(self._library.cpol_sim_room(self._instance.pointer, pages), f"room {pages}")

    def wrote(self, file: int, index: int) -> None:
        """The request for this folio wrote.

        Raises:
            SimulationError: memory is exhausted.
        """
        self._check(self._library.cpol_sim_wrote(self._instance.pointer, file, index), f"wrote {file} {index}")

    @property
    def decided(self) -> Decided:
        """What the last event of prefetching decided."""
        if not self._policy.prefetches:
            return NOTHING
        return answer(self._library.cpol_sim_decided(self._instance.pointer).contents)

    @property
    def log(self) -> list[Row]:
        """All events and decisions so far, or since `take_log`."""
        length = ctypes.c_uint64()
        rows = self._library.cpol_sim_log(self._instance.pointer, ctypes.byref(length))
        return [Row(row.op, row.file, row.index, row.a, row.b) for row in rows[: length.value]]

    def take_log(self) -> list[Row]:
        """The rows of `log`, which begins anew: so a long run needs no memory for all."""
        rows = self.log
        self._library.cpol_sim_log_clear(self._instance.pointer)
        return rows

    def take_gone(self) -> list[tuple[int, int]]:
        """File and index of the folios that have gone since the log began, which begins anew. It makes no rows."""
        length = ctypes.c_uint64()
        rows = self._library.cpol_sim_log(self._instance.pointer, ctypes.byref(length))
        gone = []
        if length.value:
            words = (ctypes.c_uint64 * (length.value * _WORDS)).from_address(ctypes.addressof(rows.contents))[:]
            gone = [
                (words[at * _WORDS + 1], words[at * _WORDS + 2]) for at, op in enumerate(words[::_WORDS]) if op in _GONE
            ]
        self._library.cpol_sim_log_clear(self._instance.pointer)
        return gone

    @property
    def counts(self) -> Counts:
        """The counts so far; `requests` and `hits` count only calls of `request`."""
        return self._instance.counts()

    def dump(self) -> Dump:
        """The whole state."""
        policy = self._policy
        numbers = iter(self._numbers())
        size = next(numbers)
        lengths = [next(numbers) for _ in policy.list_arrays]
        state = {state.name: signed(next(numbers), state.type) for state in policy.states}
        left = [(next(numbers), next(numbers), next(numbers)) for _ in range(next(numbers))]
        lists: dict[str, list[CachedFolio]] = {name: [] for name in policy.plain_lists}
        for _ in range(next(numbers)):
            name = list_name(policy, lengths, next(numbers))
            lists[name] = [
                CachedFolio(
                    next(numbers),
                    next(numbers),
                    next(numbers),
                    {field.name: signed(next(numbers), field.type) for field in policy.cells},
                )
                for _ in range(next(numbers))
            ]
        ghosts: dict[str, list[tuple[int, int]]] = {ghost.name: [] for ghost in policy.ghosts}
        records: dict[str, list[dict[str, int]]] = {ghost.name: [] for ghost in policy.ghosts}
        for ghost in policy.ghosts:
            for _ in range(next(numbers)):
                ghosts[ghost.name].append((next(numbers), next(numbers)))
                records[ghost.name].append({field.name: signed(next(numbers), field.type) for field in ghost.fields})
        tables = {
            table.name: {next(numbers): signed(next(numbers), table.type) for _ in range(next(numbers))}
            for table in policy.tables
        }
        pins, keeps = self._pins(numbers, lists), self._keeps(numbers)
        reclaims = next(numbers) if uses.of(policy).reclaim else 0
        return Dump(size, state, left, lists, ghosts, records, tables, pins, keeps, reclaims)

    def _pins(self, numbers: Iterator[int], lists: dict[str, list[CachedFolio]]) -> Pins:
        if self._policy.pin is None:
            return Pins(0, 0, 0, 0, [])
        pages, refused, kept, overruled = (next(numbers) for _ in range(4))
        listed = [(folio.file, folio.index) for folios in lists.values() for folio in folios]
        return Pins(pages, refused, kept, overruled, [name for name in listed if next(numbers)])

    def _keeps(self, numbers: Iterator[int]) -> Keeps:
        return Keeps(*((next(numbers) for _ in range(4)) if self._policy.keep is not None else (0, 0, 0, 0)))

    def _numbers(self) -> array[int]:
        length = self._library.cpol_sim_dump(self._instance.pointer, None, 0)
        numbers = array("Q", bytes(8 * length))
        self._library.cpol_sim_dump(self._instance.pointer, numbers.buffer_info()[0], length)
        return numbers

    def _check(self, error: int, what: str) -> None:
        if error:
            raise SimulationError(f"{what}: {_ERRORS[error]}")


def list_name(policy: ir.Policy, lengths: Iterable[int], number: int) -> str:
    """The label of a list, by its number, from 1: those of an array are `generation.5`."""
    index = number - 1 - len(policy.plain_lists)
    if index < 0:
        return policy.plain_lists[index]
    for lists, length in zip(policy.list_arrays, lengths, strict=True):
        if index < length:
            return f"{lists.name}.{index}"
        index -= length
    raise AssertionError(number)
