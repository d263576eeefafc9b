"""A built simulator as Python sees it: its functions, and one instance of it."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass

from cpol.compiler import ir
from cpol.compiler.backend import host
from cpol.runtime.interp.machine import read_params

MAX_CAPACITY = 1 << 48
"""Pages; more than any machine's memory, and small enough for every product with it to be meant."""


class SimulationError(Exception):
    """What was asked for cannot be simulated; the message says why."""


@dataclass(frozen=True)
class Counts:
    """What a simulation has come to so far."""

    requests: int
    hits: int
    evicted: int  # proposed by the policy and gone
    fallback: int  # chosen by the machine, since the policy proposed nothing
    refused: int
    size: int  # pages in the cache

    @property
    def misses(self) -> int:
        return self.requests - self.hits

    @property
    def miss_ratio(self) -> float:
        return self.misses / self.requests if self.requests else 0.0


class _Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in Counts.__dataclass_fields__]


class Instance:
    """One simulator in the built library; freed with the object."""

    def __init__(
        self, policy: ir.Policy, capacity: int, params: Mapping[str, int | str] | None, batch: int, *, events: bool
    ) -> None:
        if not 1 <= capacity <= MAX_CAPACITY:
            raise SimulationError(f"capacity is 1 to {MAX_CAPACITY} pages, not {capacity}")
        if not 1 <= batch <= ir.MAX_BATCH:
            raise SimulationError(f"batch is 1 to {ir.MAX_BATCH} pages, not {batch}")
        self.policy = policy
        self.params = read_params(policy, params or {})
        self.library = _load(policy, events)
        self.pointer = ctypes.c_void_p()
        raw = (ctypes.c_uint64 * max(1, len(policy.params)))(*(self.params[p.name] % 2**64 for p in policy.params))
        self.library.cpol_sim_new.argtypes = [ctypes.c_uint64, ctypes.c_uint32, ctypes.c_void_p]
        self.library.cpol_sim_new.restype = ctypes.c_void_p
        self.library.cpol_sim_counts.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self.library.cpol_sim_free.argtypes = [ctypes.c_void_p]
        self.pointer = ctypes.c_void_p(self.library.cpol_sim_new(capacity, batch, raw))
        if not self.pointer:
            raise SimulationError(f"there is no memory for a cache of {capacity} pages")

    def counts(self) -> Counts:
        counts = _Counts()
        self.library.cpol_sim_counts(self.pointer, ctypes.byref(counts))
        return Counts(*(getattr(counts, name) for name in Counts.__dataclass_fields__))

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            self.library.cpol_sim_free(self.pointer)


def _load(policy: ir.Policy, events: bool) -> ctypes.CDLL:
    path = host.build(policy, events=events)
    try:
        return ctypes.CDLL(str(path))
    except OSError:  # damaged: build it again, once
        path.unlink(missing_ok=True)
        return ctypes.CDLL(str(host.build(policy, events=events)))
