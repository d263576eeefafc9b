"""What a candidate costs in a kernel: the typical instructions of `cpolc cost`, as one number."""

from __future__ import annotations

from cpol.compiler.analysis.cost.object import ObjectError, read_object
from cpol.compiler.analysis.cost.report import Report, report_of
from cpol.compiler.analysis.profile import Profile, refusals
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.ir import MAX_BATCH, Policy
from cpol.compiler.objects import object_for
from cpol.errors import UserError
from cpol.runtime.explore.check.loop_rounds import typical
from cpol.runtime.machine.errors import MachineError

CAPACITY = 1 << 18
"""Pages, as `cpolc cost` takes by default: 1 GiB."""


def cost_of(policy: Policy, params: dict[str, int | str], profile: Profile) -> float | None:
    """Typical instructions of one call of each program; of an eviction, those for one page.

    None: the kernel cannot carry the policy, or nobody can foretell that its verifier takes it.
    """
    report = report_for(policy, params, profile)
    if report is None or report.verdict.fits == "unknown":
        return None
    batch = report.typical.batch if report.typical else MAX_BATCH
    total = 0.0
    for program in report.programs:
        each = report.typically(program.worst.instructions) or program.worst.instructions.upper_bound
        total += each / batch if program.member == "evict_folios" else each
    return total


def report_for(policy: Policy, params: dict[str, int | str], profile: Profile) -> Report | None:
    """The cost report of a policy; None: the profile refuses it, or it cannot run."""
    values = {param.name: int(params.get(param.name, param.default)) for param in policy.params}
    setting = Setting.of(policy, CAPACITY, values)
    if refusals(policy, profile, setting):
        return None
    batch = min(profile.limits.get("batch", MAX_BATCH), MAX_BATCH)
    try:
        with object_for(policy, profile) as path:
            return report_of(policy, read_object(path), profile, setting, typical(policy, CAPACITY, params, batch))
    except (UserError, CompileError, ObjectError, MachineError):
        return None
