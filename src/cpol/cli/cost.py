"""`cpolc cost`: what a policy can cost at most."""

from __future__ import annotations

import json

import click

from cpol.cli.errors import CliError
from cpol.cli.objects import object_for
from cpol.cli.policy import compilation
from cpol.cli.profiles import DEFAULT, DEFAULT_CAPACITY, PROFILES, load_profile, refuse
from cpol.cli.sim import params_of, read_settings
from cpol.compiler.analysis.cost.object import ObjectError, read_object
from cpol.compiler.analysis.cost.report import Report, as_text, report_of
from cpol.compiler.analysis.profile import Profile
from cpol.compiler.analysis.upper_bound import Setting
from cpol.runtime.settings.params import read_params


@click.command(name="cost")
@click.argument("policy")
@click.option(
    "--capacity", default=DEFAULT_CAPACITY, show_default=True, type=click.IntRange(1, 1 << 40), help="In pages."
)
@click.option("--profile", default=DEFAULT, show_default=True, metavar="NAME", help=f"The kernel: {PROFILES}.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A param (may be repeated).")
@click.option("--json", "json_output", is_flag=True, help="Print one JSON object.")
def command(policy: str, capacity: int, profile: str, settings: tuple[str, ...], json_output: bool) -> None:
    """Tell what POLICY can cost at most: folios visited, loops, instructions, kernel calls, stack, memory.

    Nothing is run: the bounds come from the policy and from the compiled object. Formulas tell how they depend on
    params. What the kernel's profile cannot carry is refused, with its place. docs/cost.md tells what each
    number means.
    """
    kernel = load_profile(profile)
    report = cost(policy, capacity, kernel, settings)
    click.echo(json.dumps(report.as_json(), indent=2) if json_output else as_text(report))


def cost(policy: str, capacity: int, profile: Profile, settings: tuple[str, ...] = ()) -> Report:
    """Raises CliError if it cannot be compiled, and ends the command if the profile cannot carry it."""
    compiled = compilation(policy)
    found = compiled.policy
    given = params_of(found, read_settings(settings), [found])
    setting = Setting.of(found, capacity, read_params(found, given))
    refuse(compiled, profile, setting)
    try:
        with object_for(found, profile) as path:
            return report_of(found, read_object(path), profile, setting)
    except ObjectError as error:
        raise CliError(str(error)) from None
