"""The commands of examples/first-policy/README.md."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "first-policy"
POLICY = str(FOLDER / "second_chance.cpol")


def cpolc(*args: str) -> str:
    result = CliRunner().invoke(cli, args)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.long
def test_policy_passes_check() -> None:
    assert "no counterexample" in cpolc("check", POLICY)


def test_policy_keeps_hot_pages_that_fifo_evicts(tmp_path: Path) -> None:
    trace = tmp_path / "loop.txt"
    made = subprocess.run([sys.executable, FOLDER / "make_trace.py"], capture_output=True, text=True, check=True)
    trace.write_text(made.stdout)
    output = cpolc("sim", POLICY, "fifo", "--trace", str(trace), "--capacity", "300", "--json")
    ours, fifo = (json.loads(line) for line in output.splitlines())
    assert ours["policy"] == "second_chance"
    assert ours["misses"] == 20 * 900 + 10  # each turn misses all 900 loop pages; each hot page misses once
    assert fifo["misses"] > ours["misses"]


def test_policy_compiles_to_an_object_and_to_c(tmp_path: Path) -> None:
    output = tmp_path / "second_chance.bpf.o"
    cpolc(POLICY, "-o", str(output))
    assert output.read_bytes()[:4] == b"\x7fELF"
    assert "CPOL_HANDLER_EVICT" in cpolc("--emit", "c", POLICY)
