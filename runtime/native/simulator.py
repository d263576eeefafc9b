"""The simulator for traces of ids, built for speed."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Mapping

from cpol.compiler import ir
from cpol.runtime.native.library import Counts, Instance, SimulationError
from cpol.runtime.settings.assumed import NOTHING, Assumed
from cpol.runtime.settings.inputs import Setting

__all__ = ["Counts", "Simulator"]


class Simulator:
    """One policy that governs one cache of `capacity` pages.

    It makes the same decisions as `cpol.runtime.interp.run_trace`. `assumed` is what the trace does not say, `named`
    whether it has files; `Instance` documents the other arguments, and the errors.
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
    ) -> None:
        self._named = named or assumed.file != 0
        self._assumed = assumed
        self._instance = Instance(
            policy, capacity, params, batch, events=False, named=self._named, seed=seed, inputs=inputs
        )
        self._run = self._instance.library.cpol_sim_run
        self._run.argtypes = [ctypes.c_void_p, ctypes.c_void_p]

    def run(
        self,
        ids: array[int] | Iterable[int],
        times: array[int] | None = None,
        tasks: array[int] | None = None,
        processes: array[int] | None = None,
        names: tuple[array[int], array[int]] | None = None,
    ) -> Counts:
        """Request each id in turn, and return the counts of all runs so far. Continues where the last call ended.

        Args:
            ids: 0 to 2**64 - 1; an array('Q') is not copied.
            times: the time of each request, in milliseconds since the first, ascending; of type Q. None: they are a
                step apart, as assumed.
            tasks: the thread of each request; of type Q. None: as assumed.
            processes: the process of each request; of type Q. None: as assumed.
            names: the file and index of each id, the same in all runs; of type Q. None: as assumed.

        Raises:
            SimulationError: times, tasks or names do not fit the requests, or memory is exhausted.
        """
        requests = ids if isinstance(ids, array) and ids.typecode == "Q" else array("Q", ids)
        for numbers in (times, tasks, processes):
            if numbers is not None and (numbers.typecode != "Q" or len(numbers) != len(requests)):
                raise SimulationError(f"{len(requests)} requests, but {len(numbers)} times or tasks of type Q")
        files, indices = names or (None, None)
        if names is not None:
            self._check_names(requests, *names)
        assumed = self._assumed
        arrays = (_address(numbers) for numbers in (requests, times, tasks, processes, files, indices))
        trace = _Trace(*arrays, len(requests), assumed.file, assumed.thread, assumed.process, assumed.step)
        if self._run(self._instance.pointer, ctypes.byref(trace)) != 0:
            raise SimulationError(f"out of memory for a simulation of {len(requests)} requests")
        return self.counts

    def _check_names(self, requests: array[int], files: array[int], indices: array[int]) -> None:
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


class _Trace(ctypes.Structure):
    """Mirrors `struct cpol_trace`."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("ids", "times", "tasks", "processes", "files", "indices")),
        *((name, ctypes.c_uint64) for name in ("requests", "file", "thread", "process", "step")),
    ]


def _address(numbers: array[int] | None) -> int | None:
    return None if numbers is None else numbers.buffer_info()[0]
