"""`cpolc attach`: attach a policy to a cgroup, replace its policy, or try a policy for a time."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from shlex import quote
from typing import Any

import click

from cpol.cli import objects
from cpol.cli.once import Once
from cpol.cli.trial_options import checked, trial_options
from cpol.cli.trial_text import report, tell
from cpol.kernel import profiles
from cpol.runtime.operate.loader.options import AttachOptions
from cpol.runtime.operate.trial.begin import TrialOptions, begin

CGROUPS = Path("/sys/fs/cgroup")
TRIAL_ONLY = ("keep_if", "before", "settle", "metrics", "seed", "as_json")


@click.command(name="attach", cls=Once)
@click.argument("policy")
@click.argument("cgroup", nargs=-1, required=True)
@objects.attach_options
@trial_options
def command(
    policy: str,
    cgroup: tuple[str, ...],
    settings: tuple[str, ...],
    inputs: tuple[str, ...],
    input_group: str | None,
    replace: bool,
    dry_run: bool,
    profile: str | None,
    trial: float | None,
    **options: Any,
) -> None:
    """Attach POLICY to CGROUP, a folder under /sys/fs/cgroup. It stays until `cpolc detach`.

    POLICY is a stdlib name, a path to a .cpol file, or an object that cpolc compiled (.bpf.o).

    With --replace, the kernel exchanges the policies in one step. If it cannot, its own reclaim
    governs for a moment in between; cpolc prints how long. If the new policy cannot be attached,
    the old one stays or is attached again.

    With --trial TIME --keep-if RULE, cpolc measures, attaches POLICY, measures again, and keeps it
    if the rule holds. Otherwise the old policy comes back, with its states and inputs. `cpolc trial`
    shows, stops and resumes trials. Of several cgroups, half get POLICY and are compared with the
    others.

    \b
    --keep-if 'refaults <= 1.05 * before and pressure <= before'
    measures  refaults major_faults reclaimed read_bytes hits misses miss_ratio
              pressure pressure_full io_pressure io_pressure_full, and those of --metric
    before    the value before of the measure that the comparison names; before.NAME of any
    """
    if Path(policy).is_relative_to(CGROUPS):
        raise click.UsageError(f"POLICY comes first, CGROUP second: cpolc attach {quote(cgroup[0])} {quote(policy)}")
    how = AttachOptions(settings, inputs, input_group, replace, dry_run, profile=profile)
    if trial is None:
        given = [name for name in TRIAL_ONLY if options[name] or type(options[name]) is int]
        if given:
            raise click.UsageError(f"{option_of(given[0])} needs --trial TIME")
        if len(cgroup) != 1:
            raise click.UsageError("name one CGROUP; several need --trial TIME")
        objects.attach(policy, cgroup[0], how)
        return
    if options["keep_if"] is None:
        raise click.UsageError("--trial needs --keep-if RULE, such as 'refaults <= before'")
    if dry_run:
        raise click.UsageError("--trial goes without --dry-run")
    window = TrialOptions(
        trial, options["keep_if"], options["before"], options["settle"] or 0.0, options["metrics"], options["seed"]
    )
    rule = checked(window)

    def object_of(name: str) -> AbstractContextManager[Path]:
        return objects.object_of(name, profiles.running() if profile is None else profiles.load(profile))

    report(begin(policy, cgroup, how, window, rule, object_of, tell), options["as_json"])


def option_of(name: str) -> str:
    return {"metrics": "--metric", "as_json": "--json"}.get(name, f"--{name.replace('_', '-')}")
