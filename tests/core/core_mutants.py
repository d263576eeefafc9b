"""Build drivers with a changed line of a core, and run them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from core_build import ROOT, build

CaseMutant = tuple[str, str, str, tuple[tuple[str, str], ...]]
"""A case, words of its failure, a file of a core, and what is changed there."""


def mutated(folder: Path, core: str, target: str, file: str, *changes: tuple[str, str]) -> Path:
    """A driver, built with other lines in a file of a core."""
    text = (ROOT / "kernel" / core / file).read_text()
    for old, new in changes:
        assert text.count(old) >= 1, f"{file} has no such text any more: {old}"
        text = text.replace(old, new)
    mutant = folder / "mutant"
    mutant.with_suffix(".c").write_text(text)
    build(target, f"MUTANT={mutant}", f"REPLACES={Path(file).stem}")
    return mutant


def check_case(folder: Path, core: str, target: str, mutant: CaseMutant) -> None:
    """The case fails with the mutant, and says so."""
    case, says, file, changes = mutant
    program = mutated(folder, core, target, file, *changes)
    done = subprocess.run([program, case], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and says in done.stderr, done.stderr
