"""The simulator for traces of ids, built for speed."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from cpol.compiler import comm, ir
from cpol.compiler.ir import uses
from cpol.runtime.machine.errors import SimulationError
from cpol.runtime.machine.native.library import Counts, Instance, signed
from cpol.runtime.machine.settings.assumed import NOTHING, Assumed
from cpol.runtime.machine.settings.inputs import Setting
from cpol.runtime.simulate.traces import Numbered, Numbers, Requests, Trace, TraceError
from cpol.runtime.simulate.traces.memory import Column, address, typecode
from cpol.sizes import MAX_CAPACITY

__all__ = ["Counts", "Simulator", "State", "Steps"]


MAX_GROUPS = 256
"""Of objects; a byte names one."""


class State(NamedTuple):
    """The state between two requests, by name."""

    left: int  # pages left to the kernel
    lists: dict[str, int]  # pages; those of an array together
    ghosts: dict[str, int]  # entries
    states: dict[str, int]  # raw values


class Steps(NamedTuple):
    """Folios that scans visit for one evict request, with the removal of what it evicts; of all requests."""

    requests: int  # evict requests
    total: int
    p99: int  # at most 1/1024 too high
    max: int

    @property
    def mean(self) -> float:
        return self.total / self.requests if self.requests else 0.0


class _Steps(ctypes.Structure):
    """Mirrors `struct cpol_steps`."""

    _fields_ = [(name, ctypes.c_uint64) for name in Steps._fields]


class Simulator:
    """One policy that governs one cache of `capacity` pages.

    It makes the same decisions as `cpol.runtime.machine.interp.run_trace`. `assumed` is what the trace does not say,
    `named` whether it has files, `steps` whether to count those of scans, which takes time, `checks` whether `run` ends
    where an invariant does not hold, `code` the C text of the policy, if it is known. `Instance` documents the other
    arguments, and the errors.
    """

    def __init__(
        self,
        policy: ir.Policy,
        capacity: int,
        params: Mapping[str, int | str] | None = None,
        batch: int = 1,
        seed: int = 1,
        inputs: Iterable[Setting] = (),
        assumed: Assumed = NOTHING,
        named: bool = False,
        steps: bool = False,
        checks: bool = False,
        code: str | None = None,
    ) -> None:
        self._named = named or assumed.file != 0
        self._assumed = assumed
        self._checks = checks and bool(policy.invariants)
        self._instance = Instance(
            policy,
            capacity,
            params,
            batch,
            events=False,
            named=self._named,
            steps=steps,
            checks=self._checks,
            seed=seed,
            inputs=inputs,
            code=code,
        )
        self._counts_steps = steps
        self._numbers: Numbers | None = None  # its own; a simulator that is given all numbers has none
        self._is_numbered: bool | None = None  # None: before the first run
        library = self._instance.library
        if self._checks:
            library.cpol_sim_broken.argtypes = [ctypes.c_void_p]
            library.cpol_sim_broken.restype = ctypes.c_uint64
        self._run = library.cpol_sim_run
        self._run.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        if steps:
            library.cpol_sim_steps.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        if policy.prefetches:
            from cpol.runtime.machine.native.prefetch import Asks  # which other policies start without

            self.asks = Asks(self._instance)
            """Only of a policy that prefetches."""
        self._groups: bytes | None = None
        self._missed = (ctypes.c_uint64 * MAX_GROUPS)()
        library.cpol_sim_reserve.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
        library.cpol_sim_room.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
        library.cpol_sim_watch.argtypes = [ctypes.c_void_p, ctypes.c_void_p]

    def run(self, trace: Trace | Requests | Iterable[int]) -> Counts:
        """Request each object in turn, and return the counts of all runs so far. Continues where the last call ended.

        Args:
            trace: all, or what follows on the last run: a part of the same trace (`Trace.part`), or `Requests`; ids
                alone are requests of which nothing else is known. What it does not tell is as assumed. Sizes are added
                up for requests that miss.

        Raises:
            SimulationError: the columns do not fit one another, memory is exhausted, or the policy has no folios.
        """
        policy = self._instance.policy
        if not policy.evicts:
            raise SimulationError(f"the policy {policy.name} only prefetches: it has no cache to simulate")
        given = trace if isinstance(trace, Trace | Requests) else Requests(_column(trace))
        if given.ids is None and given.numbered is None:
            raise SimulationError("neither ids nor their numbers: there is nothing to request")
        if self._is_numbered not in (None, given.numbered is not None):
            raise SimulationError("a simulator is given the numbers of objects in all runs, or in none")
        self._is_numbered = given.numbered is not None
        numbered = given.numbered or self._own_numbers(given.ids or array("Q"))
        if given.names is not None:
            self._check_names(given.ids or array("Q"), *given.names)
        native = _Trace.of(given, numbered, self._assumed)
        if self._groups is not None:
            if len(self._groups) < numbered.objects:
                raise SimulationError(f"{numbered.objects} objects, but {len(self._groups)} have a group")
            native.groups = ctypes.cast(ctypes.c_char_p(self._groups), ctypes.c_void_p)
            native.missed = ctypes.cast(self._missed, ctypes.c_void_p)
        match self._run(self._instance.pointer, ctypes.byref(native)):
            case 0:
                return self.counts
            case -1:
                raise SimulationError(f"out of memory for a simulation of {native.requests} requests")
            case -2:
                raise SimulationError(f"the number of an object is not below {native.objects}")
            case _:
                raise SimulationError(f"the policy {policy.name} reads names, so it needs ids")

    def _own_numbers(self, requests: Column) -> Numbered:
        try:
            self._numbers = self._numbers or Numbers()
            return self._numbers.of(requests)
        except TraceError as error:
            raise SimulationError(str(error)) from None

    def _check_names(self, requests: Column, files: array[int], indices: array[int]) -> None:
        """Check what the C reads without a look at its bounds."""
        if not self._named:
            raise SimulationError("a trace with files needs a simulator that is `named`")
        if files.typecode != "Q" or indices.typecode != "Q" or len(files) != len(indices):
            raise SimulationError(f"{len(files)} files, but {len(indices)} indices of type Q")
        if max(requests, default=0) >= max(1, len(files)):
            raise SimulationError(f"an id names none of the {len(files)} folios")

    @property
    def counts(self) -> Counts:
        """The counts of all runs so far."""
        return self._instance.counts()

    @property
    def broken(self) -> ir.Invariant | None:
        """The invariant that does not hold. The counts' `requests` include the one that broke it.

        None: all held, or they are not checked.
        """
        number: int = self._instance.library.cpol_sim_broken(self._instance.pointer) if self._checks else 0
        return self._instance.policy.invariants[number - 1] if number else None

    @property
    def beyond(self) -> dict[str, int]:
        """Arrays whose settings have entries beyond their end: how many entries they would need."""
        return self._instance.beyond

    def reserve(self, requests: int) -> None:
        """Take the memory for so many requests at once, before `run` gets them in parts.

        Raises:
            SimulationError: memory is exhausted.
        """
        if self._instance.library.cpol_sim_reserve(self._instance.pointer, requests) != 0:
            raise SimulationError(f"out of memory for a simulation of {requests} requests")

    def group(self, groups: bytes) -> None:
        """Count the misses of each group of objects from now on; by the numbers of the objects, of which it has all."""
        self._groups = groups

    @property
    def missed(self) -> list[int]:
        """The misses of each group."""
        return [*self._missed]

    @property
    def steps(self) -> Steps | None:
        """The steps of scans so far; None: they are not counted."""
        if not self._counts_steps:
            return None
        steps = _Steps()
        self._instance.library.cpol_sim_steps(self._instance.pointer, ctypes.byref(steps))
        return Steps(*(getattr(steps, name) for name in Steps._fields))

    def room(self, pages: int) -> None:
        """The cache may hold so many pages from now on, at least 1: what is too much is evicted. Ghosts and tables keep
        their sizes, as in the kernel."""
        if not 1 <= pages <= MAX_CAPACITY:
            raise SimulationError(f"the room is 1 to {MAX_CAPACITY} pages, not {pages}")
        self._instance.library.cpol_sim_room(self._instance.pointer, pages)

    def readers(self, readers: Mapping[int, int]) -> None:
        """Files are open for reading so often from now on, for a policy that asks."""
        if not uses.of(self._instance.policy).readers:
            return
        tell = self._instance.library.cpol_sim_readers
        tell.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
        tell.restype = ctypes.c_bool
        for file, number in readers.items():
            if not tell(self._instance.pointer, file, number):
                raise SimulationError("out of memory")

    @property
    def state(self) -> State:
        """The state after the last request."""
        policy = self._instance.policy
        names = (policy.lists, [ghost.name for ghost in policy.ghosts], [state.name for state in policy.states])
        out = (ctypes.c_uint64 * (1 + sum(map(len, names))))()
        self._instance.library.cpol_sim_watch(self._instance.pointer, out)
        left, *numbers = out
        lists, ghosts, states = ({name: numbers.pop(0) for name in each} for each in names)
        for state in policy.states:
            states[state.name] = signed(states[state.name], state.type)
        return State(left, lists, ghosts, states)


class _Trace(ctypes.Structure):
    """Mirrors `struct cpol_trace`."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("ids", "numbers", "times", "tasks", "processes")),
        *((name, ctypes.c_void_p) for name in ("comms", "commands", "writes", "files", "indices", "ahead", "sizes")),
        *((name, ctypes.c_void_p) for name in ("groups", "missed")),
        *((name, ctypes.c_uint64) for name in ("requests", "objects", "file", "thread", "process", "comm", "write")),
        *((name, ctypes.c_uint64) for name in ("device", "cgroup", "step")),
    ]
    held: tuple[object, ...]

    @classmethod
    def of(cls, given: Trace | Requests, numbered: Numbered, assumed: Assumed) -> _Trace:
        """The columns, which this keeps alive.

        Raises:
            SimulationError: they do not fit one another.
        """
        ids, (numbers, objects) = given.ids, numbered
        length = len(numbers if ids is None else ids)
        places, *parts = given.comms or (None,)
        for each in (ids, given.times, given.tasks, given.processes, places, given.writes, given.sizes):
            if each is not None and (typecode(each) != "Q" or len(each) != length):
                raise SimulationError(f"{length} requests, but {len(each)} times, tasks or sizes of type Q")
        if given.ahead is not None and len(given.ahead) != length:
            raise SimulationError(f"{length} requests, but {len(given.ahead)} bytes tell of readahead")
        if typecode(numbers) != "I" or len(numbers) != length:
            raise SimulationError(f"{length} requests, but {len(numbers)} numbers of type I")
        commands = array("Q", map(comm.number, zip(*parts, strict=True))) if parts else None
        if commands is not None and places is not None and max(places, default=0) >= max(1, len(commands)):
            raise SimulationError(f"a request is by none of the {len(commands)} commands")
        files, indices = given.names or (None, None)
        columns = (ids, numbers, given.times, given.tasks, given.processes, places, commands, given.writes)
        facts = (assumed.file, assumed.thread, assumed.process, comm.number(assumed.comm), assumed.write)
        last = (assumed.device, assumed.cgroup, assumed.step)
        brings = ctypes.cast(ctypes.c_char_p(given.ahead), ctypes.c_void_p)
        addresses = (*map(_address, (*columns, files, indices)), brings, _address(given.sizes), None, None)
        native = cls(*addresses, length, objects, *facts, *last)
        native.held = (given, numbered, commands)
        return native


def _column(ids: Iterable[int]) -> array[int]:
    """Ids as a column; one that is a column already is not copied."""
    return ids if isinstance(ids, array) and ids.typecode == "Q" else array("Q", ids)


def _address(numbers: Column | None) -> int | None:
    return None if numbers is None else address(numbers)
