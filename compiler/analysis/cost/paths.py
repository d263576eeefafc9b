"""The longest path through a program, in instructions and in kernel calls.

A loop is one step of the path: its longest round, multiplied by its trip count. Each call adds the
cost of the callee.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cpol.compiler.analysis.cost.bounds import Bounds
from cpol.compiler.analysis.cost.loops import Edges, components, steps, trips
from cpol.compiler.analysis.cost.object import Function, Insn, Object
from cpol.compiler.analysis.cost.stack import stack


@dataclass(frozen=True)
class Cost:
    """A cost. `upper_bound` is the number.

    `terms` is the bound as a formula for all params: a coefficient for each product of loop labels.
    """

    upper_bound: int = 0
    terms: dict[tuple[str, ...], int] = field(default_factory=dict)

    def plus(self, other: Cost) -> Cost:
        keys = self.terms.keys() | other.terms.keys()
        return Cost(
            self.upper_bound + other.upper_bound, {k: self.terms.get(k, 0) + other.terms.get(k, 0) for k in keys}
        )

    def worst(self, other: Cost) -> Cost:
        keys = self.terms.keys() | other.terms.keys()
        return Cost(
            max(self.upper_bound, other.upper_bound),
            {k: max(self.terms.get(k, 0), other.terms.get(k, 0)) for k in keys},
        )

    def times(self, n: int, label: str) -> Cost:
        if not label:
            return Cost(self.upper_bound * n, {key: value * n for key, value in self.terms.items()})
        return Cost(self.upper_bound * n, {tuple(sorted((*key, label))): value for key, value in self.terms.items()})

    def with_rounds(self, n: int) -> int:
        """The value of the formula if each loop in it has `n` rounds."""
        return sum(value * n ** len(key) for key, value in self.terms.items())

    @property
    def formula(self) -> str:
        parts = []
        for key, value in sorted(self.terms.items(), key=lambda item: (len(item[0]), item[0])):
            if value:
                parts.append(" * ".join([f"{value:,}", *key]))
        return " + ".join(parts) or "0"


@dataclass(frozen=True)
class Worst:
    """The upper bounds of one program.

    `kfuncs` counts calls of kfuncs and helpers. `stack` is in bytes.
    """

    instructions: Cost
    kfuncs: Cost
    stack: int


def worst(program: Function, obj: Object, bounds: Bounds) -> Worst:
    """The upper bounds of `program` in `obj`, with the policy's `bounds` for its loops."""
    instructions = _Longest(obj, bounds, lambda _: 1).function(program)
    kfuncs = _Longest(obj, bounds, lambda insn: int(bool(insn.calls) and insn.calls not in obj.functions)).function(
        program
    )
    return Worst(instructions, kfuncs, stack(program, obj))


class _Longest:
    def __init__(self, obj: Object, bounds: Bounds, weight: object) -> None:
        self.obj = obj
        self.bounds = bounds
        self.weight = weight
        self.done: dict[str, Cost] = {}

    def function(self, function: Function) -> Cost:
        if function.name not in self.done:
            edges = {at: insn.next for at, insn in function.insns.items()}
            ends = self.part(function, set(edges), edges, function.entry)
            total = Cost()
            for at, cost in ends.items():
                if not edges[at]:
                    total = total.worst(cost)
            self.done[function.name] = total
        return self.done[function.name]

    def node(self, insn: Insn) -> Cost:
        own = self.weight(insn)  # type: ignore[operator]  # a function from Insn to int
        cost = Cost(own, {(): own})
        called = self.obj.functions.get(insn.calls)
        return cost.plus(self.function(called)) if called is not None else cost

    def part(self, function: Function, nodes: set[int], edges: Edges, entry: int) -> dict[int, Cost]:
        """The longest path from `entry` to each node, including both. `edges` must have none back to `entry`."""
        result: dict[int, Cost] = {}
        arriving: dict[int, Cost] = {entry: Cost()}
        for part in components(nodes, edges):
            header = next((at for at in part if at in arriving), None)
            if header is None:
                continue  # unreachable
            if len(part) == 1 and header not in edges[header]:
                result[header] = arriving[header].plus(self.node(function.insns[header]))
            else:
                for at, cost in self.loop(function, set(part), edges, header).items():
                    result[at] = arriving[header].plus(cost)
            for at in part:
                for after in edges[at]:
                    if after in nodes and after not in part and at in result:
                        arriving[after] = result[at].worst(arriving.get(after, Cost()))
        return result

    def loop(self, function: Function, nodes: set[int], edges: Edges, header: int) -> dict[int, Cost]:
        """As `part`, including all rounds before the last. A round begins at the header or at an iterator step."""
        inside = {at: tuple(after for after in edges[at] if after != header) for at in nodes}
        inner = {at for part in components(nodes, inside) if len(part) > 1 or part[0] in inside[part[0]] for at in part}
        found = trips(function, nodes, header, inner, self.bounds)
        begins = steps(function, nodes, found, self.bounds) or {header}
        inside = {at: tuple(after for after in edges[at] if after not in begins) for at in nodes}
        ways = {begin: self.part(function, nodes, inside, begin) for begin in begins | {header}}
        before = _round(ways[header], edges, begins) if header not in begins else Cost()
        around = Cost()
        for begin in begins:
            around = around.worst(_round(ways[begin], edges, begins))
        rounds = before.plus(around.times(found.upper_bound, found.label))
        result = dict(ways[header])
        for begin in begins:
            for at, cost in ways[begin].items():
                result[at] = rounds.plus(cost).worst(result.get(at, Cost()))
        return result


def _round(costs: dict[int, Cost], edges: Edges, begins: set[int]) -> Cost:
    """The longest path to the begin of the next round."""
    total = Cost()
    for at, cost in costs.items():
        if begins.intersection(edges[at]):
            total = total.worst(cost)
    return total
