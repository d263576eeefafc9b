"""A policy in native code, as the model of prefetching asks it."""

from __future__ import annotations

from functools import lru_cache

from cpol.compiler.comm import Comm, number
from cpol.runtime.machine.events.prefetch import Decided
from cpol.runtime.machine.events.prefetch import Fault as NativeFault
from cpol.runtime.machine.events.prefetch import Out as NativeOut
from cpol.runtime.machine.events.prefetch import Request as NativeRequest
from cpol.runtime.machine.settings.assumed import Assumed
from cpol.runtime.simulate.prefetch.protocol import Decision, Fault, Out, Outcome, Readahead, Target
from cpol.runtime.simulate.simulator import Simulator


class NativePolicy:
    """The policy of a simulator.

    Args:
        simulator: new, of a policy that prefetches.
        assumed: the tasks of a trace that tells none.
        told: of thread, process and comm, what the trace tells.
        has_swap: it has a handler of `on swap`.
    """

    def __init__(self, simulator: Simulator, assumed: Assumed, told: frozenset[str], has_swap: bool) -> None:
        self._simulator = simulator  # lives as long as its policy is asked
        self._asks = simulator.asks
        self._assumed = assumed
        self._told = told
        self._has_swap = has_swap
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

    @property
    def has_swap(self) -> bool:
        return self._has_swap

    def swap(self, out: Out) -> Outcome:
        self._surround(out)
        area = self._area(out)
        asked = NativeOut(out.page, 1, out.first, out.last, area, workingset=out.workingset)
        return outcome_of(self._asks.goes_out(asked))

    def _surround(self, event: Fault | Readahead | Out) -> None:
        """The time and the task; of a page that goes out, whose it is."""
        assumed = self._assumed
        thread = 0 if isinstance(event, Out) else event.thread if "thread" in self._told else assumed.thread
        process = event.process if "process" in self._told else assumed.process
        comm = event.comm if "comm" in self._told else assumed.comm
        self._asks.now(event.time_ms, thread, process, number_of(comm))

    def _native(self, f: Fault) -> NativeFault:
        area = self._area(f)
        return NativeFault(f.page, f.slot, f.slots, f.first, f.last, area, f.device, f.cached, f.prefetched, f.window)

    def _area(self, event: Fault | Out) -> int:
        return self._areas.setdefault((event.process, event.first), len(self._areas))


def decision_of(decided: Decided) -> Decision:
    return Decision(tuple(Target(each.space, each.number) for each in decided.targets), decided.defaulted)


def outcome_of(decided: Decided) -> Outcome:
    return "kept" if decided.kept else "refused" if decided.refused else "goes"


@lru_cache(maxsize=4096)
def number_of(comm: Comm) -> int:
    return number(comm)
