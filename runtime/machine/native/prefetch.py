"""Faults, requests, ranges and pages that go out for native code, and its answers: the structs of host_asks.h."""

from __future__ import annotations

import ctypes
from typing import Any

from cpol.compiler.ir import PREFETCH_TARGETS
from cpol.compiler.types import Space
from cpol.runtime.machine.events import Op
from cpol.runtime.machine.events.prefetch import Decided, Fault, Out, Range, Request, Target
from cpol.runtime.machine.native.library import Instance

SPACES: tuple[Space, ...] = ("slot", "page", "index")
"""By `enum cpol_space`."""


class _Fault(ctypes.Structure):
    """Mirrors `struct cpol_fault`."""

    _fields_ = [
        (name, ctypes.c_uint64)
        for name in ("page", "slot", "slots", "first", "last", "area", "device", "flags", "window", "pages")
    ]


class _Request(ctypes.Structure):
    """Mirrors `struct cpol_request`."""

    _fields_ = [
        (name, ctypes.c_uint64) for name in ("file", "index", "wanted", "start", "window", "size", "flags", "device")
    ]


class _Target(ctypes.Structure):
    _fields_ = [("space", ctypes.c_uint64), ("number", ctypes.c_uint64)]


class DecidedStruct(ctypes.Structure):
    """Mirrors `struct cpol_decided`."""

    _fields_ = [
        *((name, ctypes.c_uint64) for name in ("n_targets", "defaulted", "out_of_range", "duplicates", "over_limit")),
        *((name, ctypes.c_uint64) for name in ("dropped", "flushed", "waited", "left", "has_window", "window")),
        *((name, ctypes.c_uint64) for name in ("asked", "kept")),
        ("targets", _Target * PREFETCH_TARGETS),
    ]


class Asks:
    """Asks the policy of an instance about faults, requests, ranges and pages that go out, as the interpreter's
    machine is asked.

    It checks no numbers: the caller asks only what can happen (docs/semantics.md, Prefetching).
    """

    def __init__(self, instance: Instance) -> None:
        library = instance.library
        self._instance = instance  # lives as long as its pointer is used
        self._pointer = instance.pointer
        self._fault = library.cpol_sim_fault
        self._fault.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self._fault.restype = None
        self._prefetch = library.cpol_sim_prefetch
        self._readahead = library.cpol_sim_readahead
        self._happened = library.cpol_sim_happened
        self._happened.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p]
        self._happened.restype = ctypes.POINTER(DecidedStruct)
        self._swap = library.cpol_sim_swap
        for function in (self._prefetch, self._readahead, self._swap):
            function.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
            function.restype = ctypes.POINTER(DecidedStruct)
        self._now = library.cpol_sim_now
        self._now.argtypes = [ctypes.c_void_p, *[ctypes.c_uint64] * 4]
        self._now.restype = None

    def now(self, ms: int, thread: int = 0, process: int = 0, comm: int = 0) -> None:
        """Set the milliseconds since attach, and the task of what follows; `comm` is the number of its command."""
        self._now(self._pointer, ms, thread, process, comm)

    def fault(self, fault: Fault) -> None:
        """A swap fault. One that must read is followed by `prefetch`."""
        self._fault(self._pointer, ctypes.byref(_fault(fault)))

    def prefetch(self, fault: Fault) -> Decided:
        """What the policy prefetches at a fault that must read."""
        return answer(self._prefetch(self._pointer, ctypes.byref(_fault(fault))).contents)

    def readahead(self, request: Request) -> Decided:
        """What the policy prefetches at a request of file readahead."""
        r = request
        asked = _Request(r.file, r.index, r.wanted, r.start, r.window, r.size, r.flags, r.device)
        return answer(self._readahead(self._pointer, ctypes.byref(asked)).contents)

    def happened(self, range: Range) -> Decided:
        """What the policy does about a file that was opened, or about a range that was read or written."""
        r = range
        asked = _Request(r.file, r.index, r.pages, 0, 0, r.size, 0, r.device)
        return answer(self._happened(self._pointer, Op[r.event.upper()], ctypes.byref(asked)).contents)

    def goes_out(self, out: Out) -> Decided:
        """Whether the policy keeps pages that are about to go out to swap. They are of the task that `now` named."""
        o = out
        asked = _Fault(o.page, 0, 0, o.first, o.last, o.area, 0, o.flags, 0, o.pages)
        return answer(self._swap(self._pointer, ctypes.byref(asked)).contents)


def _fault(f: Fault) -> _Fault:
    return _Fault(f.page, f.slot, f.slots, f.first, f.last, f.area, f.device, f.flags, f.window)


def answer(decided: Any) -> Decided:
    """What a `struct cpol_decided` says."""
    targets = tuple(Target(SPACES[each.space], each.number) for each in decided.targets[: decided.n_targets])
    counts = (decided.out_of_range, decided.duplicates, decided.over_limit)
    whether = (bool(decided.dropped), bool(decided.flushed), bool(decided.waited), bool(decided.left))
    window = decided.window if decided.has_window else None
    held = (bool(decided.kept), bool(decided.asked and not decided.kept))
    return Decided(targets, bool(decided.defaulted), *counts, *whether, window, *held)
