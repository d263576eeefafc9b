"""Load random policies into the kernel's verifier at the host's speed (tests/verifier), and attach none."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import um
import um_objects

from .load import compiled

CHUNK = 100
"""Policies that a kernel gets before it ends."""


@dataclass(frozen=True)
class Verified:
    number: int
    refusal: str | None
    """What the compiler, clang, the loader or the verifier said against it."""
    instructions: int = 0
    """How many the verifier looked at."""
    ms: int = 0
    """What its load took."""


def verify_chunk(linux: Path, seed: int, at_paths: bool, numbers: range) -> list[Verified]:
    """Compile policies and load each into one kernel."""
    with tempfile.TemporaryDirectory(prefix="cpol-sources-") as scratch:
        folder = Path(scratch)
        against = {number: compiled(seed, number, folder, admits=True, at_paths=at_paths) for number in numbers}
        good = [number for number, why in against.items() if not why]
        verdicts = dict(
            zip(good, um_objects.verify(linux, [folder / f"source{number}.bpf.o" for number in good]), strict=True)
        )
    return [
        Verified(number, one.refusal, one.instructions, one.ms)
        if (one := verdicts.get(number))
        else Verified(number, against[number])
        for number in numbers
    ]


def verify(seed: int, numbers: range, jobs: int, at_paths: bool) -> Iterator[Verified]:
    """Compile and load policies, in `jobs` processes, in the order of their numbers. `at_paths`: those of aimed.py."""
    linux = um.kernel()
    um_objects.load_objects()  # before several processes want it
    chunks = [numbers[at : at + CHUNK] for at in range(0, len(numbers), CHUNK)]
    with ProcessPoolExecutor(jobs) as pool:
        for chunk in pool.map(partial(verify_chunk, linux, seed, at_paths), chunks):
            yield from chunk
