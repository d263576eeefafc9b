"""Two cgroups, two policies, each as good as alone: pages that the disk is read for (isolation_checks.py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
def figures(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """By configuration and workload: pages read from the disk, and what the policy did."""
    folder = tmp_path_factory.mktemp("isolation")
    for name in ("lfu", "mru"):
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    results = run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder))
    passed(results, "isolation")
    found: dict[str, dict[str, Any]] = results["isolation"]["figures"]
    return found


def near(figures: dict[str, dict[str, Any]], work: str, one: str, other: str) -> None:
    """Fails, with all figures, unless the workload reads as many pages in both configurations."""
    pages, others = figures[one][work]["pages"], figures[other][work]["pages"]
    assert abs(pages - others) <= NEAR * others, (work, one, pages, other, others, figures)


@pytest.mark.parametrize("work", ["points", "scan"])
def test_each_is_as_good_as_alone(figures: dict[str, dict[str, Any]], work: str) -> None:
    near(figures, work, "together, each its own", "alone, each its own")


@pytest.mark.parametrize(("work", "own", "others"), [("points", "lfu", "mru"), ("scan", "mru", "lfu")])
def test_its_own_policy_is_the_best(figures: dict[str, dict[str, Any]], work: str, own: str, others: str) -> None:
    """Better than the default, and than any one policy for both, of which each is good for one of them only."""
    mine = figures["together, each its own"][work]["pages"]
    for other in ("default", others):
        assert mine < 0.97 * figures[f"together, {other}"][work]["pages"], (other, figures)
    near(figures, work, "together, each its own", f"together, {own}")


@pytest.mark.parametrize("work", ["points", "scan"])
def test_without_policies_they_are_isolated_too(figures: dict[str, dict[str, Any]], work: str) -> None:
    """What the limits give: so what differs above is the policies' doing."""
    near(figures, work, "together, default", "alone, default")
