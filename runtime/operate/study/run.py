"""Runs the trials of a study that are missing, each in a machine of its own if the study names one."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Final, NamedTuple

from cpol.errors import UserError
from cpol.runtime.operate.study.job import MAX_WORD, word_of
from cpol.runtime.operate.study.kept import Kept, keep
from cpol.runtime.operate.study.order import Trial, job_of, ordered
from cpol.runtime.operate.study.outcome import MAX_LINE, Outcome, read_outcome
from cpol.runtime.operate.study.spec import Study

HERE: Final = (sys.executable, "-P", "-m", "cpol.cli.main")
ATTEMPTS: Final = 2
"""Machines that a trial gets, should one fail."""
FAILING: Final = 3
"""Trials in a row that no machine can do: then the next ones will not fare better."""
ENDING: Final = 180.0
"""Seconds for a machine, or a trial here, to put back what it changed."""
SAID: Final = 2000


class Summary(NamedTuple):
    """What a run did."""

    trials: int
    there: int
    """Trials that were kept before."""
    done: int
    failed: int
    """Trials whose program failed, of those that were done now."""
    undone: int
    """Trials that no machine could do."""
    seconds: float


class MachineError(Exception):
    """A machine gave no outcome. The message says what it said."""


def words_of(study: Study, trial: Trial) -> list[str]:
    """The command of a trial.

    Raises:
        UserError: it is longer than Linux takes.
    """
    word = word_of(job_of(study, trial))
    if len(word) >= MAX_WORD:
        raise UserError(f"the settings and commands of {trial.id} are too long for a command line; use a script")
    return [*study.machine, study.cpolc, "study", "trial", word] if study.machine else [*HERE, "study", "trial", word]


def run(kept: Kept, tell: Callable[[str], None], show: Callable[[str], None]) -> Summary:
    """Do what is missing, and keep each outcome at once.

    Args:
        tell: is told of trials that failed.
        show: is told how far it is.

    Raises:
        UserError: an outcome cannot be written, or no machine does its trial.
    """
    study, begin = kept.study, time.monotonic()
    known = dict(kept.outcomes)
    missing = [trial for trial in ordered(study) if trial not in known]
    done = failed = undone = row = 0
    for number, trial in enumerate(missing):
        show(f"{len(known):,} of {len(known) + len(missing) - number:,} trials{estimate(known, missing[number:])}")
        try:
            outcome = attempted(study, trial)
        except MachineError as error:
            undone, row = undone + 1, row + 1
            tell(f"{trial.id} was not done: {error}")
            if row == FAILING:
                raise UserError(
                    f"{FAILING} trials in a row could not be done, so the study stops; mend the machine, and the same "
                    "command goes on"
                ) from None
            continue
        row = 0
        keep(kept.folder, trial, outcome)
        known[trial] = outcome
        done, failed = done + 1, failed + (not outcome.counts)
        if outcome.failure:
            tell(f"{trial.id} failed: {outcome.failure}")
        for each in outcome.left:
            tell(f"{trial.id}: {each}")
    total = len(kept.outcomes) + len(missing)
    return Summary(total, len(kept.outcomes), done, failed, undone, time.monotonic() - begin)


def estimate(known: dict[Trial, Outcome], missing: Sequence[Trial]) -> str:
    """The time left, from what trials of the same cell took; empty: nothing is known."""
    from cpol.sizes import duration

    if not known:
        return ""
    walls: dict[tuple[object, ...], list[float]] = {}
    for trial, outcome in known.items():
        walls.setdefault((trial.cell,), []).append(outcome.wall)
        walls.setdefault((), []).append(outcome.wall)
    found = (walls.get((trial.cell,)) or walls[()] for trial in missing)
    return f", about {duration(sum(sum(each) / len(each) for each in found))} left"


def attempted(study: Study, trial: Trial) -> Outcome:
    """The outcome of a trial, from a second machine if the first one fails.

    Raises:
        MachineError: both fail.
    """
    for attempt in range(ATTEMPTS):
        try:
            return once(study, trial)
        except MachineError:
            if attempt == ATTEMPTS - 1 or not study.machine:
                raise
    raise AssertionError


def once(study: Study, trial: Trial) -> Outcome:
    """Start the machine, and read what it prints. A trial whose program fails ends well: its outcome says so.

    Raises:
        MachineError: it printed no outcome, or ended with an error.
    """
    program = study.programs[trial.cell.program]
    timeout = program.timeout * (2 if program.prepare else 1) + study.boot_timeout
    words, begin = words_of(study, trial), time.monotonic()
    with ExitStack() as stack:
        try:
            out = stack.enter_context(tempfile.TemporaryFile())
            errors = stack.enter_context(tempfile.TemporaryFile())
        except OSError as error:
            raise MachineError(f"there is no file for what the machine says: {error.strerror}; see TMPDIR") from None
        child = _started(words, study.folder, out, errors)
        stack.callback(_end, child)
        try:
            child.wait(timeout)
        except subprocess.TimeoutExpired:
            raise MachineError(f"the machine had not ended after {timeout} s; give it more with boot_timeout") from None
        wall, ended = time.monotonic() - begin, child.returncode
        try:
            found = outcome_in(out, trial.id)
        except ValueError as error:
            if not ended:
                raise MachineError(f"it printed an outcome that is none: {error}") from None
            found = None
        if found is None or ended:
            code = f"exit code {ended}" if ended >= 0 else f"signal {-ended}"
            said = _last(errors) or (found is None and _last(out)) or "the machine said nothing"
            raise MachineError(f"{code}{'' if ended else ', and no outcome'}: {said}")
        return replace(found, wall=wall)


def _started(words: Sequence[str], folder: Path, out: IO[bytes], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """A process that is told to end when this one is killed: nobody would read its outcome.

    Raises:
        MachineError: it cannot be started.
    """
    try:
        if not shutil.which(folder / words[0] if "/" in words[0] else words[0]):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return subprocess.Popen(
            ["setpriv", "--pdeathsig", "SIGTERM", "--", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            start_new_session=True,
        )
    except OSError as error:
        raise MachineError(f"cannot run {words[0]}: {error.strerror}") from None


def outcome_in(out: IO[bytes], id: str) -> Outcome | None:
    """The last line that is the outcome of this trial: a machine may print other lines. None: there is none.

    Raises:
        ValueError: lines look like outcomes, and none is; the message is about the last one.
    """
    out.seek(max(0, out.seek(0, 2) - MAX_LINE))
    wrong = None
    for line in reversed(out.read().splitlines()):
        if line.lstrip().startswith(b'{"cpol_study"'):
            try:
                return read_outcome(line, id)
            except ValueError as error:
                wrong = wrong or error
    if wrong:
        raise wrong
    return None


def _last(file: IO[bytes]) -> str:
    file.seek(max(0, file.seek(0, 2) - SAID))
    return file.read().decode(errors="replace").strip()


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a machine that runs, and give it time to put back what it changed. Then what a script started ends, too."""
    if child.poll() is not None:
        return
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(ENDING)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGTERM)


def folder_of(file: Path) -> Path:
    """The folder of a study, beside its file."""
    return file.with_suffix(".study")
