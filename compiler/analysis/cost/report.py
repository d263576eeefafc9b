"""All that a policy can cost at most, and how it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cpol.compiler import ir
from cpol.compiler.analysis.cost.bounds import Bounds, bounds_of
from cpol.compiler.analysis.cost.memory import Memory, memory_of
from cpol.compiler.analysis.cost.object import Function, Object
from cpol.compiler.analysis.cost.paths import Worst, worst
from cpol.compiler.analysis.cost.verifier import LIMIT, effort
from cpol.compiler.analysis.profile import Profile
from cpol.compiler.analysis.upper_bound import Setting


@dataclass(frozen=True)
class Program:
    """One program of the object. `size`: instructions in it and in all that it calls; `verifier`: it looks at."""

    member: str
    size: int
    worst: Worst
    verifier: int


@dataclass(frozen=True)
class Report:
    policy: ir.Policy
    profile: Profile
    setting: Setting
    bounds: Bounds
    programs: tuple[Program, ...]
    memory: Memory

    def as_json(self) -> dict[str, Any]:
        loops = {
            name: [
                {"kind": loop.kind, "line": loop.pos.line, "most": loop.each, "formula": loop.formula} for loop in found
            ]
            for name, found in self.bounds.loops.items()
        }
        kept = [
            {"kind": k.kind, "name": k.name, "entries": k.entries, "formula": k.formula, "bytes": k.bytes}
            for k in self.memory.kept
        ]
        programs = {
            program.member: {
                "size": program.size,
                "instructions": program.worst.instructions.most,
                "instructions_formula": program.worst.instructions.formula,
                "kernel_calls": program.worst.kfuncs.most,
                "kernel_calls_formula": program.worst.kfuncs.formula,
                "stack": program.worst.stack,
                "verifier": program.verifier,
            }
            for program in self.programs
        }
        return {
            "policy": self.policy.name,
            "path": self.policy.path,
            "profile": self.profile.name,
            "capacity": self.setting.capacity,
            "params": self.setting.params,
            "handlers": {
                name: {"scan_steps": found.steps, "loop_rounds": found.rounds, "loops": loops[name]}
                for name, found in self.bounds.efforts.items()
            },
            "programs": programs,
            "memory": {
                "record": self.memory.record,
                "node": self.profile.memory.get("node"),
                "fixed": self.memory.fixed,
                "kept": kept,
            },
        }


def report_of(policy: ir.Policy, obj: Object, profile: Profile, setting: Setting) -> Report:
    bounds = bounds_of(policy, setting, profile.limits.get("scan", ir.MAX_ROUNDS))
    programs = tuple(
        Program(function.member, size(function, obj), worst(function, obj, bounds), effort(function, obj, bounds))
        for function in obj.functions.values()
        if function.member
    )
    memory = memory_of(policy, setting, obj.slots, profile.memory.get("list", 0))
    return Report(policy, profile, setting, bounds, programs, memory)


def size(program: Function, obj: Object) -> int:
    """Instructions of a program and of all that it calls, each function once."""
    todo, seen, total = [program], {program.name}, 0
    while todo:
        function = todo.pop()
        total += len(function.insns)
        for insn in function.insns.values():
            called = obj.functions.get(insn.calls)
            if called is not None and called.name not in seen:
                seen.add(called.name)
                todo.append(called)
    return total


def as_text(report: Report) -> str:
    """For people: at most, of each call of each handler and program."""
    head = f"{report.policy.name} on {report.profile.name}, {report.setting.capacity:,} pages: at most, for each call"
    lines = [head, "", f"{'handler':<24} {'scan steps':>12} {'loop rounds':>12}"]
    lines += [f"{name:<24} {found.steps:>12,} {found.rounds:>12,}" for name, found in report.bounds.efforts.items()]
    where = [
        f"  line {loop.pos.line}: {loop.kind}: {loop.each:,} = {loop.formula}"
        for loops in report.bounds.loops.values()
        for loop in loops
    ]
    lines += where
    lines += [
        "",
        f"{'program':<18} {'size':>6} {'instructions':>14} {'kernel calls':>13} {'stack':>6} {'verifier':>10}",
    ]
    for program in report.programs:
        worst = program.worst
        looks = f"{program.verifier:,}" if program.verifier < LIMIT else "its limit"
        numbers = f"{worst.instructions.most:>14,} {worst.kfuncs.most:>13,} {worst.stack:>6,} {looks:>10}"
        lines.append(f"{program.member:<18} {program.size:>6,} {numbers}")
        if len(worst.instructions.terms) > 1:
            lines.append(f"  instructions = {worst.instructions.formula}")
            lines.append(f"  kernel calls = {worst.kfuncs.formula}")
    lines += ["", *memory_text(report)]
    return "\n".join(lines)


def memory_text(report: Report) -> list[str]:
    node = report.profile.memory.get("node")
    beside = f", in a node of {node} bytes" if node else ""
    lines = [f"memory: {report.memory.record} bytes of record a folio{beside}"]
    for kept in report.memory.kept:
        amount = f"{kept.entries:,} x {kept.each:.4g} bytes = {kept.bytes:,}" if kept.each else f"{kept.entries:,}"
        lines.append(f"  {kept.kind} {kept.name}: {amount}  ({kept.formula})")
    return lines
