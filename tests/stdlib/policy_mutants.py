"""Mutants of a policy: its text with one mistake that an author could make, by kind.

A mutant counts if the compiler accepts it and it behaves otherwise than the policy: on the scenarios of `behaviour`,
other folios leave the cache, or in another order. What no scenario tells apart is held to be equivalent.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from cpol.compiler import ir
from cpol.compiler.diagnostics import CompileError, Report
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.ir import MAX_BATCH
from cpol.compiler.stages import run
from cpol.compiler.syntax.parse import parse
from cpol.grammar.generated.CpolParser import CpolParser as P
from cpol.runtime.explore.check.long_runs import inputs, long_runs
from cpol.runtime.explore.check.scenario import Action, Delete, Pass, Pressure, Readahead, Request, Scenario, Switch
from cpol.runtime.explore.check.traits import traits
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.interp import DELETED, EVICTED, ParamError
from cpol.runtime.machine.native import EventSimulator, SimulationError

STDLIB = [
    path
    for path in sorted((Path(__file__).resolve().parents[2] / "stdlib").glob("*.cpol"))
    if "on evict" in path.read_text()
]
"""Policies that evict: of those `cpolc check` judges more than that executors agree."""

KINDS = {
    "end": "`head` for `tail`, or the reverse, in a scan, a move or a place",
    "list": "a folio is placed on, or moved to, another list",
    "count": "an increment, decrement or other step of a variable is lost",
    "compare": "`<` for `<=`, `>` for `>=`, or the reverse",
    "drop": "an arm, an `else` or another statement is lost",
}

COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ENDS = {"head": "tail", "tail": "head"}

SHORT, LONG, LONG_SEED = 200, 4, 1
"""Scenarios that tell a mutant from its policy. Of the short ones, an eighth has other params."""

SEEN = {Op.PROPOSE, Op.FALLBACK, Op.LEAVE, Op.REFUSE, Op.REMOVED, Op.ADDED, Op.FIRST_ACCESSED, Op.ACCESSED}
"""What shows from outside the policy."""


@dataclass(frozen=True)
class Mutant:
    """One change to the text of a policy: `text[start:stop]` becomes `new`."""

    policy: str
    kind: str
    line: int
    start: int
    stop: int
    old: str
    new: str

    def apply(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.stop :]

    def __str__(self) -> str:
        old = " ".join(self.old.split())
        shown = old if len(old) <= 70 else f"{old[:67]}..."
        return f"{self.policy}:{self.line} {self.kind}: `{shown}` -> {f'`{self.new}`' if self.new else 'nothing'}"


def mutants(path: Path) -> list[Mutant]:
    """All mutants of the policy, in the order of the text."""
    text = path.read_text(encoding="utf-8")
    tree, _ = parse(Report(Source(str(path), text)))
    policy = tree.policy()
    lists = [name.name().getText() for item in policy.item() if item.listDecl() for name in item.listDecl().listName()]
    bodies = [item for item in policy.item() if not (item.testDecl() or item.invariant())]
    found = [change for body in bodies for node in nodes(body) for change in changes(node, lists)]
    made = [
        Mutant(
            path.stem,
            kind,
            at.start.line,
            at.start.start,
            at.stop.stop + 1,
            text[at.start.start : at.stop.stop + 1],
            new,
        )
        for kind, at, new in found
    ]
    return sorted(made, key=lambda mutant: (mutant.start, mutant.stop, mutant.new))


def nodes(node: Any) -> Iterator[Any]:
    """The node of a parse tree and all below it, without leaves."""
    yield node
    for child in node.getChildren():
        if hasattr(child, "getChildren"):
            yield from nodes(child)


def changes(node: Any, lists: Sequence[str]) -> Iterator[tuple[str, Any, str]]:
    """The mistakes that one node of the tree allows: kind, the node to replace, its new text."""
    match node:
        case P.EndContext():
            yield "end", node, ENDS[node.getText()]
        case P.PlaceStmtContext() | P.MoveStmtContext() if not node.listRef().expr():
            yield from (("list", node.listRef(), other) for other in lists if other != node.listRef().getText())
        case P.CompareOpContext() if node.getText() in COMPARED:
            yield "compare", node, COMPARED[node.getText()]
        case P.StatementContext():
            yield ("count" if steps(node.pathStmt()) else "drop"), node, ""
        case P.ElsePartContext():
            yield "drop", node, ""
        case P.ScanItemContext() if not node.statement():
            yield "drop", node, ""


def steps(node: Any) -> bool:
    """Whether a statement is a step of a variable from its value: `+=`, `-=`, `*=`, or `x = … x …`."""
    if node is None or node.assignOp() is None:
        return False
    target = node.path().getText()
    reads = (part.getText() for part in nodes(node.expr()) if isinstance(part, P.PathContext))
    return node.assignOp().getText() != "=" or target in reads


@cache
def compiled(text: str, name: str) -> ir.Policy | None:
    """The policy of a text; None: the compiler refuses it."""
    try:
        return run(text, f"{name}.cpol").policy
    except CompileError:
        return None


def pick(count: int, seed: int, paths: Sequence[Path] = STDLIB) -> Iterator[Mutant]:
    """Yield `count` mutants that count: as many of each kind, of policies drawn evenly; the same for the same seed."""
    source = random.Random(seed)
    texts = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    left: dict[str, dict[str, list[Mutant]]] = {kind: {} for kind in KINDS}
    for path in paths:
        for mutant in mutants(path):
            left[mutant.kind].setdefault(path.stem, []).append(mutant)
    taken = 0
    while taken < count and any(left.values()):
        of_kind = left[list(KINDS)[taken % len(KINDS)]]
        while of_kind:
            name = source.choice(sorted(of_kind))
            mutant = of_kind[name].pop(source.randrange(len(of_kind[name])))
            if not of_kind[name]:
                del of_kind[name]
            if differs(mutant, texts[name]):
                yield mutant
                break
        taken += 1


def differs(mutant: Mutant, text: str) -> bool:
    """Whether the compiler accepts a mutant, and it behaves otherwise than the policy of `text`."""
    policy = compiled(mutant.apply(text), mutant.policy)
    if policy is None:
        return False
    known = original(text, mutant.policy)
    return any(behaviour(policy, scenario) != known(number) for number, scenario in enumerate(known.scenarios))


class Original:
    """A policy, the scenarios that tell its mutants from it, and how it behaves in them."""

    def __init__(self, policy: ir.Policy) -> None:
        self.policy = policy
        self.scenarios = [
            *(short(policy, number) for number in range(SHORT)),
            *islice(long_runs(policy, LONG_SEED), LONG),
        ]
        self.known: dict[int, object] = {}

    def __call__(self, number: int) -> object:
        if number not in self.known:
            self.known[number] = behaviour(self.policy, self.scenarios[number])
        return self.known[number]


@cache
def original(text: str, name: str) -> Original:
    policy = compiled(text, name)
    assert policy is not None
    return Original(policy)


def short(policy: ir.Policy, number: int) -> Scenario:
    """A scenario of 60 requests of a cache of 1 to 12 pages, mostly with a batch of 1 and the default params."""
    source = random.Random(f"{policy.name} {number}")
    uses = traits(policy)
    params = {param.name: param.default for param in policy.params}
    if number % 8 == 0:
        params |= {param.name: source.randint(param.low, min(param.high, param.low + 8)) for param in policy.params}
    actions: list[Action] = []
    keys = source.choice([6, 10, 16, 30])
    for _ in range(60):
        if uses.tasks and source.random() < 0.2:
            actions.append(Switch(task := source.randrange(4), task))
        chance = source.random()
        if chance < 0.03:
            actions.append(Delete(source.randrange(keys)))
        elif chance < 0.05:
            actions.append(Pressure(source.randint(1, 4), source.getrandbits(4)))
        else:
            actions.append(Request(min(source.randrange(keys), source.randrange(2 * keys))))
    capacity = source.randint(1, 12)
    given = tuple(inputs(source, policy, capacity))
    return Scenario(capacity, source.choice([1, 1, 1, 4]), params, actions, number + 1, given)


def behaviour(policy: ir.Policy, scenario: Scenario) -> object:
    """What shows of native code in a scenario: which folios it lets go or leaves, and when."""
    try:
        simulator = EventSimulator(
            policy, scenario.capacity, scenario.params, scenario.batch, scenario.seed, scenario.inputs
        )
    except (ParamError, SimulationError) as error:
        return type(error).__name__
    now = 0
    rows: list[Row] = []
    for action in scenario.actions:
        if isinstance(action, Pass):
            now += action.ms
        try:
            perform(action, simulator, scenario, now, rows)
        except SimulationError:
            continue  # a folio is deleted that is not there, or read ahead that is
    return [row for row in rows + simulator.take_log() if row.op in SEEN]


def perform(action: Action, simulator: EventSimulator, scenario: Scenario, now: int, rows: list[Row]) -> None:
    """Apply an action to native code, as `cpol.runtime.explore.check.scenario` does to the interpreter.

    `rows`: the log so far.

    Raises:
        SimulationError: the event cannot happen.
    """
    match action:
        case Request(key, file):
            simulator.request(file, key)
        case Delete(key, file):
            simulator.event(Row(Op.REMOVED, file, key, DELETED))
        case Pressure(wanted, refusals):
            evict(simulator, wanted, refusals, rows)
        case Pass():
            simulator.event(Row(Op.TICK, 0, 0, now))
        case Switch(thread, process):
            simulator.event(Row(Op.TASK, 0, 0, thread, process))
        case Readahead(key, pages, file):
            if simulator.counts.size + pages > scenario.capacity:
                evict(simulator, min(pages, MAX_BATCH), 0, rows)
            if simulator.counts.size + pages <= scenario.capacity:
                simulator.event(Row(Op.MISSED, file, key))
                simulator.event(Row(Op.ADDED, file, key, pages))


def evict(simulator: EventSimulator, wanted: int, refusals: int, rows: list[Row]) -> None:
    """Make an evict request. Proposal k is refused if bit k of `refusals` is set."""
    rows += simulator.take_log()
    simulator.event(Row(Op.EVICT, 0, 0, wanted))
    answer = simulator.take_log()
    rows += answer
    for number, row in enumerate(row for row in answer if row.op == Op.PROPOSE):
        if refusals >> number & 1:
            simulator.event(Row(Op.REFUSED, row.file, row.page))
        else:
            simulator.event(Row(Op.REMOVED, row.file, row.page, EVICTED))
