"""Prose of the documentation: lines of at most 100 columns, paragraphs of at most six lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from doc_blocks import PAGES, ROOT

COLUMNS = 100
LINES = 6
GENERATED = ROOT / "docs" / "stdlib"
"""scripts/stdlib_docs.py writes these pages: a doc comment may become a long line."""
WRITTEN = [
    *(page for page in PAGES if page.parent != GENERATED),
    ROOT / "kernel" / "README.md",
    ROOT / "runtime" / "machine" / "include" / "cpol" / "README.md",
]

Paragraph = tuple[int, list[str]]
"""The first line's number, and the lines."""

ITEM = re.compile(r" *(?:[-*]|\d+\.) ")
CODE = re.compile(r" {4,}(?! *(?:[-*]|\d+\.) )")
"""A line of an indented block, which starts after an empty line. A nested list item is prose."""
NO_PROSE = re.compile(r"(?:\s*\||#+ |\s*!?\[[^]]*\]\([^)]*\)$|\s*<?https?://\S+>?$)")
"""A table row, a heading, or a line that is one link."""


def paragraphs(text: str) -> list[Paragraph]:
    """Return the paragraphs of a page; each list item is one.

    Code blocks, tables, headings, HTML comments and lines that are one link are not paragraphs.
    """
    text = re.sub(r"<!--.*?-->", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    found: list[Paragraph] = []
    fence, opened = "", False
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(`{3,})[^`]*$", line)
        if fence or mark:
            fence = "" if fence and line.strip() == fence else fence or (mark[1] if mark else "")
            opened = False
        elif not line.strip() or NO_PROSE.match(line) or (not opened and CODE.match(line)):
            opened = False
        elif opened and not ITEM.match(line):
            found[-1][1].append(line)
        else:
            found.append((number, [line]))
            opened = True
    return found


def faults(text: str) -> list[str]:
    """Return each line and each paragraph that is too long, with its line number."""
    found = []
    for start, lines in paragraphs(text):
        wide = [(number, line) for number, line in enumerate(lines, start) if len(line) > COLUMNS]
        found += [f"{number}: {len(line)} columns: {line[:60]}…" for number, line in wide]
        if len(lines) > LINES:
            found.append(f"{start}: a paragraph of {len(lines)} lines: {lines[0][:60]}…")
    return found


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_prose_is_short(page: Path) -> None:
    wrong = [f"{page.relative_to(ROOT)}:{fault}" for fault in faults(page.read_text(encoding="utf-8"))]
    assert not wrong, "\n".join(wrong)


LONG = "word " * 21


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (LONG, 1),
        (f"- {LONG}", 1),
        (f"    - {LONG}", 1),
        ("line\n" * 6, 0),
        ("line\n" * 7, 1),
        ("line\n" * 6 + "\n" + "line\n" * 6, 0),
        ("- item\n" * 9, 0),
        ("- item\n" + "  more\n" * 6, 1),
        (f"```\n{LONG}\n```\n", 0),
        (f"``` `` ``` is\n{LONG}\n", 1),
        (f"```\n```\n{LONG}\n", 1),
        (f"text\n\n    {LONG}\n", 0),
        (f"text\n    {LONG}\n", 1),
        (f"| {LONG} |\n", 0),
        (f"<!-- {LONG} -->\n", 0),
        (f"<!-- {LONG}\n{LONG} -->\n", 0),
        (f"[{LONG}](x.md)\n", 0),
        (f"https://x.org/{'x' * 100}\n", 0),
        (f"[a](x.md) {LONG}\n", 1),
    ],
)
def test_long_lines_and_paragraphs_are_detected(text: str, count: int) -> None:
    assert len(faults(text)) == count
