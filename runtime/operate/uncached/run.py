"""Runs a command in a cgroup that a policy governs as long as it runs."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType

from cpol.errors import UserError
from cpol.runtime.operate import loader
from cpol.runtime.operate.loader import statistics
from cpol.signals import handled

FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that the command gets from cpolc. The terminal sends it SIGINT by itself."""

ENDING = 20.0
"""Seconds for the loader to end what is left in the cgroup."""

SETTLING = 10.0
"""Seconds for the kernel's workers to end what the command left to them."""


class EndedError(Exception):
    """This process is to end with `code`, and has nothing to say."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@contextmanager
def held_by(path: Path, folder: Path, options: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A loader that holds the policy for the cgroup `folder` until this block ends, or this process does.

    Raises:
        UserError: there is no loader.
        EndedError: the policy cannot be attached; the loader has printed why.
    """
    try:
        words = [str(loader.find()), "attach-unpinned", *options, "--", str(path), str(folder)]
    except loader.LoaderError as error:
        raise UserError(str(error)) from None
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as keeper:
        assert keeper.stdin is not None and keeper.stdout is not None
        try:
            if not keeper.stdout.readline():
                raise EndedError(keeper.wait() or 1)
            yield keeper
        finally:
            with suppress(BrokenPipeError):
                keeper.stdin.close()
            try:
                keeper.wait(ENDING)
            except subprocess.TimeoutExpired:
                keeper.kill()


def run(program: str, words: tuple[str, ...], folder: Path, keeper: subprocess.Popen[bytes], signals: Signals) -> int:
    """Run the command in the cgroup, and return its exit code.

    Raises:
        UserError: it cannot be started, or the policy ended before it.
    """
    with ExitStack() as stack:
        try:
            procs = os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
            stack.callback(os.close, procs)
            child = signals.started(
                lambda: subprocess.Popen(words, executable=program, preexec_fn=lambda: enter(procs))
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise UserError(f"cannot run {words[0]} in {folder}: {error}") from None
        if not outlives(keeper, child):
            child.kill()
            child.wait()
            raise UserError(
                f"the policy was detached while {words[0]} ran, so what it measured is not without the cache; "
                "`journalctl -t cpol-loader` or dmesg may say why"
            )
        signals.child = None  # from now on they end cpolc
        return child.returncode if child.returncode >= 0 else 128 - child.returncode


def settle(folder: Path, tell: Callable[[str], None]) -> None:
    """Wait until no worker of the kernel holds a file of the command, so that a next command can unmount its disk.

    `tell` is told if that takes too long.
    """
    number, end = folder.stat().st_ino, time.monotonic() + SETTLING
    while left := ranges_at_work(number):
        if time.monotonic() > end:
            tell(
                f"the kernel still writes back {left} {'range' if left == 1 else 'ranges'} of files; they leave the "
                "cache when they are on the disk"
            )
            return
        time.sleep(0.1)


def ranges_at_work(number: int) -> int:
    """Ranges of files that workers have for the policy of a cgroup; 0 if the kernel does not tell."""
    try:
        return sum(one.numbers.get("waiting", 0) for one in statistics.read() if one.cgroup == number)
    except loader.LoaderError:
        return 0


def enter(procs: int) -> None:
    """Move this process, which is about to become the command, into the cgroup."""
    os.write(procs, b"0")


class Signals:
    """What happens at signals that would end cpolc: the command gets them, and cpolc ends after it.

    Before there is a command, they end cpolc, which leaves nothing behind. While the command is started, they wait.
    """

    def __init__(self) -> None:
        self.child: subprocess.Popen[bytes] | None = None
        self.starting = False
        self.waiting: list[int] = []

    def started(self, start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        """Start the command. It gets the signals that come meanwhile: it may run before this function knows it."""
        self.starting = True
        try:
            self.child = start()
        finally:
            self.starting = False
        for number in self.waiting:
            self._forward(self.child, number)
        return self.child

    def handled(self) -> AbstractContextManager[None]:
        """Handle them in a block."""
        return handled((*FORWARDED, signal.SIGINT), self._handle)

    def _handle(self, number: int, _: FrameType | None) -> None:
        if self.starting:
            self.waiting.append(number)
        elif self.child is None:
            raise EndedError(128 + number)
        else:
            self._forward(self.child, number)

    @staticmethod
    def _forward(child: subprocess.Popen[bytes], number: int) -> None:
        if number in FORWARDED:
            with suppress(ProcessLookupError):
                child.send_signal(number)


def outlives(keeper: subprocess.Popen[bytes], child: subprocess.Popen[bytes]) -> bool:
    """Wait for the command. Returns whether the policy was attached until it ended."""
    with selectors.DefaultSelector() as waiting, ExitStack() as stack:
        for process in (keeper, child):
            fd = os.pidfd_open(process.pid)
            stack.callback(os.close, fd)
            waiting.register(fd, selectors.EVENT_READ, process)
        while True:
            ended = [key.data for key, _ in waiting.select()]
            if child in ended:
                child.wait()
                return keeper.poll() is None
            if keeper in ended:
                return False
