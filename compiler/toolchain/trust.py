"""Ownership checks: is this user, or root, the only one who can have written a file or folder?

cpol runs code from its cache, and `cpolc attach` runs as root. Under `sudo -E`, or with a shared
folder, the cache may belong to another user. cpol does not run code from such a cache.
"""

from __future__ import annotations

import errno
import os
import pwd
import stat
from pathlib import Path

from cpol.compiler.toolchain.process import ToolError

GROUP_AND_OTHERS, OTHERS = 0o022, 0o002


class UntrustedError(ToolError):
    """Another user can have written the file or folder. The message says who, and what to do."""


def own_folder(path: Path, instead: str) -> Path:
    """Check a folder and the folders above it, and return its path without symbolic links.

    Args:
        path: a folder.
        instead: advice for the message.

    Raises:
        UntrustedError: another user can write to it or replace it.
        OSError: it cannot be read.
    """
    found = resolved(path)
    _check(found, instead, GROUP_AND_OTHERS)
    _check(found.parent, instead, GROUP_AND_OTHERS, above=True)
    check_above(found.parent, instead)
    return found


def own_file(path: Path, instead: str) -> Path:
    """Check a regular file and the folders above it, and return its path without symbolic links.

    Raises:
        UntrustedError: another user can write to it or replace it.
        ToolError: it cannot be read, or is not a regular file.
    """
    try:
        found = resolved(path)
        check_above(found.parent, instead)
        _check(found.parent, instead, GROUP_AND_OTHERS, above=True)
        _check(found, instead, GROUP_AND_OTHERS)
        if not found.is_file():
            raise ToolError(f"{path} is no regular file; {instead}")
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ToolError(f"{path} is a link that leads to itself; {instead}") from None
        raise ToolError(f"cannot read {path}: {error.strerror}; {instead}") from None
    return found


def resolved(path: Path) -> Path:
    """The path without symbolic links. Raises OSError: nothing is there, or a link leads to itself."""
    try:
        return path.resolve(strict=True)
    except RuntimeError:  # how pathlib said ELOOP before Python 3.13
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None


def own_entry(path: Path, instead: str) -> Path | None:
    """Check a file in a folder that own_folder() returned. Return its path, or None if it does not
    exist.

    Raises:
        UntrustedError: it is not a regular file, or another user can write to it.
        OSError: it cannot be read.
    """
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise UntrustedError(f"{path} is no regular file; remove it, or {instead}")
    _check(path, instead, GROUP_AND_OTHERS)
    return path


def check_above(path: Path, instead: str) -> None:
    """Check that no other user can replace the content of a folder, or of one above it.

    Args:
        path: a folder, without symbolic links.
        instead: advice for the message.

    Raises:
        UntrustedError: another user can replace it.
        OSError: it cannot be read.
    """
    for folder in (path, *path.parents):
        _check(folder, instead, OTHERS, above=True)


def _check(path: Path, instead: str, forbidden: int, *, above: bool = False) -> None:
    """Check owner and mode of a file or folder.

    `above` marks a parent folder. There, the owner of / is trusted like root. A sticky folder is
    safe, because users cannot replace each other's files in it.
    """
    status = path.stat()
    owners = {0, os.geteuid()} | ({Path("/").stat().st_uid} if above else set())
    if status.st_uid not in owners:
        raise UntrustedError(f"{path} belongs to {_user(status.st_uid)}, and this is {_user(os.geteuid())}; {instead}")
    if status.st_mode & forbidden and not (above and status.st_mode & stat.S_ISVTX):
        mode = stat.S_IMODE(status.st_mode)
        raise UntrustedError(f"other users can write to {path} (mode {mode:o}); run `chmod go-w {path}`, or {instead}")


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"
