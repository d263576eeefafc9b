"""The patched kernel and the module: with as many pages, policies miss as much on both, and as in the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from checks import Results, passed
from glue_workloads import CAPACITY, WORKLOADS
from glues import make_folder, near, run_in_kernel, run_with_module, simulate

pytestmark = [pytest.mark.vm, pytest.mark.long]

POLICIES = ("get_scan", "graph", "lfu", "lru", "mru", "s3fifo", "wtinylfu")
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
        assert one["capacity"] == CAPACITY, counts
    patched, module = (one["pages"] for one in counts)
    assert near(patched, module), counts
    simulated = simulate(policy, workload, both.scratch)
    assert near(patched, simulated) and near(module, simulated), (simulated, counts)
