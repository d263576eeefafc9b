"""Searches for a scenario in which a policy breaks a property, and shrinks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import Unsatisfiable

from cpol.compiler import ir
from cpol.compiler.backend.c import generate
from cpol.compiler.toolchain.process import ToolError
from cpol.runtime.explore.check.attempt import Counterexample, counterexample, elements, run
from cpol.runtime.explore.check.budget import (
    BUDGET,
    CONFIRMED,
    LIMIT,
    MAX_ELEMENTS,
    MAX_LISTS,
    NATIVE_BUDGET,
    PER_EXAMPLE,
    RUN_TWICE,
    SHRINKING,
    SMALLER,
    Costs,
    LimitReached,
)
from cpol.runtime.explore.check.checked import CheckedMachine
from cpol.runtime.explore.check.idle import Loops
from cpol.runtime.explore.check.long_runs import long_runs
from cpol.runtime.explore.check.native_run import REQUESTS, NativeRun
from cpol.runtime.explore.check.policy_seeds import policy_seeds
from cpol.runtime.explore.check.scenario import MAX_CAPACITY, Scenario, scenarios
from cpol.runtime.explore.check.shrink import shrink
from cpol.runtime.explore.check.traits import positions
from cpol.runtime.machine.events import Op
from cpol.runtime.machine.interp import Machine, MachineError, ParamError
from cpol.runtime.machine.native import SimulationError

MAX_LONG_RUNS = 12
"""Long scenarios, if statements of the policy never ran before."""


@dataclass(frozen=True)
class Result:
    """The outcome of a search."""

    examples: int
    """Short random scenarios that were tried."""
    long_runs: int
    requests: int
    """Requests of the run in native code."""
    events: int
    """Events in all scenarios."""
    counterexample: Counterexample | None
    statements: list[ir.Pos]
    """All statements of the policy's handlers and periods, in the order of the text."""
    unreached: list[ir.Pos]
    """Those that never ran. This is only a hint, since a search proves nothing."""
    ran: int
    """Statements that the interpreter ran: what most of the time goes to."""
    stopped_early: bool
    """Whether the policy ran so many statements that a scenario or the search stopped, or native code ran less."""


class SmallEnough(BaseException):
    """Ends Hypothesis's shrinking, which goes on for minutes where each try takes long: it catches Exceptions only."""


class UnconfirmedError(Exception):
    """Native code breaks a property so late that the interpreter does not come there."""


def check(
    policy: ir.Policy,
    max_examples: int = 200,
    seed: int = 0,
    native: bool = True,
    tried: Callable[[str], None] = lambda what: None,
    requests: int = REQUESTS,
) -> Result:
    """Try the scenarios of the policy's tests, `max_examples` short ones, and long ones until every statement ran.

    In the end native code runs a trace of many requests, and checks invariants and progress.

    One that fails is shrunk. The same seed tries the same scenarios. How many statements may run is limited, too.

    Args:
        native: whether to compare native code with the interpreter.
        tried: called before each scenario, with words for what comes.
        requests: of the run in native code.

    Raises:
        ToolError: the policy cannot be compiled to native code.
        ParamError: the policy cannot attach to so small a cache, with its defaults or with any params that were tried.
    """
    search = Search(policy, native, tried)
    default = Machine(replace(policy, invariants=(), handlers={}), MAX_CAPACITY)  # raises ParamError
    search.most_elements = max(MAX_ELEMENTS, elements(default))
    search.most_lists = max(MAX_LISTS, len(default.lists))
    search.budget = max(BUDGET, PER_EXAMPLE * max_examples)
    seeds = policy_seeds(policy)
    for number, scenario in enumerate(seeds, 1):
        search.say(f"test {number} of {len(seeds)}")
        if search.fails(scenario):
            search.shrink(scenario)
            return search.result(0, 0, 0)
    examples = search.short(seeds, max_examples, seed)
    runs = 0
    if search.found is None:
        for scenario in islice(long_runs(policy, seed), MAX_LONG_RUNS):
            if runs and not search.unreached():
                break
            if search.is_spent():
                break
            runs += 1
            search.say(f"long run {runs} of up to {MAX_LONG_RUNS}")
            if search.fails(scenario):
                search.shrink(scenario)
                break
    if not native or search.found is not None or not policy.evicts:
        requests = 0
    requests = search.affordable(requests)
    if requests:
        search.in_native_code(requests, seed)
    return search.result(examples, runs, requests)


class Search:
    """What a search has seen of a policy."""

    def __init__(self, policy: ir.Policy, native: bool, tried: Callable[[str], None] = lambda what: None) -> None:
        self.policy = policy
        self.tried = tried
        """Called with words for what comes, also within what takes long."""
        self.what = ""
        """Those of the scenario that runs."""
        self.loops = Loops(policy)
        self.native = native
        self.code = generate(policy) if native else None
        self.found: Counterexample | None = None
        self.failing: Scenario | None = None
        """The scenario of `found`."""
        self.events = 0
        self.spent = 0
        """Statements that the interpreter ran."""
        self.costs = Costs()
        self.most_elements = MAX_ELEMENTS
        self.most_lists = MAX_LISTS
        self.budget = BUDGET
        """Statements after which no more scenarios follow."""
        self.stopped_early = False
        self.reached: set[ir.Pos] = set()
        self.statements = sorted(set(positions(policy)), key=lambda pos: (pos.file, pos.line, pos.column))

    def modest(self, machine: Machine) -> bool:
        """Whether a machine has no more elements and lists than short scenarios should have."""
        return elements(machine) <= self.most_elements and len(machine.lists) <= self.most_lists

    def say(self, what: str) -> None:
        self.what = what
        self.tried(what)

    def attempt(
        self, scenario: Scenario, fits: Callable[[Machine], bool] = lambda machine: True, limit: int = LIMIT
    ) -> None:
        """Run one scenario, or as much of it as the limit of statements allows.

        Args:
            fits: whether the machine with its settings is to run at all; else it is a ParamError.

        Raises:
            ParamError: the policy cannot attach with these settings.
            MachineError: the policy breaks a property; `found` has how.
        """
        register: list[CheckedMachine] = []
        try:
            run(
                self.policy,
                scenario,
                register,
                self.loops,
                self.native,
                self.code,
                self.runs_again,
                fits,
                limit,
                lambda done: self.tried(f"{self.what}: {done:,} of {len(scenario.actions):,} actions"),
            )
        except ParamError:
            raise
        except LimitReached:
            self.stopped_early = True
        except MachineError as error:
            self.found = counterexample(error, register[0])
            self.failing = scenario
            raise
        finally:
            self.reached |= register[0].reached
            self.spent += register[0].ran.count
            self.costs.add_all(register[0].costs)
        self.events += sum(not Op(row.op).is_decision for row in register[0].records)

    def runs_again(self, statements: int) -> bool:
        """Whether the interpreter runs a scenario of so many statements twice. Native code, which runs the log of each,
        is a second run."""
        return not self.native or self.found is not None or self.spent + statements < RUN_TWICE

    def fails(self, scenario: Scenario, limit: int = LIMIT) -> bool:
        """Whether a scenario breaks a property. One with which the policy cannot attach does not."""
        try:
            self.attempt(scenario, limit=limit)
        except ParamError:
            return False
        except MachineError:
            return True
        return False

    def shrink(self, scenario: Scenario) -> None:
        """Let `found` be a small counterexample for the property that the scenario breaks."""
        assert self.found is not None
        name, most, tries = self.found.property, self.spent + SHRINKING, 0

        def still(smaller: Scenario) -> bool:
            nonlocal tries
            tries += 1
            if self.spent > most or tries > SMALLER:
                return False
            self.say(f"shrinking, {len(smaller.actions):,} actions, try {tries} of up to {SMALLER}")
            return self.fails(smaller) and self.found is not None and self.found.property == name

        self.fails(shrink(scenario, still))

    def is_spent(self) -> bool:
        """Whether the search has run as many statements as it may."""
        spent = self.spent > self.budget
        self.stopped_early = self.stopped_early or spent
        return spent

    def affordable(self, requests: int) -> int:
        """As many of the requests as native code has time for, if each runs as many statements as the costlier ones."""
        most = NATIVE_BUDGET // self.costs.most()
        self.stopped_early = self.stopped_early or requests > most
        return min(requests, most)

    def short(self, seeds: list[Scenario], number: int, seed: int) -> int:
        """Try short random scenarios, and shrink one that fails. Returns how many were tried."""
        examples = most = tries = 0
        failing = False

        @hypothesis.seed(seed)
        @settings(
            max_examples=number,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        )
        @given(scenarios(self.policy, seeds))
        def holds(scenario: Scenario) -> None:
            nonlocal examples, most, tries, failing
            if self.found is None and self.is_spent():
                return
            tries += self.found is not None
            if failing and (self.spent > most or tries > SMALLER):
                raise SmallEnough
            self.say(
                f"shrinking {len(self.found.machine.records):,} rows, try {tries} of up to {SMALLER}"
                if self.found
                else f"scenario {examples} of {number}"
            )
            try:
                self.attempt(scenario, self.modest)
            except ParamError:
                hypothesis.reject()
            except MachineError:
                most = self.spent + SHRINKING if not failing else most
                failing = True
                raise
            examples += 1

        try:
            holds()
        except (MachineError, SmallEnough):
            # From the smallest scenario that Hypothesis knows, which it runs last. Parts of the policy's tests are
            # too much for it.
            assert self.failing is not None
            self.shrink(self.failing)
        except Unsatisfiable:
            name = self.policy.name
            raise ParamError(f"policy {name}: no values of its params were found with which it attaches") from None
        return examples

    def in_native_code(self, requests: int, seed: int) -> None:
        """Run a trace in native code. The interpreter confirms the smallest part of it that fails.

        Raises:
            ParamError: the policy cannot attach to the cache of the run.
            UnconfirmedError: the interpreter does not come so far.
            ToolError: the executors disagree, which is a defect of cpol.
        """
        try:
            scenario = NativeRun(self.policy, seed, self.tried).failing(requests)
        except SimulationError as error:
            raise ParamError(str(error)) from None
        if scenario is None:
            return
        stopped, self.stopped_early = self.stopped_early, False
        self.say("confirming what native code found")
        if not self.fails(scenario, CONFIRMED):
            if self.stopped_early:
                raise UnconfirmedError(
                    f"{self.policy.name} breaks an invariant or proposes nothing in native code, after "
                    f"{len(scenario.actions):,} actions of seed {seed}. The interpreter would run more than "
                    f"{CONFIRMED:,} statements until then, so that no events are shown; have it happen earlier: "
                    "with shorter loops, or smaller numbers"
                )
            raise ToolError(
                f"{self.policy.name} breaks an invariant or proposes nothing in native code, after "
                f"{len(scenario.actions):,} actions of seed {seed}, but not in the interpreter; "
                "this is a defect of cpol, please report it"
            )
        self.stopped_early = stopped

    def unreached(self) -> list[ir.Pos]:
        return [pos for pos in self.statements if pos not in self.reached]

    def result(self, examples: int, runs: int, requests: int) -> Result:
        return Result(
            examples,
            runs,
            requests,
            self.events,
            self.found,
            self.statements,
            self.unreached(),
            self.spent,
            self.stopped_early,
        )
