"""`cpolc trial`: show, stop and resume the trials of `cpolc attach --trial`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from shlex import quote

import click

from cpol.cli.errors import CliError
from cpol.cli.messages import say
from cpol.cli.once import Commands
from cpol.cli.trial_text import facts, report, tell
from cpol.printable import shown
from cpol.runtime.operate import loader
from cpol.runtime.operate.trial import follow
from cpol.runtime.operate.trial.decide import number, paragraph
from cpol.runtime.operate.trial.measures import now
from cpol.runtime.operate.trial.run import Runner
from cpol.runtime.operate.trial.state import BEFORE, SETTLE, TRIAL, Store, Trial, TrialError

KNOWN = (TrialError, loader.LoaderError)
"""Errors whose message says what is wrong."""
STOP_SECONDS = 240
"""Seconds for another process to roll back, which may attach at that moment."""


@click.group(name="trial", cls=Commands)
def command() -> None:
    """Show, stop and resume trials of policies, which `cpolc attach --trial` begins."""


@command.command(name="status")
@click.argument("cgroup", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array with an object for each trial.")
def status(cgroup: str | None, as_json: bool) -> None:
    """Show the trials that run, and the last ones that have ended; or the last one of CGROUP."""
    store = follow.store_of()
    try:
        trials = [*store.ended(), *store.running()]
    except TrialError as error:
        raise CliError(str(error)) from None
    if cgroup is not None:
        trials = [trial for trial in trials if any(is_of(member.path, member.id, cgroup) for member in trial.members)]
        trials = trials[-1:]
        if not trials:
            raise CliError(f"{cgroup} has had no trial that is still noted")
    if as_json:
        click.echo(json.dumps([facts(trial) for trial in trials]))
    for trial in [] if as_json else trials:
        click.echo(shown(described(trial)))
    if not trials and not as_json:
        click.echo("there is no trial")


@command.command(name="stop")
@click.argument("cgroup")
@click.option("--json", "as_json", is_flag=True, help="Print what came of it as a JSON object.")
def stop(cgroup: str, as_json: bool) -> None:
    """End the trial of CGROUP now, and roll back. The exit code is 3, as of a trial that was not kept."""
    store = follow.store_of()
    trial = trial_of(store, cgroup)
    try:
        store.ask_to_stop(trial)
        ended = end(store, trial)
    except TrialError as error:
        raise CliError(str(error)) from None
    report(ended, as_json)


def end(store: Store, trial: Trial) -> Trial:
    """End a trial that is asked to stop, or wait until the process that holds it has.

    Raises:
        TrialError: a file is damaged.
        CliError: it does not end.
    """
    deadline = time.monotonic() + STOP_SECONDS
    while time.monotonic() < deadline:
        with store.holding(trial.id) as mine:
            found = store.find(trial.id) if mine else None
            if found is not None:
                return follow.follow(store, found, tell)
        for one in store.ended():
            if one.id == trial.id:
                return one
        time.sleep(0.2)
    raise CliError(f"the process that goes on with the trial {trial.id} does not end it within {STOP_SECONDS} s")


@command.command(name="resume")
@click.argument("cgroup", required=False)
@click.option("--all", "every", is_flag=True, help="Do what is due for all trials, and do not wait.")
@click.option("--json", "as_json", is_flag=True, help="Print what came of it as a JSON object.")
def resume(cgroup: str | None, every: bool, as_json: bool) -> None:
    """Go on with the trial of CGROUP whose process was killed.

    With --all, do what is due for all such trials; cpol-trials.timer does that each half minute.
    """
    if every == (cgroup is not None) or (every and as_json):
        raise click.UsageError("name one CGROUP, or give --all without --json")
    store = follow.store_of()
    if every:
        resume_all(store)
        return
    assert cgroup is not None
    trial = trial_of(store, cgroup)
    with store.holding(trial.id) as mine:
        if not mine:
            raise CliError(f"another process goes on with the trial {trial.id}")
        report(follow.follow(store, again(store, trial), tell), as_json)


def resume_all(store: Store) -> None:
    """Do what is due for each trial that no process holds.

    Raises:
        CliError: it could not be done for one of them.
    """
    wrong = ""
    for trial in follow.running(store):
        with store.holding(trial.id) as mine:
            if not mine:
                continue
            try:
                trial = again(store, trial)
                runner = Runner(store, trial, say)
                while runner.step() == 0.0:
                    pass
            except Exception as error:  # whatever it is, the other trials must not wait for this one
                wrong = f"trial {trial.id}: {error if isinstance(error, KNOWN) else repr(error)}"
                say(wrong, "error")
            if trial.result and trial.ended:
                click.echo(shown(paragraph(trial)))
    if wrong:
        raise CliError(wrong)


def trial_of(store: Store, cgroup: str) -> Trial:
    """The trial of a cgroup that has not ended.

    Raises:
        CliError: there is none.
    """
    for trial in follow.running(store):
        if any(is_of(member.path, member.id, cgroup) for member in trial.members):
            return trial
    raise CliError(f"{cgroup} has no trial that runs: cpolc trial status shows all")


def again(store: Store, trial: Trial) -> Trial:
    """What the trial's file says, now that no other process changes it.

    Raises:
        CliError: it has ended.
    """
    found = store.find(trial.id)
    if found is None:
        raise CliError(f"the trial {trial.id} has ended: cpolc trial status {quote(trial.members[0].path)}")
    return found


def is_of(path: str, number: int, cgroup: str) -> bool:
    """Whether `cgroup` is a path or an id."""
    return str(Path(cgroup)) == path or cgroup == str(number)


def described(trial: Trial) -> str:
    """A trial as lines."""
    lines = [paragraph(trial)]
    window = {BEFORE: trial.seconds_before, SETTLE: trial.seconds_settle, TRIAL: trial.seconds}.get(trial.phase)
    if window is not None:
        lines.append(f"  phase {trial.phase}: {max(0.0, trial.since + window - now()):.0f} s of {window:g} s are left")
    began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(trial.began))
    lines.append(f"  began {began}; keep if {trial.keep_if}")
    for name, values in trial.measured.items():
        if values.get("before") is None and values.get("now") is None:
            continue
        line = f"  {name:<16} {number(values.get('before')):>12} -> {number(values.get('now')):>12}"
        if "low" in values:
            line += f"   95 % of the difference: {number(values['low'])} to {number(values['high'])}"
        lines.append(line)
    return "\n".join(lines)
