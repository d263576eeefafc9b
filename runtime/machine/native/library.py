"""Loads a built simulator, and wraps one instance of it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from cpol.compiler import comm, ir
from cpol.compiler.backend import host
from cpol.compiler.ir.layout import bits_of
from cpol.runtime.machine.errors import SimulationError
from cpol.runtime.machine.settings.inputs import Setting, Value, check, parse
from cpol.runtime.machine.settings.params import bad_length, read_params
from cpol.sizes import MAX_CAPACITY


class Counts(NamedTuple):
    """The counts of a simulation so far."""

    requests: int
    hits: int
    evicted: int  # folios that the policy proposed and that were removed
    fallback: int  # folios that the machine chose, since the policy proposed nothing
    refused: int  # proposals that could not go
    refused_admission: int  # folios that the policy did not admit
    size: int  # pages in the cache
    missed_bytes: int = 0  # of requests that missed, if their sizes are known
    read_bytes: int = 0  # of what was not cached when it was requested, or brought by readahead; the same
    reclaimed: int = 0  # pages that went for `reclaim`
    unreclaimed: int = 0  # pages that `reclaim` wanted, and that the policy did not propose

    @property
    def misses(self) -> int:
        return self.requests - self.hits

    @property
    def miss_ratio(self) -> float:
        return self.misses / self.requests if self.requests else 0.0


class _Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in Counts._fields]


class _Refusal(ctypes.Structure):
    """Mirrors `struct cpol_refusal`: why there is no simulator."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("kind", "number", "rows", "columns")]


class Instance:
    """One simulator in the built library; freed with the object.

    Args:
        capacity: pages, 1 to MAX_CAPACITY.
        params: by name; raw, or text as users write it.
        batch: pages that an evict request wants, 1 to 32.
        events: whether to build for single events, else for traces of ids.
        named: whether folios of a trace have a file.
        steps: whether to count the steps of scans in a trace.
        checks: whether a trace ends where an invariant of the policy, which has one, does not hold.
        inputs: what inputs hold before `init`.
        code: the C text of the policy, if it is known.

    Raises:
        ToolError: the policy cannot be compiled.
        ParamError: a param or an input is wrong.
        SimulationError: the policy does not attach with these settings, or memory is exhausted.
    """

    def __init__(
        self,
        policy: ir.Policy,
        capacity: int,
        params: Mapping[str, int | str] | None,
        batch: int,
        *,
        events: bool,
        named: bool = False,
        steps: bool = False,
        checks: bool = False,
        seed: int = 1,
        inputs: Iterable[Setting] = (),
        code: str | None = None,
    ) -> None:
        if not 1 <= capacity <= MAX_CAPACITY:
            raise SimulationError(f"capacity is 1 to {MAX_CAPACITY} pages, not {capacity}")
        if not 1 <= batch <= ir.MAX_BATCH:
            raise SimulationError(f"batch is 1 to {ir.MAX_BATCH} pages, not {batch}")
        if not 0 <= seed < 2**64:
            raise SimulationError(f"seed is 0 to {2**64 - 1}, not {seed}")
        self.policy = policy
        self.params = read_params(policy, params or {})
        self.library = _load(policy, code, events=events, named=named, steps=steps, checks=checks)
        self.pointer = ctypes.c_void_p()
        raw = (ctypes.c_uint64 * max(1, len(policy.params)))(*(self.params[p.name] % 2**64 for p in policy.params))
        pointer, number = ctypes.c_void_p, ctypes.c_uint64
        self.library.cpol_sim_new.argtypes = [number, ctypes.c_uint32, pointer, number, pointer]
        self.library.cpol_sim_new.restype = pointer
        self.library.cpol_sim_begin.argtypes = [pointer]
        self.library.cpol_sim_fill.argtypes = [pointer, ctypes.c_uint32, pointer, ctypes.c_int64, ctypes.c_bool]
        self.library.cpol_sim_put.argtypes = [pointer, ctypes.c_uint32, ctypes.c_uint64, pointer, ctypes.c_uint64]
        self.library.cpol_sim_put.restype = number
        self.library.cpol_sim_counts.argtypes = [pointer, pointer]
        self.library.cpol_sim_free.argtypes = [pointer]
        why = _Refusal()
        self.pointer = pointer(self.library.cpol_sim_new(capacity, batch, raw, seed, ctypes.byref(why)))
        if not self.pointer:
            raise SimulationError(_words(policy, capacity, why))
        self.beyond: dict[str, int] = {}
        """Arrays that were given entries beyond their end, which are dropped: how many entries they would need."""
        for setting in inputs:
            self.fill(*parse(policy, setting))
        self.library.cpol_sim_begin(self.pointer)

    def fill(self, name: str, key: tuple[int, ...], value: Value) -> None:
        """Put `key` into an input with a raw value (1 in a set), or remove it if `value` is None. A key of a page input
        is file, first, last. Of an array, set the entries from `key` on.

        Raises:
            ParamError: the input cannot have this key or value.
            SimulationError: out of memory.
        """
        declaration = next(each for each in self.policy.inputs if each.name == name)
        check(declaration, key, value)
        if isinstance(value, tuple):
            values = (ctypes.c_uint64 * len(value))(*(one % 2**64 for one in value))
            array = self.policy.arrays.index(declaration)
            if self.library.cpol_sim_put(self.pointer, array, key[0], values, len(value)):
                self.beyond[name] = max(self.beyond.get(name, 0), key[0] + len(value))
            return
        number = self.policy.keyed.index(declaration)
        numbers = (ctypes.c_uint64 * 3)(*((comm.number((key[0], key[1])),) if len(key) == 2 else key))
        raw = 0 if value is None else value - 2**64 if value >= 2**63 else value
        if self.library.cpol_sim_fill(self.pointer, number, numbers, raw, value is not None):
            raise SimulationError(f"out of memory: the input {name} has too many keys")

    def counts(self) -> Counts:
        counts = _Counts()
        self.library.cpol_sim_counts(self.pointer, ctypes.byref(counts))
        return Counts(*(getattr(counts, name) for name in Counts._fields))

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            self.library.cpol_sim_free(self.pointer)


def signed(number: int, type_: ir.Type) -> int:
    """The value of a 64-bit pattern in two's complement, if its type is signed."""
    return number - 2**64 if bits_of(type_)[0] and number >= 2**63 else number


def _words(policy: ir.Policy, capacity: int, why: _Refusal) -> str:
    """The message for a refusal, by `enum cpol_refusal_kind`."""
    match why.kind:
        case 1:
            return bad_length(policy, policy.list_arrays[why.number], why.rows, why.columns)
        case 2:
            table = policy.tables[why.number]
            where = table.pos.within(policy.path)
            sizes = " * ".join(str(size) for size in (why.rows, why.columns)[: len(table.sizes)])
            return (
                f"{where}: table {table.name} has {sizes} elements, more than {ir.MAX_TABLE}; "
                "lower the params in its size, or the capacity"
            )
        case 3:
            array = policy.arrays[why.number]
            where = array.pos.within(policy.path)
            return (
                f"{where}: input {array.name} has {why.rows} entries, more than {ir.MAX_TABLE}; "
                "lower the params in its size, or the capacity"
            )
        case _:
            return f"out of memory for a cache of {capacity} pages with its ghosts and tables"


def _load(policy: ir.Policy, code: str | None, **kind: bool) -> ctypes.CDLL:
    path = host.build(policy, code, **kind)
    try:
        return ctypes.CDLL(str(path))
    except OSError:  # the file is damaged: build it again, once
        path.unlink(missing_ok=True)
        return ctypes.CDLL(str(host.build(policy, code, **kind)))
