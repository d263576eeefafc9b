"""The command line is thin: it holds click and printing. What it calls knows nothing of click."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLI = ROOT / "src" / "cpol" / "cli"
PARTS = ("compiler", "runtime", "kernel", "stdlib", "grammar")
MOST_LINES = 3400
"""Of all modules without a command together, blank lines and comments too. What computes goes to a room of runtime/."""


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(CLI.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def holds_command(tree: ast.Module) -> bool:
    """Whether a function of the module is a command or a group of click."""
    decorators = (each for node in tree.body if isinstance(node, ast.FunctionDef) for each in node.decorator_list)
    return any(
        isinstance(each, ast.Call) and ast.unparse(each.func).endswith((".command", ".group")) for each in decorators
    )


def imported(tree: ast.Module) -> set[str]:
    """The packages that a module imports, also inside functions."""
    names = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


def test_modules_without_a_command_are_few_lines() -> None:
    lines = {
        str(path.relative_to(CLI)): len(path.read_text(encoding="utf-8").splitlines())
        for path, tree in modules()
        if not holds_command(tree)
    }
    assert "messages.py" in lines and "attach.py" not in lines
    assert sum(lines.values()) <= MOST_LINES, lines


@pytest.mark.slow
def test_only_the_command_line_knows_click() -> None:
    paths = [path for part in PARTS for path in (ROOT / part).rglob("*.py")]
    paths += (ROOT / "src" / "cpol").glob("*.py")
    assert len(paths) > 300
    found = [str(path) for path in paths if "click" in imported(ast.parse(path.read_text(encoding="utf-8")))]
    assert found == []
    assert any("click" in imported(tree) for _, tree in modules())
