"""The benchmark of sweeps: its page has its figures, and a small form of it runs."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from clusters import environment

HERE = Path(__file__).resolve().parent


def load() -> ModuleType:
    """Load sweep_cost.py, a script outside of any package."""
    spec = importlib.util.spec_from_file_location("sweep_cost", HERE / "sweep_cost.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


cost = load()


def test_the_page_has_its_figures() -> None:
    text = cost.PAGE.read_text()
    assert cost.page(text, json.loads(cost.FIGURES.read_text())) == text


def test_a_page_needs_a_place_for_the_figures() -> None:
    with pytest.raises(ValueError, match="the page lacks"):
        cost.page("# A page", json.loads(cost.FIGURES.read_text()))


def test_tables_that_differ_are_told() -> None:
    figures = json.loads(cost.FIGURES.read_text())
    figures["small"]["one thread"]["digest"] = "other"
    assert "THE TABLES DIFFER" in cost.tables(figures)


@pytest.mark.long
def test_a_small_form_runs(tmp_path: Path) -> None:
    words = ["--traces", "3", "--requests", "1000", "--policies", "2", "--sizes", "2", "--large", "20000"]
    out = tmp_path / "figures.json"
    command = [sys.executable, str(HERE / "sweep_cost.py"), *words, "--json", str(out)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    figures = json.loads(out.read_text())
    assert [way["runs"] for way in figures["small"].values()] == [12, 12, 12]
    assert len({way["digest"] for way in figures["small"].values()}) == 1
    assert [way["runs"] for way in figures["large"].values()] == [4, 4]
    assert done.stdout == cost.tables(figures) + "\n"
