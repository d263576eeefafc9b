"""Random policies as source text (tests/property/sources): the verifier accepts what the compiler accepts.

$CPOL_SEED chooses other policies. docs/trust.md tells how to run more.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[1] / "property" / "run-sources"
SEED = int(os.environ.get("CPOL_SEED", "0"))

pytestmark = pytest.mark.vm


@pytest.mark.parametrize(
    ("glue", "policies"),
    [
        ("module", 3),
        pytest.param("patched", 60, marks=pytest.mark.long),
        pytest.param("module", 30, marks=pytest.mark.long),
    ],
)
def test_the_kernel_takes_what_the_compiler_takes(glue: str, policies: int) -> None:
    command = [RUN, "load", "--seed", str(SEED), "--policies", str(policies), "--glue", glue]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-12000:] + done.stderr
    print(done.stdout)
    counts = {key: int(value) for key, value in re.findall(r"(\w+) (\d+)", done.stdout.splitlines()[-1])}
    assert counts["policies"] == policies and counts["refused"] == 0
    assert counts["evicting"] > policies // 3, "many must have something to do: what they are, chance decides"
