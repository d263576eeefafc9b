"""Each file of tests has a name of its own: pytest imports by it, and collects none of two that share it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


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
    for path in sorted(TESTS.rglob("test_*.py")):
        files[module_of(path)].append(str(path.relative_to(TESTS)))
    assert sum(map(len, files.values())) > 400
    assert not [each for each in files.values() if len(each) > 1]
