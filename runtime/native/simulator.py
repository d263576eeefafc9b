"""The simulator for traces of ids: as fast as can be."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Mapping

from cpol.compiler import ir
from cpol.runtime.native.library import Counts, Instance, SimulationError

__all__ = ["Counts", "Simulator"]


class Simulator:
    """One policy that governs one cache of `capacity` pages.

    `params` are raw integers (a fix scaled by 2**16), or text as a user writes it; `batch` is how many pages an evict
    request wants. The same decisions as `cpol.runtime.interp.Machine` with `request(0, id)` for each id.
    """

    def __init__(
        self, policy: ir.Policy, capacity: int, params: Mapping[str, int | str] | None = None, batch: int = 1
    ) -> None:
        self._instance = Instance(policy, capacity, params, batch, events=False)
        self._run = self._instance.library.cpol_sim_run
        self._run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64]

    def run(self, ids: array[int] | Iterable[int]) -> Counts:
        """Each id (0 to 2**64 - 1) is a request; goes on where the last call ended. An array('Q') is not copied."""
        requests = ids if isinstance(ids, array) and ids.typecode == "Q" else array("Q", ids)
        address, length = requests.buffer_info()
        if self._run(self._instance.pointer, address, length) != 0:
            raise SimulationError(f"there is no memory for a simulation of {length} requests")
        return self.counts

    @property
    def counts(self) -> Counts:
        """All runs so far."""
        return self._instance.counts()
