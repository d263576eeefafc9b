"""The fuzzers of `make fuzz`, each for a moment: a sanitizer's report or a broken promise fails."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.long
@pytest.mark.parametrize("name", ["formula", "values", "ranges", "verifier", "object", "traces"])
def test_fuzzer(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "CPOL_CACHE": str(tmp_path)}
    command = [ROOT / "scripts" / "fuzz", "--seconds", "2", name]
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False, timeout=300, env=environment
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    assert found and int(found[1]) > 100, done.stderr[-1000:]


def test_unknown_fuzzer() -> None:
    done = subprocess.run([ROOT / "scripts" / "fuzz", "nothing"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "there is no fuzzer nothing" in done.stderr
