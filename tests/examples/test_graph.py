"""examples/graph: the application builds and checks its input, and its policy beats LRU on its walk."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli
from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE
from cpol.runtime.operate.app import build

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "graph"
FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-fsanitize=address,undefined")
VERTICES, STEPS = 16384, 12000


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The engine, with sanitizers, beside a graph and what it says of it."""
    folder = tmp_path_factory.mktemp("graph")
    program = folder / "engine"
    sources = (*sorted(EXAMPLE.glob("*.c")), *build.sources())
    subprocess.run([clang(), *FLAGS, f"-I{INCLUDE}", f"-I{build.HERE}", *sources, "-o", program, "-lm"], check=True)
    run(program, "make", "graph", VERTICES, 1)
    run(program, "degrees", "graph", "degrees")
    (folder / "trace").write_text(run(program, "walk", "graph", STEPS, 2, "trace"))
    yield program


def run(program: Path, *words: object, code: int = 0) -> str:
    command = [str(program), *map(str, words)]
    done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def misses(engine: Path, *words: object) -> dict[str, int]:
    trace = engine.with_name("trace")
    given = [
        "sim",
        "lru",
        "graph",
        "--trace",
        trace,
        "--format",
        "lirs",
        "--capacity",
        "100",
        "--batch",
        "32",
    ]
    done = CliRunner().invoke(cli, [*map(str, given), "--belady", "--json", *map(str, words)])
    assert done.exit_code == 0, done.output
    return {row["policy"]: row["misses"] for row in map(json.loads, done.stdout.splitlines())}


def test_who_is_told_misses_less(engine: Path) -> None:
    untold = misses(engine)
    assert untold["graph"] == untold["lru"]
    unnamed = misses(engine, "--input", f"degree=@{engine.with_name('degrees')}")
    assert unnamed["graph"] == untold["lru"]
    told = misses(engine, "--set", "all=true", "--input", f"degree=@{engine.with_name('degrees')}")
    assert told["lru"] == untold["lru"] and told["belady"] < told["graph"] < 0.9 * told["lru"], told


@pytest.mark.long
@pytest.mark.parametrize(("column", "words"), [(0, ("rank", "big", 8, 0.9)), (1, ("walk", "big", 60000, 2))])
def test_readme_tells_the_misses(engine: Path, column: int, words: tuple[object, ...]) -> None:
    run(engine, "make", "big", 131072, 1)
    run(engine, "degrees", "big", "degrees.txt")
    folder = engine.parent
    (folder / "big.trace").write_text(run(engine, *words, "trace"))
    (folder / "hub.txt").write_text("709\n")
    given = ("--trace", folder / "big.trace", "--format", "lirs", "--capacity", "3400", "--batch", "32", "--belady")
    given += ("--json", "--set", "all=true", "--input", f"degree=@{folder / 'degrees.txt'}")
    found = {}
    for policies, hub in (
        (("lru", "linux_lru", "mglru", "lfu", "s3fifo", "mru", "graph"), ()),
        (("graph",), ("--input", f"hub=@{folder / 'hub.txt'}")),
    ):
        done = CliRunner().invoke(cli, ["sim", *policies, *map(str, given), *hub])
        assert done.exit_code == 0, done.output
        suffix = ", hubs pinned" if hub else ""
        found |= {row["policy"] + suffix: row["misses"] for row in map(json.loads, done.stdout.splitlines())}
    del found["belady, hubs pinned"]
    found["cache=3400"] = int(run(engine, *words, "cache=3400").split()[-1]) // 4096
    readme = (EXAMPLE / "README.md").read_text()
    rows = [re.split(r" *\| *", line)[1:4] for line in readme.splitlines() if re.search(r"(\| [0-9,]+ ){2}\|$", line)]
    told = {name.replace("`", ""): int(counts[column].replace(",", "")) for name, *counts in rows}
    names = {"Belady": "belady", "a cache of its own, cache=3400, read from the disk": "cache=3400"}
    assert {names.get(name, name): count for name, count in told.items()} == found


def test_degrees_count_each_edge(engine: Path) -> None:
    degrees = [int(line) for line in engine.with_name("degrees").read_text().split()]
    assert len(degrees) == VERTICES // 16 and sum(degrees) == VERTICES * 64


def test_results_without_a_policy(engine: Path) -> None:
    assert run(engine, "walk", "graph", 100, 2).startswith("steps 100 read_bytes ")
    for words in (("walk", "graph", 100, 2, "tell"), ("rank", "graph", 1, 0, "tell", "hubs=5")):
        assert "the policy is not told: " in run(engine, *words, code=1)


def edges_of(path: Path) -> list[tuple[int, ...]]:
    return list(struct.iter_unpack("64I", path.read_bytes()))


def page_rank(edges: list[tuple[int, ...]], rounds: int, tolerance: float) -> tuple[int, float, int, float]:
    """PageRank by residuals: pages visited, sum of the ranks, the vertex of highest rank, its rank."""
    ranks, residuals, visited = [0.0] * len(edges), [0.15 / len(edges)] * len(edges), 0
    for _ in range(rounds):
        for page in range(0, len(edges), 16):
            if not any(residual > tolerance * 0.15 / len(edges) for residual in residuals[page : page + 16]):
                continue
            visited += 1
            for vertex in range(page, page + 16):
                residual = residuals[vertex]
                if residual > tolerance * 0.15 / len(edges):
                    ranks[vertex] += residual
                    residuals[vertex] = 0
                    for target in edges[vertex]:
                        residuals[target] += 0.85 * residual / 64
    top = ranks.index(max(ranks))
    return visited, sum(ranks), top, ranks[top]


@pytest.mark.parametrize("tolerance", [0.0, 0.5])
@pytest.mark.parametrize("cached", [(), ("cache=9",)])
def test_page_rank(engine: Path, tolerance: float, cached: tuple[str, ...]) -> None:
    """The engine computes what the model does, whoever caches the pages."""
    run(engine, "make", "small", 1024, 3)
    edges = edges_of(engine.with_name("small"))
    said = run(engine, "rank", "small", 6, tolerance, *cached).split()
    visited, total, top, highest = page_rank(edges, 6, tolerance)
    assert (int(said[1]), int(said[5])) == (visited, top)
    assert (float(said[3]), float(said[7])) == (pytest.approx(total), pytest.approx(highest))
    assert visited == 6 * 64 if tolerance == 0 else visited < 6 * 64
    trace = run(engine, "rank", "small", 6, tolerance, "trace", *cached).split()
    assert len(trace) == visited and set(map(int, trace)) == set(range(64))


def test_page_rank_converges(engine: Path) -> None:
    run(engine, "make", "small", 1024, 3)
    said = run(engine, "rank", "small", 200, 0).split()
    assert float(said[3]) == pytest.approx(1, abs=1e-9)


def test_own_cache_reads_the_same_edges(engine: Path) -> None:
    """The walk takes the same way, whoever caches the pages."""
    own = run(engine, "walk", "graph", 2000, 2, "cache=20", "trace").splitlines()
    assert own == engine.with_name("trace").read_text().splitlines()[:2000]
    done = run(engine, "walk", "graph", 2000, 2, f"cache={VERTICES // 16}").split()
    assert int(done[3]) <= 2000 * 4096 and int(done[3]) == 4096 * len(
        set(own)
    )  # O_DIRECT: each page comes from the disk


def test_damaged_graphs_are_refused(engine: Path) -> None:
    engine.with_name("short").write_bytes(bytes(4095))
    assert "this is no graph" in run(engine, "walk", "short", 10, 1, code=1)
    engine.with_name("wild").write_bytes(b"\xff" * 4096)
    for words in (("walk", "wild", 10, 1), ("rank", "wild", 1, 0)):
        assert "an edge leads to no vertex" in run(engine, *words, code=1)
    assert "No such file" in run(engine, "degrees", "none", "out", code=1)
    assert "power of two" in run(engine, "make", "new", 100, 1, code=1)
    assert "is not a number" in run(engine, "walk", "graph", "ten", 1, code=1)
    assert "is not a number" in run(engine, "rank", "graph", 1, "nan", code=1)
    assert "are for the policy" in run(engine, "rank", "graph", 1, 0, "hubs=5", code=1)
    for words in ((), ("walk", "graph", 1), ("walk", "graph", 1, 1, "told")):
        assert "usage: graph" in run(engine, *words, code=2)
