"""Which worker does which unit. It knows nothing of a network: cluster.py tells it who joined, left and ended.

- Units of one trace go to one worker, which then reads the trace once. When no other trace is left, workers help.
- A worker has some units ahead, so that it need not wait for the next one. So few units travel at a time.
- When a worker dies, what it may have been doing is suspected: it runs again alone, on a worker that has nothing else.
  If that worker dies, too, the unit is to blame. What waited behind it is not.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import NamedTuple

from cpol.runtime.simulate.sweep.unit import Found, Unit

AHEAD = 2
"""Units that a worker has at a time, for each of its threads: one that runs, and the next."""

DEATHS = 2
"""Workers that a unit may kill. Another one would be as dead."""

GUILTY = (
    f"{DEATHS} workers died while they did this: it may need more memory than a worker has; "
    "give workers more, or cut the trace"
)
"""Why the runs of a unit that kills workers fail. It names none of them: rows are the same wherever they come from.

Somebody else may have killed them, so the next command does these runs again.
"""


class Left(NamedTuple):
    """What became of the units of a worker that is gone: those to blame, and all that it had."""

    guilty: list[int]
    had: list[int]


class _Worker:
    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.has: list[int] = []  # in the order in which it was given them
        self.trace: Found | None = None  # the last one
        self.suspect: int | None = None  # what it has, and nothing else


class Assignment:
    """Units by their numbers, and workers by their addresses."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._new: dict[Found, deque[int]] = {}  # of traces that no worker has begun
        self._begun: dict[Found, deque[int]] = {}
        self._suspects: deque[int] = deque()
        self._emptied: set[str] = set()  # workers that get nothing more until they have nothing, and then a suspect
        self._deaths: Counter[int] = Counter()
        self._workers: dict[str, _Worker] = {}
        self._waiting = self.left = len(units)
        """Units that no worker has, and those that have not ended."""
        for number, unit in enumerate(units):
            self._new.setdefault(unit.trace, deque()).append(number)

    @property
    def workers(self) -> list[str]:
        return [*self._workers]

    def joined(self, worker: str, threads: int) -> None:
        self._workers[worker] = _Worker(max(1, threads))

    def gone(self, worker: str) -> Left:
        """Take back what a worker had: each goes to another one, but for those to blame, which have ended."""
        lost = self._workers.pop(worker)
        self._emptied.discard(worker)
        running, waiting = lost.has[: lost.threads], lost.has[lost.threads :]
        self._deaths.update(running)
        guilty = [number for number in running if self._deaths[number] >= DEATHS]
        for number in [*reversed(waiting), *running]:
            if number not in guilty:
                self._take_back(number)
        self.left -= len(guilty)
        return Left(guilty, lost.has)

    def back(self, worker: str, number: int) -> None:
        """A worker that lives has not done a unit, or its rows are lost: it goes to any worker."""
        self._drop(worker, number)
        self._take_back(number)

    def killed(self, worker: str, number: int) -> bool:
        """A worker died of a unit, and is there again. Whether the unit is to blame; if not, it runs again alone."""
        self._deaths[number] += 1
        if self._deaths[number] >= DEATHS:
            return True
        self.back(worker, number)
        return False

    def ended(self, worker: str, number: int) -> None:
        self._drop(worker, number)
        self.left -= 1

    def give(self, worker: str) -> int | None:
        """The next unit of a worker, which has it from now on. None: it gets none now."""
        state = self._workers[worker]
        if state.suspect is not None:
            return None
        number = self._suspect(worker, state)
        if number is None and worker not in self._emptied and len(state.has) < self._room(state):
            number = self._choose(state)
        if number is not None:
            state.has.append(number)
            self._waiting -= 1
        return number

    def _room(self, state: _Worker) -> int:
        """How many units it may have. Towards the end none waits behind another while a worker has nothing."""
        return state.threads * (AHEAD if self._waiting > len(self._workers) else 1)

    def _suspect(self, worker: str, state: _Worker) -> int | None:
        """A suspect, if the worker has nothing else. As many workers are emptied as there are suspects."""
        if len(self._emptied) < len(self._suspects):
            self._emptied.add(worker)
        if worker not in self._emptied or state.has:
            return None
        self._emptied.discard(worker)
        if self._suspects:
            state.suspect = self._suspects.popleft()
        return state.suspect

    def _drop(self, worker: str, number: int) -> None:
        state = self._workers[worker]
        state.has.remove(number)
        if state.suspect == number:
            state.suspect = None

    def _take_back(self, number: int) -> None:
        """A unit waits for another worker; for one that has nothing else, if a worker died of it or beside it."""
        if self._deaths[number]:
            self._suspects.append(number)
        else:
            self._begun.setdefault(self._units[number].trace, deque()).appendleft(number)
        self._waiting += 1

    def _choose(self, state: _Worker) -> int | None:
        """A unit of the worker's trace, or of one that no worker has, or else of the one with most units left."""
        trace = state.trace if state.trace in self._begun else self._other()
        if trace is None:
            return None
        state.trace = trace
        if trace in self._new:
            self._begun.setdefault(trace, deque()).extend(self._new.pop(trace))
        units = self._begun[trace]
        number = units.popleft()
        if not units:
            del self._begun[trace]
        return number

    def _other(self) -> Found | None:
        taken = {state.trace for state in self._workers.values()}
        left = next((trace for trace in self._begun if trace not in taken), None)
        fresh = left or next(iter(self._new), None)
        return fresh or max(self._begun, key=lambda each: len(self._begun[each]), default=None)
