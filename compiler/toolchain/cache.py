"""What is kept between runs: `${CPOL_CACHE:-~/.cache/cpol}`, with a folder for each kind of entry.

An entry is a file whose name holds a hash of all that it is made from. It is taken only if nobody but this user and
root can have written it (trust.py). It appears in one step, so it is whole or not there.
"""

from __future__ import annotations

import os
import pwd
import tempfile
from collections.abc import Callable
from pathlib import Path

from cpol.compiler.toolchain import trust
from cpol.compiler.toolchain.process import ToolError

MODE = 0o755
"""Of folders and entries, before the umask: others may read and run them."""


class CacheError(ToolError):
    """The cache cannot be used; the message says why and what to do."""


def root() -> Path:
    """The cache's folder, which may not exist.

    Raises:
        CacheError: this user has no home folder.
    """
    named = os.environ.get("CPOL_CACHE")
    try:
        return Path(named).absolute() if named else Path.home() / ".cache" / "cpol"
    except RuntimeError:
        raise CacheError("this user has no home folder; name a folder for the cache in CPOL_CACHE") from None


def find(kind: str, name: str) -> Path | None:
    """The entry of that name; None: there is none.

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
    """Make the entry of that name.

    Args:
        kind: the folder.
        name: of the entry in it.
        build: makes it at a path in a new, empty folder.

    Raises:
        UntrustedError: another user can write to the cache.
        CacheError: the cache cannot be written.
    """
    folder = root() / kind
    try:
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        trust.check_above((missing or [folder])[-1].parent.resolve(), _instead())
        for each in reversed(missing):
            each.mkdir(mode=MODE, exist_ok=True)
        folder = trust.own_folder(folder, _instead())
        scratch = tempfile.TemporaryDirectory(dir=folder, prefix="making-")
    except OSError as error:
        raise CacheError(f"cannot write to the cache {folder}: {error.strerror}; {_instead()}") from None
    with scratch:
        built = Path(scratch.name) / name
        build(built)
        built.chmod(built.stat().st_mode & MODE)
        return built.replace(folder / name)


def find_or_make(kind: str, name: str, build: Callable[[Path], object]) -> Path:
    """The entry of that name, made if there is none. Arguments and errors are those of find() and make()."""
    return find(kind, name) or make(kind, name, build)


def _instead() -> str:
    """What to do if the cache cannot be used."""
    try:
        home = pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:
        home = "/FOLDER"
    return f"name another folder for the cache: CPOL_CACHE={home}/.cache/cpol"
