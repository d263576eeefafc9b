"""Runs a program of a trial, with a time limit, and lets signals in only where they leave nothing half done."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, Final

from cpol.errors import UserError
from cpol.runtime.operate.uncached.run import enter
from cpol.signals import handled

ENDING: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
LAST: Final = 4000
"""Bytes of a program's standard error that are kept."""
KILLING: Final = 120.0
"""Seconds for the processes of a cgroup to end that were killed."""
LINGERING: Final = 1.0
"""Seconds for those that a program started, after it has ended."""


class StoppedError(Exception):
    """A signal asks this process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Signals:
    """Signals end a trial while it waits for a program. At other times they are kept until then.

    So what is being changed or put back comes to its end.
    """

    def __init__(self) -> None:
        self.number = 0
        self._waiting = False

    def handled(self) -> AbstractContextManager[None]:
        return handled(ENDING, self._handle)

    def _handle(self, number: int, _: FrameType | None) -> None:
        first, self.number = not self.number, self.number or number
        if self._waiting and first:
            raise StoppedError(number)

    def check(self) -> None:
        """Raise StoppedError if a signal came."""
        if self.number:
            raise StoppedError(self.number)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """In this block, a signal raises StoppedError at once."""
        self._waiting = True
        try:
            self.check()
            yield
        finally:
            self._waiting = False


@dataclass(frozen=True)
class Ended:
    """How a program ended."""

    seconds: float
    exit: int
    stderr: str
    timed_out: bool = False
    watched_ended: bool = False
    """What had to live as long as the program did not."""


def run(
    words: Sequence[str],
    folder: str,
    variables: Mapping[str, str],
    timeout: float,
    signals: Signals,
    cgroup: Path | None = None,
    watched: int | None = None,
) -> Ended:
    """Run a program, in a cgroup if one is given, and kill it if it takes too long or this process is to end.

    Args:
        watched: the number of a process without which the program is not to go on.

    Raises:
        UserError: it cannot be started.
        StoppedError: a signal came.
    """
    with ExitStack() as stack:
        errors = stack.enter_context(tempfile.TemporaryFile())
        begin = time.monotonic()
        child = _started(words, folder, variables, cgroup, errors)
        stack.callback(_killed, child)
        timed_out = watched_ended = False
        with signals.waiting():
            first = _first(child.pid, watched, timeout)
        seconds = time.monotonic() - begin
        if first is None:
            timed_out = True
        elif first == watched:
            watched_ended = True
        _killed(child)
        return Ended(seconds, child.returncode, last_of(errors), timed_out, watched_ended)


def _started(
    words: Sequence[str], folder: str, variables: Mapping[str, str], cgroup: Path | None, errors: IO[bytes]
) -> subprocess.Popen[bytes]:
    with ExitStack() as stack:
        into: Callable[[], None] = _nowhere
        try:
            if cgroup is not None:
                procs = os.open(cgroup / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
                stack.callback(os.close, procs)

                def into() -> None:
                    enter(procs)

            return subprocess.Popen(
                words,
                cwd=folder,
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                preexec_fn=into,
            )
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            raise UserError(
                f"cannot run {words[0]} in {folder}: {error}; name a program that this machine has"
            ) from None


def _nowhere() -> None:
    pass


def _first(child: int, watched: int | None, timeout: float) -> int | None:
    """Which of the processes ended first, the child if both did; None: neither, in this time."""
    with selectors.DefaultSelector() as waiting, ExitStack() as stack:
        for number in (child, *([] if watched is None else [watched])):
            handle = os.pidfd_open(number)
            stack.callback(os.close, handle)
            waiting.register(handle, selectors.EVENT_READ, number)
        ended = [key.data for key, _ in waiting.select(timeout)]
        return child if child in ended else ended[0] if ended else None


def _killed(child: subprocess.Popen[bytes]) -> None:
    """Kill the program and those of its session that it started, if they run."""
    if child.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def last_of(errors: IO[bytes]) -> str:
    """The last lines of what a program said."""
    end = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, end - LAST))
    text = errors.read().decode(errors="replace")
    return text if end <= LAST else text.partition("\n")[2] or text


def emptied(cgroup: Path, seconds: float = KILLING) -> bool:
    """Kill all that runs in a cgroup. Whether it is empty at the end."""
    with suppress(OSError), (cgroup / "cgroup.kill").open("r+") as kill:
        kill.write("1")
    return empty(cgroup, seconds)


def empty(cgroup: Path, seconds: float) -> bool:
    """Whether a cgroup is empty within such a time."""
    end = time.monotonic() + seconds
    while True:
        try:
            if "populated 0" in (cgroup / "cgroup.events").read_text():
                return True
        except OSError:
            return True
        if time.monotonic() >= end:
            return False
        time.sleep(0.02)
