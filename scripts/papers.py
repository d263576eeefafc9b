#!/usr/bin/env python3
"""Write docs/measured/papers.md from docs/measured/papers.toml and the figures that runs left; --check only compares.

scripts/papers.py [--check]

papers.toml has a record for each table and figure of the papers, and tells where our figures are. It also has the cells
that tests/bench/reproduce.py runs.
"""

from __future__ import annotations

import json
import math
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from itertools import product
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "measured"
PAGE = FOLDER / "papers.md"
REGISTRY = FOLDER / "papers.toml"
KEPT = FOLDER / "reproduced"
"""A file for each group of cells."""
NOT_RUN = "not run yet"
KILLED = "killed"
NO_FIGURE = "-"

Cells = dict[str, dict[str, Any]]
"""Of a group's file, by name: `figures`, and where they were measured."""


class RegistryError(Exception):
    """papers.toml asks for a figure that its file cannot have."""


@dataclass(frozen=True)
class Group:
    """Cells that one command runs, one for each choice of `over`."""

    title: str
    command: str
    """With `{json}`, the file that it writes, and the words of `over` between braces."""
    name: str = "all"
    over: dict[str, list[str]] = field(default_factory=dict)
    counts: list[str] = field(default_factory=list)
    """Paths of figures that do not depend on the host: `make reproduce-quick` compares them."""
    within: float = 0.0
    """By what share they may differ."""
    quick: str = ""
    """The cell of `make reproduce-quick`; none: it takes too long."""
    minutes: float = 1.0
    """About what a cell takes, beside other work."""
    packages: list[str] = field(default_factory=list)
    """Lists in scripts/apt that it needs."""
    writes: str = ""
    """The file that it writes its figures to, if it has no option for that."""

    def choices(self) -> Iterator[dict[str, str]]:
        for words in product(*self.over.values()):
            yield dict(zip(self.over, words, strict=True))

    def cells(self) -> dict[str, str]:
        """The command of each cell, by its name."""
        return {self.name.format(**chosen): self.command.format(**chosen, json="{json}") for chosen in self.choices()}


@dataclass(frozen=True)
class Grid:
    """A table of figures: ours beside the paper's."""

    rows: dict[str, str]
    """By title, what stands for `{row}` in `cells` and `value`."""
    columns: dict[str, str]
    value: str
    """The path of the figure, with `/` between its words."""
    group: str = ""
    """The group whose cells have the figures; else `file` has them."""
    cells: str = "all"
    """Their names, as a pattern of fnmatch. There may be several, for seeds: the median counts."""
    file: str = ""
    """A file beside the page, in place of a group."""
    base: str = ""
    """The cells by which figures are divided."""
    base_value: str = ""
    """The path of that figure; none: `value`."""
    format: str = "number"
    """One of FORMATS."""
    title: str = ""
    """What the figures are."""
    paper: list[list[str]] = field(default_factory=list)
    """The paper's figures, of each row; none: it has none to compare."""


@dataclass(frozen=True)
class Item:
    """A table or a figure of a paper."""

    paper: str
    name: str
    section: str
    title: str
    command: str = ""
    says: str = ""
    """What the paper says of it in words."""
    cannot: str = ""
    """Why it cannot be had here."""
    drawing: str = ""
    """It has no figures; what stands in its place here."""
    missing: str = ""
    """What has to be written before it can run."""
    result: str = ""
    """Where the figures are, if they are on another page."""
    why: str = ""
    """Why ours differ, and how it was scaled."""
    cause: str = ""
    """What was found where ours are worse."""
    lines: dict[str, list[str]] = field(default_factory=dict)
    """Lines of code: by the paper's name ours, and its two numbers."""
    grids: list[Grid] = field(default_factory=list)


FORMATS: dict[str, Callable[[float], str]] = {
    "number": "{:,.0f}".format,
    "decimal": "{:,.2f}".format,
    "ratio": "{:.2f}".format,
    "share": lambda share: f"{share * 100:.0f} %",
    "tenths": "{:,.1f}".format,
    "change": lambda share: f"{share * 100:+.1f} %",
}


@cache
def registry() -> dict[str, Any]:
    with REGISTRY.open("rb") as file:
        return tomllib.load(file)


def groups() -> dict[str, Group]:
    return {name: Group(**record) for name, record in registry()["groups"].items()}


def items() -> list[Item]:
    return [
        Item(**{**record, "grids": [Grid(**grid) for grid in record.get("grids", [])]})
        for record in registry()["items"]
    ]


@cache
def kept(group: str) -> Cells:
    file = KEPT / f"{group}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def at(path: str, document: Any, file: str) -> float:
    """Return the number at the path.

    It is infinite if what was to be measured was killed before its end, and NaN if there cannot be one: null in JSON.

    Raises:
        RegistryError: there is none.
    """
    for word in path.split("/"):
        if isinstance(document, list):  # of records
            document = {record["name"]: record for record in document}
        if isinstance(document, dict) and document.get("killed") and word not in document:
            return math.inf
        if not isinstance(document, dict) or word not in document:
            raise RegistryError(f"{REGISTRY.name}: `{path}` is not in {file}: it has no `{word}`")
        document = document[word]
    return math.nan if document is None else float(document)


def figures(grid: Grid, cells: str, value: str) -> list[float]:
    """The figures of all cells that the pattern names; empty if none has run.

    Raises:
        RegistryError: the group has no such cells, or their figures do not have the path.
    """
    if grid.file:
        return [at(value, json.loads((FOLDER / grid.file).read_text(encoding="utf-8")), grid.file)]
    known = [name for name in groups()[grid.group].cells() if fnmatchcase(name, cells)]
    if not known:
        raise RegistryError(f"{REGISTRY.name}: the group `{grid.group}` has no cells `{cells}`")
    done = kept(grid.group)
    return [at(value, done[name]["figures"], f"{grid.group}.json: {name}") for name in known if name in done]


def ours(grid: Grid, row: str, column: str) -> str:
    """Our figure: the median of the runs, and their range in brackets."""
    told = {"row": row, "column": column}
    found = figures(grid, grid.cells.format(**told), grid.value.format(**told))
    if found and (grid.base or grid.base_value):
        cells, value = grid.base or grid.cells, grid.base_value or grid.value
        base = figures(grid, cells.format(**told), value.format(**told))
        if not base:
            return NOT_RUN
        if math.inf in base:
            return KILLED
        if any(map(math.isnan, base)):
            return NO_FIGURE
        minus = 1 if grid.format == "change" else 0
        found = [one / median(base) - minus for one in found]
    if not found:
        return NOT_RUN
    if math.inf in found:
        return KILLED
    if any(map(math.isnan, found)):
        return NO_FIGURE
    show = FORMATS[grid.format]
    text = show(median(found))
    if len(found) > 1:
        least, most = show(min(found)), show(max(found))
        text += f" ({least} to {most}; {len(found)} runs)"
    return text


def grid_lines(grid: Grid) -> list[str]:
    """The table. If no cell has run, it has the paper's figures alone, or is a sentence."""
    mine = [[ours(grid, row, column) for column in grid.columns.values()] for row in grid.rows.values()]
    if all(cell == NOT_RUN for row in mine for cell in row):
        if not grid.paper:
            return [f"{grid.title}: {NOT_RUN}.", ""]
        title, cells = f"{grid.title}: the paper's; ours: {NOT_RUN}", grid.paper
    elif grid.paper:
        both = zip(grid.paper, mine, strict=True)
        cells = [[f"{paper} / {cell}" for paper, cell in zip(*rows, strict=True)] for rows in both]
        title = f"{grid.title}: the paper's / ours"
    else:
        title, cells = grid.title, mine
    lines = [title, "", f"| | {' | '.join(grid.columns)} |", f"| ---{' | ---' * len(grid.columns)} |"]
    lines += [f"| {name} | {' | '.join(row)} |" for name, row in zip(grid.rows, cells, strict=True)]
    return [*lines, ""]


def has_run(item: Item) -> bool:
    cells = [
        ours(grid, row, column) for grid in item.grids for row in grid.rows.values() for column in grid.columns.values()
    ]
    return any(cell != NOT_RUN for cell in cells)


def state(item: Item) -> str:
    if item.drawing:
        return f"no figures; here: {item.drawing}"
    if item.cannot:
        return "cannot be had here"
    if item.lines or item.result or has_run(item):
        return "measured"
    return "no command yet" if item.missing else NOT_RUN


def code_lines(policy: str) -> int:
    """Lines of a stdlib policy without comments, empty lines and tests."""
    count, in_test = 0, False
    for line in (ROOT / "stdlib" / f"{policy}.cpol").read_text(encoding="utf-8").splitlines():
        in_test = in_test or line.startswith("  test ")
        count += not in_test and bool(line.strip()) and not line.strip().startswith("//")
        in_test = in_test and line != "  }"
    return count


def lines_table(item: Item) -> list[str]:
    made = ["| policy | paper: eBPF | paper: user space | cpol, all of it |", "| --- | --- | --- | --- |"]
    for title, (policy, kernel, user) in item.lines.items():
        made.append(f"| {title} | {kernel} | {user} | {code_lines(policy)} ([{policy}](../stdlib/{policy}.md)) |")
    return [*made, ""]


def machines(item: Item) -> str:
    """Where the figures of the item's groups were measured."""
    told = {
        f"{cell['machine']}, at {cell['commit']}"
        for group in dict.fromkeys(grid.group for grid in item.grids if grid.group)
        for name, cell in kept(group).items()
        if any(
            fnmatchcase(name, grid.cells.format(row=row, column=column))
            for grid in item.grids
            if grid.group == group
            for row in grid.rows.values()
            for column in grid.columns.values()
        )
    }
    return "; ".join(sorted(told))


def paragraph(text: str) -> list[str]:
    return [fill(" ".join(text.split()), 100, break_long_words=False, break_on_hyphens=False), ""] if text else []


def bullet(title: str, text: str) -> list[str]:
    if not text:
        return []
    joined = f"- **{title}** {' '.join(text.split())}"
    return [fill(joined, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)]


def item_lines(item: Item) -> list[str]:
    lines = [f"### {item.name}: {item.title}", ""]
    for grid in item.grids:
        lines += grid_lines(grid)
    if item.lines:
        lines += lines_table(item)
    bullets = bullet("Command:", f"`{item.command}`" if item.command else "")
    bullets += bullet("The paper says:", item.says)
    bullets += bullet("Ours:", item.result)
    bullets += bullet("Cannot be had here:", item.cannot)
    bullets += bullet("Before it can run:", item.missing)
    bullets += bullet("How, and why they differ:", item.why)
    bullets += bullet("The cause:", item.cause)
    bullets += bullet("Machine:", machines(item))
    return [*lines, *bullets, ""]


def page() -> str:
    lines = [*registry()["head"].strip().splitlines(), ""]
    for key, paper in registry()["papers"].items():
        own = [item for item in items() if item.paper == key]
        lines += [f"## {paper['title']}", "", *paragraph(paper["text"])]
        lines += ["| table, figure | section | what | state |", "| --- | --- | --- | --- |"]
        lines += [f"| {item.name} | {item.section} | {item.title} | {state(item)} |" for item in own]
        lines.append("")
        for item in own:
            if not item.drawing:
                lines += item_lines(item)
    return "\n".join(lines).rstrip() + "\n"


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        wanted = page()
    except RegistryError as error:
        print(f"scripts/papers.py: {error}", file=sys.stderr)
        return 1
    there = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if arguments and wanted != there:
        print(f"{PAGE.relative_to(ROOT)} is stale: run scripts/papers.py", file=sys.stderr)
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
