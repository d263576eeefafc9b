"""Selftests of the kernel side (tests/kernel): accepted and refused programs, and the core under both LRUs.

They use neither cpol's compiler nor its loader, so a failure is in the kernel side. To run them: `tests/kernel/run`.
Those of the stock kernel with the module are in test_kernel_module.py.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from selftests import OUTS, RANGES, RUN, kept_from_swap, output, selftests

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "kernel" / "build-kernel"
CORE = ROOT / "kernel" / "cache_ext"

pytestmark = pytest.mark.vm


BOTH_LRUS = ("classic_ext4", "mglru_xfs")
AFTER_THEM = ("charge", "statistics")
FIRST = ("verifier", "lists", "hands", "life", "admit", "pins", "code", "net_offenders", "mapped", "large")
LATER = ("tree", "net_innocents", "net_oom", "collapse", "fuse", "suspend", "excluded", "swap")
"""The rest of what guest-test does by default."""


def test_selftests_on_the_patched_kernel(kernel: Path) -> None:
    passed = selftests("--kernel", str(kernel), parts=(*FIRST, *BOTH_LRUS, *AFTER_THEM))
    assert sum(line.startswith("ok accepted") for line in passed) >= 10
    assert sum(line.startswith("ok refused") for line in passed) >= 18


def test_each_part_is_in_a_test() -> None:
    default = re.search(
        r"^if \[ \$# = 0 \]; then\n\tset -- (.*)$", RUN.with_name("guest-test").read_text(), re.MULTILINE
    )
    assert default
    parts = {*FIRST, *LATER, *AFTER_THEM, *(part.partition("_")[0] for part in BOTH_LRUS)}
    parts = {"net" if part.startswith("net_") else part for part in parts}
    assert parts == {*default[1].split()}


@pytest.mark.long
def test_more_selftests_on_the_patched_kernel(kernel: Path) -> None:
    selftests("--kernel", str(kernel), parts=LATER)


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
def test_ranges_on_the_patched_kernel(kernel: Path) -> None:
    """What was read or written leaves the cache, and no byte is lost, whatever a policy asks for."""
    passed = selftests("--prefetch", "--kernel", str(kernel), parts=RANGES)
    assert sum(line.startswith("ok range_storm") and line.endswith("the data is right") for line in passed) == 5


@pytest.mark.long
def test_swap_out_on_the_patched_kernel(kernel: Path) -> None:
    """Under both LRUs: what a policy keeps from swap, whose it is, how much, and that nothing is starved."""
    kept_from_swap(selftests("--prefetch", "--kernel", str(kernel), parts=OUTS))


@pytest.mark.long
def test_policies_are_fair_and_bounded_on_the_patched_kernel(kernel: Path) -> None:
    """Under both LRUs, with and without a policy on one of three cgroups."""
    passed = selftests("--kernel", str(kernel), parts=("fair", "batch"))
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
