"""The commands that editors start."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from cpol.cli import lsp
from cpol.cli.main import cli


def test_a_missing_pygls_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lsp, "installed", lambda: False)
    done = CliRunner().invoke(cli, ["lsp"])
    assert done.exit_code == 1
    assert done.output == f"cpolc: error: {lsp.MISSING}\n"


def test_pygls_is_found() -> None:
    assert lsp.installed()


def test_what_is_no_pygls_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(lsp.importlib.util, "find_spec", find)
    assert not lsp.installed()
