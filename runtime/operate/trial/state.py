"""A trial, and the file that holds it: a process that takes over reads there how far it is."""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cpol.compiler.toolchain import trust
from cpol.compiler.toolchain.process import ToolError
from cpol.runtime.operate.trial.measures import Samples, Snapshot

FOLDER: Final = Path("/var/lib/cpol/trials")
ENDED_FOLDER: Final = "ended"
TAG: Final = "trial:"
"""How the tags of policies begin that a trial attached (cpol-loader attach --tag)."""
MAX_ENDED: Final = 50
"""Ended trials that stay readable."""
PART_SECONDS: Final = 600
"""After that time, nobody completes what is half written."""
MAX_FILE: Final = 16 << 20
ID: Final = re.compile(r"[0-9a-f]{8}")

BEFORE, ATTACH, SETTLE, TRIAL, KEEP, BACK, ENDED = "before", "attach", "settle", "trial", "keep", "back", "ended"
PHASES: Final = (BEFORE, ATTACH, SETTLE, TRIAL, KEEP, BACK, ENDED)
NEW, OLD = "new", "old"
KEPT, ROLLED_BACK = "kept", "rolled back"


class TrialError(Exception):
    """A trial cannot be begun, read or found. The message says why."""


@dataclass
class Member:
    """A cgroup of a trial."""

    path: str
    id: int
    arm: str
    """NEW: it gets the new policy; OLD: it stays as it is, to compare."""
    had: dict[str, str] = field(default_factory=dict)
    """The policies that it had before, by kind: evict, prefetch."""
    kind: str = ""
    """Of the new policy, once it is attached."""
    before: list[Snapshot] = field(default_factory=list)
    """The counters at the begin of the window before, and at its end."""
    after: list[Snapshot] = field(default_factory=list)
    done: str = ""
    """What became of the new policy: KEPT, ROLLED_BACK, or why not."""

    @property
    def old_policy(self) -> str:
        """What it had in the place of the new one; empty: nothing. If that never came, all that it had."""
        return self.had.get(self.kind, "") if self.kind else " and ".join(sorted(self.had.values()))


@dataclass
class Trial:
    """All that a process needs to go on with a trial."""

    id: str
    policy: str
    """As the user named it."""
    options: list[str]
    """Words for the loader's attach: params and inputs."""
    keep_if: str
    metrics: list[str]
    """As the user gave them."""
    seconds_before: float
    seconds_settle: float
    seconds: float
    members: list[Member]
    boot: str
    """The boot in which it runs: policies do not live longer."""
    began: float
    """Seconds of Unix time."""
    folder: str = "/"
    """Where the command was given: names of files in `options` may be relative to it."""
    replace: bool = False
    seed: int | None = None
    """Of the assignment, if there are two groups."""
    phase: str = BEFORE
    since: float = 0.0
    """When the phase began, in seconds of CLOCK_BOOTTIME."""
    samples_before: Samples = field(default_factory=dict)
    samples: Samples = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    """By metric: why its last reading failed, if it did."""
    result: str = ""
    """KEPT or ROLLED_BACK, once it is decided."""
    why: str = ""
    measured: dict[str, dict[str, float | None]] = field(default_factory=dict)
    """By measure: `before`, `now`, and with two groups `low` and `high` of the difference."""
    ended: float = 0.0

    @property
    def tag(self) -> str:
        """The tag of the policies that it attaches."""
        return f"{TAG}{self.id}"

    def arm(self, arm: str) -> list[Member]:
        return [member for member in self.members if member.arm == arm]


class Store:
    """The folder with a file for each trial. Only root may read it: what it says decides what root attaches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.held: tuple[int, ...] = ()
        """The descriptors of the lock. A loader that outlives this process must hold it, too."""

    def make(self) -> None:
        """Make the folder if it is not there, and check that nobody else can write it.

        Raises:
            TrialError: it cannot be made, or somebody else can.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self.folder / ENDED_FOLDER).mkdir(mode=0o700, exist_ok=True)
            self._check()
            self._sweep_parts()
        except PermissionError as error:
            raise TrialError(
                f"cannot use {self.folder}, where trials are noted: {error.strerror} (run it with sudo)"
            ) from None
        except (OSError, ToolError) as error:
            raise TrialError(f"cannot use {self.folder}, where trials are noted: {error}") from None

    def _check(self) -> None:
        self.folder = trust.own_folder(self.folder, "it says what root attaches")

    def _sweep_parts(self) -> None:
        """Remove what a process that was killed left half written: an object without its trial, a temporary file."""
        parts = (".*", "*.bpf.o", "*.stop", f"{ENDED_FOLDER}/.*")
        for path in (path for part in parts for path in self.folder.glob(part)):
            number = path.name.partition(".")[0]
            with suppress(FileNotFoundError):
                is_old = time.time() - path.stat().st_mtime > PART_SECONDS
                if is_old and not (number and (self.folder / f"{number}.json").exists()):
                    path.unlink()

    def object_of(self, trial: Trial) -> Path:
        """The object that the trial attaches, which is a copy."""
        return self.folder / f"{trial.id}.bpf.o"

    def _stop_of(self, trial: Trial) -> Path:
        return self.folder / f"{trial.id}.stop"

    def ask_to_stop(self, trial: Trial) -> None:
        """Ask the process that holds the trial to end it.

        Raises:
            TrialError: the folder cannot be written.
        """
        try:
            self._stop_of(trial).touch(mode=0o600)
        except OSError as error:
            raise TrialError(f"cannot write {self.folder}: {error.strerror}") from None

    def is_asked_to_stop(self, trial: Trial) -> bool:
        return self._stop_of(trial).exists()

    def put_object(self, trial: Trial, compiled: Path) -> None:
        """Copy the object that a new trial attaches. Its file comes after that.

        Raises:
            TrialError: the folder cannot be written.
        """
        try:
            with tempfile.NamedTemporaryFile(dir=self.folder, prefix=".", delete=False) as file:
                shutil.copyfile(compiled, file.name)
                os.fsync(file.fileno())
            Path(file.name).replace(self.object_of(trial))
        except OSError as error:
            raise TrialError(f"cannot write {self.folder}: {error.strerror}") from None

    def write(self, trial: Trial) -> None:
        """Replace the trial's file in one step. An ended trial goes to the folder of those.

        Raises:
            TrialError: it cannot be written.
        """
        ended = trial.phase == ENDED
        folder = self.folder / ENDED_FOLDER if ended else self.folder
        try:
            with tempfile.NamedTemporaryFile("w", dir=folder, prefix=".", encoding="utf-8", delete=False) as file:
                try:
                    json.dump(dataclasses.asdict(trial), file, ensure_ascii=True)
                    file.flush()
                    os.fsync(file.fileno())
                    Path(file.name).replace(folder / f"{trial.id}.json")
                except BaseException:
                    Path(file.name).unlink(missing_ok=True)
                    raise
            sync_folder(folder)
            if ended:
                (self.folder / f"{trial.id}.json").unlink(missing_ok=True)
                self.object_of(trial).unlink(missing_ok=True)
                self._stop_of(trial).unlink(missing_ok=True)
                self._sweep()
        except OSError as error:
            raise TrialError(f"cannot write {folder}: {error.strerror}") from None

    def _sweep(self) -> None:
        """Remove the oldest of the ended trials."""
        files = sorted((self.folder / ENDED_FOLDER).glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in files[:-MAX_ENDED]:
            path.unlink(missing_ok=True)

    def running(self) -> list[Trial]:
        """The trials that have not ended.

        Raises:
            TrialError: a file is damaged, or somebody else could have written it.
        """
        return self._read(self.folder)

    def ended(self) -> list[Trial]:
        """The last trials that have ended, the last one last.

        Raises:
            TrialError: a file is damaged.
        """
        return sorted(self._read(self.folder / ENDED_FOLDER), key=lambda trial: trial.ended)

    def _read(self, folder: Path) -> list[Trial]:
        if not folder.is_dir():
            return []
        try:
            self._check()
            paths = sorted(path for path in folder.glob("*.json") if ID.fullmatch(path.stem))
        except (OSError, ToolError) as error:
            raise TrialError(f"cannot read {folder}: {error}") from None
        return [trial for path in paths if (trial := read_trial(path)) is not None]

    def find(self, number: str) -> Trial | None:
        """The trial of that id that has not ended.

        Raises:
            TrialError: its file is damaged.
        """
        return next((trial for trial in self.running() if trial.id == number), None)

    @contextmanager
    def beginning(self) -> Iterator[None]:
        """No other trial begins meanwhile. It waits for one that does.

        Raises:
            TrialError: the folder cannot be read.
        """
        try:
            handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise TrialError(f"cannot read {self.folder}: {error.strerror}") from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    @contextmanager
    def holding(self, number: str) -> Iterator[bool]:
        """Hold a trial by its id, so that no other process goes on with it. False: one does, or it has ended."""
        path = self.folder / f"{number}.bpf.o"
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            yield False
            return
        try:
            mine = locked(handle) and path.exists()
            self.held = (handle,) if mine else self.held
            yield mine
        finally:
            self.held = tuple(one for one in self.held if one != handle)
            os.close(handle)


def locked(handle: int) -> bool:
    """Lock a file, if nobody else has."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_trial(path: Path) -> Trial | None:
    """Read a file. None: it went meanwhile.

    Raises:
        TrialError: it is damaged.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TrialError(f"cannot read {path}: {error.strerror}") from None
    try:
        facts: dict[str, Any] = json.loads(content)
        trial = Trial(**{**facts, "members": [Member(**member) for member in facts["members"]]})
        if trial.phase not in PHASES or trial.id != path.stem or not trial.arm(NEW):
            raise ValueError("the parts do not fit")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise TrialError(f"{path} is damaged ({error}); remove it, and look at `cpolc list`") from None
    return trial
