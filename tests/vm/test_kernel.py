"""Selftests of the kernel side (tests/kernel): accepted and refused programs, and the core under both LRUs.

They use neither cpol's compiler nor its loader, so a failure is in the kernel side. To run them: `tests/kernel/run`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[1] / "kernel" / "run"
SECONDS = 1800

pytestmark = pytest.mark.vm


def test_selftests_on_the_patched_kernel(kernel: Path) -> None:
    passed = selftests("--kernel", str(kernel))
    assert sum(line.startswith("ok accepted") for line in passed) >= 10
    assert sum(line.startswith("ok refused") for line in passed) >= 18


def test_selftests_on_the_stock_kernel() -> None:
    """The core is the same there, so the kernel's default LRU suffices."""
    parts = ("verifier", "lists", "tree", "net_oom", "mapped", "btrfs", "mglru", "statistics")
    passed = selftests("--mount", "module", parts=parts)
    assert sum(line.startswith("ok accepted") for line in passed) >= 8
    assert sum(line.startswith("ok refused") for line in passed) >= 18
    assert "ok statistics: read under lockdown" in passed
    assert "ok module unloaded" in passed


def test_policies_are_fair_and_bounded_on_the_patched_kernel(kernel: Path) -> None:
    """Under both LRUs, with and without a policy on one of three cgroups."""
    passed = selftests("--kernel", str(kernel), parts=("fair", "batch"))
    assert sum("keeps as much" in line for line in passed) == 6
    assert sum("a signal ends it" in line for line in passed) == 4


def test_policies_are_fair_and_bounded_on_the_stock_kernel() -> None:
    """A smaller machine takes less time."""
    passed = selftests("--mount", "module", "--memory", "384M", parts=("fair", "batch"))
    assert sum("keeps as much" in line for line in passed) == 6
    assert sum("a signal ends it" in line for line in passed) == 4


def test_selftests_with_two_numa_nodes() -> None:
    """Uses the stock kernel; the patched one has NUMA only with `kernel/build-kernel --wide`."""
    passed = selftests("--nodes", "--mount", "module")
    assert passed.count("ok nodes: the other node keeps its own") == 2
    assert passed.count("ok nodes: kept their places") == 2


def selftests(*options: str, parts: tuple[str, ...] = ()) -> list[str]:
    """Run the selftests and return the lines of passed checks; fail if one failed."""
    command = [str(RUN), *options, "--timeout", str(SECONDS), *parts]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    output = done.stdout.decode(errors="replace")
    lines = output.splitlines()
    failed = [line for line in lines if line.startswith("not ok")]
    assert done.returncode == 0 and not failed, "\n".join([*failed, "", *lines[-120:]])
    return [line for line in lines if line.startswith("ok ")]
