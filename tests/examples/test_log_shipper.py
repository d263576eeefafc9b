"""examples/log-shipper: the policy passes its tests and the search, and misses what its README says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "log-shipper"
POLICY = EXAMPLE / "behind_reader.cpol"
TEXT = (EXAMPLE / "README.md").read_text(encoding="utf-8")


def cpolc(*words: str | Path) -> str:
    done = CliRunner().invoke(cli, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.slow
def test_policy_passes() -> None:
    cpolc("fmt", "--check", POLICY)
    cpolc("test", POLICY)


@pytest.mark.slow
def test_no_counterexample_is_found() -> None:
    cpolc("check", POLICY, "--max-examples", "60")


@pytest.mark.slow
def test_readme_tells_the_misses(tmp_path: Path) -> None:
    trace = tmp_path / "logs.csv"
    cpolc("gallery", "trace", "logs", "-o", trace)
    (command,) = re.findall(r"^cpolc (sim (?:.*\\\n)*.*)", TEXT, re.MULTILINE)
    words = [word for word in command.replace("\\\n", " ").split() if word != "--trace"]
    words = [str(POLICY) if word.endswith(".cpol") else word for word in words if word != "/tmp/logs.csv"]
    rows = [json.loads(line) for line in cpolc(*words, "--trace", trace, "--json").splitlines()]
    lines = [line.strip("| ").split(" | ") for line in TEXT.splitlines() if re.match(r"\| [\d,]+ \|", line)]
    names = next(line.strip("| ").split(" | ") for line in TEXT.splitlines() if line.startswith("| pages"))
    told = {
        (name, int(cells[0].replace(",", ""))): int(cell.replace(",", ""))
        for cells in lines
        for name, cell in zip(names[1:], cells[1:], strict=True)
    }
    assert len(told) == 12 and told == {(row["policy"], row["capacity"]): row["misses"] for row in rows}
