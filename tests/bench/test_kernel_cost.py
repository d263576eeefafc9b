"""Tables of kernel-cost: baselines, and agreement of the page in docs with its figures."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from cpol.runtime.simulate.advise import price

HERE = Path(__file__).resolve().parent


def load() -> ModuleType:
    """Load kernel_cost.py, a script outside of any package."""
    spec = importlib.util.spec_from_file_location("kernel_cost", HERE / "kernel_cost.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


cost = load()

LINES = """\
hit vanilla 5000
hit none 5010
hit lfu 5150
miss vanilla 10000
miss lfu 15000
owned64 lfu 1000
owned64 noop 1000
memory64 lfu 40960
memory64 noop 38000
loader64 lfu 9000
loader64 noop 8000
owned256 lfu 4000
owned256 noop 4000
memory256 lfu 140000
memory256 noop 120000
loader256 lfu 8000
loader256 noop 8000
disk64 vanilla 20000
disk64 lfu 21000
disk-misses64 vanilla 500
disk-misses64 lfu 625
"""


def cells(line: str) -> list[str]:
    """Return the cells of one line of a table."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def row(title: str) -> list[str]:
    """Return the cells of the row with this title."""
    lines = cost.tables(cost.read(LINES.splitlines()))
    return next(cells(line) for line in lines if line.startswith(f"| {title}"))


def test_baseline_is_the_vanilla_kernel() -> None:
    assert row("cached read")[1:6] == ["5,000", "5,010 (+10)", "", "", "5,150 (+150)"]
    assert row("miss")[5] == "15,000 (+50.0 %)"


def test_loader_charge_beyond_noop_counts_as_memory() -> None:
    assert row("memory in 64 MiB")[4:6] == ["38.0", "42.0"]
    assert row("memory in 256 MiB")[4:6] == ["30.0", "35.0"]
    assert row("of governed memory")[5] == "1.02 %"


def test_fio_rows_have_the_papers_figures() -> None:
    assert row("fio, device answers after 80 us: 64 MiB (paper: 5 GiB)")[-1] == "+0.72 %"
    assert row("fio, device answers after 80 us: 64 MiB")[5] == "21,000 (+5.0 %)"
    assert row("I/Os that missed")[5] == "62.5 %"


def turns(*ratios: int, cpus: int = 2) -> list[str]:
    """Return the cells of eight readers, given each round's reads per second in percent of those without a policy."""
    lines = []
    for number, ratio in enumerate(ratios):
        lines += [f"turn.{cpus}.lru.8.{number} none 100", f"turn.{cpus}.lru.8.{number} policy {ratio}"]
        lines += [f"waits.{cpus}.lru.8.{number} none 3", f"waits.{cpus}.lru.8.{number} policy 4"]
    return cells(cost.turns(cost.read(lines))[-1])


def test_contention_is_the_median_of_ratios() -> None:
    assert turns(90, 97, 98, 96, 99, 97, 97)[6].startswith("97.0 %; half of the 7 rounds: ")


def test_contention_on_a_busy_host_has_no_figure() -> None:
    told = turns(60, 70, 130, 85, 99, 150, 80)
    assert told[:6] == ["2 processors", "lru", "8", "280,000", "28", "21"]
    assert told[6].startswith("no figure; half of the 7 rounds: ")


def test_contention_of_more_processors_than_the_host_has_is_waits_only() -> None:
    assert turns(97, 97, 97, cpus=8) == ["8 processors", "lru", "8", "120,000", "12", "9", ""]


def test_malformed_line_is_an_error() -> None:
    with pytest.raises(ValueError, match="not KEY COLUMN VALUE: 'hit none'"):
        cost.read(["hit none"])


def test_page_in_docs_matches_its_figures() -> None:
    written = json.loads(cost.FIGURES_OF_DOCS.read_text())
    page = cost.PAGE_OF_DOCS.read_text()
    assert cost.page(page, written["figures"]) == page, f"stale page: run kernel_cost.py --docs {cost.FIGURES_OF_DOCS}"


def test_what_advice_shows_is_of_the_same_figures() -> None:
    figures = json.loads(cost.FIGURES_OF_DOCS.read_text())["figures"]
    assert json.loads(price.FIGURES.read_text()) == cost.prices(figures), "stale: run kernel_cost.py --docs as above"
    lfu = price.prices("lfu")
    assert lfu is not None and lfu["module"].read == round(figures["hit"]["module-lfu"] - figures["hit"]["stock"])
    assert price.without("patched").miss == round(figures["miss"]["vanilla"])
    noop = price.prices("noop")  # of the stdlib, and not the empty FIFO, whose column has this name
    assert noop is not None and noop["patched"].read == round(figures["hit"]["leave"] - figures["hit"]["vanilla"])


def test_a_policy_that_was_measured_on_one_kernel_has_that_figure() -> None:
    figures = cost.read(["hit vanilla 5000", "hit mru 5100", "miss vanilla 1000", "miss mru 1500", "hit arc 7000"])
    figures["hit"]["stock"] = figures["miss"]["stock"] = 6000.0
    assert cost.prices(figures)["patched"]["more"] == {"mru": {"read": 100, "miss": 500}}
    assert cost.prices(figures)["module"]["more"] == {}


def test_prices_are_measured_of_all_that_evict() -> None:
    assert {*cost.others()} >= {"mru", "arc", "lru"} and not {*cost.others()} & {"lfu", "s3fifo", "noop", "leap"}


def test_page_without_marks_is_an_error() -> None:
    with pytest.raises(ValueError, match="no lines"):
        cost.page("no marks", cost.read(LINES.splitlines()))
