"""Goes on with a trial in this process, to its end."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable
from shlex import quote
from types import FrameType
from typing import Any, Final

from cpol.errors import UserError
from cpol.runtime.operate import loader
from cpol.runtime.operate.trial.run import Runner
from cpol.runtime.operate.trial.state import FOLDER, Store, Trial, TrialError

RETRIES: Final = 5
"""Times in a row that the loader may fail to tell what is attached, or to carry out the trial's end."""


def store_of() -> Store:
    """The folder of trials.

    Raises:
        UserError: it cannot be used.
    """
    store = Store(FOLDER)
    try:
        store.make()
    except TrialError as error:
        raise UserError(str(error)) from None
    return store


def running(store: Store) -> list[Trial]:
    """The trials that have not ended. Raises UserError: a file is damaged."""
    try:
        return store.running()
    except TrialError as error:
        raise UserError(str(error)) from None


def follow(store: Store, trial: Trial, tell: Callable[[str], None]) -> Trial:
    """Go on with a trial to its end. SIGINT, SIGTERM and SIGHUP roll it back. `tell` is told what happens.

    Raises:
        UserError: the trial's file cannot be written, or the loader does not do what is due.
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
                raise UserError(f"{error}; mend that, then: cpolc trial resume {where}") from None
            except loader.LoaderError as error:
                failures, wait = failures + 1, 1.0
                if failures == RETRIES:
                    raise UserError(f"{error}; the trial waits: cpolc trial resume {where}, or stop") from None
            if wait is None:
                return trial
            stop.pause(wait)


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
