"""Files and folders that nobody but this user and root can have written.

cpol runs what is in its cache, and `cpolc attach` runs as root. With `sudo -E`, or with a folder that several users
share, the cache may be another user's. What is in it is then never run.
"""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

from cpol.compiler.toolchain.process import ToolError

GROUP_AND_OTHERS, OTHERS = 0o022, 0o002


class UntrustedError(ToolError):
    """Another user can have written it; the message says who, and what to do."""


def own_folder(path: Path, instead: str) -> Path:
    """The path of a folder without symbolic links, if it and the folders above it are safe.

    Args:
        path: a folder.
        instead: what to do if it is another user's, for the message.

    Raises:
        UntrustedError: another user can write to it, or put another folder in its place.
        OSError: it cannot be read.
    """
    found = path.resolve(strict=True)
    _check(found, instead, GROUP_AND_OTHERS)
    _check(found.parent, instead, GROUP_AND_OTHERS, above=True)
    check_above(found.parent, instead)
    return found


def own_file(path: Path, instead: str) -> Path:
    """The path of a regular file without symbolic links, if it and the folders above it are safe.

    Raises:
        UntrustedError: another user can write to it, or put another file in its place.
        ToolError: it cannot be read, or is no regular file.
    """
    try:
        found = path.resolve(strict=True)
        check_above(found.parent, instead)
        _check(found, instead, GROUP_AND_OTHERS)
        if not found.is_file():
            raise ToolError(f"{path} is no regular file; {instead}")
    except OSError as error:
        raise ToolError(f"cannot read {path}: {error.strerror}; {instead}") from None
    return found


def own_entry(path: Path, instead: str) -> Path | None:
    """A file in a folder that own_folder() returned; None: there is none.

    Raises:
        UntrustedError: it is no regular file, or another user can write to it.
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
    """Check that nobody else can replace what is in a folder, by the folder's mode or that of one above it.

    Args:
        path: a folder, without symbolic links.
        instead: as for own_folder().

    Raises:
        UntrustedError: another user can.
        OSError: it cannot be read.
    """
    for folder in (path, *path.parents):
        _check(folder, instead, OTHERS, above=True)


def _check(path: Path, instead: str, forbidden: int, *, above: bool = False) -> None:
    """Check owner and mode.

    `above`: a folder above what is used. There the owner of / is as good as root, and a sticky folder is safe, since
    nobody can replace what another user has in it.
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
