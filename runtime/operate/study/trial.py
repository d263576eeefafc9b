"""One trial, on this machine: its cgroup, settings and swap, which all go away again, however it ends."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cpol.errors import UserError
from cpol.runtime.operate.loader.options import AttachOptions
from cpol.runtime.operate.study import program, settings
from cpol.runtime.operate.study.counters import counted, grown, number_in, pairs, told_by
from cpol.runtime.operate.study.job import SCRATCH, Job
from cpol.runtime.operate.study.outcome import Outcome
from cpol.runtime.operate.study.program import Ended, Signals
from cpol.runtime.operate.study.swap import swapping
from cpol.runtime.operate.uncached.cgroup import made, parent_of, sweep
from cpol.runtime.operate.uncached.run import EndedError, held_by

PREFIX: Final = "cpol-study-"
OUT: Final = "CPOL_STUDY_OUT"
WENT_ON: Final = "it ended before processes that it started; let it end them or wait for them, since their time counts"

ObjectOf = Callable[[str], AbstractContextManager[Path]]
"""Compiles a policy, or takes it from the cache."""


@dataclass(frozen=True)
class Here:
    """Where a trial finds the kernel's files."""

    root: Path = Path("/")
    cgroups: Path = Path("/sys/fs/cgroup")
    own: Path = Path("/proc/self/cgroup")

    def text(self, name: str) -> str:
        with suppress(OSError):
            return (self.root / name).read_text(errors="replace").strip()
        return ""


def check_machine() -> None:
    """Raise UserError if this process may not change the machine."""
    if os.geteuid() != 0:
        raise UserError("a trial needs root: it makes a cgroup and changes settings of the kernel; run it with sudo")


def run_trial(
    job: Job, object_of: ObjectOf, signals: Signals, here: Here = Here(), tell: Callable[[str], None] = lambda _: None
) -> Outcome:
    """Run a trial, and put back what it changed.

    Args:
        tell: is told what could not be put back, if there is no outcome to say so.

    Raises:
        UserError: it cannot be run on this machine; nothing was measured.
        StoppedError: a signal came.
    """
    outcome = Outcome(job.id, boot=here.text("proc/sys/kernel/random/boot_id"), release=platform.release())
    left = outcome.left.append
    parent = parent_of(None, here.cgroups, here.own)
    with told_at_least(outcome.left, tell), ExitStack() as stack:
        stack.enter_context(alone(here.cgroups))
        sweep(parent, left, PREFIX)
        scratch = Path(stack.enter_context(temporary()))
        words = [[word.replace(SCRATCH, str(scratch)) for word in each] for each in (job.prepare, job.command)]
        variables = {OUT: str(scratch / "told.json")}
        if words[0] and (why := _prepare(words[0], job, signals)):
            outcome.failure, outcome.stderr = why
            return outcome
        signals.check()
        cgroup = stack.enter_context(made(parent, left, PREFIX))
        stack.enter_context(swapping(job.medium, left))
        signals.check()
        outcome.settings = stack.enter_context(settings.written(job.settings, left, here.root))
        limit(cgroup, job)
        keeper = stack.enter_context(governed(job, object_of, cgroup))
        stack.callback(program.emptied, cgroup)  # before swap goes: what is in it would have no room
        drop_caches(here.root)
        signals.check()
        before = counted(cgroup, here.root / "proc/vmstat")
        ended = program.run(words[1], job.folder, variables, job.timeout, signals, cgroup, keeper)
        _count(outcome, ended, cgroup, before, here)
        went_on = not program.empty(cgroup, program.LINGERING)
        _tell(outcome, scratch / "told.json")
        outcome.failure = outcome.failure or why_failed(ended, outcome.oom_kills, job)
        if went_on and not outcome.failure:
            outcome.failure = WENT_ON
        outcome.stderr = ended.stderr if outcome.failure else ""
    return outcome


@contextmanager
def told_at_least(left: Sequence[str], tell: Callable[[str], None]) -> Iterator[None]:
    """If this block ends by an error or a signal, tell what could not be put back."""
    try:
        yield
    except BaseException:
        for each in left:
            tell(each)
        raise


@contextmanager
def alone(cgroups: Path) -> Iterator[None]:
    """No other trial runs on this machine in this block, whatever cgroup it was started in.

    Raises:
        UserError: one does.
    """
    handle = os.open(cgroups, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise UserError("another trial runs on this machine, and both would measure each other; wait for it") from None
    finally:
        os.close(handle)


@contextmanager
def temporary() -> Iterator[str]:
    """A folder of the trial's own."""
    folder = tempfile.mkdtemp(prefix=PREFIX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _prepare(words: list[str], job: Job, signals: Signals) -> tuple[str, str] | None:
    """Prepare a program. None, or why that failed, and what it said."""
    ended = program.run(words, job.folder, {}, job.timeout, signals)
    if ended.timed_out:
        return f"`prepare` took longer than {job.timeout} s", ended.stderr
    return (f"`prepare` failed: {said(ended.exit)}", ended.stderr) if ended.exit else None


def limit(cgroup: Path, job: Job) -> None:
    """Limit the memory of a cgroup, and forbid it to swap if the job has no swap.

    Raises:
        UserError: the kernel refuses it.
    """
    try:
        if not (job.medium.device or job.medium.size) and (cgroup / "memory.swap.max").exists():
            (cgroup / "memory.swap.max").write_text("0")
        (cgroup / "memory.max").write_text(str(job.limit))
    except OSError as error:
        raise UserError(f"cannot limit the memory of {cgroup}: {error.strerror}") from None


@contextmanager
def governed(job: Job, object_of: ObjectOf, cgroup: Path) -> Iterator[int | None]:
    """The policy governs the cgroup, if there is one; the number of the process that holds it.

    Raises:
        UserError: it cannot be attached.
    """
    if not job.policy:
        yield None
        return
    try:
        with object_of(job.policy) as path, held_by(path, cgroup, AttachOptions().words()) as keeper:
            yield keeper.pid
    except EndedError:
        raise UserError(f"the policy {job.policy} cannot be attached; the loader said why above") from None


def drop_caches(root: Path) -> None:
    """Let the program start cold: what was read before would cost it nothing."""
    os.sync()
    with suppress(OSError):
        (root / "proc/sys/vm/drop_caches").write_text("3")


def _count(outcome: Outcome, ended: Ended, cgroup: Path, before: dict[str, int], here: Here) -> None:
    outcome.seconds, outcome.exit = ended.seconds, ended.exit
    outcome.counters = grown(before, counted(cgroup, here.root / "proc/vmstat"))
    outcome.peak = number_in(cgroup / "memory.peak")
    outcome.oom_kills = pairs(cgroup / "memory.events").get("oom_kill", 0)


def _tell(outcome: Outcome, told: Path) -> None:
    try:
        outcome.latency, outcome.operations = told_by(told)
    except (OSError, ValueError) as error:
        outcome.failure = f"the program wrote to ${OUT} {error}"


def why_failed(ended: Ended, oom_kills: int, job: Job) -> str:
    """Why the time of a program does not count; empty: it does."""
    if ended.timed_out:
        return f"it took longer than {job.timeout} s"
    if ended.watched_ended:
        return f"the policy {job.policy} was detached while it ran"
    if oom_kills:
        return f"the kernel killed {oom_kills} of its processes for want of memory"
    return said(ended.exit) if ended.exit else ""


def said(code: int) -> str:
    return f"exit code {code}" if code > 0 else f"ended by signal {-code}"
