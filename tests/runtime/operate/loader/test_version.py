"""The loader tells its version, and whether the module that is loaded is of another."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from loader_types import Build, Loader

import cpol


@pytest.fixture(scope="module")
def note(build: Build) -> Path:
    return build("note_version")


def said(note: Path, file: Path) -> str:
    """Return what attach says of a module's version."""
    return subprocess.run([note, file], capture_output=True, text=True, check=True).stderr


def test_loader_tells_its_version(loader: Loader) -> None:
    assert loader("--version").stdout == f"cpol-loader {cpol.__version__}\n"


@pytest.mark.parametrize("suffix", ["", "~20261124.085124.a50fa833", "+20261124.085124.a50fa833"])
def test_module_of_the_same_version(note: Path, tmp_path: Path, suffix: str) -> None:
    (tmp_path / "version").write_text(f"{cpol.__version__}{suffix}\n")
    assert said(note, tmp_path / "version") == ""


@pytest.mark.parametrize("other", ["0.0.9", f"{cpol.__version__}0", "9.9.9~20261124.085124.a50fa833", ""])
def test_module_of_another_version(note: Path, tmp_path: Path, other: str) -> None:
    (tmp_path / "version").write_text(f"{other}\n")
    told = said(note, tmp_path / "version")
    assert told.startswith(
        f"cpol-loader: note: this is version {cpol.__version__}, and the module cache_ext that is loaded is {other};"
    )
    assert len(told.splitlines()) == 1


def test_no_module(note: Path, tmp_path: Path) -> None:
    assert said(note, tmp_path / "version") == ""
