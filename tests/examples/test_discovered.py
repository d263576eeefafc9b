"""Policies of examples/discovered: they say where they come from, pass the checks, and fit the kernel's profile."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli
from cpol.compiler import compile_file
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.simulator import Simulator

HERE = Path(__file__).resolve().parents[2] / "examples/discovered"
POLICIES = sorted(HERE.glob("*.cpol"))


def requests() -> list[int]:
    """Popularity that drifts, beside scans and loops, as in test_literature.py."""
    rng = random.Random(1)
    made: list[int] = []
    for phase in range(6):
        for _ in range(500):
            made += [1000 * phase % 3000 + int(rng.paretovariate(0.8)) % 700 for _ in range(4)]
        made += range(10_000 * (phase + 1), 10_000 * (phase + 1) + 150)
        made += [*range(5000, 5060 + 20 * phase)] * 3
    return made


def test_there_are_some() -> None:
    assert POLICIES
    assert all(f"({path.name})" in (HERE / "README.md").read_text() for path in POLICIES)


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_the_comment_says_where_it_comes_from(path: Path) -> None:
    text = path.read_text()
    for word in ("found by a search that began with", "Source: cpolc discover", "Trained on:", "Judged on:", "Again: "):
        assert f"/// {path.stem}: {word}" in text or f"/// {word}" in text, word
    assert re.search(r"sha256 [0-9a-f]{16}", text)


@pytest.mark.slow
@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_it_passes_the_checks_and_fits(path: Path) -> None:
    done = CliRunner().invoke(cli, ["check", str(path), "--max-examples", "50"])
    assert done.exit_code in (0, 3), done.output
    assert "may not fit" not in CliRunner().invoke(cli, ["cost", str(path)]).stdout


@pytest.mark.slow
@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_the_readme_has_its_misses(path: Path) -> None:
    rows = re.findall(
        rf"^\| {path.stem} \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|", (HERE / "README.md").read_text(), re.M
    )
    found = []
    for file in (path, resolve("s3fifo"), resolve("lru")):
        simulator = Simulator(compile_file(file), 250)
        found.append(simulator.run(requests()).misses)
        assert simulator.counts.fallback == 0
    assert [tuple(f"{each:,}" for each in found)] == rows
