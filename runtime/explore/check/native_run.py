"""A run of a million requests in native code, for what happens so late that the interpreter never comes there.

A run that breaks an invariant, or proposes nothing, is made smaller by running parts of it. The interpreter confirms
what is left.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, compress, islice
from random import Random

from cpol.compiler import ir
from cpol.compiler.ir import MAX_BATCH, uses
from cpol.runtime.explore.check.budget import CAPACITY
from cpol.runtime.explore.check.long_runs import inputs
from cpol.runtime.explore.check.scenario import MAX_FILE, MAX_TASK, Action, Pass, Request, Scenario, Switch
from cpol.runtime.explore.check.shrink import shrink
from cpol.runtime.explore.check.traits import Traits, nodes, traits
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Names, Requests

REQUESTS = 1_000_000
STRETCH = 50_000
"""The most requests of one pattern."""

SIZES = tuple(4**power for power in range(1, 10))
"""Of the parts of a run that are tried first."""

MAX_ACTIONS = 2_000_000
"""Actions that attempts to make a run smaller may take all together."""


@dataclass(frozen=True)
class Run:
    """Requests, as the simulator takes them. Each names a folio by `file * 2**32 + index`."""

    keys: array[int]
    tasks: array[int]
    times: array[int]

    def last(self, count: int) -> Run:
        """The last `count` requests."""
        part = slice(max(0, len(self.keys) - count), None)
        return Run(self.keys[part], self.tasks[part], self.times[part])

    def first(self, count: int) -> Run:
        return Run(self.keys[:count], self.tasks[:count], self.times[:count])

    def of_last_keys(self, count: int) -> Run:
        """The requests of so many keys: those that are requested last."""
        kept = set(islice(dict.fromkeys(reversed(self.keys)), count))
        chosen = bytes(key in kept for key in self.keys)
        return Run(*(array("Q", compress(each, chosen)) for each in (self.keys, self.tasks, self.times)))


class NativeRun:
    """The settings of the run of a policy, which are those of an attached policy but for periods: they are short."""

    def __init__(self, policy: ir.Policy, seed: int, tried: Callable[[str], None] = lambda what: None) -> None:
        self.policy = policy
        self.tried = tried
        self.uses: Traits = traits(policy)
        self.source = Random(seed)
        periods = {name for every in policy.everies for name in _params(every.period)}
        self.params = {param.name: param.low if param.name in periods else param.default for param in policy.params}
        self.batch = self.source.randint(1, MAX_BATCH)
        self.inputs = tuple(inputs(self.source, policy, CAPACITY))
        self.judges_progress = not (self.uses.falls_back or uses.of(policy).leave or uses.of(policy).pins)

    def failing(self, count: int = REQUESTS) -> Scenario | None:
        """A scenario that fails, as small as parts of the run can be made in native code; None: the run is good.

        Raises:
            ToolError: the policy cannot be compiled.
            ParamError, SimulationError: it cannot attach with these settings.
        """
        run = self._requests(count)
        end = self._end(run)
        if end is None:
            return None
        run = run.first(end)
        for part in (run.last, run.of_last_keys):
            run = next((small for size in SIZES if self._end(small := part(size)) is not None), run)
        scenario = Scenario(CAPACITY, self.batch, self.params, self._actions(run), 1, self.inputs)
        return shrink(scenario, self._fails, MAX_ACTIONS)

    def _fails(self, scenario: Scenario) -> bool:
        return self._end(_run(scenario.actions), scenario.capacity) is not None

    def _end(self, run: Run, capacity: int = CAPACITY) -> int | None:
        """How many requests it takes until something fails; None: nothing does."""
        self.tried(f"{len(run.keys):,} requests in native code")
        known = {key: id for id, key in enumerate(dict.fromkeys(run.keys))}
        ids = array("Q", map(known.__getitem__, run.keys)) if self.uses.files else run.keys
        names = None
        if self.uses.files:
            names = Names(array("Q", (key >> 32 for key in known)), array("Q", (key & 2**32 - 1 for key in known)))
        simulator = Simulator(
            self.policy, capacity, self.params, self.batch, 1, self.inputs, named=self.uses.files, checks=True
        )
        counts = simulator.run(Requests(ids, run.times, run.tasks, run.tasks, names))
        if simulator.broken is not None or (self.judges_progress and counts.fallback):
            return counts.requests
        return None

    def _requests(self, count: int) -> Run:
        """Stretches of several patterns, each of one file by one task. A millisecond passes with each request."""
        keys, tasks = array("Q"), array("Q")
        fresh = 4 * CAPACITY  # from here on, keys are requested once
        weights = list(accumulate(1 / (rank + 1) for rank in range(4 * CAPACITY)))
        while len(keys) < count:
            length = min(count - len(keys), self.source.randint(CAPACITY // 2, STRETCH))
            match self.source.choice(["skewed", "scan", "loop", "even"]):
                case "skewed":
                    stretch = array("Q", self.source.choices(range(4 * CAPACITY), cum_weights=weights, k=length))
                case "scan":
                    stretch = array("Q", range(fresh, fresh + length))
                    fresh += length
                case "loop":
                    turn = self.source.choice([CAPACITY // 2, CAPACITY, 3 * CAPACITY // 2])
                    first = self.source.randrange(CAPACITY)
                    stretch = array("Q", range(first, first + turn)) * (length // turn + 1)
                case _:
                    stretch = array("Q", self.source.choices(range(4 * CAPACITY), k=length))
            file = self.source.randint(0, MAX_FILE) if self.uses.files else 0
            keys.extend(array("Q", (key + (file << 32) for key in stretch[:length])) if file else stretch[:length])
            tasks.extend(array("Q", [self.source.randint(0, MAX_TASK)]) * length)
        return Run(keys, tasks, array("Q", range(count)))

    def _actions(self, run: Run) -> list[Action]:
        return list(self._each_action(run))

    def _each_action(self, run: Run) -> Iterator[Action]:
        now = task = 0
        for key, by, time in zip(run.keys, run.tasks, run.times, strict=True):
            if self.uses.tasks and by != task:
                yield Switch(by, by)
                task = by
            if self.uses.period_ms and time != now:
                yield Pass(time - now)
                now = time
            yield Request(key & 2**32 - 1, key >> 32)


def _run(actions: list[Action]) -> Run:
    """The run of requests, times and tasks: what `_actions` makes of one, or a part of that."""
    run = Run(array("Q"), array("Q"), array("Q"))
    now = task = 0
    for action in actions:
        match action:
            case Request(key, file):
                run.keys.append(key + (file << 32))
                run.tasks.append(task)
                run.times.append(now)
            case Switch(thread, _):
                task = thread
            case Pass(ms):
                now += ms
    return run


def _params(period: ir.Expr) -> set[str]:
    return {part.name for part in nodes(period) if isinstance(part, ir.Param)}
