"""The cost report of a policy: all upper bounds, as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cpol.compiler import ir
from cpol.compiler.analysis.cost.bounds import Bounds, bounds_of
from cpol.compiler.analysis.cost.memory import Memory, memory_of
from cpol.compiler.analysis.cost.object import Function, Object
from cpol.compiler.analysis.cost.paths import Cost, worst
from cpol.compiler.analysis.cost.rounds import rounds
from cpol.compiler.analysis.cost.typical import Typical
from cpol.compiler.analysis.cost.verdict import Program, Verdict, verdict_of
from cpol.compiler.analysis.cost.verifier import LIMIT, effort, with_callees
from cpol.compiler.analysis.profile import Profile
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.ir import walk


@dataclass(frozen=True)
class Report:
    """The cost of a policy. `typical` has the counts of a run, or None if the policy cannot be run for it."""

    policy: ir.Policy
    profile: Profile
    setting: Setting
    bounds: Bounds
    typical: Typical | None
    programs: tuple[Program, ...]
    memory: Memory

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.programs)

    def typically(self, cost: Cost) -> float | None:
        """The typical value of a program's cost, or None without a run."""
        return None if self.typical is None else self.typical.of(cost, self.bounds)

    def of_a_call(self) -> dict[str, tuple[float, float] | tuple[None, None]]:
        """Scan steps and loop rounds of each handler per call in the run."""
        found = self.typical.handlers if self.typical is not None else (None,) * len(self.bounds.efforts)
        return {name: called or (None, None) for name, called in zip(self.bounds.efforts, found, strict=True)}

    def as_json(self) -> dict[str, Any]:
        loops = {
            name: [
                {"kind": loop.word or loop.kind, **loop.pos.facts, "most": loop.each, "formula": loop.formula}
                for loop in found
            ]
            for name, found in self.bounds.loops.items()
        }
        kept = [
            {"kind": k.kind, "name": k.name, "entries": k.entries, "formula": k.formula, "bytes": k.bytes}
            for k in self.memory.kept
        ]
        typical = self.of_a_call()
        programs = {
            program.member: {
                "size": program.size,
                "instructions": program.worst.instructions.upper_bound,
                "instructions_typical": self.typically(program.worst.instructions),
                "instructions_formula": program.worst.instructions.formula,
                "kernel_calls": program.worst.kfuncs.upper_bound,
                "kernel_calls_typical": self.typically(program.worst.kfuncs),
                "kernel_calls_formula": program.worst.kfuncs.formula,
                "stack": program.worst.stack,
                "verifier": program.verifier,
                "verifier_estimate": program.estimate,
                "verifier_foretold": program.foretold,
            }
            for program in self.programs
        }
        return {
            "policy": self.policy.name,
            "path": self.policy.path,
            "profile": self.profile.name,
            "capacity": self.setting.capacity,
            "params": self.setting.params,
            "run": None
            if self.typical is None
            else {key: getattr(self.typical, key) for key in ("requests", "capacity", "batch")},
            "verdict": {"fits": self.verdict.fits, "reasons": list(self.verdict.reasons)},
            "handlers": {
                name: {
                    "scan_steps": found.steps,
                    "scan_steps_typical": typical[name][0],
                    "loop_rounds": found.rounds,
                    "loop_rounds_typical": typical[name][1],
                    "loops": loops[name],
                }
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


def report_of(policy: ir.Policy, obj: Object, profile: Profile, setting: Setting, typical: Typical | None) -> Report:
    """The cost report of `policy`, compiled to `obj`, for the kernel of `profile`."""
    limit = profile.limits.get("scan", ir.MAX_ROUNDS)
    bounds, by_params = bounds_of(policy, setting, limit), walk.decided_by_params(policy)
    programs = tuple(
        Program(
            function.member,
            size(function, obj),
            worst(function, obj, bounds),
            effort(function, obj, bounds),
            rounds(function, obj, bounds),
            by_params,
        )
        for function in obj.functions.values()
        if function.member
    )
    memory = memory_of(policy, setting, obj.slots, profile.memory.get("list", 0))
    return Report(policy, profile, setting, bounds, typical, programs, memory)


def size(program: Function, obj: Object) -> int:
    """Instructions of a program and its callees, with each function counted once."""
    return sum(len(function.insns) for function in with_callees(program, obj))


def as_text(report: Report) -> str:
    """The report for people: the verdict, then the cost of each handler and program per call."""
    lines = [
        f"{report.policy.name} {report.verdict.text(report.profile.name)}",
        "",
        f"For each call, at {report.setting.capacity:,} pages. {typical_text(report.typical, report.policy.evicts)}",
        "",
        f"{'':<24} {'scan steps':>23} {'loop rounds':>23}",
        f"{'handler':<24} {'typical':>9} {'most':>13} {'typical':>9} {'most':>13}",
    ]
    typical = report.of_a_call()
    for name, most in report.bounds.efforts.items():
        steps, rounds = map(amount, typical[name])
        lines.append(f"{name:<24} {steps:>9} {most.steps:>13,} {rounds:>9} {most.rounds:>13,}")
    lines += [
        f"  line {loop.pos.prefix}{loop.pos.line}: {loop.word or loop.kind}: {loop.each:,} = {loop.formula}"
        for loops in report.bounds.loops.values()
        for loop in loops
    ]
    lines += ["", *programs_text(report), "", *memory_text(report)]
    return "\n".join(lines)


def typical_text(typical: Typical | None, evicts: bool = True) -> str:
    if typical is None:
        return "The policy cannot be run here, so that nothing is known to be typical."
    if not evicts:
        return f"Typical: the mean of {typical.requests:,} swap faults and requests of files."
    return (
        f"Typical: the mean of {typical.requests:,} requests to {typical.capacity:,} pages, "
        f"in batches of {typical.batch}."
    )


def amount(value: float | None) -> str:
    """A number, with one decimal if it is small and not whole."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def programs_text(report: Report) -> list[str]:
    lines = [
        f"{'':<15} {'':>6} {'instructions':>25} {'kernel calls':>23} {'':>6} {'verifier':>19}",
        f"{'program':<15} {'size':>6} {'typical':>9} {'most':>15} {'typical':>9} {'most':>13} {'stack':>6}"
        f" {'estimate':>9} {'most':>9}",
    ]
    for program in report.programs:
        worst = program.worst
        looks = f"{program.verifier:,}" if program.verifier < LIMIT else "its limit"
        estimate = f"{program.estimate:,}{'' if program.foretold else '?'}"
        instructions, kfuncs = (amount(report.typically(cost)) for cost in (worst.instructions, worst.kfuncs))
        lines.append(
            f"{program.member:<15} {program.size:>6,} {instructions:>9} {worst.instructions.upper_bound:>15,}"
            f" {kfuncs:>9} {worst.kfuncs.upper_bound:>13,} {worst.stack:>6,} {estimate:>9} {looks:>9}"
        )
        if len(worst.instructions.terms) > 1:
            lines.append(f"  instructions = {worst.instructions.formula}")
            lines.append(f"  kernel calls = {worst.kfuncs.formula}")
    return lines


def memory_text(report: Report) -> list[str]:
    node = report.profile.memory.get("node")
    beside = f", in a node of {node} bytes" if node else ""
    lines = [f"memory: {report.memory.record} bytes of record a folio{beside}"]
    for kept in report.memory.kept:
        amount = f"{kept.entries:,} x {kept.each:.4g} bytes = {kept.bytes:,}" if kept.each else f"{kept.entries:,}"
        lines.append(f"  {kept.kind} {kept.name}: {amount}  ({kept.formula})")
    return lines
