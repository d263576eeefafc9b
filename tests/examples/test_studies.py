"""Policies of the literature in examples/: their tests, `cpolc check`, and the misses that their READMEs tell."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STUDIES = {
    "cacheus/cacheus.cpol": "hyperbolic/make_trace.py",
    "car/car.cpol": "hyperbolic/make_trace.py",
    "clock-pro/clock_pro.cpol": "hyperbolic/make_trace.py",
    "database/database.cpol": "database/make_trace.py",
    "dip/dip.cpol": "first-policy/make_trace.py",
    "gdsf/gdsf.cpol": "gdsf/make_trace.py",
    "hyperbolic/hyperbolic.cpol": "hyperbolic/make_trace.py",
    "mq/mq.cpol": "hyperbolic/make_trace.py",
    "two-handed-clock/two_handed.cpol": "hyperbolic/make_trace.py",
}
"""The policies, and what makes the trace of their README."""
COLUMNS = {
    "database/database.cpol": ("--columns", "thread=thread,file=file,page=page"),
    "gdsf/gdsf.cpol": ("--columns", "file=file,page=page"),
}
"""How to read the traces that have files and threads."""


def cpolc(*words: str | Path) -> str:
    done = CliRunner().invoke(cli, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("policy", STUDIES)
def test_policy_passes(policy: str) -> None:
    cpolc("fmt", "--check", EXAMPLES / policy)
    cpolc("test", EXAMPLES / policy)
    cpolc("check", EXAMPLES / policy, "--max-examples", "60")


@pytest.mark.long
@pytest.mark.parametrize("policy", STUDIES)
def test_readme_tells_the_misses(policy: str, tmp_path: Path) -> None:
    trace = tmp_path / "trace.txt"
    made = subprocess.run([sys.executable, EXAMPLES / STUDIES[policy]], capture_output=True, check=True)
    trace.write_bytes(made.stdout)
    told = table((EXAMPLES / policy).parent / "README.md")
    capacities = sorted({capacity for capacity, _ in told})
    names = [name for capacity, name in told if capacity == capacities[0]]
    given = [EXAMPLES / policy if name == Path(policy).stem else name for name in names]
    words = ("--trace", trace, "--capacity", ",".join(map(str, capacities)), "--json", *COLUMNS.get(policy, ()))
    lines = cpolc("sim", *given, *words).splitlines()
    found = {(row["capacity"], row["policy"]): row["misses"] for row in map(json.loads, lines)}
    assert found == told


@pytest.mark.slow
def test_samples_from_random_places(tmp_path: Path) -> None:
    """The cookbook compares a queue that turns with them; here is the beginning of its trace."""
    made = subprocess.run([sys.executable, EXAMPLES / "hyperbolic/make_trace.py"], capture_output=True, check=True)
    trace = tmp_path / "trace.txt"
    trace.write_bytes(b"".join(made.stdout.splitlines(keepends=True)[:3000]))
    policy = EXAMPLES / "hyperbolic/hyperbolic.cpol"
    program = [sys.executable, EXAMPLES / "hyperbolic/random_places.py", policy, trace, "100", "sample=4"]
    shown = subprocess.run(program, capture_output=True, check=True, text=True).stdout
    assert shown == "hyperbolic 100 pages: 1,618 misses of 3,000\n"
    turning = json.loads(cpolc("sim", policy, "--trace", trace, "--capacity", "100", "--set", "sample=4", "--json"))
    assert turning["misses"] < 1618


@pytest.mark.long
def test_gdsf_misses_fewer_files(tmp_path: Path) -> None:
    """What its README tells of first pages, with 3,000 pages of cache."""
    trace = tmp_path / "files.csv"
    trace.write_bytes(subprocess.run([sys.executable, EXAMPLES / "gdsf/make_trace.py"], capture_output=True).stdout)
    gdsf = EXAMPLES / "gdsf/gdsf.cpol"
    runs: list[tuple[str | Path, ...]] = [(gdsf,), ("s3fifo",), ("lru",)]
    assert [first_pages_missed(trace, run, tmp_path / "log") for run in runs] == [2_530, 2_858, 3_257]


def first_pages_missed(trace: Path, run: tuple[str | Path, ...], log: Path) -> int:
    cpolc("sim", *run, "--trace", trace, "--columns", "file=file,page=page", "--capacity", "3000", "--log", log)
    with log.open() as lines:
        return sum(line.startswith("missed\t") and line.endswith("\t0\n") for line in lines)


def table(page: Path) -> dict[tuple[int, str], int]:
    """The misses in the table of a README, by capacity and policy."""
    rows = [re.findall(r"[^|\s][^|]*[^|\s]|[^|\s]", line) for line in page.read_text().splitlines() if line[:1] == "|"]
    head, _, *body = rows
    return {
        (int(row[0]), name): int(count.replace(",", ""))
        for row in body
        for name, count in zip(head[1:], row[1:], strict=True)
    }
