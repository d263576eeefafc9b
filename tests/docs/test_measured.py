"""Each page of docs/measured names the command that makes its figures, and where it ran; the index lists each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from doc_blocks import ROOT

FOLDER = ROOT / "docs" / "measured"
INDEX = FOLDER / "README.md"
PAGES = sorted(page for page in FOLDER.glob("*.md") if page != INDEX)
COMMIT = re.compile(
    r"\b(?:at|commit|tree of|of) `?(?=[a-f]*\d)[0-9a-f]{7,8}\b|^\| [0-9a-f]{7}[0-9a-f]? \|", re.MULTILINE
)
"""In a sentence, or in the first column of a table. One may have no letter."""
TARGET = re.compile(r"^\.PHONY:(.*)$", re.MULTILINE)


def rows() -> dict[str, str]:
    """What the index has as command of each page, and of each file beside it."""
    lines = [line.split(" | ") for line in INDEX.read_text(encoding="utf-8").splitlines() if line.startswith("| [")]
    return {name: cells[-1] for cells in lines for name in re.findall(r"\]\(([\w.-]+)\)", cells[0])}


def commands(text: str) -> list[str]:
    """The commands between back quotes or in indented blocks that are in the checkout, as paths or targets of make."""
    found = re.findall(r"\bmake ([a-z][\w-]*)", text) + re.findall(r"\b((?:scripts|tests)/[\w./-]+\w)", text)
    targets = TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8"))[0].split()
    return [name for name in found if name in targets or (ROOT / name).is_file()]


def test_the_index_lists_each_file() -> None:
    assert set(rows()) == {path.name for path in FOLDER.iterdir() if path != INDEX}


def test_the_index_names_commands_that_exist() -> None:
    for name, cell in rows().items():
        for typed in re.findall(r"`([^`]*)`", cell):
            known = typed.startswith(("cpolc ", "python -m ")) or commands(typed)
            assert known, f"{INDEX.name}: {name}: `{typed}`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_command_machine_and_commit(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert commands(text), f"{page.name} names no command that is in the checkout"
    assert COMMIT.search(text), f"{page.name} names no commit"
    assert re.search(r"x86-64|User Mode Linux|machine with two processors", text), f"{page.name} names no machine"


def test_figures_stand_beside_their_page() -> None:
    loose = [path.name for path in FOLDER.glob("*.json") if not path.with_suffix(".md").is_file()]
    assert not loose
    assert not list((ROOT / "docs").glob("*.json"))


@pytest.mark.parametrize(
    ("text", "count"),
    [("`make bench-kernel`", 1), ("`make no-such`", 0), ("tests/bench/swap-fault", 1), ("scripts/none", 0)],
)
def test_commands_are_detected(text: str, count: int) -> None:
    assert len(commands(text)) == count
