"""Begins a trial, for `cpolc attach --trial`: checks all that is asked before anything changes."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Final

from cpol.errors import UserError
from cpol.runtime.operate import loader
from cpol.runtime.operate.apply import attached, config
from cpol.runtime.operate.apply.cgroups import Cgroup, find
from cpol.runtime.operate.loader.options import AttachOptions
from cpol.runtime.operate.trial import compare, measures
from cpol.runtime.operate.trial.expression import Rule
from cpol.runtime.operate.trial.follow import follow, running, store_of
from cpol.runtime.operate.trial.metric import MetricError, parse
from cpol.runtime.operate.trial.run import boot, kind_of
from cpol.runtime.operate.trial.state import NEW, OLD, Member, Store, Trial, TrialError

ATTACH_SECONDS: Final = 180


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


def cgroups_of(words: Sequence[str]) -> list[Cgroup]:
    """The cgroups that the words name, which may be patterns, each once.

    Raises:
        UserError: a word names none.
    """
    found: dict[int, Cgroup] = {}
    for word in words:
        is_pattern = re.search(r"[*?[]", word) is not None and Path(word).is_absolute()
        paths = sorted(Path("/").glob(word[1:])) if is_pattern else [Path(word)]
        named = [find(path.absolute(), config.CGROUPS) for path in paths if path.is_dir()]
        cgroups = [one for one in named if one is not None]
        if not cgroups or not all(one.parts for one in cgroups):
            raise UserError(f"there is no cgroup {word} below {config.CGROUPS}")
        found |= {one.id: one for one in cgroups}
    return [*found.values()]


def members_of(cgroups: Sequence[Cgroup], seed: int) -> list[Member]:
    """The cgroups with their groups, and what they have now.

    Raises:
        UserError: there are two or three, which are too few to compare.
    """
    if 1 < len(cgroups) < compare.LEAST:
        raise UserError(f"two groups need {compare.LEAST} cgroups or more, and these are {len(cgroups)}; or name one")
    chosen = compare.assign(len(cgroups), seed) if len(cgroups) > 1 else {0}
    try:
        policies = attached.read_all()
    except loader.LoaderError as error:
        raise UserError(str(error)) from None
    return [
        Member(
            one.path,
            one.id,
            NEW if number in chosen else OLD,
            {kind_of(policy): policy.policy for policy in policies if policy.cgroup == one.id and policy.governs},
        )
        for number, one in enumerate(cgroups)
    ]


def begin(
    policy: str,
    words: Sequence[str],
    how: AttachOptions,
    options: TrialOptions,
    rule: Rule,
    object_of: Callable[[str], AbstractContextManager[Path]],
    tell: Callable[[str], None],
) -> Trial:
    """Try a policy, from the first measure to the end.

    Args:
        rule: that of the options.
        object_of: compiles the policy, or takes it from the cache.
        tell: is told what happens.

    Raises:
        UserError: an option is wrong, or the kernel refuses the policy: nothing has changed.
    """
    cgroups = cgroups_of(words)
    seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    members = members_of(cgroups, seed)
    groups = len(members) > 1
    if groups and (options.metrics or options.before is not None):
        raise UserError(
            "several cgroups are compared with each other at the same time: leave out --metric and --before"
        )
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
    with object_of(policy) as path:
        dry_run(path, trial)
        put(store, trial, path)
    with store.holding(trial.id) as mine:
        assert mine
        try:
            with store.beginning():
                refuse_twice(store, members)  # again: another one may have begun while this policy was tried
                write(store, trial)
        except TrialError as error:
            raise UserError(str(error)) from None
        announce(trial, tell)
        return follow(store, trial, tell)


def try_metrics(metrics: Sequence[str]) -> None:
    """Read each metric once, so that a wrong one is told now.

    Raises:
        UserError: one cannot be read.
    """
    for text in metrics:
        try:
            parse(text, measures.MEASURES).read()
        except MetricError as error:
            raise UserError(f"--metric: {error}") from None


def refuse_twice(store: Store, members: Sequence[Member]) -> None:
    """Raises UserError: one of the cgroups has a trial already."""
    for trial in running(store):
        for member in trial.members:
            if any(member.id == one.id for one in members):
                end = f"cpolc trial stop {quote(member.path)}"
                raise UserError(f"{member.path} has the trial {trial.id}; end it first: {end}")


def refuse_unknown(rule: Rule, members: Sequence[Member]) -> None:
    """Refuse measures that cannot be told before, as the kernel counts them for a policy only.

    Raises:
        UserError: the rule needs one of them.
    """
    lacking = [one.path for one in members if (len(members) == 1 or one.arm == OLD) and "evict" not in one.had]
    needed = sorted(rule.used_before & {"hits", "misses", "miss_ratio"})
    if lacking and needed:
        raise UserError(
            f"--keep-if uses `{needed[0]}` before, and {lacking[0]} has no policy now that counts it; "
            "compare `refaults`, `read_bytes` or a --metric"
        )


def dry_run(path: Path, trial: Trial) -> None:
    """Load the object for each cgroup that gets it. Raises UserError: the kernel refuses it."""
    replace = ["--replace"] if trial.replace else []
    for member in trial.arm(NEW):
        words = ["attach", *trial.options, *replace, "--dry-run", "--", str(path), member.path]
        try:
            loader.output(words, ATTACH_SECONDS)
        except loader.LoaderError as error:
            raise UserError(str(error)) from None


def put(store: Store, trial: Trial, path: Path) -> None:
    """Copy the object. Raises UserError: the folder cannot be written."""
    try:
        store.put_object(trial, path)
    except TrialError as error:
        raise UserError(str(error)) from None


def write(store: Store, trial: Trial) -> None:
    """Write the trial's file for the first time. Raises UserError: the folder cannot be written."""
    try:
        store.write(trial)
    except TrialError as error:
        raise UserError(str(error)) from None


def announce(trial: Trial, tell: Callable[[str], None]) -> None:
    """Say what begins, and by what command another terminal ends it."""
    if trial.seed is None:
        what = f"before for {trial.seconds_before:g} s, then {trial.policy} for {trial.seconds:g} s"
    else:
        what = f"{trial.policy} beside the others for {trial.seconds:g} s, assigned with --seed {trial.seed}"
    tell(f"trial {trial.id}: measuring {what}; cpolc trial stop {quote(trial.members[0].path)} ends it")
    for member in trial.members if trial.seed is not None else []:
        tell(f"{member.arm}: {member.path}")
