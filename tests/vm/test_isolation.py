"""Two cgroups, two policies, each as good as alone: pages that the disk is read for (isolation_checks.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks import passed, run_checks
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime import loader

pytestmark = pytest.mark.vm

SCRIPT = Path(__file__).parent / "isolation_checks.py"
NEAR = 0.02
"""How far counts of one workload under one policy may lie apart: readahead and reclaim come at other moments."""


@pytest.fixture(scope="module")
def pages(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, int]]:
    """Pages read from the disk, by configuration and workload."""
    folder = tmp_path_factory.mktemp("isolation")
    for name in ("lfu", "mru"):
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    results = run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder))
    passed(results, "isolation")
    figures = results["isolation"]["figures"]
    return {name: {work: int(counts["pages"]) for work, counts in both.items()} for name, both in figures.items()}


@pytest.mark.parametrize("work", ["points", "scan"])
def test_each_is_as_good_as_alone(pages: dict[str, dict[str, int]], work: str) -> None:
    together, alone = pages["together, each its own"][work], pages["alone, each its own"][work]
    assert abs(together - alone) <= NEAR * alone, (together, alone)


@pytest.mark.parametrize(("work", "own", "others"), [("points", "lfu", "mru"), ("scan", "mru", "lfu")])
def test_its_own_policy_is_the_best(pages: dict[str, dict[str, int]], work: str, own: str, others: str) -> None:
    """Better than the default, and than any one policy for both, of which each is good for one of them only."""
    mine = pages["together, each its own"][work]
    assert mine < 0.97 * pages["together, default"][work], pages
    assert mine < 0.97 * pages[f"together, {others}"][work], pages
    same = pages[f"together, {own}"][work]
    assert abs(mine - same) <= NEAR * same, pages


def test_without_policies_they_are_isolated_too(pages: dict[str, dict[str, int]]) -> None:
    """What the limits give: so what differs above is the policies' doing."""
    for work in ("points", "scan"):
        together, alone = pages["together, default"][work], pages["alone, default"][work]
        assert abs(together - alone) <= NEAR * alone, (work, together, alone)
