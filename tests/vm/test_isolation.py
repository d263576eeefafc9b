"""Two cgroups with a policy each read as many pages from disk as each does alone (isolation_checks.py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from checks import passed, run_checks
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader

pytestmark = [pytest.mark.vm, pytest.mark.long]

SCRIPT = Path(__file__).parent / "isolation_checks.py"
NEAR = 0.08
"""Largest relative difference of one workload's counts: reclaim varies in time, and so does what else is charged.
lfu's counts vary most, since many folios are used equally often: 6,562 to 6,919 pages were seen (5.2 %). Without
policies 3.3 % was seen. A neighbour's policy would show: under mru the same reads need 15,109 pages."""


@pytest.fixture(scope="module")
def figures(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Pages read from disk and policy statistics, by configuration and workload."""
    folder = tmp_path_factory.mktemp("isolation")
    for name in ("lfu", "mru"):
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    results = run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder))
    passed(results, "isolation")
    found: dict[str, dict[str, Any]] = results["isolation"]["figures"]
    return found


def near(figures: dict[str, dict[str, Any]], work: str, one: str, other: str) -> None:
    """Fail unless the workload reads about as many pages in both configurations; show all figures."""
    pages, others = figures[one][work]["pages"], figures[other][work]["pages"]
    assert abs(pages - others) <= NEAR * others, (work, one, pages, other, others, figures)


@pytest.mark.parametrize("work", ["points", "scan"])
def test_together_reads_as_many_pages_as_alone(figures: dict[str, dict[str, Any]], work: str) -> None:
    near(figures, work, "together, each its own", "alone, each its own")


@pytest.mark.parametrize(("work", "own", "others"), [("points", "lfu", "mru"), ("scan", "mru", "lfu")])
def test_own_policy_reads_fewest_pages(figures: dict[str, dict[str, Any]], work: str, own: str, others: str) -> None:
    """Its own policy beats the default (lfu by 3 to 8 % was seen) and any policy that both share."""
    mine = figures["together, each its own"][work]["pages"]
    for other in ("default", others):
        assert mine < figures[f"together, {other}"][work]["pages"], (other, figures)
    near(figures, work, "together, each its own", f"together, {own}")


@pytest.mark.parametrize("work", ["points", "scan"])
def test_limits_isolate_without_policies(figures: dict[str, dict[str, Any]], work: str) -> None:
    """Limits alone isolate the workloads, so the differences above come from the policies."""
    near(figures, work, "together, default", "alone, default")
