"""The kernel's own selftests (tests/kernel): programs that it accepts and refuses, and the core under both LRUs.

They use none of cpol's compiler or loader, so that a failure here is the kernel's. To replay: `tests/kernel/run`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[1] / "kernel" / "run"
SECONDS = 1800

pytestmark = pytest.mark.vm


def test_the_selftests_pass(kernel: Path) -> None:
    passed = selftests("--kernel", str(kernel))
    assert sum(line.startswith("ok accepted") for line in passed) >= 10
    assert sum(line.startswith("ok refused") for line in passed) >= 18


def test_the_selftests_pass_on_the_stock_kernel() -> None:
    """One LRU, the kernel's default, is enough there: the core is the same."""
    passed = selftests("--mount", "module", parts=("verifier", "lists", "tree", "net_oom", "mapped", "btrfs", "mglru"))
    assert sum(line.startswith("ok accepted") for line in passed) >= 8
    assert sum(line.startswith("ok refused") for line in passed) >= 18
    assert "ok module unloaded" in passed


def test_the_nodes_of_a_numa_machine() -> None:
    """On the stock kernel; the patched one knows of nodes only if built so (`kernel/build-kernel --wide`)."""
    passed = selftests("--nodes", "--mount", "module")
    assert passed.count("ok nodes: the other node keeps its own") == 2
    assert passed.count("ok nodes: kept their places") == 2


def selftests(*options: str, parts: tuple[str, ...] = ()) -> list[str]:
    """The lines of what passed, when nothing failed."""
    command = [str(RUN), *options, "--timeout", str(SECONDS), *parts]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    output = done.stdout.decode(errors="replace")
    lines = output.splitlines()
    failed = [line for line in lines if line.startswith("not ok")]
    assert done.returncode == 0 and not failed, "\n".join([*failed, "", *lines[-120:]])
    return [line for line in lines if line.startswith("ok ")]
