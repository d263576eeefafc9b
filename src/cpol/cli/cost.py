"""`cpolc cost`: upper bounds of a policy's cost."""

from __future__ import annotations

import json
from collections.abc import Mapping

import click

from cpol.cli.errors import CliError
from cpol.cli.messages import say
from cpol.cli.once import Once
from cpol.cli.policy import compilation, errors_shown
from cpol.cli.profiles import DEFAULT_CAPACITY, refuse
from cpol.compiler.analysis.cost.object import ObjectError, read_object
from cpol.compiler.analysis.cost.report import Report, as_text, report_of
from cpol.compiler.analysis.cost.typical import Typical
from cpol.compiler.analysis.profile import Profile
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.ir import MAX_BATCH, Policy
from cpol.compiler.objects import object_for
from cpol.kernel import profiles
from cpol.runtime.explore.check.loop_rounds import typical
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.settings.params import read_params
from cpol.runtime.simulate.runs.candidates import params_of, read_settings


@click.command(name="cost", cls=Once)
@click.argument("policy")
@click.option(
    "--capacity",
    default=DEFAULT_CAPACITY,
    show_default=True,
    type=click.IntRange(1, 1 << 40),
    help="The capacity of the cache, in pages.",
)
@click.option(
    "--profile", default=profiles.DEFAULT, show_default=True, metavar="NAME", help=f"The kernel: {profiles.accepted()}."
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a param (may be repeated).")
@click.option("--json", "json_output", is_flag=True, help="Print one JSON object.")
def command(policy: str, capacity: int, profile: str, settings: tuple[str, ...], json_output: bool) -> None:
    """Say whether POLICY fits a kernel, and what a call costs: folios visited, loops, instructions,
    stack.

    The bounds come from the policy and from the compiled object; formulas show how they depend on
    params. Typical numbers come from a short run of the interpreter. If the kernel's profile cannot
    carry the policy, that is an error with its place. docs/cost.md explains each number.
    """
    kernel = profiles.load(profile)
    report = cost(policy, capacity, kernel, settings)
    click.echo(json.dumps(report.as_json(), indent=2) if json_output else as_text(report))


def cost(policy: str, capacity: int, profile: Profile, settings: tuple[str, ...] = ()) -> Report:
    """The cost report of a compiled policy.

    Raises:
        CliError: it cannot be compiled.
        click.exceptions.Exit: the profile cannot carry it.
    """
    compiled = compilation(policy)
    found = compiled.policy
    given = params_of(found, read_settings(settings), [found])
    setting = Setting.of(found, capacity, read_params(found, given))
    refuse(compiled, profile, setting)
    try:
        with errors_shown(), object_for(found, profile) as path:
            return report_of(found, read_object(path), profile, setting, run(found, capacity, given, profile))
    except ObjectError as error:
        raise CliError(str(error)) from None


def run(policy: Policy, capacity: int, given: Mapping[str, int | str], profile: Profile) -> Typical | None:
    """The means of a run of the interpreter. If the policy cannot be run, a note says so, and the result is None."""
    batch = min(profile.limits.get("batch", MAX_BATCH), MAX_BATCH)
    try:
        return typical(policy, capacity, given, batch)
    except MachineError as error:
        say(f"nothing is known to be typical: {error}", "note")
        return None
