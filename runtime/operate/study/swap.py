"""Swap for a trial: a disk, zram, or none. It is there for the trial only."""

from __future__ import annotations

import os
import re
import resource
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from cpol.errors import UserError
from cpol.runtime.operate.study.job import Medium

CONTROL: Final = Path("/sys/class/zram-control")
BLOCK: Final = Path("/sys/block")
SWAPS: Final = Path("/proc/swaps")
SIGNATURE: Final = b"SWAPSPACE2"
LOOKED_AT: Final = 128 << 10
"""Bytes at both ends of a device: every file system and partition table has something at the begin, some RAIDs at the
end."""
SECONDS: Final = 600
TRIES: Final = 50


@contextmanager
def swapping(medium: Medium, left: Callable[[str], None]) -> Iterator[None]:
    """The machine swaps to this medium in this block.

    Args:
        left: is told what could not be put back.

    Raises:
        UserError: it has other swap, or this one cannot be had.
    """
    refuse_other(SWAPS)
    with ExitStack() as stack:
        if medium.device:
            device = Path(medium.device)
            check_device(device)
        elif medium.size:
            device = stack.enter_context(zram(medium, left))
        else:
            yield
            return
        run("mkswap", str(device))
        run("swapon", str(device))
        stack.callback(_try, left, "swapoff", str(device))
        yield


def refuse_other(swaps: Path) -> None:
    """Refuse a machine that swaps already: the program would use that.

    Raises:
        UserError: it does.
    """
    try:
        active = [line.split()[0] for line in swaps.read_text().splitlines()[1:]]
    except OSError:  # a kernel without swap, which swapon will say
        return
    if active:
        raise UserError(f"this machine swaps to {', '.join(active)} already, which the trial would use; swapoff it")


def check_device(device: Path) -> None:
    """Refuse a device with anything on it but old swap space.

    Raises:
        UserError: it has something, or is no block device.
    """
    try:
        if not stat.S_ISBLK(device.stat().st_mode):
            raise UserError(f"{device} is no block device; name a disk that may be overwritten, such as /dev/vdb")
        handle = os.open(device, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
        try:
            begin = os.pread(handle, LOOKED_AT, 0)
            end = os.pread(handle, LOOKED_AT, max(0, os.lseek(handle, 0, os.SEEK_END) - LOOKED_AT))
        finally:
            os.close(handle)
    except OSError as error:
        raise UserError(f"cannot use {device}: {error.strerror}; name a disk that is there and not in use") from None
    if why := occupied(begin, end):
        raise UserError(
            f"{device} {why}; if it may be overwritten, do it yourself: wipefs -a {device}; mkswap {device}"
        )


def occupied(begin: bytes, end: bytes) -> str:
    """Why a device with these ends is not free to be swapped to; empty: it is. What was swapped may be at its end."""
    page = resource.getpagesize()
    if begin[page - len(SIGNATURE) : page] == SIGNATURE or not (begin + end).strip(b"\0"):
        return ""
    return "is not empty, and no swap space"


@contextmanager
def zram(medium: Medium, left: Callable[[str], None]) -> Iterator[Path]:
    """A new zram device.

    Raises:
        UserError: the kernel has no zram, or not the algorithm.
    """
    with ExitStack() as stack:
        if not CONTROL.is_dir():
            run("modprobe", "zram", "num_devices=0")
            stack.callback(_try, left, "modprobe", "-r", "zram")
        try:
            number = (CONTROL / "hot_add").read_text().strip()
            if not re.fullmatch(r"\d+", number):
                raise UserError(f"zram made a device {number!r:.40}, which is no number")
            stack.callback(_remove, number, left)
            folder = BLOCK / f"zram{number}"
            if medium.algorithm:
                _choose(folder / "comp_algorithm", medium.algorithm)
            (folder / "disksize").write_text(str(medium.size))
        except OSError as error:
            raise UserError(f"cannot make a zram device of {medium.size} bytes: {error.strerror}") from None
        yield Path(f"/dev/zram{number}")


def _choose(file: Path, algorithm: str) -> None:
    try:
        file.write_text(algorithm)
    except OSError:
        known = file.read_text().replace("[", "").replace("]", "").split()
        message = f"zram of this kernel has no algorithm {algorithm}; write one of {', '.join(known)}"
        raise UserError(message) from None


def _remove(number: str, left: Callable[[str], None]) -> None:
    """Remove a zram device. udev may look at it for a moment."""
    for attempt in range(TRIES):
        try:
            (CONTROL / "hot_remove").write_text(number)
            return
        except OSError as error:
            if attempt == TRIES - 1:
                left(f"not put back: /dev/zram{number} cannot be removed: {error.strerror}")
        time.sleep(0.1)


def run(*words: str) -> None:
    """Run a tool of the system.

    Raises:
        UserError: it is not there, or failed.
    """
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UserError(f"cannot run {words[0]}: {error}; it comes with util-linux or kmod") from None
    if done.returncode:
        raise UserError(f"{' '.join(words)} failed: {done.stderr.strip()[-500:] or done.returncode}")


def _try(left: Callable[[str], None], *words: str) -> None:
    try:
        run(*words)
    except UserError as error:
        left(f"not put back: {error}")
