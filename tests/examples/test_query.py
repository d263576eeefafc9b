"""examples/query: the executor's results and what it announces, and what its policy misses when it is told."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE
from cpol.runtime.operate.app import build

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-fsanitize=address,undefined")
PAGES, QUARTER = 256, 64
PLAN = ("join:orders:items:4", "sum:parts", "look:items:40:1", "sum:orders")
STEPS = 11
README_PLAN = ("join:orders:items:6", "sum:parts", "look:items:500:1", "sum:orders")


@pytest.fixture(scope="module")
def query(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The executor, with sanitizers, beside a database."""
    program = tmp_path_factory.mktemp("query") / "query"
    sources = (*sorted((ROOT / "examples" / "query").glob("*.c")), *build.sources())
    subprocess.run([clang(), *FLAGS, f"-I{INCLUDE}", f"-I{build.HERE}", *sources, "-o", program], check=True)
    run(program, "make", "db", PAGES, 1)
    return program


def run(program: Path, *words: object, code: int = 0) -> str:
    command = [str(program), *map(str, words)]
    done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def reads(query: Path, *plan: str) -> list[int]:
    return [int(line) for line in run(query, "run", "db", *plan, "trace").split()]


def announced(query: Path, step: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What the policy is told before a step: `next` and `later` of each page."""
    pairs = [tuple(map(int, line.split())) for line in run(query, "announce", "db", step, *PLAN).splitlines()]
    return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)


def test_results(query: Path) -> None:
    rows = [page for (*page,) in struct.iter_unpack("1024I", query.with_name("db").read_bytes())]
    orders = Counter(row for page in rows[:QUARTER] for row in page)
    pairs = sum(orders[row] for page in rows[QUARTER : 3 * QUARTER] for row in page)
    looked = sum(sum(rows[page]) for page in set(reads(query, "look:items:40:1")))
    total = sum(map(sum, rows[3 * QUARTER :])) + looked + sum(map(sum, rows[:QUARTER]))
    assert run(query, "run", "db", *PLAN).split()[:4] == ["sum", str(total), "pairs", str(pairs)]
    assert run(query, "run", "db", "join:orders:items:1").split()[3] == str(pairs)


def test_each_step_reads_in_order(query: Path) -> None:
    orders, items = list(range(QUARTER)), list(range(QUARTER, 3 * QUARTER))
    halves = [*orders[: QUARTER // 2], *items, *orders[QUARTER // 2 :], *items]
    assert reads(query, "join:orders:items:2") == halves
    assert reads(query, "sum:parts") == list(range(3 * QUARTER, PAGES))
    looked = reads(query, "look:items:40:1")
    assert looked == sorted(set(looked) & set(items)) and 20 < len(looked) <= 40


def test_what_is_announced_is_what_is_read(query: Path) -> None:
    """Before a step, the pages with its number are those that it reads, and `later` follows from the steps after it."""
    told = [announced(query, step) for step in range(1, STEPS + 1)]
    assert [page for at, (soon, _) in enumerate(told, 1) for page in range(PAGES) if soon[page] == at] == reads(
        query, *PLAN
    )
    for at in range(1, STEPS):
        for page, (soon, later) in enumerate(zip(*told[at - 1], strict=True)):
            assert told[at][0][page] == (later if soon == at else soon)
    assert "no such step" in run(query, "announce", "db", STEPS + 1, *PLAN, code=1)


@pytest.mark.slow
def test_readme_tells_the_misses(query: Path) -> None:
    """replay.py counts them; who is told misses about what Belady does."""
    run(query, "make", "rows", 1024, 1)
    words = (ROOT / "examples" / "query" / "replay.py", query, query.with_name("rows"), 400)
    done = subprocess.run([sys.executable, *map(str, words), *README_PLAN], capture_output=True, text=True, check=True)
    counts = dict(line.split() for line in done.stdout.splitlines()[1:])
    readme = (ROOT / "examples" / "query" / "README.md").read_text()
    assert " ".join(README_PLAN) in readme
    rows = [line.strip("| ").split(" | ") for line in readme.splitlines() if re.search(r"\| [0-9,]+ \|$", line)]
    told = {name.strip("` "): count for names, count in rows for name in names.split(",")}
    assert counts == told


def test_without_a_policy(query: Path) -> None:
    assert "the policy is not told: " in run(query, "run", "db", "sum:parts", "tell", code=1)


def test_wrong_plans_and_files(query: Path) -> None:
    for plan, words in (
        ("sum:rows", "rows: is no table"), ("sum", "names no table"), ("drop:parts", "drop: is no step"),
        ("look:parts:4", "too few words"), ("sum:parts:4", "too many words"), ("join:orders:items:0", "1 part or more"),
        ("join:orders:items:65", "no more than its outer table"), ("look:parts:x:1", "is not a number"),
    ):  # fmt: skip
        assert words in run(query, "run", "db", plan, code=1)
    assert "too many steps" in run(query, "run", "db", *["join:orders:items:64"] * 33, code=1)
    query.with_name("short").write_bytes(bytes(4096))
    assert "this is no database" in run(query, "run", "short", "sum:parts", code=1)
    query.with_name("wild").write_bytes(b"\xff" * 4 * 4096)
    assert "a row is too large" in run(query, "run", "wild", "sum:parts", code=1)
    assert "multiple of four" in run(query, "make", "new", 6, 1, code=1)
    for words in ((), ("run", "db"), ("announce", "db", 1)):
        assert "usage: query" in run(query, *words, code=2)
