"""Runs in the machine: programs that stay in memory, so that no cgroup is charged for them."""

from __future__ import annotations

import mmap
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path


@contextmanager
def mapped(files: Iterable[Path]) -> Iterator[None]:
    """Map the files, so that they stay in memory."""
    with ExitStack() as stack:
        for path in files:
            file = stack.enter_context(path.open("rb"))
            flags = mmap.MAP_SHARED | mmap.MAP_POPULATE
            stack.enter_context(mmap.mmap(file.fileno(), 0, flags=flags, prot=mmap.PROT_READ))
        yield


@contextmanager
def in_memory(*programs: Path) -> Iterator[None]:
    """Map the programs and their libraries, so that they stay in memory, and no arm is charged for them."""
    told = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout
    with mapped({*programs, *map(Path, re.findall(r"(/\S+) \(0x", told))}):
        yield
