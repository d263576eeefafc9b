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


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_benchmark_calls_is_there(name: str) -> None:
    words = ["--config-file=", "--follow-imports=silent", "--ignore-missing-imports", str(HERE / name)]
    environment = {**os.environ, "MYPYPATH": ":".join(str(ROOT / part) for part in ("src", "tests/vm", "tests/bench"))}
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    assert not re.findall(rf"^.*{GONE}", done.stdout, re.MULTILINE), done.stdout


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) > 10 and "advise" in SCRIPTS
