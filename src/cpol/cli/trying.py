"""Goes on with a trial in this process, for `cpolc attach --trial` and `cpolc trial`, and tells what came of it."""

from __future__ import annotations

import json
import os
import select
import signal
from contextlib import suppress
from shlex import quote
from types import FrameType
from typing import Any, Final

import click

from cpol.cli.errors import CliError
from cpol.cli.messages import say, shown
from cpol.runtime.operate import loader
from cpol.runtime.operate.trial.decide import paragraph
from cpol.runtime.operate.trial.run import Runner
from cpol.runtime.operate.trial.state import ENDED, FOLDER, KEPT, Store, Trial, TrialError

EXIT_NOT_KEPT: Final = 3
"""The trial did not keep the policy."""
RETRIES: Final = 5
"""Times in a row that the loader may fail to tell what is attached, or to carry out the trial's end."""


def store_of() -> Store:
    """The folder of trials.

    Raises:
        CliError: it cannot be used.
    """
    store = Store(FOLDER)
    try:
        store.make()
    except TrialError as error:
        raise CliError(str(error)) from None
    return store


def running(store: Store) -> list[Trial]:
    """The trials that have not ended. Raises CliError: a file is damaged."""
    try:
        return store.running()
    except TrialError as error:
        raise CliError(str(error)) from None


def follow(store: Store, trial: Trial) -> Trial:
    """Go on with a trial to its end. SIGINT, SIGTERM and SIGHUP roll it back.

    Raises:
        CliError: the trial's file cannot be written, or the loader does not do what is due.
    """
    runner, failures = Runner(store, trial, tell), 0
    where = quote(trial.members[0].path)
    with Stop() as stop:
        while True:
            try:
                if stop.came:
                    runner.stop(f"this command was ended by {signal.Signals(stop.came).name}")
                wait = runner.step()
                failures = 0
            except TrialError as error:
                raise CliError(f"{error}; mend that, then: cpolc trial resume {where}") from None
            except loader.LoaderError as error:
                failures, wait = failures + 1, 1.0
                if failures == RETRIES:
                    raise CliError(f"{error}; the trial waits: cpolc trial resume {where}, or stop") from None
            if wait is None:
                return trial
            stop.pause(wait)


def tell(message: str) -> None:
    """Say what happens. The trial goes on if nobody hears it, as when the terminal is closed."""
    with suppress(SystemExit):  # of the guarded stream, which discards what comes later
        say(message)


class Stop:
    """Context manager: notes SIGINT, SIGTERM and SIGHUP, which also end a pause. Under nohup, SIGHUP stays ignored."""

    def __init__(self) -> None:
        self.came = 0
        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._old: list[tuple[int, Any]] = []

    def __enter__(self) -> Stop:
        self._old_fd = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        hangup = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
        self._old = [(number, signal.signal(number, self._take)) for number in (signal.SIGINT, signal.SIGTERM, *hangup)]
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._old:
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._old_fd)
        os.close(self._read)
        os.close(self._write)

    def _take(self, number: int, _: FrameType | None) -> None:
        self.came = number

    def pause(self, seconds: float) -> None:
        if not self.came:
            select.select([self._read], [], [], seconds)


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
