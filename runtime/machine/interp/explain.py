"""Expressions as text, and the values of their parts, for messages about invariants and tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from cpol.compiler import arithmetic, ir
from cpol.compiler.comm import UNKNOWN, Comm
from cpol.compiler.comm import show as show_comm
from cpol.compiler.ir.walk import parts
from cpol.compiler.literals import show_value
from cpol.runtime.machine.errors import PolicyError
from cpol.runtime.machine.interp import eval
from cpol.runtime.machine.interp.scope import Scope
from cpol.runtime.machine.interp.state import Call

if TYPE_CHECKING:
    from cpol.runtime.machine.interp.effects import Effects

SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
SELECT = 0
BINDING = {"or": 1, "and": 2, "not": 3, "add": 5, "sub": 5, "mul": 6, "div": 6, "mod": 6}
BITS = 3
COMPARISON = 4
UNARY = 7
Operation: TypeAlias = ir.Convert | ir.Select | ir.Not | ir.Arith | ir.Bits | ir.Compare | ir.Logic
"""Expressions that may need parentheses as operands. No other expression does."""


def explain(expr: ir.Expr, machine: Effects) -> list[tuple[str, str]]:
    """Text and value of each part of `expr` that is not a constant: each once, inner parts first."""
    found: dict[str, str] = {}
    random = machine.random
    for part in subexpressions(expr):
        if isinstance(part, ir.PrefetchedIs):
            found["prefetched"] = show_targets(machine.decided.targets) or "nothing"
            continue
        if isinstance(part, ir.AheadIs):
            found["readahead"] = "not set" if machine.decided.window is None else str(machine.decided.window)
            continue
        if isinstance(part, ir.Const | ir.Convert) or part is expr:
            continue
        try:
            found[text(part)] = show_value(eval.value(part, Scope(machine, Call())), part.type)
        except PolicyError:  # a division by zero that `and` or `or` guards
            found[text(part)] = "undefined"
    machine.random = random  # explaining draws no random numbers
    return list(found.items())


def subexpressions(expr: ir.Expr) -> Iterator[ir.Expr]:
    """All parts of `expr`, inner parts first."""
    if isinstance(expr, ir.ContainsAll) and len(expr.folios) > 1:
        for name in expr.folios:
            yield replace(expr, folios=(name,))
    for operand in parts(expr):
        yield from subexpressions(operand)
    yield expr


def text(expr: ir.Expr, least: int = 0) -> str:
    """The source text of `expr`, in parentheses if it binds less tightly than `least`."""
    match expr:
        case ir.Const():
            return show_value(expr.value, expr.type)
        case ir.Param() | ir.State() | ir.Local():
            return expr.name
        case ir.Field():
            return f"{expr.folio}.{expr.name}{element(expr)}"
        case ir.FolioAttr():
            return f"{expr.folio}.{expr.attr}"
        case ir.ListSize():
            return f"{list_ref(expr.list)}.size"
        case ir.CacheAttr():
            return f"cache.{expr.attr}"
        case ir.TaskAttr():
            return f"task.{expr.attr}"
        case ir.EvictWanted():
            return "evict.wanted"
        case ir.EveryPeriods():
            return "every.periods"
        case ir.GhostTake():
            return f"{expr.ghost}.take({expr.folio})"
        case ir.GhostHas():
            return f"{expr.ghost}.has({expr.folio})"
        case ir.GhostSize():
            return f"{expr.ghost}.size"
        case ir.GhostFull():
            return f"{expr.ghost}.full"
        case ir.GhostOldest():
            return f"{expr.ghost}.oldest.{expr.name}"
        case ir.GhostField():
            return f"{expr.ghost}.{expr.name}({expr.folio})"
        case ir.RecordField():
            if expr.key is not None:
                return f"{expr.record}.{expr.name}({expr.key})"
            owner = {"task": "task", "area": "p.area", "file": f"{expr.folio or 'r'}.file"}[expr.record]
            return f"{owner}.{expr.name}"
        case ir.TableGet():
            return f"{expr.table}[{', '.join(text(index) for index in expr.indices)}]"
        case ir.TableSize():
            return f"{expr.table}.size"
        case ir.ArrayGet():
            return f"{expr.input}[{text(expr.index)}]"
        case ir.ArraySize():
            return f"{expr.input}.size"
        case ir.InputHas():
            return f"{expr.input}.has({expr.folio or 'r' if expr.key is None else text(expr.key)})"
        case ir.InputGet():
            return f"{expr.input}.of({expr.folio or 'r' if expr.key is None else text(expr.key)})"
        case ir.FnCall():
            return (
                f"{expr.fn}({', '.join(arg.folio if isinstance(arg, ir.FolioArg) else text(arg) for arg in expr.args)})"
            )
        case ir.Random():
            return f"random({text(expr.bound)})"
        case ir.Hash():
            return f"hash({expr.folio or 'r'}, {text(expr.salt)})"
        case ir.Math():
            return f"{expr.op}({', '.join(map(text, expr.operands))})"
        case ir.ContainsAll():
            where = list_ref(expr.where) if isinstance(expr.where, ir.ListRef) else expr.where
            return f"{where}.has({', '.join(show_name(*name) for name in expr.folios)})"
        case ir.ListIs():
            return f"{list_ref(expr.list)}.is({', '.join(show_name(*name) for name in expr.folios)})"
        case ir.CachedField():
            return f"cache.{expr.name}({show_name(*expr.folio)}){element(expr)}"
        case ir.AllPinned():
            return f"cache.pinned({', '.join(show_name(*name) for name in expr.folios)})"
        case ir.FaultAttr():
            return f"p.{expr.attr}"
        case ir.RequestAttr():
            return f"r.{expr.attr}"
        case ir.PrefetchedIs():
            return f"prefetched({show_targets(expr.targets)})"
        case ir.Defaulted():
            return "defaulted"
        case ir.RangeDid():
            return expr.what
        case ir.AheadIs():
            return f"readahead({expr.pages})"
        case _:
            return operation(expr, least)


def operation(expr: Operation, least: int) -> str:
    """The source text of an operation, in parentheses if it binds less tightly than `least`."""
    match expr:
        case ir.Convert() if isinstance(expr.operand.type, ir.FixType):
            return f"{expr.rounding}({text(expr.operand)})"
        case ir.Convert():
            return text(expr.operand, least)
        case ir.Select():
            cond, then = (text(part, SELECT + 1) for part in (expr.cond, expr.then))
            result, binding = f"if {cond} then {then} else {text(expr.orelse)}", SELECT
        case ir.Not():
            result, binding = f"not {text(expr.operand, BINDING['not'])}", BINDING["not"]
        case ir.Arith(op="min" | "max"):
            return f"{expr.op}({text(expr.left)}, {text(expr.right)})"
        case ir.Bits("xor", left, ir.Const(arithmetic.ALL_BITS)):
            return f"~{text(left, UNARY)}"
        case ir.Bits():  # operands with operators have parentheses
            sign = next(sign for sign, name in arithmetic.BITS.items() if name == expr.op)
            result, binding = f"{text(expr.left, UNARY)} {sign} {text(expr.right, UNARY)}", BITS
        case ir.Arith() | ir.Compare() | ir.Logic():
            binding = BINDING.get(expr.op, COMPARISON)
            result = f"{text(expr.left, binding)} {SIGNS.get(expr.op, expr.op)} {text(expr.right, binding + 1)}"
    return f"({result})" if binding < least else result


def element(field: ir.Field | ir.CachedField) -> str:
    return "" if field.index is None else f"[{text(field.index)}]"


def list_ref(ref: ir.ListRef) -> str:
    return ref.name if ref.index is None else f"{ref.name}[{text(ref.index)}]"


def show_targets(targets: Sequence[tuple[str, int]]) -> str:
    """Targets as a test writes them: `slot 7..9`, `page 7`, or indices in the file."""
    runs: list[tuple[str, int, int]] = []
    for space, number in targets:
        if runs and (space, number) == (runs[-1][0], runs[-1][2] + 1):
            runs[-1] = (space, runs[-1][1], number)
        else:
            runs.append((space, number, number))
    return ", ".join(
        ("" if space == "index" else f"{space} ") + (str(first) if first == last else f"{first}..{last}")
        for space, first, last in runs
    )


def show_task(task: tuple[int, int, Comm]) -> str:
    """A task, as `thread 7 of process 7, rsync`."""
    thread, process, command = task
    name = "" if command == UNKNOWN else f", {show_comm(command)}"
    return f"thread {thread} of process {process}{name}"


def show_name(file: int, index: int) -> str:
    """A folio's name as text: `index`, or `file:index` if the file is not 0."""
    return f"{file}:{index}" if file else str(index)
