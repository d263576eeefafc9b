"""Selftests of the kernel side (tests/kernel): accepted and refused programs, and the core under both LRUs.

They use neither cpol's compiler nor its loader, so a failure is in the kernel side. To run them: `tests/kernel/run`.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "tests" / "kernel" / "run"
BUILD = ROOT / "kernel" / "build-kernel"
CORE = ROOT / "kernel" / "cache_ext"
SECONDS = 1800

pytestmark = pytest.mark.vm


def test_selftests_on_the_patched_kernel(kernel: Path) -> None:
    passed = selftests("--kernel", str(kernel), parts=("once",))
    assert sum(line.startswith("ok accepted") for line in passed) >= 10
    assert sum(line.startswith("ok refused") for line in passed) >= 18


def test_selftests_on_the_stock_kernel() -> None:
    """The core is the same there, so the kernel's default LRU suffices."""
    parts = ("verifier", "lists", "hands", "life", "net_oom", "mapped", "btrfs", "mglru_xfs", "charge")
    passed = selftests("--glue", "module", parts=(*parts, "statistics"))
    assert sum(line.startswith("ok accepted") for line in passed) >= 8
    assert sum(line.startswith("ok refused") for line in passed) >= 18
    assert "ok statistics: read under lockdown" in passed
    assert "ok module unloaded" in passed


@pytest.mark.long
@pytest.mark.parametrize("glue", ["module", "patched"])
def test_other_pairs_of_an_lru_and_a_file_system(glue: str) -> None:
    """What the tests above leave out, since it takes minutes; on the stock kernel also nested cgroups."""
    parts = ("classic_xfs", "mglru_ext4") if glue == "patched" else ("tree", "mglru_ext4")
    passed = selftests("--glue", glue, parts=parts)
    assert "ok fifo: evicts" in passed and "ok global reclaim asks the policy" in passed


def test_prefetching_on_the_patched_kernel(kernel: Path) -> None:
    """Swap and files: what policies are told, what is read for them, what they cannot do to others."""
    passed = selftests("--prefetch", "--kernel", str(kernel))
    assert sum(line.startswith("ok accepted") for line in passed) >= 15
    assert sum(line.startswith("ok refused") for line in passed) >= 9
    assert sum("as the kernel's own" in line for line in passed) == 4


@pytest.mark.long
def test_prefetching_on_the_stock_kernel() -> None:
    passed = selftests("--glue", "module", "--prefetch")
    assert sum("as the kernel's own" in line for line in passed) == 4
    assert "ok files: mapped: not asked about faults" in passed
    assert "ok module unloaded" in passed


RANGES = ("ranges", "flushes", "opened", "range_storm", "range_life", "range_late")


@pytest.mark.long
def test_ranges_on_the_patched_kernel(kernel: Path) -> None:
    """What was read or written leaves the cache, and no byte is lost, whatever a policy asks for."""
    passed = selftests("--prefetch", "--kernel", str(kernel), parts=RANGES)
    assert sum(line.startswith("ok range_storm") and line.endswith("the data is right") for line in passed) == 5


@pytest.mark.long
def test_ranges_on_the_stock_kernel() -> None:
    passed = selftests("--glue", "module", "--prefetch", parts=(*RANGES, "range_unload"))
    assert sum(line.startswith("ok range_storm") and line.endswith("the data is right") for line in passed) == 5
    assert "ok range_unload: the writer waits" in passed and "ok module unloaded" in passed


OUTS = ("outs", "outs_hostile")


@pytest.mark.long
def test_swap_out_on_the_patched_kernel(kernel: Path) -> None:
    """Under both LRUs: what a policy keeps from swap, whose it is, how much, and that nothing is starved."""
    kept_from_swap(selftests("--prefetch", "--kernel", str(kernel), parts=OUTS))


@pytest.mark.long
def test_swap_out_on_the_stock_kernel() -> None:
    passed = selftests("--glue", "module", "--prefetch", parts=OUTS)
    kept_from_swap(passed)
    assert "ok module unloaded" in passed


def kept_from_swap(passed: list[str]) -> None:
    assert sum(line.startswith("ok outs,") and line.endswith("memory of a command is kept") for line in passed) == 2
    assert "ok outs, hostile: detached under load" in passed


@pytest.mark.long
def test_policies_are_fair_and_bounded_on_the_patched_kernel(kernel: Path) -> None:
    """Under both LRUs, with and without a policy on one of three cgroups."""
    passed = selftests("--kernel", str(kernel), parts=("fair", "batch"))
    assert sum("keeps as much" in line for line in passed) == 6
    assert sum("a signal ends it" in line for line in passed) == 4


@pytest.mark.long
def test_policies_are_fair_and_bounded_on_the_stock_kernel() -> None:
    """A smaller machine takes less time. Only this kernel can preempt a policy's program, which `throttled` needs."""
    passed = selftests("--glue", "module", "--memory", "384M", parts=("fair", "batch", "throttled"))
    assert sum("keeps as much" in line for line in passed) == 6
    assert sum("a signal ends it" in line for line in passed) == 4


@pytest.mark.long
@pytest.mark.parametrize("glue", ["module", "patched"])
def test_selftests_with_two_numa_nodes(glue: str) -> None:
    """The patched kernel has NUMA only with `kernel/build-kernel --wide`, which `run` builds."""
    passed = selftests("--nodes", "--glue", glue)
    assert passed.count("ok nodes: the other node keeps its own") == 2
    assert passed.count("ok nodes: kept their places") == 2
    for policy in ("offered", "selected", "data"):
        assert f"ok nodes, {policy}: the other node keeps its own" in passed


@pytest.mark.long
def test_selftests_of_the_base() -> None:
    """The core alone: the kernel has no extension, and no prefetching."""
    extensions = re.findall(r"^config (CACHE_EXT_(?!DEBUG$)\w+)$", (CORE / "Kconfig").read_text(), re.MULTILINE)
    command = [str(BUILD), *(f"--without={name}" for name in (*extensions, "PREFETCH_EXT"))]
    built = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    selftests("--kernel", f"{built.stdout.strip()}/bzImage", parts=("hands", "life", "mglru"))


@pytest.mark.long
@pytest.mark.parametrize(
    ("program", "options", "parts"),
    [("cache_ext.sh", (), ("hands", "life")), ("prefetch_ext.sh", ("--prefetch",), ("life", "swap"))],
)
def test_selftests_of_the_series_print_ktap(
    kernel: Path, program: str, options: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    """The series applies to Debian's source; the kernel's Makefiles and runner build and run its selftests."""
    lines = output("--kselftest", *options, "--kernel", str(kernel), parts=parts)
    assert f"ok 1 selftests: cache_ext: {program}" in lines
    ktap = lines[lines.index("# TAP version 13") + 1 :]
    numbers = [int(found[1]) for line in ktap if (found := re.match(r"# ok (\d+) \w", line))]
    assert len(numbers) >= 20
    assert numbers == list(range(1, len(numbers) + 1))
    assert f"# 1..{len(numbers)}" in ktap


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
