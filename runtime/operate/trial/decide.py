"""Decides a trial by its rule, and says why in one paragraph."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from statistics import fmean

from cpol.runtime.operate.trial.compare import difference
from cpol.runtime.operate.trial.expression import Rule, UnknownError
from cpol.runtime.operate.trial.measures import MEASURES, Samples, measure
from cpol.runtime.operate.trial.metric import parse
from cpol.runtime.operate.trial.state import KEPT, NEW, OLD, ROLLED_BACK, Member, Trial

Values = dict[str, float | None]


def names_of(metrics: Sequence[str]) -> list[str]:
    """The names that a rule may use: all measures, and the metrics of the service.

    Raises:
        MetricError: a metric is wrong.
    """
    names = list(MEASURES)
    for text in metrics:
        names.append(parse(text, names).name)
    return names


def decide(trial: Trial) -> None:
    """Fill in the result, the values, and why."""
    rule = Rule(trial.keep_if, names_of(trial.metrics))
    counters = {metric.name for text in trial.metrics if (metric := parse(text, MEASURES)).is_counter}
    if trial.arm(OLD):
        before, now_ = two_groups(trial)
    else:
        (member,) = trial.members
        before = window(member.before, trial.samples_before, counters)
        now_ = window(member.after, trial.samples, counters)
    for name in [*before, *(name for name in now_ if name not in before)]:
        entry = trial.measured.setdefault(name, {})
        entry |= {"before": before.get(name), "now": now_.get(name)}
    try:
        holds = rule.holds(now_, before)
        trial.result = KEPT if holds else ROLLED_BACK
        trial.why = sentence(rule, now_, before, holds)
    except UnknownError as error:
        trial.result = ROLLED_BACK
        trial.why = f"the rule has no answer: {error}{failed(trial)}"


def window(ends: Sequence[dict[str, float]], samples: Samples, counters: Collection[str] = ()) -> Values:
    return measure(ends[0], ends[-1], samples, counters)


def two_groups(trial: Trial) -> tuple[Values, Values]:
    """The means of the cgroups with the old policy and of those with the new one, in the same time."""
    old, new = [each(trial, arm) for arm in (OLD, NEW)]
    for name in MEASURES:
        values = [[value for one in arm if (value := one[name]) is not None] for arm in (old, new)]
        found = difference(*values)
        if found is not None and len(values[0]) == len(old) and len(values[1]) == len(new):
            trial.measured[name] = {"low": found.low, "high": found.high}
    return mean(old), mean(new)


def each(trial: Trial, arm: str) -> list[Values]:
    return [measured(member) for member in trial.arm(arm)]


def measured(member: Member) -> Values:
    return window(member.after, {})


def mean(values: Sequence[Values]) -> Values:
    """The means by measure. None: one of the cgroups could not tell."""
    result: Values = {}
    for name in values[0]:
        known = [value for one in values if (value := one[name]) is not None]
        result[name] = fmean(known) if len(known) == len(values) else None
    return result


def sentence(rule: Rule, now: Values, before: Values, holds: bool) -> str:
    """Why a trial was decided: the comparisons that decided, with their values."""
    told = [
        f"{one.text} {'holds' if one.holds else 'does not hold'} ({' against '.join(map(number, one.values))})"
        for one in rule.compared(now, before)
    ]
    return f"the rule {'holds' if holds else 'does not hold'}: {'; '.join(told)}"


def failed(trial: Trial) -> str:
    """What is known of metrics that could not be read."""
    return "".join(f"; {text}" for text in trial.failures.values())


def number(value: float | None) -> str:
    """A value for people: four digits."""
    if value is None:
        return "n/a"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def paragraph(trial: Trial) -> str:
    """What was tried, what came of it, and why."""
    groups = f"{len(trial.arm(NEW))} of {len(trial.members)} cgroups" if trial.arm(OLD) else trial.members[0].path
    if not trial.result:
        return f"Trial {trial.id} of {trial.policy} on {groups} is not decided: it is in the phase {trial.phase}."
    old = sorted({member.old_policy or "no policy" for member in trial.arm(NEW)})
    became = {
        KEPT: f"{trial.policy} was kept",
        ROLLED_BACK: f"{trial.policy} was rolled back to {' and '.join(old)}",
    }[trial.result]
    other = sorted({member.done for member in trial.arm(NEW)} - {KEPT, ROLLED_BACK, ""})
    text = f"Trial {trial.id} on {groups}: {became}, because {trial.why}."
    return text + (f" But: {'; '.join(other)}." if other else "")
