"""Loops of compiled code and their trip counts.

A loop is a strongly connected component of the control flow graph; its header is its entry. The
trip count comes from the first source that applies:

- the policy's own bound, if the loop steps an iterator;
- constants, if a register counts;
- MAX_ROUNDS, which no loop of cpol exceeds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cpol.compiler import ir
from cpol.compiler.analysis.cost.bounds import Bounds
from cpol.compiler.analysis.cost.object import Function, Insn

COUNT_LIMIT = 1 << 20
MOV_CONSTANT, ADD_CONSTANT = (0xB7, 0xB4), (0x07, 0x04)

Edges = dict[int, tuple[int, ...]]


@dataclass(frozen=True)
class Trips:
    """A bound of how often the back edge is taken. `label` stands for it in formulas; constants have none."""

    upper_bound: int
    label: str = ""


def components(nodes: Iterable[int], edges: Edges) -> list[list[int]]:
    """Strongly connected components in topological order (Tarjan, SIAM J. Comput. 1(2), 1972)."""
    inside = set(nodes)
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for root in sorted(inside):
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, following = work[-1]
            for other in following:
                if other not in inside:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(edges[other])))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    cut = stack.index(node)
                    found.append(stack[cut:])
                    on_stack.difference_update(stack[cut:])
                    del stack[cut:]
    return found[::-1]


def trips(function: Function, loop: set[int], header: int, inner: set[int], bounds: Bounds) -> Trips:
    """The trip count of a loop of `function`. `inner` are the nodes of nested loops.

    Where clang has turned a loop, the first step of a nested one is among the loop's own instructions: it does not
    count.
    """
    own = [function.insns[at] for at in sorted(loop - inner)]
    nested = {(insn.calls, insn.line) for insn in (function.insns[at] for at in inner) if _is_step(insn)}
    steps = [insn for insn in own if _is_step(insn)]
    found = [_stepped(insn, bounds) for insn in steps if (insn.calls, insn.line) not in nested or not insn.line]
    found = found or [_stepped(insn, bounds) for insn in steps]
    if found:
        return max(found, key=lambda trips: trips.upper_bound)
    counted = _counted(function, loop, header, own)
    return Trips(counted) if counted is not None else _unknown(own[0])


def _is_step(insn: Insn) -> bool:
    return insn.calls.startswith("bpf_iter_") and insn.calls.endswith("_next")


def _stepped(insn: Insn, bounds: Bounds) -> Trips:
    """The trip count by the line of the iterator step.

    A numeric iterator may also sum the sizes of an array's lists, which has no line in the policy.
    """
    kind = "for" if insn.calls == "bpf_iter_num_next" else "scan"
    most = bounds.at_line(insn.line, kind)
    if kind == "for" and bounds.array > (most or 0):
        return Trips(bounds.array, "lists")
    return _unknown(insn) if most is None else Trips(most, f"{kind}@{insn.line}")


def _unknown(insn: Insn) -> Trips:
    return Trips(ir.MAX_ROUNDS, f"loop@{insn.line}" if insn.line else "loop")


def steps(function: Function, loop: set[int], found: Trips, bounds: Bounds) -> set[int]:
    """The slots where the loop's iterator steps, possibly several; empty if they are unknown."""
    kind, _, line = found.label.partition("@")
    if kind not in ("scan", "for") or not line or bounds.count_at(line, kind) != 1:
        return set()
    return {at for at in loop if function.insns[at].line == line and _is_step(function.insns[at])}


def _counted(function: Function, loop: set[int], header: int, own: list[Insn]) -> int | None:
    """The trip count of `for (i = CONSTANT; …; i += CONSTANT)`, or None for other loops."""
    for test in own:
        if not test.is_conditional or test.op & 8 or all(after in loop and after != header for after in test.next):
            continue
        changes = [insn for at, insn in function.insns.items() if at in loop and _writes(insn, test.dst)]
        if len(changes) != 1 or changes[0].op not in ADD_CONSTANT or changes[0].imm == 0:
            continue
        begin = _initial(function, loop, header, test.dst)
        if begin is None:
            continue
        stays = [after in loop for after in test.next]  # for the branch not taken, and taken
        value = begin
        for count in range(1, COUNT_LIMIT):
            value = (value + changes[0].imm) & 0xFFFFFFFFFFFFFFFF
            taken = _holds(test, value)
            if taken is None:
                break
            if not stays[taken] or (test.next[taken] != header and stays.count(True) == 2 and count > COUNT_LIMIT):
                return count
    return None


def _initial(function: Function, loop: set[int], header: int, register: int) -> int | None:
    """The constant in the register at loop entry, or None."""
    before: dict[int, list[int]] = {}
    for at, insn in function.insns.items():
        for after in insn.next:
            before.setdefault(after, []).append(at)
    values: set[int] = set()
    todo = [at for at in before.get(header, []) if at not in loop]
    seen = set(todo)
    while todo:
        insn = function.insns[todo.pop()]
        if _writes(insn, register):
            if insn.op not in MOV_CONSTANT:
                return None
            values.add(insn.imm & 0xFFFFFFFFFFFFFFFF if insn.op == MOV_CONSTANT[0] else insn.imm & 0xFFFFFFFF)
            continue
        if insn.at == function.entry:
            return None
        for at in before.get(insn.at, []):
            if at not in seen:
                seen.add(at)
                todo.append(at)
    return values.pop() if len(values) == 1 else None


def _writes(insn: Insn, register: int) -> bool:
    kind = insn.op & 7
    if insn.calls:
        return register <= 5
    return insn.dst == register and kind in (0, 1, 4, 7)  # LD, LDX, ALU, ALU64


def _holds(test: Insn, value: int) -> bool | None:
    """Whether a jump that compares with a constant is taken; None for other comparisons."""
    bits = 32 if test.op & 7 == 0x06 else 64
    mask = (1 << bits) - 1
    left, right = value & mask, test.imm & mask
    signed = [x - (1 << bits) if x >> (bits - 1) else x for x in (left, right)]
    answers = {
        0x10: left == right, 0x50: left != right, 0x20: left > right, 0x30: left >= right, 0xA0: left < right,
        0xB0: left <= right, 0x60: signed[0] > signed[1], 0x70: signed[0] >= signed[1], 0xC0: signed[0] < signed[1],
        0xD0: signed[0] <= signed[1],
    }  # fmt: skip
    return answers.get(test.op & 0xF0)
