"""`cpolc attach`: attach a policy to a cgroup, replace its policy, or try a policy for a time."""

from __future__ import annotations

import os
import signal
from contextlib import AbstractContextManager
from pathlib import Path
from shlex import quote
from typing import Any, NoReturn

import click

from cpol.cli import objects
from cpol.cli.errors import CliError
from cpol.cli.once import Once
from cpol.cli.policy import compilation, errors_shown
from cpol.cli.profiles import kernel_of, refuse
from cpol.cli.trial_options import checked, trial_options
from cpol.cli.trial_text import report, tell
from cpol.compiler.objects import SUFFIX
from cpol.kernel import profiles
from cpol.runtime.operate.loader.options import AttachOptions
from cpol.runtime.operate.trial.begin import TrialOptions, begin
from cpol.sizes import read_size

CGROUPS = Path("/sys/fs/cgroup")
GLUE = "Govern in the kernel, or by a process on a kernel without cache_ext.  [default: kernel]"
TRIAL_ONLY = ("keep_if", "before", "settle", "metrics", "seed", "as_json")


@click.command(name="attach", cls=Once)
@click.argument("policy")
@click.argument("cgroup", nargs=-1, required=True)
@objects.attach_options
@click.option("--glue", type=click.Choice(["kernel", "user"]), default="kernel", help=GLUE)
@click.option("--margin", metavar="SIZE", help="With --glue user: evict from so far below the limit.  [default: 1/32]")
@click.option("--cpu", type=click.IntRange(1, 100), help="With --glue user: end at so many % of a CPU.  [default: 10]")
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
    glue: str,
    margin: str | None,
    cpu: int | None,
    **options: Any,
) -> None:
    """Attach POLICY to CGROUP, a folder under /sys/fs/cgroup. It stays until `cpolc detach`; with
    --glue user, as long as this command runs.

    POLICY is a stdlib name, a path to a .cpol file, or an object that cpolc compiled (.bpf.o).

    With --replace, the kernel exchanges the policies in one step. If it cannot, its own reclaim
    governs for a moment in between; cpolc prints how long. If the new policy cannot be attached,
    the old one stays or is attached again.

    With --trial TIME --keep-if RULE, cpolc measures, attaches POLICY, measures again, and keeps it
    if the rule holds. Otherwise the old policy comes back, with its states and inputs. `cpolc trial`
    shows, stops and resumes trials. Of several cgroups, half get POLICY and are compared with the
    others.

    With --glue user, the kernel needs no part of cpol: this process evicts, until Ctrl-C. It can do
    less (cpolc profile user), and refuses policies that want more.

    \b
    --keep-if 'refaults <= 1.05 * before and pressure <= before'
    measures  refaults major_faults reclaimed read_bytes hits misses miss_ratio
              pressure pressure_full io_pressure io_pressure_full, and those of --metric
    before    the value before of the measure that the comparison names; before.NAME of any
    """
    if Path(policy).is_relative_to(CGROUPS):
        raise click.UsageError(f"POLICY comes first, CGROUP second: cpolc attach {quote(cgroup[0])} {quote(policy)}")
    if glue == "user":
        wrong = [name for name in TRIAL_ONLY if options[name] or type(options[name]) is int]
        if wrong or trial is not None or len(cgroup) != 1 or inputs or input_group or replace or dry_run or profile:
            raise click.UsageError("--glue user takes one CGROUP, --set, --margin and --cpu, and no other option")
        attach_user_glue(policy, cgroup[0], settings, margin, cpu)
    if margin is not None or cpu is not None:
        raise click.UsageError("--margin and --cpu go with --glue user")
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
    kernel = kernel_of(profile)

    def object_of(name: str) -> AbstractContextManager[Path]:
        return objects.object_of(name, kernel)

    report(begin(policy, cgroup, how, window, rule, object_of, tell), options["as_json"])


def attach_user_glue(
    policy: str, cgroup: str, settings: tuple[str, ...], margin: str | None, percent: int | None
) -> NoReturn:
    """Become the process that governs a cgroup.

    Raises:
        CliError: it cannot be run.
        click.exceptions.Exit: the policy has errors, or wants what this glue cannot do; they have been printed.
    """
    from cpol.compiler.backend import host  # these are what a policy in the kernel does not need
    from cpol.runtime.operate import user_glue

    if policy.endswith(SUFFIX):
        raise click.UsageError(f"--glue user takes a policy's name or its .cpol file, not an object such as {policy}")
    try:
        room = None if margin is None else read_size(margin, user_glue.LEAST_MARGIN, user_glue.MOST_MARGIN)
    except ValueError as error:
        raise click.UsageError(f"--margin: {error}") from None
    compiled = compilation(policy)
    refuse(compiled, profiles.load(profiles.USER))
    values = user_glue.values_of(compiled.policy, settings)
    if os.geteuid() != 0:
        raise CliError("--glue user needs root, who gives up the rights when it is set up: run it with sudo")
    with errors_shown():
        library = host.build(compiled.policy, events=True)
    words = user_glue.command_of(compiled.policy.name, library, cgroup, values, room, percent)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and what it becomes would, too
    try:
        os.execv(words[0], words)
    except OSError as error:
        raise CliError(f"cannot run {words[0]}: {error.strerror}") from None


def option_of(name: str) -> str:
    return {"metrics": "--metric", "as_json": "--json"}.get(name, f"--{name.replace('_', '-')}")
