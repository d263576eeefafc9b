"""The patched kernel and the module: the same reads cost as many misses on both, and as many as in the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from checks import Results, passed
from glue_workloads import LIMIT_PAGES, WORKLOADS
from glues import AROUND, NEAR, make_folder, run_in_kernel, run_with_module, simulate

pytestmark = [pytest.mark.vm, pytest.mark.long]

POLICIES = ("get_scan", "lfu", "lru", "mru", "s3fifo", "wtinylfu")
"""One of each kind; `make bench-glues` runs all."""


@dataclass(frozen=True)
class Both:
    patched: Results
    module: Results
    scratch: Path


@pytest.fixture(scope="module")
def both(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Both:
    scratch = tmp_path_factory.mktemp("glues")
    patched = run_in_kernel(kernel, make_folder(scratch / "patched", POLICIES))
    return Both(patched, run_with_module(make_folder(scratch / "module", POLICIES)), scratch)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("workload", WORKLOADS)
def test_misses_agree(both: Both, policy: str, workload: str) -> None:
    counts = []
    for results in (both.patched, both.module):
        passed(results, policy)
        counts.append(results[policy]["figures"][workload])
    for one in counts:
        assert one["fallback"] == one["offences"] == one["nomem"] == 0, counts
        assert one["misses"] == one["pages"], counts  # the disk reads what the policy missed, and nothing else
        assert 0.9 * LIMIT_PAGES < one["capacity"] < LIMIT_PAGES, counts
    low, high = (end(one["capacity"] for one in counts) for end in (min, max))
    simulated = simulate(policy, workload, range(low - AROUND, high + AROUND + 1), both.scratch).values()
    least, most = min(simulated), max(simulated)
    patched, module = (one["pages"] for one in counts)
    assert abs(patched - module) <= max(NEAR * patched, most - least), (least, most, counts)
    for pages in (patched, module):
        assert (1 - NEAR) * least <= pages <= (1 + NEAR) * most, (least, most, counts)
