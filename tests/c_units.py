"""Who calls whom among units of C, by the symbols of their objects."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cpol.compiler.toolchain.clang import llvm


@dataclass(frozen=True)
class Unit:
    """The global symbols of a translation unit."""

    defines: frozenset[str]
    needs: frozenset[str]


def read_symbols(path: Path) -> Unit:
    done = subprocess.run(
        [llvm("llvm-nm"), "--extern-only", "--format=posix", str(path)], capture_output=True, text=True, check=True
    )
    symbols = [line.split()[:2] for line in done.stdout.splitlines()]
    return Unit(
        frozenset(name for name, kind in symbols if kind != "U"),
        frozenset(name for name, kind in symbols if kind == "U"),
    )


def calls(units: Mapping[str, Unit]) -> dict[str, set[str]]:
    """Map each unit to the units whose symbols it needs."""
    return {
        name: {other for other, those in units.items() if other != name and unit.needs & those.defines}
        for name, unit in units.items()
    }
