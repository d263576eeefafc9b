"""A policy in native code, as the model of prefetching asks it."""

from __future__ import annotations

from functools import lru_cache

from cpol.compiler.comm import Comm, number
from cpol.runtime.events.prefetch import Decided
from cpol.runtime.events.prefetch import Fault as NativeFault
from cpol.runtime.events.prefetch import Request as NativeRequest
from cpol.runtime.native import Simulator
from cpol.runtime.prefetch.protocol import Decision, Fault, Readahead, Target
from cpol.runtime.settings.assumed import Assumed


class NativePolicy:
    """The policy of a simulator.

    Args:
        simulator: new, of a policy that prefetches.
        assumed: the tasks of a trace that tells none.
        told: of thread, process and comm, what the trace tells.
    """

    def __init__(self, simulator: Simulator, assumed: Assumed, told: frozenset[str]) -> None:
        self._simulator = simulator  # lives as long as its policy is asked
        self._asks = simulator.asks
        self._assumed = assumed
        self._told = told
        self._areas: dict[tuple[int, int], int] = {}

    def fault(self, fault: Fault) -> None:
        self._surround(fault)
        self._asks.fault(self._native(fault))

    def prefetch(self, fault: Fault) -> Decision:
        self._surround(fault)
        return decision_of(self._asks.prefetch(self._native(fault)))

    def readahead(self, request: Readahead) -> Decision:
        self._surround(request)
        r = request
        asked = NativeRequest(r.file, r.index, r.wanted, r.start, r.window, r.size, r.sequential, r.marker)
        return decision_of(self._asks.readahead(asked))

    def _surround(self, event: Fault | Readahead) -> None:
        """The time and the task."""
        assumed = self._assumed
        thread = event.thread if "thread" in self._told else assumed.thread
        process = event.process if "process" in self._told else assumed.process
        comm = event.comm if "comm" in self._told else assumed.comm
        self._asks.now(event.time_ms, thread, process, number_of(comm))

    def _native(self, f: Fault) -> NativeFault:
        area = self._areas.setdefault((f.process, f.first), len(self._areas))
        return NativeFault(f.page, f.slot, f.slots, f.first, f.last, area, f.device, f.cached, f.prefetched, f.window)


def decision_of(decided: Decided) -> Decision:
    return Decision(tuple(Target(each.space, each.number) for each in decided.targets), decided.defaulted)


@lru_cache(maxsize=4096)
def number_of(comm: Comm) -> int:
    return number(comm)
