"""A policy's cost as sentences for `cpolc doc`, without the object and for any capacity."""

from __future__ import annotations

import re

from cpol.compiler import ir
from cpol.compiler.analysis.cost.bounds import Loop, bounds_of
from cpol.compiler.analysis.cost.memory import Kept, memory_of
from cpol.compiler.analysis.upper_bound import Setting, strip_parens
from cpol.compiler.diagnostics.words import listing

ANY_CAPACITY = 1 << 40


def summary(policy: ir.Policy) -> tuple[str, ...]:
    """Paragraphs on memory, then on each handler that scans or loops.

    Formulas use params and `capacity`.
    """
    setting = Setting.of(policy, ANY_CAPACITY)
    memory = memory_of(policy, setting, {}, 0)
    size = counted(memory.record, "byte") if memory.record else "nothing"
    kept = [f"The policy keeps {size} beside each folio.", *map(_kept, memory.kept)]
    found = bounds_of(policy, setting)
    efforts = []
    for name, effort in found.efforts.items():
        scans, loops = ([loop for loop in found.loops[name] if loop.kind == kind] for kind in ("scan", "for"))
        if effort.steps:
            efforts.append(f"A call of `{name}` visits at most {counted(effort.steps, 'folio')}{_each(scans, 'scan')}.")
        if effort.rounds:
            times = counted(effort.rounds, "time")
            efforts.append(f"A call of `{name}` goes round its loops at most {times}{_each(loops, 'loop')}.")
    return (*kept, *efforts)


def counted(number: int, unit: str) -> str:
    return f"{number:,} {unit}{'s' if number != 1 else ''}"


def _each(loops: list[Loop], what: str) -> str:
    """The bounds of the single loops, if there are several or the sum hides them."""
    formulas = list(dict.fromkeys(map(_formula, loops)))
    if len(loops) == 1:
        return f", that is `{formulas[0]}`" if re.search("[a-z]", formulas[0]) else ""
    if len(formulas) == 1:
        return f", each {what} at most `{formulas[0]}`"
    return f"; its {what}s have the bounds {listing(formulas)}"


def _formula(loop: Loop) -> str:
    """The value of a formula without variables."""
    return loop.formula if re.search("[A-Za-z_]", loop.formula.replace("min(", "")) else f"{loop.each:,}"


def _kept(kept: Kept) -> str:
    formula = strip_parens(kept.formula)
    match kept.kind:
        case "ghost":
            return f"The ghost `{kept.name}` has room for `{formula}` entries."
        case "record":
            return f"There are records of at most `{formula}` {'files' if kept.name == 'file' else 'threads'}."
        case "table":
            return f"The table `{kept.name}` has `{formula}` elements of {counted(round(kept.each), 'byte')}."
        case _:
            return f"The array `{kept.name}` has `{formula}` lists."
