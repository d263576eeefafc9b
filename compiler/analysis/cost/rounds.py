"""The loops whose rounds may have more paths than the verifier can follow.

Where two paths meet, the verifier drops the second if its state is like the first's. In a loop over an iterator it also
compares values that nothing reads any more. If a round changes variables that the next one reads, a path leaves other
values than its neighbour, and few are dropped. The instructions on all paths of a single round then tell whether the
verifier can get through it.
"""

from __future__ import annotations

from dataclasses import dataclass

from cpol.compiler.analysis.cost.bounds import Bounds
from cpol.compiler.analysis.cost.loops import Edges, components, trips
from cpol.compiler.analysis.cost.object import Function, Object
from cpol.compiler.analysis.cost.verifier import with_callees


@dataclass(frozen=True)
class Round:
    """A loop by its line, and the instructions on all paths of one of its rounds."""

    line: str
    instructions: int


def rounds(program: Function, obj: Object, bounds: Bounds) -> tuple[Round, ...]:
    """The loops of a program and its callees that carry variables."""
    found: list[Round] = []
    for function in with_callees(program, obj):
        edges = {at: insn.next for at, insn in function.insns.items()}
        found += _loops(function, set(edges), edges, {function.entry}, bounds)
    return tuple(found)


def _loops(function: Function, nodes: set[int], edges: Edges, entries: set[int], bounds: Bounds) -> list[Round]:
    found, reached = list[Round](), set(entries)
    for part in map(set, components(nodes, edges)):
        headers = reached & part
        reached.update(after for at in part for after in edges[at])
        if not headers or not _is_loop(part, edges):
            continue
        once = _once(part, edges, headers)
        inner = {at for nested in map(set, components(part, once)) if _is_loop(nested, once) for at in nested}
        kind, _, line = trips(function, part, min(headers), inner, bounds).label.partition("@")
        if bounds.carries(line, kind):
            found.append(Round(line, sum(_visits(part, once, dict.fromkeys(headers, 1)).values())))
        found += _loops(function, part, once, headers, bounds)
    return found


def _visits(nodes: set[int], edges: Edges, entries: dict[int, int]) -> dict[int, int]:
    """The number of paths to each node. Paths do not multiply in nested loops, after which the states are alike."""
    arriving, total = dict(entries), dict[int, int]()
    for part in components(nodes, edges):
        coming = sum(arriving.get(at, 0) for at in part)
        total |= dict.fromkeys(part, coming)
        for at in part:
            for after in edges[at]:
                if after in nodes and after not in part:
                    arriving[after] = arriving.get(after, 0) + coming
    return total


def _is_loop(part: set[int], edges: Edges) -> bool:
    return any(after in part for at in part for after in edges[at])


def _once(part: set[int], edges: Edges, headers: set[int]) -> Edges:
    """The edges from a loop's nodes without those that begin another round."""
    return {at: tuple(after for after in edges[at] if after not in headers) for at in part}
