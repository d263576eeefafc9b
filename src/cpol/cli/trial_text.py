"""What came of a trial, for `cpolc attach --trial` and `cpolc trial`."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Final

import click

from cpol.cli.messages import say
from cpol.printable import shown
from cpol.runtime.operate.trial.decide import paragraph
from cpol.runtime.operate.trial.state import ENDED, KEPT, Trial

EXIT_NOT_KEPT: Final = 3
"""The trial did not keep the policy."""


def tell(message: str) -> None:
    """Say what happens. The trial goes on if nobody hears it, as when the terminal is closed."""
    with suppress(SystemExit):  # of the guarded stream, which discards what comes later
        say(message)


def report(trial: Trial, as_json: bool) -> None:
    """Print what came of a trial.

    Raises:
        click.exceptions.Exit: it did not keep the policy.
    """
    click.echo(json.dumps(facts(trial)) if as_json else shown(paragraph(trial)))
    if trial.result != KEPT:
        raise click.exceptions.Exit(EXIT_NOT_KEPT)


def facts(trial: Trial) -> dict[str, Any]:
    """As JSON."""
    return {
        "trial": trial.id,
        "policy": trial.policy,
        "phase": trial.phase,
        "result": trial.result or None,
        "why": trial.why or None,
        "text": paragraph(trial),
        "keep_if": trial.keep_if,
        "seconds": {"before": trial.seconds_before, "settle": trial.seconds_settle, "trial": trial.seconds},
        "seed": trial.seed,
        "began": trial.began,
        "ended": trial.ended if trial.phase == ENDED else None,
        "measures": trial.measured,
        "cgroups": [
            {"path": one.path, "id": one.id, "arm": one.arm, "had": one.had, "done": one.done or None}
            for one in trial.members
        ],
    }
