"""An upper bound of the instructions that the kernel's verifier checks.

The verifier follows every path and skips states that it knows (pruning). The number of paths to
each instruction, without pruning, is an upper bound. Counted loops are unrolled, as the verifier
does. A loop over an iterator ends when its state repeats, which is not visible here; the bound is
then the verifier's own limit. Global functions are verified once, separately (Linux,
kernel/bpf/verifier.c, do_check_subprogs).
"""

from __future__ import annotations

from cpol.compiler.analysis.cost.bounds import Bounds
from cpol.compiler.analysis.cost.loops import Edges, components, trips
from cpol.compiler.analysis.cost.object import Function, Object

LIMIT = 1_000_000
"""BPF_COMPLEXITY_LIMIT_INSNS: the verifier rejects a program that exceeds it."""


def effort(program: Function, obj: Object, bounds: Bounds) -> int:
    """The bound for a program with all its callees, at most LIMIT."""
    return min(sum(_paths(function, bounds) for function in with_callees(program, obj)), LIMIT)


def with_callees(program: Function, obj: Object) -> list[Function]:
    """A program and the functions that it calls, each once."""
    todo, found = [program], {program.name: program}
    while todo:
        for insn in todo.pop().insns.values():
            called = obj.functions.get(insn.calls)
            if called is not None and called.name not in found:
                found[called.name] = called
                todo.append(called)
    return list(found.values())


def _paths(function: Function, bounds: Bounds) -> int:
    edges = {at: insn.next for at, insn in function.insns.items()}
    if any(insn.calls.startswith("bpf_iter_") for insn in function.insns.values()):
        return LIMIT
    visits = _visits(function, set(edges), edges, {function.entry: 1}, bounds)
    return LIMIT if visits is None else min(sum(visits.values()), LIMIT)


def _visits(
    function: Function, nodes: set[int], edges: Edges, entries: dict[int, int], bounds: Bounds
) -> dict[int, int] | None:
    """The number of paths to each node; None if it exceeds LIMIT or a loop is not counted."""
    total: dict[int, int] = {}
    arriving = dict(entries)
    for part in components(nodes, edges):
        inside = set(part)
        coming = {at: arriving[at] for at in part if arriving.get(at)}
        if not coming:
            continue
        if len(part) == 1 and part[0] not in edges[part[0]]:
            total[part[0]] = coming[part[0]]
        else:
            found = _rounds(function, inside, edges, coming, bounds)
            if found is None:
                return None
            total |= found
        for at in part:
            for after in edges[at]:
                if after in nodes and after not in inside:
                    arriving[after] = min(arriving.get(after, 0) + total.get(at, 0), LIMIT)
    return total


def _rounds(
    function: Function, nodes: set[int], edges: Edges, coming: dict[int, int], bounds: Bounds
) -> dict[int, int] | None:
    """As _visits, for one loop, round by round."""
    if len(coming) != 1:
        return None
    ((header, paths),) = coming.items()
    found = trips(function, nodes, header, set(), bounds)
    if found.label:
        return None
    inside = {at: tuple(after for after in edges[at] if after != header) for at in nodes}
    total: dict[int, int] = {}
    for _ in range(found.upper_bound + 1):
        once = _visits(function, nodes, inside, {header: paths}, bounds)
        if once is None:
            return None
        for at, number in once.items():
            total[at] = min(total.get(at, 0) + number, LIMIT)
        paths = min(sum(once.get(at, 0) for at in nodes if header in edges[at]), LIMIT)
        if paths == 0 or paths >= LIMIT:
            break
    return total
