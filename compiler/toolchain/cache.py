"""The cache of artefacts: `${CPOL_CACHE:-~/.cache/cpol}`, with a folder for each kind.

- The name of an entry contains a hash of all its inputs.
- An entry is used only if no user but this one and root can have written it (trust.py).
- An entry is created atomically.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cpol.compiler.toolchain import trust
from cpol.compiler.toolchain.digest import digest
from cpol.compiler.toolchain.process import ToolError

MAKING = "making-"
"""What the names of folders of unfinished entries begin with."""

ABANDONED = 24 * 3600
"""Seconds after which nobody works in such a folder any more."""

LOCKS = 64
"""Files that stand for the names of all entries that are being made."""

MODE = 0o755
"""Mode of folders and entries before the umask: others may read and run them."""


class CacheError(ToolError):
    """The cache cannot be used. The message says why and what to do."""


def root() -> Path:
    """The path of the cache, which may not exist.

    Raises:
        CacheError: this user has no home folder, or the current one is gone.
    """
    named = os.environ.get("CPOL_CACHE")
    try:
        return Path(named).absolute() if named else Path.home() / ".cache" / "cpol"
    except RuntimeError:
        raise CacheError("this user has no home folder; name a folder for the cache in CPOL_CACHE") from None
    except OSError:
        raise CacheError(f"CPOL_CACHE={named} is below a folder that is gone; name it from / on") from None


def find(kind: str, name: str) -> Path | None:
    """The path of an entry, or None if there is none.

    Raises:
        UntrustedError: another user can have written it.
        CacheError: it cannot be read.
    """
    folder = root() / kind
    try:
        return trust.own_entry(trust.own_folder(folder, _instead()) / name, _instead())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CacheError(f"cannot read the cache {folder}: {error.strerror}; {_instead()}") from None


def make(kind: str, name: str, build: Callable[[Path], object]) -> Path:
    """Create an entry and return its path.

    Args:
        kind: the folder of the cache.
        name: the file name in it.
        build: writes the artefact to the given path, in a new and empty folder.

    Raises:
        UntrustedError: another user can write to the cache.
        CacheError: the cache cannot be written.
    """
    import tempfile  # which a run from the cache starts without

    folder = root() / kind
    if root().exists() and not root().is_dir():
        raise CacheError(f"CPOL_CACHE={root()} is no folder; unset it, or name a folder: CPOL_CACHE=$(mktemp -d)")
    try:
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        trust.check_above((missing or [folder])[-1].parent.resolve(), _instead())
        for each in reversed(missing):
            each.mkdir(mode=MODE, exist_ok=True)
        folder = trust.own_folder(folder, _instead())
        _sweep(folder)
        scratch = tempfile.TemporaryDirectory(dir=folder, prefix=MAKING)
    except OSError as error:
        raise CacheError(f"cannot write to the cache {folder}: {error.strerror}; {_instead()}") from None
    with scratch:
        built = Path(scratch.name) / name
        try:
            build(built)
            built.chmod(built.stat().st_mode & MODE)
            return built.replace(folder / name)
        except OSError as error:  # there is no room, say
            raise CacheError(f"cannot write to the cache {folder}: {error.strerror}; {_instead()}") from None


@contextmanager
def alone(kind: str, name: str) -> Iterator[None]:
    """Waits until no other process or thread of this machine makes an entry of this name.

    Raises:
        CacheError: the cache cannot be written.
    """
    import fcntl  # which a run from the cache starts without

    folder = root() / kind
    path = folder / f"lock-{digest(name.encode())[0] % LOCKS}"
    try:
        folder.mkdir(mode=MODE, parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise CacheError(f"cannot write to the cache {folder}: {error.strerror}; {_instead()}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _sweep(folder: Path) -> None:
    """Remove what was never finished: its maker was killed."""
    import shutil
    import time

    for left in folder.glob(f"{MAKING}*"):
        try:
            old = time.time() - left.lstat().st_mtime > ABANDONED
        except FileNotFoundError:  # another process has just finished it
            continue
        if old and left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)


def find_or_make(kind: str, name: str, build: Callable[[Path], object]) -> Path:
    """The path of an entry, created if it is missing. Arguments and errors are those of find() and make()."""
    return find(kind, name) or make(kind, name, build)


def _instead() -> str:
    """The advice in messages about an unusable cache: the one in this user's home folder, if there can be another."""
    try:
        home = Path(pwd.getpwuid(os.geteuid()).pw_dir)
    except KeyError:
        home = Path("/nonexistent")
    own = home / ".cache" / "cpol"
    usable = home.is_dir() and os.access(home, os.W_OK | os.X_OK, effective_ids=True) and own != root()
    return f"name another folder for the cache: CPOL_CACHE={own if usable else '$(mktemp -d)'}"
