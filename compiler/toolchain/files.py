"""Files that are replaced when all of their new contents are there."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(out: Path) -> Iterator[BinaryIO]:
    """A file beside `out` to write, which takes its place at the end, and goes after an exception.

    A symbolic link is replaced, not followed. Devices, pipes, and descriptors such as `/dev/stdout` are written
    in place.

    Raises:
        OSError: the folder of `out`, or the device, cannot be written.
    """
    if is_device(out):
        with out.open("wb") as device:
            yield device
        return
    import tempfile  # which commands that write no file start without

    mode = _mode(out)
    handle, temporary = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            _keep_owner(file.fileno(), out)
            os.fchmod(file.fileno(), mode)
            yield file
        Path(temporary).replace(out)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_atomically(out: Path, content: bytes) -> None:
    """Replace the file `out` with `content` atomically; write into a device.

    Raises:
        OSError: the folder of `out`, or the device, cannot be written.
    """
    with replacing(out) as file:
        file.write(content)


def rewrite(path: Path, content: bytes) -> None:
    """Give a file new contents: atomically, or in place if it has other names, which would keep the old ones.

    Raises:
        OSError: it cannot be written, nobody may write it, or it is no regular file.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    if not found.st_mode & 0o222:  # root could replace it all the same
        raise PermissionError(errno.EACCES, "it is read-only")
    if found.st_nlink == 1:
        write_atomically(path, content)
        return
    with path.open("r+b") as file:
        file.write(content)
        file.truncate()


def is_device(out: Path) -> bool:
    """Whether this is a device, a pipe or a descriptor such as `/dev/stdin`."""
    folder = Path(os.path.realpath(out.parent))  # which takes a link that leads to itself as it is
    return (out.exists() and not out.is_file()) or folder == Path("/dev") or folder.is_relative_to("/proc")


def _keep_owner(file: int, out: Path) -> None:
    """Give the new file the owner and the group of the one that it replaces, as far as this user may."""
    try:
        old, new = out.lstat(), os.fstat(file)
    except FileNotFoundError:
        return
    if stat.S_ISREG(old.st_mode) and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with suppress(PermissionError):
            os.fchown(file, old.st_uid, old.st_gid)


def _mode(out: Path) -> int:
    """The permissions of the new file: those of the one that it replaces, or what the umask leaves."""
    try:
        found = out.lstat().st_mode
        if stat.S_ISREG(found):
            return found & 0o777
    except FileNotFoundError:
        pass
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
