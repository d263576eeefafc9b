"""`cpolc apply`: attaches what /etc/cpol.d says."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from pathlib import Path

import click

from cpol.cli.errors import EXIT_FAILURE, CliError, no_access
from cpol.cli.messages import say
from cpol.cli.objects import object_or_told
from cpol.cli.once import Once
from cpol.errors import UserError
from cpol.kernel import profiles
from cpol.printable import shown
from cpol.runtime.operate.apply import carry_out as steps_of_rules
from cpol.runtime.operate.apply import service
from cpol.runtime.operate.apply.carry_out import Rules
from cpol.runtime.operate.apply.config import FOLDER
from cpol.runtime.operate.apply.plan import CHANGES, LEAVE


@click.command(name="apply", cls=Once)
@click.option("--dry-run", is_flag=True, help="Show what would change, and load each policy into the kernel to try it.")
@click.option("--watch", is_flag=True, help="Go on, and give cgroups that come later their policies.")
@click.option("--take-over", is_flag=True, help="Also replace policies that were attached by hand or by cpol@.service.")
@click.option("--detach", is_flag=True, help="Detach all that `cpolc apply` attached.")
@click.option("--config", type=click.Path(path_type=Path), default=FOLDER, help=f"The folder.  [default: {FOLDER}]")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array with an object for each cgroup.")
def command(dry_run: bool, watch: bool, take_over: bool, detach: bool, config: Path, as_json: bool) -> None:
    """Attach the policies that the files *.conf of /etc/cpol.d name, each to its cgroups.

    \b
    [web]                                 a name for messages
    policy = s3fifo                       or the path of a .cpol or .bpf.o file, or none
    unit = nginx.service                  systemd's units; * and ? stand for parts of a name
    cgroup = /sys/fs/cgroup/shop/*        cgroups by path; a line each
    quota = 200M                          what each may cache; without a policy: LRU
    set = threshold=1                     as --set, --input, --input-group of attach
    input = hot=/srv/shop/orders
    input-group = www-data

    Of several sections that name a cgroup, the last one counts. What is as its section says stays
    as it is. What `cpolc apply` attached and no section names any more is detached. Policies that
    were attached in another way stay, unless --take-over is given.

    Nothing changes if a file or a policy is wrong. If the kernel refuses a policy for a cgroup, the
    others get theirs, and the exit code is 1.
    """
    if watch and (dry_run or detach or as_json or take_over):
        raise click.UsageError("--watch goes without --dry-run, --take-over, --detach and --json")
    if watch:
        service.run(config, rules_of, Journal())
        return
    if detach:
        carry_out(steps_of_rules.without_rules(), dry_run, False, as_json)
        return
    with rules_of(config) as rules:
        carry_out(rules, dry_run, take_over, as_json)


def rules_of(folder: Path) -> AbstractContextManager[Rules]:
    """The rules of a folder, for the running kernel."""
    profile = profiles.running()
    return steps_of_rules.rules_of(folder, lambda policy, quota: object_or_told(policy, quota, profile), say)


class Journal:
    """Prints what a service tells."""

    def say(self, message: str, severity: str = "") -> None:
        say(message, severity)

    def show(self, text: str, failed: bool = False) -> None:
        click.echo(shown(text), err=failed)

    def error(self, error: UserError | OSError) -> None:
        (no_access(error) if isinstance(error, OSError) else CliError(str(error))).show()


def carry_out(rules: Rules, dry_run: bool, take_over: bool, as_json: bool) -> None:
    """Do what the rules say about all cgroups, and print it.

    Raises:
        click.exceptions.Exit: a step failed; its error has been printed.
    """
    swept = "" if dry_run else steps_of_rules.sweep()
    steps = rules.steps(steps_of_rules.all_cgroups(), take_over)
    done = []
    if swept and not as_json:
        click.echo(shown(swept))
    for one in rules.carry_out(steps, dry_run):
        done.append(one)
        if not as_json and (one.error or one.step.action in (*CHANGES, LEAVE)):
            click.echo(shown(one.text(dry_run)), err=bool(one.error))
    failed = sum(bool(one.error) for one in done)
    changed = sum(one.step.action in CHANGES for one in done) - failed
    if as_json:
        click.echo(json.dumps([one.facts() for one in done]))
    else:
        would = "would be changed" if dry_run else "changed"
        kept = sum(one.step.action == "keep" for one in done)
        click.echo(f"{changed} {would}, {kept} as they should be, {failed} failed")
    if failed:
        raise click.exceptions.Exit(EXIT_FAILURE)
