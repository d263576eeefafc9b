"""Begins a trial, for `cpolc attach --trial`: checks all that is asked before anything changes."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

import click

from cpol.cli.errors import CliError, UsageFailure
from cpol.cli.messages import say, shown
from cpol.cli.objects import AttachOptions, object_of
from cpol.cli.profiles import load_profile, running_profile
from cpol.cli.trying import follow, report, running, store_of
from cpol.runtime.operate import loader
from cpol.runtime.operate.apply import attached, config
from cpol.runtime.operate.apply.cgroups import Cgroup, find
from cpol.runtime.operate.trial import compare, measures
from cpol.runtime.operate.trial.decide import names_of
from cpol.runtime.operate.trial.expression import ExpressionError, Rule
from cpol.runtime.operate.trial.metric import MetricError, parse
from cpol.runtime.operate.trial.run import boot, kind_of
from cpol.runtime.operate.trial.state import NEW, OLD, Member, Store, Trial, TrialError

UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
SHORTEST, LONGEST = 0.1, 30 * 86400.0
"""Seconds of a window."""
ATTACH_SECONDS: Final = 180


if TYPE_CHECKING:
    _DurationType = click.ParamType[float]
else:
    _DurationType = click.ParamType  # no generic class before click 8.2; Debian 12 has 8.1


@dataclass(frozen=True)
class TrialOptions:
    """Options of a trial."""

    seconds: float
    keep_if: str
    before: float | None
    """Seconds; None: as long as the trial."""
    settle: float
    metrics: tuple[str, ...]
    seed: int | None


class DurationType(_DurationType):
    """A time such as 90s, 10m, 1h."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|min|h|d)", str(value))
        if not found:
            self.fail(f"`{value}` is no time; write a number and ms, s, m, h or d, such as 10m", param, ctx)
        return float(found[1]) * UNITS[found[2]]


DURATION: Final = DurationType()


def check(options: TrialOptions) -> Rule:
    """Check the options before anything is done.

    Raises:
        UsageFailure: one is wrong.
    """
    for name, seconds in (("--trial", options.seconds), ("--before", options.before)):
        if seconds is not None and not SHORTEST <= seconds <= LONGEST:
            raise UsageFailure(f"{name}: a window lasts from 100 ms to 30 days")
    if options.settle > LONGEST:
        raise UsageFailure("--settle: it lasts up to 30 days")
    try:
        names = names_of(options.metrics)
    except MetricError as error:
        raise UsageFailure(f"--metric: {error}") from None
    try:
        return Rule(options.keep_if, names)
    except ExpressionError as error:
        raise UsageFailure(f"--keep-if:{error.column}: {error.what}\n{pointer(options, error)}") from None


def pointer(options: TrialOptions, error: ExpressionError) -> str:
    """The rule, and below it a mark at the error's column."""
    return f"  {shown(options.keep_if)}\n  {' ' * (error.column - 1)}^"


def cgroups_of(words: Sequence[str]) -> list[Cgroup]:
    """The cgroups that the words name, which may be patterns, each once.

    Raises:
        CliError: a word names none.
    """
    found: dict[int, Cgroup] = {}
    for word in words:
        is_pattern = re.search(r"[*?[]", word) is not None and Path(word).is_absolute()
        paths = sorted(Path("/").glob(word[1:])) if is_pattern else [Path(word)]
        named = [find(path.absolute(), config.CGROUPS) for path in paths if path.is_dir()]
        cgroups = [one for one in named if one is not None]
        if not cgroups or not all(one.parts for one in cgroups):
            raise CliError(f"there is no cgroup {word} below {config.CGROUPS}")
        found |= {one.id: one for one in cgroups}
    return [*found.values()]


def members_of(cgroups: Sequence[Cgroup], seed: int) -> list[Member]:
    """The cgroups with their groups, and what they have now.

    Raises:
        CliError: there are two or three, which are too few to compare.
    """
    if 1 < len(cgroups) < compare.LEAST:
        raise CliError(f"two groups need {compare.LEAST} cgroups or more, and these are {len(cgroups)}; or name one")
    chosen = compare.assign(len(cgroups), seed) if len(cgroups) > 1 else {0}
    try:
        policies = attached.read_all()
    except loader.LoaderError as error:
        raise CliError(str(error)) from None
    return [
        Member(
            one.path,
            one.id,
            NEW if number in chosen else OLD,
            {kind_of(policy): policy.policy for policy in policies if policy.cgroup == one.id and policy.governs},
        )
        for number, one in enumerate(cgroups)
    ]


def begin(policy: str, words: Sequence[str], how: AttachOptions, options: TrialOptions, as_json: bool) -> None:
    """Try a policy, from the first measure to the end.

    Raises:
        CliError: an option is wrong, or the kernel refuses the policy: nothing has changed.
        click.exceptions.Exit: the policy was not kept.
    """
    rule = check(options)
    cgroups = cgroups_of(words)
    seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    members = members_of(cgroups, seed)
    groups = len(members) > 1
    if groups and (options.metrics or options.before is not None):
        raise CliError("several cgroups are compared with each other at the same time: leave out --metric and --before")
    try_metrics(options.metrics)
    store = store_of()
    refuse_twice(store, members)
    refuse_unknown(rule, members)
    trial = Trial(
        id=secrets.token_hex(4),
        policy=policy,
        options=AttachOptions(how.settings, how.inputs, how.input_group).words(),
        keep_if=options.keep_if,
        metrics=[*options.metrics],
        seconds_before=0.0 if groups else options.seconds if options.before is None else options.before,
        seconds_settle=options.settle,
        seconds=options.seconds,
        members=members,
        boot=boot(),
        folder=str(Path.cwd()),
        began=time.time(),
        replace=how.replace,
        seed=seed if groups else None,
    )
    profile = running_profile() if how.profile is None else load_profile(how.profile)
    with object_of(policy, profile) as path:
        dry_run(path, trial)
        put(store, trial, path)
    with store.holding(trial.id) as mine:
        assert mine
        try:
            with store.beginning():
                refuse_twice(store, members)  # again: another one may have begun while this policy was tried
                write(store, trial)
        except TrialError as error:
            raise CliError(str(error)) from None
        announce(trial)
        report(follow(store, trial), as_json)


def try_metrics(metrics: Sequence[str]) -> None:
    """Read each metric once, so that a wrong one is told now.

    Raises:
        CliError: one cannot be read.
    """
    for text in metrics:
        try:
            parse(text, measures.MEASURES).read()
        except MetricError as error:
            raise CliError(f"--metric: {error}") from None


def refuse_twice(store: Store, members: Sequence[Member]) -> None:
    """Raises CliError: one of the cgroups has a trial already."""
    for trial in running(store):
        for member in trial.members:
            if any(member.id == one.id for one in members):
                end = f"cpolc trial stop {quote(member.path)}"
                raise CliError(f"{member.path} has the trial {trial.id}; end it first: {end}")


def refuse_unknown(rule: Rule, members: Sequence[Member]) -> None:
    """Refuse measures that cannot be told before, as the kernel counts them for a policy only.

    Raises:
        CliError: the rule needs one of them.
    """
    lacking = [one.path for one in members if (len(members) == 1 or one.arm == OLD) and "evict" not in one.had]
    needed = sorted(rule.used_before & {"hits", "misses", "miss_ratio"})
    if lacking and needed:
        raise CliError(
            f"--keep-if uses `{needed[0]}` before, and {lacking[0]} has no policy now that counts it; "
            "compare `refaults`, `read_bytes` or a --metric"
        )


def dry_run(path: Path, trial: Trial) -> None:
    """Load the object for each cgroup that gets it. Raises CliError: the kernel refuses it."""
    replace = ["--replace"] if trial.replace else []
    for member in trial.arm(NEW):
        words = ["attach", *trial.options, *replace, "--dry-run", "--", str(path), member.path]
        try:
            loader.output(words, ATTACH_SECONDS)
        except loader.LoaderError as error:
            raise CliError(str(error)) from None


def put(store: Store, trial: Trial, path: Path) -> None:
    """Copy the object. Raises CliError: the folder cannot be written."""
    try:
        store.put_object(trial, path)
    except TrialError as error:
        raise CliError(str(error)) from None


def write(store: Store, trial: Trial) -> None:
    """Write the trial's file for the first time. Raises CliError: the folder cannot be written."""
    try:
        store.write(trial)
    except TrialError as error:
        raise CliError(str(error)) from None


def announce(trial: Trial) -> None:
    """Say what begins, and by what command another terminal ends it."""
    if trial.seed is None:
        what = f"before for {trial.seconds_before:g} s, then {trial.policy} for {trial.seconds:g} s"
    else:
        what = f"{trial.policy} beside the others for {trial.seconds:g} s, assigned with --seed {trial.seed}"
    say(f"trial {trial.id}: measuring {what}; cpolc trial stop {quote(trial.members[0].path)} ends it")
    for member in trial.members if trial.seed is not None else []:
        say(f"{member.arm}: {member.path}")
