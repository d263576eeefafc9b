"""Tables of tests/bench/kernel-cost.

kernel_cost.py [--json FILE] [--seconds N]: read lines `KEY COLUMN VALUE`, print tables, write the figures to FILE.
kernel_cost.py --docs FILE: update from FILE docs/measured/kernel-cost.md (tables), kernel-cost.json beside it, and what
`cpolc advise` shows of it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import median
from typing import Any

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve, stdlib_names

PAGE = 4096
PATCHED = {
    "vanilla": "no patches",
    "none": "idle",
    "leave": "no-op",
    "noop": "empty FIFO",
    "lfu": "lfu",
    "s3fifo": "s3fifo",
    "lfu_map": "lfu, hash map",
}
MODULE = {
    "stock": "no module",
    "module-none": "idle",
    "module-leave": "no-op",
    "module-noop": "empty FIFO",
    "module-lfu": "lfu",
    "module-s3fifo": "s3fifo",
}
STDLIB = {"leave": "noop", "noop": "noop_fifo"}
"""What columns are called in the stdlib, if otherwise."""
NO_STDLIB = ("vanilla", "none", "stock", "lfu_map", "noop_fifo")
"""Columns that are no policies of the stdlib."""
PAPER_MEMORY = "0.4 to 1.2 %"
"""cache_ext, SOSP '25, section 6.3."""
JOBS = {"fio": "fio, device answers at once", "disk": "fio, device answers after 80 us"}
SIZES = {64: ("5", "+0.72 %"), 128: ("10", "+1.66 %"), 384: ("30", "+0.17 %")}
"""MiB of our cgroups; GiB of the paper's, and the CPU time that its no-op policy adds per I/O (SOSP '25, Table 4)."""
GOVERNED = (64, 256)
"""Sizes of the cgroups whose policy memory is measured, in MiB."""

READS_OF_TURNS = 40000
"""Reads per turn of guest-cost, over all readers."""
PROCESSORS = 2
"""Of the host."""
NOISE = 10
"""Largest interquartile range of the rounds' ratios, in percentage points; beyond it, no median is shown."""

DOCS = Path(__file__).resolve().parents[2] / "docs" / "measured"
PAGE_OF_DOCS = DOCS / "kernel-cost.md"
FIGURES_OF_DOCS = DOCS / "kernel-cost.json"
PRICES = DOCS.parents[1] / "runtime" / "simulate" / "advise" / "price.json"
"""The figures that `cpolc advise` shows; it is part of the package, and docs are not."""
BEGIN, END = "<!-- figures: kernel_cost.py -->\n", "<!-- end of figures -->\n"

Figures = dict[str, dict[str, float]]
Cells = dict[str, str]


def read(lines: list[str]) -> Figures:
    """Read figures by key, then by column.

    Raises:
        ValueError: a line is not KEY COLUMN VALUE.
    """
    figures: Figures = {}
    for line in lines:
        words = line.split()
        if len(words) != 3:
            raise ValueError(f"not KEY COLUMN VALUE: {line!r}")
        figures.setdefault(words[0], {})[words[1]] = float(words[2])
    return figures


def beside(values: dict[str, float], base: str, *, relative: bool) -> Cells:
    """Format each value with its difference from column `base`, in instructions or in percent."""
    cells = {}
    for column, value in values.items():
        difference = f"{(value / values[base] - 1) * 100:+.1f} %" if relative else f"{value - values[base]:+.0f}"
        cells[column] = f"{value:,.0f}" if column == base else f"{value:,.0f} ({difference})"
    return cells


def bytes_each(figures: Figures, size: int, noop: str) -> dict[str, float]:
    """Return the bytes of policy memory per governed folio by column, in a cgroup of `size` MiB.

    The kernel charges a BPF map to the loader, so the loader's charge beyond that of the policy `noop` counts, too.
    `noop` pays for programs and links, whose memory does not depend on the number of folios.
    """
    memory, charged = figures[f"memory{size}"], figures[f"loader{size}"]
    return {
        column: (memory[column] + max(0.0, charged[column] - charged[noop])) / folios
        for column, folios in figures[f"owned{size}"].items()
        if folios
    }


def markdown(columns: dict[str, str], rows: list[tuple[str, Cells]]) -> list[str]:
    """Format an aligned table with a column for each of `columns`; a missing figure is an empty cell."""
    lines = [["", *columns.values()], *([title, *(cells.get(c, "") for c in columns)] for title, cells in rows)]
    widths = [max(3, *(len(line[at]) for line in lines)) for at in range(len(lines[0]))]
    text = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    ]
    return [text[0], "| " + " | ".join("-" * width for width in widths) + " |", *text[1:]]


def instructions(figures: Figures, columns: dict[str, str]) -> list[tuple[str, Cells]]:
    """Make the rows that fio did not measure. The first of `columns` is the baseline."""
    base, noop = next(iter(columns)), next(column for column in columns if column.endswith("noop"))
    mine = {key: {c: v for c, v in values.items() if c in columns} for key, values in figures.items()}
    rows = [
        ("cached read, instructions", beside(mine["hit"], base, relative=False)),
        ("miss, instructions", beside(mine["miss"], base, relative=True)),
    ]
    for size in GOVERNED:
        each = bytes_each(mine, size, noop)
        percent = {c: f"{value / PAGE * 100:.2f} %" for c, value in each.items()}
        rows += [
            (f"memory in {size} MiB, bytes per governed folio", {c: f"{value:.1f}" for c, value in each.items()}),
            ("of governed memory", percent | {"paper": PAPER_MEMORY}),
        ]
    if mine.get("crowd"):
        rows.append(("8 cached readers, reads per second", beside(mine["crowd"], base, relative=True)))
    return rows


def jobs(figures: Figures, columns: dict[str, str]) -> list[tuple[str, Cells]]:
    """Make the rows of fio: CPU time per I/O at each size of cgroup, and the share of I/Os that missed."""
    base = next(iter(columns))
    rows = []
    for job, title in JOBS.items():
        for size, (gigabytes, paper) in SIZES.items():
            values = {c: v for c, v in figures.get(f"{job}{size}", {}).items() if c in columns}
            if not values:
                continue
            missed = {c: v for c, v in figures[f"{job}-misses{size}"].items() if c in columns}
            cells = beside(values, base, relative=True)
            name = f"{title}: {size} MiB (paper: {gigabytes} GiB), CPU ns per I/O"
            rows.append((name, cells | {"paper": paper}))
            rows.append(("I/Os that missed", {c: f"{value / 10:.1f} %" for c, value in missed.items()}))
    return rows


TURNS = {
    "policy": "policy",
    "readers": "readers",
    "reads": "reads",
    "waits": "spinlock waits",
    "none": "spinlock waits without a policy",
    "speed": "reads per second, in percent of those without a policy",
}
"""Columns of the table of contention."""


def speed(ratios: list[float]) -> str:
    """Return the median of ratios, in percent, unless their interquartile range exceeds NOISE."""
    ratios = sorted(ratios)
    quarter = len(ratios) // 4
    low, high = ratios[quarter], ratios[-1 - quarter]
    middle = f"half of the {len(ratios)} rounds: {low:.1f} to {high:.1f} %"
    return f"no figure; {middle}" if high - low > NOISE else f"{median(ratios):.1f} %; {middle}"


def turns(figures: Figures) -> list[str]:
    """Make the table of contention on processors that run in parallel: spinlock waits and reads per second.

    Runs with and without the policy alternate; the ratios are of neighbouring runs. With more emulated processors than
    the host has, only the waits are shown.
    """
    found: dict[tuple[int, int, str], list[str]] = {}
    for key in figures:
        what, *rest = key.split(".")
        if what == "turn":
            cpus, policy, readers, _ = rest
            found.setdefault((int(cpus), int(readers), policy), []).append(".".join(rest))
    rows = []
    for (cpus, readers, policy), keys in sorted(found.items()):
        rounds = [figures[f"turn.{key}"] for key in keys]
        waits = [figures[f"waits.{key}"] for key in keys]
        cells = {
            "policy": policy,
            "readers": str(readers),
            "reads": f"{READS_OF_TURNS * len(keys):,}",
            "waits": f"{sum(values['policy'] for values in waits):,.0f}",
            "none": f"{sum(values['none'] for values in waits):,.0f}",
        }
        if cpus == PROCESSORS:
            cells["speed"] = speed([values["policy"] / values["none"] * 100 for values in rounds])
        rows.append((f"{cpus} processors", cells))
    if not rows:
        return []
    return [
        "Processors that run in parallel (multi-threaded emulation) on a host with two. If the middle half of",
        f"the rounds spans more than {NOISE} percentage points, the host had other work and there is no speed:",
        "",
        *markdown(TURNS, rows),
    ]


def tables(figures: Figures) -> list[str]:
    """Return the lines to print."""
    with_paper = PATCHED | {"paper": "paper"}
    lines = ["### Patched kernel", "", *markdown(with_paper, instructions(figures, PATCHED))]
    work = jobs(figures, PATCHED)
    if work:
        lines += ["", "### fio on the patched kernel, with Table 4 of the paper", "", *markdown(with_paper, work)]
    alternating = turns(figures)
    if alternating:
        lines += ["", "### Contention", "", *alternating]
    if "stock" in figures["hit"]:
        rows = instructions(figures, MODULE) + jobs(figures, MODULE)
        lines += ["", "### Module on the stock kernel", "", *markdown(MODULE | {"paper": "paper"}, rows)]
    return lines


def page(text: str, figures: Figures) -> str:
    """Return the page with the tables of `figures` between its two marks.

    Raises:
        ValueError: the page has no marks.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"no lines {BEGIN.strip()!r} and {END.strip()!r}")
    return before + BEGIN + "\n" + "\n".join(tables(figures)) + "\n\n" + END + after


def prices(figures: Figures) -> dict[str, dict[str, Any]]:
    """Return what a cached read and a miss take without a policy, and how much more with each policy of the stdlib."""
    made = {}
    for kernel, base, prefix in (("patched", "vanilla", ""), ("module", "stock", "module-")):
        without = {what: figures[what][base] for what in ("hit", "miss")}
        found = {}
        for column, hit in figures["hit"].items():
            name = STDLIB.get(column.removeprefix(prefix), column.removeprefix(prefix))
            if column.startswith(prefix) and "-" not in name and name not in NO_STDLIB and column in figures["miss"]:
                each = {"read": hit - without["hit"], "miss": figures["miss"][column] - without["miss"]}
                found[name] = {what: round(value) for what, value in each.items()}
        named = {"read": round(without["hit"]), "miss": round(without["miss"])}
        made[kernel] = {"without": named, "more": dict(sorted(found.items()))}
    return made


def others() -> list[str]:
    """Return the policies of the stdlib that evict and have no column in the tables."""
    evicting = (name for name in stdlib_names() if compiled(resolve(name)).policy.evicts)
    return sorted({*evicting} - {*PATCHED, *STDLIB.values()})


def main() -> None:
    parser = argparse.ArgumentParser(description="tables of tests/bench/kernel-cost")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--seconds", type=int, default=0, help="seconds that the measurement took")
    parser.add_argument("--kernel", default="", help="kernel that was measured, stored with the figures")
    parser.add_argument("--docs", type=Path, help="update the tables in docs/measured/kernel-cost.md")
    parser.add_argument("--others", action="store_true", help="print the policies that only prices are measured of")
    options = parser.parse_args()
    if options.others:
        print(*others())
        return
    if options.docs:
        written = json.loads(options.docs.read_text())
        PAGE_OF_DOCS.write_text(page(PAGE_OF_DOCS.read_text(), written["figures"]))
        FIGURES_OF_DOCS.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n")
        PRICES.write_text(json.dumps(prices(written["figures"]), indent=1) + "\n")
        return
    figures = read(sys.stdin.read().splitlines())
    if options.json:
        written = {"kernel": options.kernel, "seconds": options.seconds, "figures": figures}
        options.json.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n")
    print("\n".join(tables(figures)))


if __name__ == "__main__":
    main()
