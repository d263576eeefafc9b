"""Policies of the standard library as native code: the build compiled them to WebAssembly, and the page runs them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from cpol.compiler import ir
from cpol.runtime.machine.settings.params import read_params

OPTIMAL = "optimal"
"""The module that is no policy: misses of the optimum."""

SEED = 1
"""The interpreter's, where nobody names one."""

MOST = 1_000_000
"""Requests of a trace. Native code makes millions a second."""

Run = Callable[[str, int, bytes, bytes, bytes, int], Any]
"""Misses of a module: its name, the capacity, raw params (64 bits each), pages (64 bits), their numbers (32 bits), how
many numbers there are. -1: it cannot."""


class Native:
    """Runs modules on one trace."""

    def __init__(self, run: Run, pages: Sequence[int]) -> None:
        self._run = run
        known: dict[int, int] = {}
        self._numbers = array("I", (known.setdefault(page, len(known)) for page in pages)).tobytes()
        self._ids = array("Q", pages).tobytes()
        self._objects = len(known)
        self._requests, self._seconds = 0, 0.0

    @property
    def rate(self) -> float | None:
        """Requests a second of the policies so far; None: none has run."""
        return self._requests / self._seconds if self._seconds else None

    def misses(self, name: str, policy: ir.Policy, capacity: int, params: dict[str, str]) -> int | None:
        """Misses of an unchanged policy of the standard library. None: ask the interpreter, which says what is wrong.

        Raises:
            ParamError: a param is wrong.
        """
        values = read_params(policy, params)
        raw = array("Q", (values[each.name] % 2**64 for each in policy.params)).tobytes()
        began = perf_counter()
        found = self._misses(name, capacity, raw)
        self._seconds += perf_counter() - began
        self._requests += len(self._numbers) // 4
        return found

    def optimal(self, capacity: int) -> int | None:
        """Misses of the policy that evicts what is read again last; None: there is too little memory."""
        return self._misses(OPTIMAL, capacity, b"")

    def _misses(self, name: str, capacity: int, params: bytes) -> int | None:
        found = int(self._run(name, capacity, params, self._ids, self._numbers, self._objects))
        return None if found < 0 else found
