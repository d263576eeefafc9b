"""Tells when cgroups come and go, by inotify: the kernel reports each mkdir and rmdir in the tree of cgroups.

The two calls are made by ctypes, for want of a package of Debian 12 that would do: pyinotify is not kept any more,
inotify waits by itself and for no other descriptor, and watchdog raises where the kernel has no watch left, where
this goes on in part.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
from pathlib import Path
from typing import Final

IN_CREATE, IN_DELETE, IN_DELETE_SELF, IN_MOVED_TO, IN_MOVED_FROM = 0x100, 0x200, 0x400, 0x80, 0x40
IN_Q_OVERFLOW, IN_IGNORED, IN_ISDIR, IN_ONLYDIR, IN_DONT_FOLLOW = 0x4000, 0x8000, 0x40000000, 0x1000000, 0x2000000
WATCHED: Final = IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVED_TO | IN_MOVED_FROM | IN_ONLYDIR | IN_DONT_FOLLOW
HEAD: Final = struct.Struct("iIII")
ROOM: Final = 1 << 16
POLL_SECONDS: Final = 5.0
"""How often whoever waits looks at the tree where not all of it is watched."""
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


class WatchError(Exception):
    """The tree cannot be watched; the message says why and what to do."""


class Watch:
    """Watches all folders below a root, and those that come later.

    Any user to whom a cgroup was delegated can make more of them than the kernel has watches for. From then on
    `partly` is true, and `wait` also returns every few seconds.
    """

    def __init__(self, root: Path) -> None:
        """Raises WatchError: there is no such folder, or it cannot be watched."""
        self.partly = False
        self.fd: int = _LIBC.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0:
            raise WatchError(f"inotify_init1: {os.strerror(ctypes.get_errno())}")
        self._paths: dict[int, str] = {}
        try:
            if not self._add(str(root)):
                raise WatchError(f"there is no folder {root}")
            self._add_below(str(root))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        os.close(self.fd)

    def wait(self, seconds: float | None, *others: int) -> bool:
        """Wait until folders came or went, another descriptor is readable, or time is over.

        Returns:
            Whether folders came or went, or may have. Those that came are watched by then, unless it is `partly`.

        Raises:
            WatchError: one that came cannot be watched.
        """
        polls = self.partly and (seconds is None or seconds > POLL_SECONDS)
        ready, _, _ = select.select([self.fd, *others], [], [], POLL_SECONDS if polls else seconds)
        if polls and not ready:
            return True
        return self.fd in ready and self._take()

    def _take(self) -> bool:
        changed = False
        while data := self._read():
            at = 0
            while at < len(data):
                number, mask, _, length = HEAD.unpack_from(data, at)
                name = os.fsdecode(data[at + HEAD.size : at + HEAD.size + length].rstrip(b"\0"))
                at += HEAD.size + length
                if mask & IN_Q_OVERFLOW:  # what came is unknown
                    changed = True
                    for path in [*self._paths.values()]:
                        self._add_below(path)
                elif mask & IN_IGNORED:
                    self._paths.pop(number, None)
                elif mask & IN_ISDIR and number in self._paths:
                    changed = True
                    if mask & (IN_CREATE | IN_MOVED_TO):
                        path = f"{self._paths[number]}/{name}"
                        if self._add(path):
                            self._add_below(path)
        return changed

    def _read(self) -> bytes:
        try:
            return os.read(self.fd, ROOM)
        except BlockingIOError:
            return b""

    def _add(self, path: str) -> bool:
        """Watch a folder. False: it is gone, or cannot have a watch."""
        number = _LIBC.inotify_add_watch(self.fd, os.fsencode(path), WATCHED)
        if number >= 0:
            self._paths[number] = path
            return True
        error = ctypes.get_errno()
        if error in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):  # no rule can name so long a path
            return False
        if error == errno.ENOSPC:
            self.partly = True
            return False
        raise WatchError(f"cannot watch {path}: {os.strerror(error)}")

    def _add_below(self, path: str) -> None:
        """Watch the folders in a folder that is watched, so that none that comes meanwhile is missed."""
        waiting = [path]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(folder) as entries:
                    names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
            except OSError:
                continue
            waiting += [path for path in (f"{folder}/{name}" for name in names) if self._add(path)]
