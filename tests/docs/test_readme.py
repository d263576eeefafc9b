"""README: the installation first, then what cpol does in eight commands, three problems, proof and links."""

from __future__ import annotations

import re

from doc_blocks import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    return TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def test_sections_are_in_this_order() -> None:
    headings = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    first = ["Install", "What it does, in eight commands", "Three problems that people report"]
    assert headings == [*first, "Proof", "Links", "Licence"]


def test_three_problems_are_of_the_gallery() -> None:
    found = re.findall(r"^- \*\*`(\w+)`\*\*", section("Three problems that people report"), re.MULTILINE)
    assert len(found) == 3 and all((ROOT / "examples" / "gallery" / f"{name}.toml").is_file() for name in found)


def test_there_are_three_ways_to_install() -> None:
    ways = [line.split("|")[1].strip() for line in section("Install").splitlines() if line.startswith("| ")]
    assert ways == ["way", "---", "checkout", "pip", "apt"]


def test_there_are_eight_commands() -> None:
    assert len(re.findall(r"^    cpolc ", section("What it does, in eight commands"), re.MULTILINE)) == 8


def test_each_page_of_docs_is_linked() -> None:
    linked = set(re.findall(r"\(([\w./-]+)\)", section("Links")))
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    assert pages | {"CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/measured/README.md"} <= linked
