"""Carries out rounds in virtual machines, and says what came of them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cpol.kernel.vm import Disk, Machine, VmError, VmInterrupted, VmTimeout, run

from .activity import Round, plan
from .build import build_storm, compile_all, write_sources
from .reduce import evicting

SELFTESTS = Path(__file__).resolve().parents[1]
DISK_BYTES = (512 << 20, 512 << 20, 64 << 20)
"""For ext4, XFS and swap."""
_COUNTS = re.compile(r"(\w+) (\d+)")
_ROUND = re.compile(r"(?:begin|round|failed) (\d+)")


@dataclass(frozen=True)
class Settings:
    """How rounds are carried out."""

    seed: int
    kernel: Path | None = None
    """A bzImage; None: the patched kernel."""
    module: Path | None = None
    """The core as a module for the stock kernel."""
    without: tuple[str, ...] = ()
    """Members that programs come without: those that the kernel lacks, or that have a fault already known."""
    memory: str = "320M"
    faults: int = 0
    """Percent of allocations that fail in every other round."""
    evicts_only: bool = False
    """The kernel's policies cannot prefetch: rounds come without such programs."""
    verbose: bool = False
    """Show the statistics of policies."""
    patience: int = 60
    """Seconds of the guest that a process may take to end."""
    timeout: float = 1800
    """Seconds for one machine."""


@dataclass
class Outcome:
    """What came of some rounds in one machine."""

    failed: int | None = None
    """The round that failed."""
    problem: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    """Sums over the rounds that are done: accepted, refused, and so on; `rounds`."""
    refused: list[str] = field(default_factory=list)
    """What the verifier said of each program that it refused."""


Tell = Callable[[str], object]


def carry_out(rounds: Sequence[Round], settings: Settings, folder: Path, tell: Tell = len) -> Outcome:
    """Compile the programs into the folder, and carry out the rounds in one machine, up to the first failure.

    Args:
        folder: receives sources, objects, plan and disks; other machines must not use it at the same time.
        tell: receives the guest's lines as they come.

    Raises:
        BuildError: a program does not compile.
        VmInterrupted: this process is told to stop.
    """
    if settings.evicts_only:
        rounds = evicting(tuple(rounds))
    programs = [program.without(settings.without) for one in rounds for program in one.programs]
    compile_all(write_sources(programs, settings.seed, folder))
    (folder / "plan").write_text(plan(rounds))
    return replay(settings, folder, tell)


def replay(settings: Settings, folder: Path, tell: Tell = len) -> Outcome:
    """Carry out the plan of a folder with the objects that it has."""
    storm = build_storm(folder)
    lines = _Lines(tell)
    words = [
        str(storm),
        *(["-v"] if settings.verbose else []),
        "-p",
        str(settings.patience),
        "-f",
        str(settings.faults),
        str(folder / "plan"),
        str(folder),
    ]
    if settings.module:
        words = ["sh", str(SELFTESTS / "guest-module"), str(settings.module), str(SELFTESTS / "guest-storm"), *words]
    with _disks(folder) as disks:
        machine = Machine(
            kernel=settings.kernel, memory=settings.memory, disks=disks, environment={"OBJECTS": str(folder)}
        )
        try:
            code = run(words, machine, stdout=lines.add, stderr=lines.add, directory=folder, timeout=settings.timeout)
            problem = "" if code == 0 else f"the runner ended with {code}"
        except VmInterrupted:
            raise
        except VmTimeout as error:
            problem = f"time is over: {error}"
        except VmError as error:
            problem = str(error)
    return _judge(lines.all, problem)


@contextmanager
def _disks(folder: Path) -> Iterator[tuple[Disk, ...]]:
    with tempfile.TemporaryDirectory(prefix="disks-", dir=folder) as name:
        disks = []
        for number, size in enumerate(DISK_BYTES):
            path = Path(name) / f"disk{number}"
            with path.open("wb") as file:
                file.truncate(size)
            # A limit that is never reached: so the host's page cache serves it.
            disks.append(Disk(path, bps=4 << 30))
        yield tuple(disks)


class _Lines:
    """Puts the guest's output together to lines."""

    def __init__(self, tell: Tell) -> None:
        self.tell = tell
        self.all: list[str] = []
        self._rest = b""

    def add(self, chunk: bytes) -> None:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace").rstrip("\r")
            self.all.append(text)
            self.tell(text)


def _judge(lines: Iterable[str], problem: str) -> Outcome:
    outcome = Outcome()
    at: int | None = None
    wrong: list[str] = []
    refusal: list[str] | None = None
    for line in lines:
        found = _ROUND.match(line)
        if found:
            at, refusal = int(found[1]), None
            if not line.startswith("begin"):
                counts = {key: int(value) for key, value in _COUNTS.findall(line.partition(":")[2])}
                for key, value in {**counts, "rounds": 1}.items():
                    outcome.counts[key] = outcome.counts.get(key, 0) + value
        elif line.startswith("refused "):
            refusal = [line]
        elif line.startswith("not ok") or (wrong and line.startswith("    ")):
            wrong.append(line)
        if refusal is not None:
            if line != refusal[0]:
                refusal.append(line)
            if line.startswith("processed "):
                outcome.refused.append("\n".join(refusal))
                refusal = None
    if problem:
        outcome.failed = -1 if at is None else at
        outcome.problem = "\n".join([*wrong, problem])
    return outcome
