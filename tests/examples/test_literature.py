"""Policies of examples/literature: each evicts what a model of its paper evicts, and can be compiled for the kernel."""

from __future__ import annotations

import math
import random
import re
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from literature_models import MODELS

from cpol.cli.main import cli
from cpol.compiler import compile_file
from cpol.runtime.machine.events import Op
from cpol.runtime.machine.native import EventSimulator
from cpol.runtime.simulate.simulator import Simulator

pytestmark = pytest.mark.slow

HERE = Path(__file__).resolve().parents[2] / "examples/literature"
POLICIES = sorted(HERE.glob("*.cpol"))


@cache
def requests(seed: int) -> tuple[int, ...]:
    """Popularity that drifts, beside scans and a loop."""
    rng = random.Random(seed)
    made: list[int] = []
    for phase in range(6):
        for _ in range(500):
            made += [1000 * phase % 3000 + int(rng.paretovariate(0.8)) % 700 for _ in range(4)]
        scan = 10_000 * (phase + 1)
        made += range(scan, scan + 150)
        made += [*range(5000, 5060 + 20 * phase)] * 3
    return tuple(made)


def evicted(path: Path, capacity: int, keys: tuple[int, ...], params: dict[str, int] | None = None) -> list[int]:
    native = EventSimulator(compile_file(path), capacity, params or {}, batch=1)
    for key in keys:
        native.request(0, key)
    assert native.counts.fallback == 0
    return [row.page for row in native.log if row.op == Op.REMOVED]


@pytest.mark.parametrize("capacity", [10, 64, 250])
@pytest.mark.parametrize("name", MODELS)
def test_evicts_what_the_model_evicts(name: str, capacity: int) -> None:
    keys = requests(capacity)
    expected = list(MODELS[name](list(keys), capacity))
    assert len(expected) > 1000
    assert evicted(HERE / f"{name}.cpol", capacity, keys) == expected


@pytest.mark.parametrize("levels", [2, 5, 33])
def test_a_short_ring_changes_nothing(levels: int) -> None:
    """Most folios are beyond the ring, and come into it in their order."""
    keys = requests(1)
    expected = list(MODELS["lfuda"](list(keys), 64))
    assert evicted(HERE / "lfuda.cpol", 64, keys, {"levels": levels}) == expected


@pytest.mark.parametrize(("capacity", "decay"), [(64, 0.001), (64, 0.1), (250, 0.0001)])
def test_lrfu_evicts_one_of_the_least(capacity: int, decay: float) -> None:
    """The policy computes in steps of 1/65536, so of folios that are as near as that, either may go."""
    raw = round(decay * 65536)
    keys = requests(2)
    gone = iter(evicted(HERE / "lrfu.cpol", capacity, keys, {"decay": raw}))
    worth: dict[int, tuple[float, int]] = {}  # the sum, and when it was computed
    evictions = ties = 0

    def rank(key: int) -> float:
        total, then = worth[key]
        return math.log2(total) + raw / 65536 * then

    for now, key in enumerate(keys, 1):
        if key not in worth and len(worth) == capacity:
            out = next(gone)
            least = min(map(rank, worth))
            assert rank(out) <= least + 0.002
            ties += rank(out) > least
            del worth[out]
            evictions += 1
        total, then = worth.get(key, (0.0, now))
        worth[key] = (1 + total * 2 ** (-raw / 65536 * (now - then)), now)
    assert next(gone, None) is None
    assert evictions > 1000 and ties < evictions / 20


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: str(path.stem))
def test_each_passes_and_compiles(path: Path, tmp_path: Path) -> None:
    for words in (
        ("fmt", "--check", path),
        ("test", path),
        ("compile", path, "--profile", "patched-6.12", "-o", tmp_path / "policy.bpf.o"),
    ):
        done = CliRunner().invoke(cli, [str(word) for word in words])
        assert done.exit_code == 0, done.output


@pytest.mark.long
@pytest.mark.parametrize("path", POLICIES, ids=lambda path: str(path.stem))
def test_no_counterexample(path: Path) -> None:
    done = CliRunner().invoke(cli, ["check", str(path), "--max-examples", "60"])
    assert done.exit_code == 0, done.output
    assert "every statement ran" in done.output


def told(head: str) -> dict[tuple[str, str], int]:
    """Of the page's table whose first cell is `head`: the numbers by column and first cell."""
    lines = [line for line in (HERE / "README.md").read_text().splitlines() if line.startswith("|")]
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {head} |"))
    columns, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:])
    table: dict[tuple[str, str], int] = {}
    for row in rows:
        if not re.fullmatch(r"[\d, ]+", "".join(row)):
            break  # the next table
        table |= {(name, row[0]): int(cell.replace(",", "")) for name, cell in zip(columns[1:], row[1:], strict=True)}
    return table


def test_the_page_tells_the_misses() -> None:
    """Of the requests that these tests make, of seed 1."""
    table = told("pages")
    assert table == {(name, capacity): misses(name, int(capacity)) for name, capacity in table}


def misses(name: str, capacity: int) -> int:
    path = HERE / f"{name}.cpol"
    policy = compile_file(path if path.exists() else HERE.parents[1] / f"stdlib/{name}.cpol")
    return Simulator(policy, capacity).run(list(requests(1))).misses
