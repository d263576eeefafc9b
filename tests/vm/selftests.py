"""Runs the selftests of the kernel side (tests/kernel/run), and returns what passed."""

from __future__ import annotations

import subprocess
from pathlib import Path

RUN = Path(__file__).resolve().parents[2] / "tests" / "kernel" / "run"
SECONDS = 3600
"""Some 1,000 where two machines share two processors."""

RANGES = ("ranges", "flushes", "opened", "range_storm", "range_life", "range_late")
OUTS = ("outs", "outs_hostile")


def kept_from_swap(passed: list[str]) -> None:
    assert sum(line.startswith("ok outs,") and line.endswith("memory of a command is kept") for line in passed) == 2
    assert "ok outs, hostile: detached under load" in passed


def selftests(*options: str, parts: tuple[str, ...] = ()) -> list[str]:
    """Return the lines of passed checks."""
    return [line for line in output(*options, parts=parts) if line.startswith("ok ")]


def output(*options: str, parts: tuple[str, ...]) -> list[str]:
    """Run the selftests and return all lines; fail if one says that a check failed."""
    command = [str(RUN), *options, "--timeout", str(SECONDS), *parts]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    lines = done.stdout.decode(errors="replace").splitlines()
    failed = [line for line in lines if line.startswith("not ok")]
    assert done.returncode == 0 and not failed, "\n".join([*failed, "", *lines[-120:]])
    return lines
