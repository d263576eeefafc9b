"""Options of `cpolc attach` that begin a trial."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click

from cpol.cli.errors import UsageFailure
from cpol.printable import shown
from cpol.runtime.operate.trial.begin import TrialOptions
from cpol.runtime.operate.trial.decide import names_of
from cpol.runtime.operate.trial.expression import ExpressionError, Rule
from cpol.runtime.operate.trial.metric import MetricError

UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
SHORTEST, LONGEST = 0.1, 30 * 86400.0
"""Seconds of a window."""

if TYPE_CHECKING:
    _DurationType = click.ParamType[float]
else:
    _DurationType = click.ParamType  # no generic class before click 8.2; Debian 12 has 8.1


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


def checked(options: TrialOptions) -> Rule:
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


def trial_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a trial."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="With --trial: print what came of it as a JSON object."),
        click.option(
            "--seed",
            type=click.IntRange(0, 2**64 - 1),
            help="With --trial and several cgroups: decides which of them get POLICY.  [default: by chance]",
        ),
        click.option(
            "--metric",
            "metrics",
            multiple=True,
            metavar="NAME=SOURCE",
            help="With --trial: a number of the service, from http(s)://URL or /FILE, with #SAMPLE of Prometheus' text "
            "format (may be repeated).",
        ),
        click.option("--settle", type=DURATION, metavar="TIME", help="With --trial: not measured after attach."),
        click.option(
            "--before",
            type=DURATION,
            metavar="TIME",
            help="With --trial: how long to measure before.  [default: as long as the trial]",
        ),
        click.option("--keep-if", metavar="RULE", help="With --trial: when POLICY stays; otherwise it is rolled back."),
        click.option("--trial", type=DURATION, metavar="TIME", help="Try POLICY for a time, such as 10m."),
    ):
        command = option(command)
    return command
