"""Benchmarks run seldom: what they call in the tree is there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCRIPTS = [
    path.name
    for path in sorted(HERE.iterdir())
    if path.is_file() and not path.suffix and re.match(rb"#!.*python", path.read_bytes())
]
GONE = r"\[(attr-defined|call-arg|import-not-found|name-defined)\]$"
"""What mypy says of a name that is not there, or of a call that does not fit; scripts need not be typed otherwise."""


def gone(folder: Path, *scripts: Path) -> list[str]:
    """What these scripts call that is not there.

    A name of its own makes each of them a module, so that one run reads them all; it has the options of the whole tree,
    and so what a run of mypy on that has kept.
    """
    links = [folder / f"script_{path.name.replace('-', '_')}.py" for path in scripts]
    for link, path in zip(links, scripts, strict=True):
        link.symlink_to(path)
    environment = {**os.environ, "MYPYPATH": ":".join(str(ROOT / part) for part in ("src", "tests/vm", "tests/bench"))}
    words = [sys.executable, "-m", "mypy", "--no-pretty", *map(str, links)]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    # What mypy kept of an earlier run has the folder of that run.
    return [line for line in done.stdout.splitlines() if re.match(r"[^:]*/script_", line) and re.search(GONE, line)]


@pytest.mark.slow
def test_what_benchmarks_call_is_there(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("from cpol.compiler.compiled import compiled\n\ncompiled.nothing_of_this_name\n")
    found = gone(tmp_path, *(HERE / name for name in SCRIPTS), wrong)
    assert [line for line in found if "script_wrong" not in line] == []
    assert len(found) == 1 and "nothing_of_this_name" in found[0], "mypy was not asked, or it says nothing"


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) > 10 and "advise" in SCRIPTS
