"""docs/measured/papers.md is what papers.toml and the kept results make; it has each table and figure of the papers."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace

import papers
import pytest
from doc_blocks import ROOT

HAS = {
    "cachebpf": [f"Figure {n}" for n in range(1, 11)] + [f"Table {n}" for n in range(1, 5)],
    "fetchbpf": [f"Figure {n}" for n in range(1, 8)] + [f"Table {n}" for n in range(1, 6)],
    "p2cache": ["Result 1", "Result 2"],
    "no_fscache": [f"Figure {n}" for n in range(1, 7)],
    "mglru": [f"Figure {n}" for n in range(1, 13)],
}
"""The tables and figures of each paper, and of the slides the results."""
GROUPS = papers.groups()
ITEMS = papers.items()
ALSO_IN = {
    "isolation": ("docs/measured/isolation.md", {"pages": "{:,}", "reads_per_second": "{:,.0f}"}),
    "regimes": ("docs/measured/prefetching.md", {"major": "{:,.0f}"}),
    "regimes-module": ("docs/measured/prefetching.md", {"major": "{:,.0f}"}),
    "programs": ("docs/measured/prefetching.md", {"major": "{:,}"}),
    "uncached": ("docs/measured/uncached.md", {"per_second": "{:.3f}"}),
    "graph": ("examples/graph/README.md", {"pages": "{:,}"}),
}
"""Groups whose figures are in the tables of another page, too: the page, and how it shows them."""
EACH_ITEM = pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.paper}: {item.name}")
EACH_GROUP = pytest.mark.parametrize("name", GROUPS)


def test_the_page_is_made_of_the_registry() -> None:
    assert papers.PAGE.read_text(encoding="utf-8") == papers.page(), "run scripts/papers.py"


@pytest.mark.parametrize("paper", HAS)
def test_each_table_and_figure_has_a_row(paper: str) -> None:
    names = [item.name for item in ITEMS if item.paper == paper]
    assert set(HAS[paper]) <= set(names)
    assert len(names) == len(set(names))


def test_each_item_is_of_a_paper() -> None:
    assert {item.paper for item in ITEMS} == set(papers.registry()["papers"])


@EACH_ITEM
def test_an_item_says_what_became_of_it(item: papers.Item) -> None:
    """It has figures, or tells why not; what can run has a command, and says why its figures are not the paper's."""
    has_figures = bool(item.grids or item.lines or item.result)
    assert has_figures + bool(item.drawing) + bool(item.cannot) + bool(item.missing) == 1
    assert bool(item.command and item.why) == has_figures


@EACH_ITEM
def test_a_command_exists(item: papers.Item) -> None:
    words = shlex.split(item.command)
    if not words:
        return
    if words[0] != "make":
        assert (ROOT / words[0]).is_file()
        return
    assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = [name for word in words[2:] for name in word.removeprefix("NAME=").split()]
    assert set(named) <= set(GROUPS)
    if named:
        assert {grid.group for grid in item.grids} <= set(named)


@EACH_GROUP
def test_a_group_runs_something(name: str) -> None:
    group = GROUPS[name]
    cells = group.cells()
    assert len(cells) == len(list(group.choices())), "two cells have one name"
    for command in cells.values():
        assert (ROOT / shlex.split(command)[0]).is_file()
        assert ("{json}" in command) != bool(group.writes)
    assert all((ROOT / "scripts" / "apt" / f"{listed}.txt").is_file() for listed in group.packages)
    assert not group.quick or (group.quick in cells and group.counts and 0 < group.within < 0.2)


def test_the_quick_ones_take_forty_minutes_at_most() -> None:
    assert sum(group.minutes for group in GROUPS.values() if group.quick) <= 40


@EACH_GROUP
def test_a_group_has_an_item(name: str) -> None:
    assert name in {grid.group for item in ITEMS for grid in item.grids} | {"kernel-cost"}


def test_what_was_kept_is_of_a_cell() -> None:
    for file in papers.KEPT.iterdir():
        group = GROUPS[file.stem]
        for name, cell in json.loads(file.read_text(encoding="utf-8")).items():
            assert name in group.cells(), f"{file.name}: {name}"
            assert re.fullmatch(r"[0-9a-f]{7,8}\+?", cell["commit"]) and "x86-64" in cell["machine"], file.name
            if name == group.quick:
                assert all(papers.at(path, cell["figures"], file.name) > 0 for path in group.counts)


def numbers(figures: object, key: str) -> list[float]:
    """All numbers with the key, at any depth."""
    if not isinstance(figures, dict):
        return []
    here = [figures[key]] if isinstance(figures.get(key), int | float) else []
    return here + [number for inner in figures.values() for number in numbers(inner, key)]


@pytest.mark.parametrize("group", ALSO_IN)
def test_another_page_has_the_same_figures(group: str) -> None:
    page, shown = ALSO_IN[group]
    text = (ROOT / page).read_text(encoding="utf-8")
    told = set(re.findall(r"[\d,.]*\d", text))
    for key, show in shown.items():
        found = [
            show.format(number) for cell in papers.kept(group).values() for number in numbers(cell["figures"], key)
        ]
        assert len(found) >= 12, f"{group}.json has few `{key}`"
        stale = sorted(set(found) - told)
        assert not stale, f"{page} does not have these figures of {group}.json ({key}): {', '.join(stale)}"


def grid(**fields: object) -> papers.Grid:
    return replace(papers.Grid(rows={"r": "r"}, columns={"c": "c"}, value=""), **fields)


def kept(monkeypatch: pytest.MonkeyPatch, cells: dict[str, float | None]) -> None:
    """Groups are those of papers.toml; only these cells of ycsb have run."""
    made = {name: {"figures": {"store": {"pages": pages}}} for name, pages in cells.items()}
    monkeypatch.setattr(papers, "kept", lambda group: made if group == "ycsb" else {})


def test_what_has_not_run_has_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    kept(monkeypatch, {"c/default/1": 100})
    asked = grid(group="ycsb", cells="c/lfu/*", base="c/default/*", value="store/pages")
    assert papers.ours(asked, "r", "c") == papers.NOT_RUN
    kept(monkeypatch, {"c/lfu/1": 100})
    assert papers.ours(asked, "r", "c") == papers.NOT_RUN


def test_a_table_without_a_run_has_the_papers_figures_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = grid(group="ycsb", cells="c/lfu/*", value="store/pages", title="Pages", paper=[["7"]])
    kept(monkeypatch, {})
    assert papers.grid_lines(asked)[0] == "Pages: the paper's; ours: not run yet"
    assert papers.grid_lines(asked)[-2] == "| r | 7 |"
    kept(monkeypatch, {"c/lfu/1": 50})
    assert papers.grid_lines(asked)[-2] == "| r | 7 / 50 |"


def test_a_figure_is_the_median_of_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    kept(monkeypatch, {"c/lfu/1": 50, "c/lfu/2": 80, "c/lfu/3": 60, "c/default/1": 100, "a/lfu/1": 7})
    asked = grid(group="ycsb", cells="c/lfu/*", base="c/default/*", value="store/pages", format="ratio")
    assert papers.ours(asked, "r", "c") == "0.60 (0.50 to 0.80; 3 runs)"
    asked = grid(group="ycsb", cells="a/lfu/1", base="c/default/*", value="store/pages", format="change")
    assert papers.ours(asked, "r", "c") == "-93.0 %"


def test_what_has_no_figure_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    kept(monkeypatch, {"c/lfu/1": None, "c/mru/1": 3, "c/default/1": 100})
    asked = grid(group="ycsb", cells="c/lfu/*", value="store/pages")
    assert papers.ours(asked, "r", "c") == "-"
    assert papers.ours(replace(asked, base="c/default/*"), "r", "c") == "-"
    assert papers.ours(replace(asked, cells="c/mru/*", base="c/lfu/*"), "r", "c") == "-"
    killed = {name: {"figures": {"store": {"killed": 1}}} for name in ("c/lfu/1", "a/lfu/1")}
    monkeypatch.setattr(papers, "kept", lambda group: killed)
    assert papers.ours(asked, "r", "c") == papers.KILLED
    assert papers.ours(replace(asked, cells="a/lfu/*", base="c/lfu/*"), "r", "c") == papers.KILLED
    with pytest.raises(papers.RegistryError, match="it has no `sheets`"):
        kept(monkeypatch, {"c/lfu/1": None})
        papers.ours(replace(asked, value="store/sheets"), "r", "c")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"cells": "z/*", "value": "store/pages"}, "the group `ycsb` has no cells `z/*`"),
        (
            {"cells": "c/lfu/1", "value": "store/sheets"},
            "`store/sheets` is not in ycsb.json: c/lfu/1: it has no `sheets`",
        ),
    ],
)
def test_a_wrong_path_is_an_error(monkeypatch: pytest.MonkeyPatch, fields: dict[str, str], message: str) -> None:
    kept(monkeypatch, {"c/lfu/1": 100})
    with pytest.raises(papers.RegistryError, match=re.escape(message)):
        papers.ours(grid(group="ycsb", **fields), "r", "c")


def test_lines_are_those_with_code() -> None:
    assert papers.code_lines("mru") == 11
    assert papers.code_lines("fifo") < papers.code_lines("lfu") < papers.code_lines("s3fifo")
