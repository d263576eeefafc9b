"""What a policy costs, in sentences for `cpolc doc`: what can be said without the object and without a capacity."""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.analysis.cost.bounds import bounds_of
from cpol.compiler.analysis.cost.memory import memory_of
from cpol.compiler.analysis.upper_bound import Setting

ANY_CAPACITY = 1 << 40


def summary(policy: ir.Policy) -> tuple[str, ...]:
    """One sentence on memory, one on each handler that visits folios or loops; formulas in params and `capacity`."""
    setting = Setting.of(policy, ANY_CAPACITY)
    memory = memory_of(policy, setting, {}, 0)
    kept = [f"{memory.record} byte{'s' if memory.record != 1 else ''} of record beside each folio"]
    for item in memory.kept:
        each = f" of {item.each:.4g} bytes" if item.kind == "table" else ""
        what = {"ghost": "entries", "table": "elements", "lists": "lists"}[item.kind]
        kept.append(f"`{item.name}`: {what}{each}: {item.formula}")
    found = bounds_of(policy, setting)
    efforts = []
    for name, effort in found.efforts.items():
        for kind, most, verb, what in (
            ("scan", effort.steps, "visits", "folios"),
            ("for", effort.rounds, "loops", "times"),
        ):
            terms = dict.fromkeys(loop.formula for loop in found.loops[name] if loop.kind == kind)
            if most:
                each = (
                    f"each scan or loop at most {'; '.join(terms)}"
                    if len(found.loops[name]) > 1
                    else f"{terms.popitem()[0]}"
                )
                efforts.append(f"`{name}` {verb} at most {most:,} {what} a call: {each}.")
    return ("; ".join(kept) + ".", *efforts)
