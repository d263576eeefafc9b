"""Selftests of the kernel side on Debian's kernel with the module. test_kernel.py has those on the patched kernel."""

from __future__ import annotations

import pytest
from selftests import OUTS, RANGES, kept_from_swap, selftests

pytestmark = pytest.mark.vm


def test_selftests_on_the_stock_kernel() -> None:
    """The core is the same there, so the kernel's default LRU suffices."""
    parts = ("lists", "net_oom", "uncollapsed", "mapped", "mglru_xfs", "charge", "statistics")
    passed = selftests("--glue", "module", parts=parts)
    assert "ok statistics: read under lockdown" in passed
    assert "ok module unloaded" in passed


@pytest.mark.long
def test_programs_on_the_stock_kernel() -> None:
    """The verifier's rules are those of the patched kernel. Here libbpf reads 6 MB of types for each program."""
    passed = selftests("--glue", "module", parts=("verifier", "hands", "life", "code", "btrfs"))
    assert sum(line.startswith("ok accepted") for line in passed) >= 8
    assert sum(line.startswith("ok refused") for line in passed) >= 18


@pytest.mark.long
def test_prefetching_on_the_stock_kernel() -> None:
    passed = selftests("--glue", "module", "--prefetch")
    assert sum("as the kernel's own" in line for line in passed) == 4
    assert "ok files: mapped: not asked about faults" in passed
    assert "ok module unloaded" in passed


@pytest.mark.long
def test_ranges_on_the_stock_kernel() -> None:
    passed = selftests("--glue", "module", "--prefetch", parts=(*RANGES, "range_unload"))
    assert sum(line.startswith("ok range_storm") and line.endswith("the data is right") for line in passed) == 5
    assert "ok range_unload: the writer waits" in passed and "ok module unloaded" in passed


@pytest.mark.long
def test_swap_out_on_the_stock_kernel() -> None:
    passed = selftests("--glue", "module", "--prefetch", parts=OUTS)
    kept_from_swap(passed)
    assert "ok module unloaded" in passed


@pytest.mark.long
def test_policies_are_fair_and_bounded_on_the_stock_kernel() -> None:
    """A smaller machine takes less time. Only this kernel can preempt a policy's program, which `throttled` needs."""
    passed = selftests("--glue", "module", "--memory", "384M", parts=("fair", "batch", "throttled"))
    assert sum("keeps as much" in line for line in passed) == 6
    assert sum("a signal ends it" in line for line in passed) == 4
