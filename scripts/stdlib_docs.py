#!/usr/bin/env python3
"""Write docs/stdlib/*.md, one page per policy of stdlib/, from the policies' sources; --check only compares.

scripts/stdlib_docs.py [--check]
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from cpol.compiler.analysis.cost.summary import summary
from cpol.compiler.doc.markdown import markdown
from cpol.compiler.doc.page import page_of
from cpol.compiler.doc.summary import summary_of
from cpol.compiler.stages import parse_text, run_file

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "stdlib"


def pages() -> dict[str, str]:
    """Map the name of each file in docs/stdlib to its text."""
    made, rows = {}, []
    for path in sorted((ROOT / "stdlib").glob("*.cpol")):
        compiled = run_file(path)
        page = page_of(compiled, summary(compiled.policy))
        kept = tuple(section for section in page.sections if section.title != "Source")
        text = markdown(replace(page, sections=kept))
        made[f"{path.stem}.md"] = f"{text}\nSource: [stdlib/{path.name}](../../stdlib/{path.name})\n"
        rows.append(f"| [{path.stem}]({path.stem}.md) | {page.summary.replace('|', chr(92) + '|')} |")
    head = ["# The standard library", "", "`scripts/stdlib_docs.py` makes these pages from `stdlib/*.cpol`.", ""]
    lines = [*head, "| policy | what it does |", "| --- | --- |", *rows, "", *libraries()]
    made["README.md"] = "\n".join(lines) + "\n"
    return made


def libraries() -> list[str]:
    """The table of the libraries."""
    rows = []
    for path in sorted((ROOT / "stdlib" / "lib").glob("*.cpol")):
        doc = parse_text(path.read_text(encoding="utf-8"), str(path)).ast.doc
        rows.append(f"| [{path.stem}](../../stdlib/lib/{path.name}) | {summary_of(doc)[0]} |")
    what = "Libraries, for `import NAME from LIBRARY` ([language](../language.md)):"
    return [what, "", "| library | what it holds |", "| --- | --- |", *rows]


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    wanted = pages()
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*") if path.is_file()}
    stale = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
    if arguments:
        for name in stale:
            print(f"docs/stdlib/{name} is stale: run scripts/stdlib_docs.py", file=sys.stderr)
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for name in stale:
        if name in wanted:
            (FOLDER / name).write_text(wanted[name], encoding="utf-8")
        else:
            (FOLDER / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
