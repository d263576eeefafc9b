"""Random hostile policies (tests/kernel/hostile) on the patched kernel: it must survive them and complain of nothing.

$CPOL_SEED chooses other programs. docs/trust.md tells how to run more, and on kernels that find more.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[1] / "kernel" / "run-hostile"
SEED = int(os.environ.get("CPOL_SEED", "0"))
PROGRAMS = 45
"""Five make a round: three for cache_ext, two for prefetch_ext."""
SECONDS = 600

pytestmark = pytest.mark.vm


def test_the_kernel_survives_hostile_policies(kernel: Path) -> None:
    command = [RUN, "run", "--seed", str(SEED), "--programs", str(PROGRAMS), "--timeout", str(SECONDS)]
    done = subprocess.run(
        [*command, "--kernel", kernel], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-12000:] + done.stderr
    counts = {key: int(value) for key, value in re.findall(r"(\w+) (\d+)", done.stdout.splitlines()[-1])}
    assert counts["accepted"] + counts["refused"] == PROGRAMS
    assert counts["accepted"] >= PROGRAMS * 9 // 10
    assert counts["declined"] <= PROGRAMS // 3, "most must be attached"
    assert counts["asked"] > 0 and counts["ra_prefetched"] > 0 and counts["ranges"] > 0, "of prefetching ones"
