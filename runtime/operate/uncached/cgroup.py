"""The cgroup in which `cpolc uncached` runs its command."""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cpol.errors import UserError

ROOT = Path("/sys/fs/cgroup")
PREFIX = "cpol-uncached-"
"""The name of such a cgroup is that, the number of the process that made it, and a random number."""


def parent_of(given: str | None, root: Path = ROOT, own: Path = Path("/proc/self/cgroup")) -> Path:
    """The cgroup below which the new one is made: the given one, or the nearest above this process that can have it.

    A cgroup with processes in it hands no controller on, so it is often not the process' own.

    Raises:
        UserError: there is none, or it does not hand on the memory controller.
    """
    if given is not None:
        path = Path(given)
        if not (path / "cgroup.procs").is_file():
            raise UserError(f"{given} is no cgroup; name a folder under {root}")
        if not hands_on_memory(path):
            raise UserError(
                f"{given} does not hand the memory controller on to cgroups below it; write "
                f"`+memory` to {given}/cgroup.subtree_control, for which it must have no processes of its own"
            )
        return path
    try:
        line = next(line for line in own.read_text().splitlines() if line.startswith("0::"))
    except (OSError, StopIteration):
        raise UserError("this process has no cgroup2 cgroup; mount cgroup2 on /sys/fs/cgroup") from None
    path = root / line[3:].strip("/")
    for folder in (path, *path.parents):
        if hands_on_memory(folder):
            return folder
        if folder == root:
            break
    if not (root / "cgroup.controllers").is_file():
        raise UserError(
            f"cgroup2 is not mounted on {root}, so version 1 may have the memory controller, and policies need "
            "version 2; boot with systemd.unified_cgroup_hierarchy=1"
        )
    raise UserError(
        f"no cgroup above {path} hands on the memory controller, without which no policy can be attached; write "
        f"`+memory` to {root}/cgroup.subtree_control, or name a cgroup with --cgroup"
    )


def hands_on_memory(folder: Path) -> bool:
    """Whether cgroups below this one have the memory controller."""
    try:
        return "memory" in (folder / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False


@contextmanager
def made(parent: Path, warn: Callable[[str], None], prefix: str = PREFIX) -> Iterator[Path]:
    """A new cgroup, which the loader removes, or else this block at its end. This process holds it locked.

    Raises:
        UserError: it cannot be made.
    """
    while True:
        folder = parent / f"{prefix}{os.getpid()}-{secrets.token_hex(4)}"
        try:
            folder.mkdir(mode=0o700)  # a lock needs no right but to open it, so others must not
        except OSError as error:
            raise UserError(f"cannot make a cgroup below {parent}: {error.strerror}") from None
        with locked(folder) as mine:
            if not mine:  # the sweep of another process came between
                continue
            try:
                yield folder
            finally:
                remove(folder, warn)
            return


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Lock the cgroup until this process ends, however it does. False: another one has it locked, or it is gone.

    A lock tells whether the maker lives. Its number does not: in another pid namespace, it means another process.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        mine = folder.exists()
    except BlockingIOError:
        mine = False
    try:
        yield mine
    finally:
        os.close(handle)


def sweep(parent: Path, warn: Callable[[str], None], prefix: str = PREFIX) -> None:
    """End and remove what killed runs left below `parent`: cgroups that no process holds locked."""
    for folder in parent.glob(f"{prefix}*-*"):
        number = folder.name.removeprefix(prefix).partition("-")[0]
        if number.isascii() and number.isdecimal():
            with locked(folder) as abandoned:
                if abandoned:
                    remove(folder, warn)


def remove(folder: Path, warn: Callable[[str], None], seconds: float = 5.0) -> None:
    """Kill what runs in the cgroup, and remove it with those below it. `warn` is told if something stays."""
    if not folder.exists():
        return
    with suppress(OSError), (folder / "cgroup.kill").open("r+") as kill:
        kill.write("1")
    end = time.monotonic() + seconds
    while (why := removed(folder)) and time.monotonic() <= end:
        time.sleep(0.02)
    if why:
        warn(f"{why.filename} stays: it cannot be removed: {why.strerror}; `rmdir` it, or the next run does")


def removed(folder: Path) -> OSError | None:
    """Remove a cgroup and those below it, the lowest first. Returns the first error."""
    failure: OSError | None = None
    for path, _, _ in os.walk(folder, topdown=False):
        try:
            Path(path).rmdir()
        except FileNotFoundError:  # another process was faster
            pass
        except OSError as error:
            failure = failure or error
    return failure
