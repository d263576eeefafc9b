"""Each file of tests, and of scripts that tests import, has a name of its own.

pytest imports by it. Of two that share it, it collects one alone, or hands one to who imports the other.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMPORTED = ("scripts", "playground", "website")
"""Folders that pyproject.toml puts on pytest's path, beside tests."""


def module_of(path: Path) -> str:
    """The name by which pytest imports a file: with its folders, as far as these are packages."""
    parts = [path.stem]
    for folder in path.parents:
        if not (folder / "__init__.py").exists():
            break
        parts.insert(0, folder.name)
    return ".".join(parts)


def test_no_two_files_have_one_name() -> None:
    files = defaultdict[str, list[str]](list)
    paths = [*(ROOT / "tests").rglob("*.py"), *(path for name in IMPORTED for path in (ROOT / name).glob("*.py"))]
    for path in sorted(paths):
        if path.name not in ("conftest.py", "__init__.py"):
            files[module_of(path)].append(str(path.relative_to(ROOT)))
    assert sum(map(len, files.values())) > 400
    assert not [each for each in files.values() if len(each) > 1]
