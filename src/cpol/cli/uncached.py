"""`cpolc uncached`: run a command whose reads and writes do not stay in the page cache."""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType

import click

from cpol.cli import objects
from cpol.cli.errors import EXIT_FAILURE, CliError
from cpol.cli.messages import say
from cpol.cli.once import Once
from cpol.cli.profiles import load_profile, profile_option, running_profile
from cpol.cli.uncached_cgroup import made, parent_of, sweep
from cpol.runtime.operate import loader
from cpol.runtime.operate.loader import statistics

FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that the command gets from cpolc. The terminal sends it SIGINT by itself."""

ENDING = 20.0
"""Seconds for the loader to end what is left in the cgroup."""

SETTLING = 10.0
"""Seconds for the kernel's workers to end what the command left to them."""


@click.command(name="uncached", cls=Once)
@click.argument("place", metavar="DEVICE|DIRECTORY")
@click.argument("words", metavar="-- COMMAND…", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--cgroup", metavar="CGROUP", help="Run it in a new cgroup below this one.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a param of stdlib/uncached (may be repeated)."
)
@profile_option
def command(
    place: str, words: tuple[str, ...], cgroup: str | None, settings: tuple[str, ...], profile: str | None
) -> None:
    """Run COMMAND without the page cache, for the file system of DEVICE or DIRECTORY.

    What COMMAND and its children read leaves the cache at once; what they write goes to the disk
    before the write returns. They run in a cgroup of their own, which the policy `uncached` governs
    as long as COMMAND runs. Nothing is left behind, however it ends; what it leaves running is killed.

    The exit code is that of COMMAND, or 128 + the signal that ended it.

    \b
    cpolc uncached /mnt/data -- fio job.fio
    cpolc uncached /dev/sdb1 --set waits=false -- dd if=/mnt/b/file of=/dev/null bs=1M

    What a mapping touches (mmap) stays in the cache, and so do pages that others use at that moment:
    `docs/uncached.md`.
    """
    program = shutil.which(words[0])
    if program is None:
        raise CliError(f"there is no program {words[0]} in PATH; name a program behind `--`")
    path = place_of(place)
    if os.geteuid() != 0:
        raise CliError("cpolc uncached needs root: it makes a cgroup and attaches a policy to it; run it with sudo")
    parent = parent_of(cgroup)
    sweep(parent)
    chosen = running_profile() if profile is None else load_profile(profile)
    inputs = (f"devices={path}",)
    if not any(setting.startswith("leaves=") for setting in settings):
        settings += ("leaves=true",)  # the file system of a file does not change
    options = objects.AttachOptions(settings, inputs).words()
    signals = Signals()
    with (
        objects.object_of("uncached", chosen) as held,
        signals.handled(),
        made(parent) as folder,
        held_by(held, folder, options) as keeper,
    ):
        status = run(program, words, folder, keeper, signals)
        settle(folder)
    raise click.exceptions.Exit(status)


def place_of(place: str) -> str:
    """The path of a device or directory, as the loader takes it.

    Raises:
        CliError: there is no such path, or it is neither.
    """
    path = Path(place).absolute()
    try:
        if not (path.is_dir() or path.is_block_device()):
            raise CliError(f"{place} is neither a block device nor a directory; name a mount point, or /dev/…")
    except OSError as error:
        raise CliError(f"cannot look at {place}: {error.strerror}") from None
    if "," in str(path):
        raise CliError(
            f"{path} has a comma in it, where the loader would split it; name a link to it without one, or another "
            "folder of that file system"
        )
    return str(path)  # the loader follows links


@contextmanager
def held_by(path: Path, folder: Path, options: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A loader that holds the policy for the cgroup `folder` until this block ends, or this process does.

    Raises:
        CliError: there is no loader.
        click.exceptions.Exit: the policy cannot be attached; the loader has printed why.
    """
    try:
        words = [str(loader.find()), "hold", *options, "--", str(path), str(folder)]
    except loader.LoaderError as error:
        raise CliError(str(error)) from None
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as keeper:
        assert keeper.stdin is not None and keeper.stdout is not None
        try:
            if not keeper.stdout.readline():
                raise click.exceptions.Exit(keeper.wait() or EXIT_FAILURE)
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
        CliError: it cannot be started, or the policy ended before it.
    """
    with ExitStack() as stack:
        try:
            procs = os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
            stack.callback(os.close, procs)
            child = signals.started(
                lambda: subprocess.Popen(words, executable=program, preexec_fn=lambda: enter(procs))
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise CliError(f"cannot run {words[0]} in {folder}: {error}") from None
        if not outlives(keeper, child):
            child.kill()
            child.wait()
            raise CliError(
                f"the policy was detached while {words[0]} ran, so what it measured is not without the cache; "
                "`journalctl -t cpol-loader` or dmesg may say why"
            )
        signals.child = None  # from now on they end cpolc
        return child.returncode if child.returncode >= 0 else 128 - child.returncode


def settle(folder: Path) -> None:
    """Wait until no worker of the kernel holds a file of the command, so that a next command can unmount its disk."""
    number, end = folder.stat().st_ino, time.monotonic() + SETTLING
    while left := ranges_at_work(number):
        if time.monotonic() > end:
            say(
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

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle them in this block. One that is ignored, as SIGHUP is under nohup, stays so, also in the command."""
        numbers = [one for one in (*FORWARDED, signal.SIGINT) if signal.getsignal(one) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self._handle) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _handle(self, number: int, _: FrameType | None) -> None:
        if self.starting:
            self.waiting.append(number)
        elif self.child is None:
            raise click.exceptions.Exit(128 + number)
        else:
            self._forward(self.child, number)

    @staticmethod
    def _forward(child: subprocess.Popen[bytes], number: int) -> None:
        if number in FORWARDED:
            with suppress(ProcessLookupError):
                child.send_signal(number)


def outlives(keeper: subprocess.Popen[bytes], child: subprocess.Popen[bytes]) -> bool:
    """Wait for the command. Returns whether the policy was held until it ended."""
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
