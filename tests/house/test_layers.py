"""Each folder of the package has its place: in a contract of .importlinter, or on the map of docs/architecture.md."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WINGS = ("machine", "simulate", "explore", "operate")
PARTS = ("compiler", "grammar", "kernel", "runtime", "src", "stdlib")
"""What `cpol` consists of: src/cpol links to the others."""
CONTAINERS = ("src/cpol", "compiler", "runtime", *(f"runtime/{wing}" for wing in WINGS))
"""The folders whose modules and folders all have a layer."""


def copied(folder: Path) -> Path:
    """A copy of the modules, and of the contracts."""
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / part, symlinks=True, ignore=_no_module)
    shutil.copy(ROOT / ".importlinter", folder)
    return folder


def _no_module(folder: str, names: list[str]) -> list[str]:
    """What no import needs."""
    modules = {name for name in names if name.endswith(".py") or Path(folder, name).is_dir()}
    return [name for name in names if name == "__pycache__" or name not in modules]


def lint(folder: Path) -> tuple[int, str]:
    """The exit code of lint-imports, and its words on one line."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def folders(top: Path) -> set[str]:
    """Those that hold files. A checkout may have folders of another time, with nothing but bytecode."""
    return {path.name for path in top.iterdir() if any(file.suffix != ".pyc" for file in path.rglob("*.*"))}


@pytest.mark.slow
def test_a_new_folder_without_a_layer_fails(tmp_path: Path) -> None:
    tree = copied(tmp_path)
    assert lint(tree)[0] == 0
    new = [f"new_{number}" for number in range(len(CONTAINERS))]
    for container, name in zip(CONTAINERS, new, strict=True):
        (tree / container / name).mkdir()
        (tree / container / name / "__init__.py").touch()
    code, said = lint(tree)
    assert code == 1
    assert [name for name in new if f" {name}" not in said and f".{name}" not in said] == [], said


def test_a_wing_takes_nothing_from_one_above(tmp_path: Path) -> None:
    tree = copied(tmp_path)
    with (tree / "runtime" / "machine" / "errors.py").open("a", encoding="utf-8") as errors:
        errors.write("\nimport cpol.runtime.simulate.traces\n")
    code, said = lint(tree)
    assert code == 1
    assert "wings of the runtime BROKEN" in said, said


def test_the_map_names_each_folder() -> None:
    """Also those that hold no module: headers, units, rules."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert folders(ROOT / "runtime") == set(WINGS)
    on_map = set(re.findall(r"`runtime/(\w+/\w+)/`", page))
    assert on_map == {f"{wing}/{name}" for wing in WINGS for name in folders(ROOT / "runtime" / wing)}


def rows(heading: str) -> set[str]:
    """The first column of the tables below a heading of the map."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    below = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `([\w./]+)` \|", below, re.MULTILINE))


def parts(top: Path) -> set[str]:
    """The modules and folders of a package that are its own: a link is another's."""
    modules = {path.name for path in top.glob("*.py")}
    return modules | {f"{name}/" for name in folders(top) if (top / name).is_dir() and not (top / name).is_symlink()}


def test_the_map_names_each_part_of_the_compiler() -> None:
    assert rows("The stages of the compiler") == parts(ROOT / "compiler") - {"__init__.py"}


def test_the_map_names_each_part_of_the_package() -> None:
    assert rows("The Python package") == parts(ROOT / "src" / "cpol")
