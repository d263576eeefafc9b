"""`cpolc explain`."""

from __future__ import annotations

from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler.diagnostics.errors import registry


def explain(*words: str) -> Result:
    return CliRunner().invoke(cli, ["explain", *words])


def test_explain_one_code() -> None:
    result = explain("e0014")
    assert result.exit_code == 0
    assert result.output.startswith("E0014: comparisons do not chain\n\n")
    assert "Wrong:\n\n    on accessed(f) { if 1 < f.pages < 8" in result.output
    assert "Right:\n\n    on accessed(f) { if 1 < f.pages and" in result.output


def test_explain_all_codes() -> None:
    lines = explain().output.splitlines()
    assert [line.split()[0] for line in lines] == list(registry())


def test_explain_unknown_code() -> None:
    result = explain("E0999")
    assert result.exit_code == 1
    assert "there is no code 'E0999'; did you mean E0" in result.output
    assert "Traceback" not in result.output
