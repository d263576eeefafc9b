"""Files under /sys and /proc/sys that a trial writes, and puts back."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from cpol.errors import UserError

ROOT: Final = Path("/")
MAX_FILE: Final = 64 << 10
WORD: Final = r"[\w.:=+-]+"
CHOSEN: Final = re.compile(rf"(?:{WORD}\s+)*\[({WORD})\](?:\s+{WORD})*\s*")
"""How a file marks the choice that holds: `always [madvise] never`. Brackets in other texts mean something else."""
TWO_WAYS: Final = tuple(
    (f"/proc/sys/vm/{one}", f"/proc/sys/vm/{other}")
    for one, other in (
        ("dirty_bytes", "dirty_ratio"),
        ("dirty_background_bytes", "dirty_background_ratio"),
        ("overcommit_kbytes", "overcommit_ratio"),
    )
)
"""Two files for one setting: what is written to one makes the other 0."""

Found = dict[str, tuple[str, str]]
"""What stood in each file before, and after it was written."""


@contextmanager
def written(settings: Sequence[tuple[str, str]], left: Callable[[str], None], root: Path = ROOT) -> Iterator[Found]:
    """The files hold these values in this block, and then what they held before.

    Args:
        left: is told what could not be put back.
        root: what stands for `/`.

    Raises:
        UserError: a file cannot be read or written.
    """
    found: Found = {}
    with ExitStack() as stack:
        for name, value in settings:
            path = inside(name, root)
            before = read(path)
            other = other_way(name, root)
            if other and before == "0":  # the other one holds, and makes this one 0 again
                stack.callback(_put_back, other, read(other), left)
            else:
                stack.callback(_put_back, path, before, left)
            write(path, value)
            found[name] = (before, read(path))
        yield found


def other_way(name: str, root: Path = ROOT) -> Path | None:
    """The other file of a setting that has two."""
    for pair in TWO_WAYS:
        if name in pair:
            return inside(pair[1 - pair.index(name)], root)
    return None


def inside(name: str, root: Path = ROOT) -> Path:
    """The file itself: links of sysfs lead to others of it, and to nothing else.

    Raises:
        UserError: it is not there, is no file, or leads out of /sys and /proc/sys.
    """
    real = Path(os.path.realpath(root / name.lstrip("/")))
    if not any(real.is_relative_to(root / folder) for folder in ("sys", "proc/sys")):
        raise UserError(f"{name} leads to {real}, which is not under /sys or /proc/sys; name the file itself")
    if not real.is_file():
        raise UserError(
            f"there is no file {name} in this machine; its kernel has no such setting, or it has another name"
        )
    return real


def read(path: Path) -> str:
    """What a file of a setting holds, as it could be written back.

    Raises:
        UserError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE).decode(errors="surrogateescape").strip("\n")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}, so it could not be put back; leave it out") from None
    chosen = CHOSEN.fullmatch(text)
    return chosen[1] if chosen else text


def write(path: Path, value: str) -> None:
    """Write a setting in one call, as the kernel takes it.

    Raises:
        UserError: the kernel refuses it.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
        try:
            os.write(handle, value.encode(errors="surrogateescape"))
        finally:
            os.close(handle)
    except OSError as error:
        raise UserError(f"cannot write {value!r:.80} to {path}: {error.strerror}; give a value that it takes") from None


def _put_back(path: Path, before: str, left: Callable[[str], None]) -> None:
    try:
        write(path, before)
        if (now := read(path)) != before:
            left(f"not put back: {path} was {before!r:.80}, and is {now!r:.80}")
    except UserError as error:
        left(f"not put back: {error}")
