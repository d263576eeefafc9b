"""The table of tests/bench/kernel-cost: reads lines `KEY POLICY VALUE`, prints the figures side by side."""

from __future__ import annotations

import sys

PAGE = 4096
COLUMNS = {
    "vanilla": "no patches",
    "none": "idle",
    "noop": "no-op",
    "lfu": "lfu",
    "lfu_map": "lfu, hash map",
    "s3fifo": "s3fifo",
}
PAPER = {
    "memory": "paper (SOSP '25, Table 4): 0.4 to 1.2 % of memory",
    "fio": "paper (SOSP '25, Table 4): 0.17 to 1.66 % more CPU an I/O",
}
Figures = dict[str, dict[str, float]]


def read(lines: list[str]) -> Figures:
    """Figures by key, then by policy.

    Raises:
        ValueError: a line is not KEY POLICY VALUE.
    """
    figures: Figures = {}
    for line in lines:
        key, policy, value = line.split()
        figures.setdefault(key, {})[policy] = float(value)
    return figures


def row(title: str, cells: dict[str, str]) -> str:
    """A line of the table, a cell for each column; empty where there is no figure."""
    return f"{title:34}" + "".join(f"{cells.get(policy, ''):>16}" for policy in COLUMNS)


def beside(values: dict[str, float], *, relative: bool) -> dict[str, str]:
    """Each value with its difference from the kernel without patches: in instructions, or in percent."""
    base = values["vanilla"]
    cells = {}
    for policy, value in values.items():
        difference = f"{(value / base - 1) * 100:+.1f}%" if relative else f"{value - base:+.0f}"
        cells[policy] = f"{value:.0f}" if policy == "vanilla" else f"{value:.0f} {difference}"
    return cells


def table(figures: Figures) -> list[str]:
    """The lines to print."""
    lines = [row("", COLUMNS)]
    lines.append(row("cached read, instructions", beside(figures["hit"], relative=False)))
    lines.append(row("miss, instructions", beside(figures["miss"], relative=True)))
    folios, bytes_all, charged = figures["owned"], figures["memory"], figures["loader"]
    # A map is charged to who loaded it. What programs and links take is in the no-op policy's figure too.
    each = {p: (bytes_all[p] + max(0.0, charged[p] - charged["noop"])) / folios[p] for p in folios}
    lines.append(row("memory, bytes a governed folio", {p: f"{value:.1f}" for p, value in each.items()}))
    lines.append(row("  of governed memory", {p: f"{value / PAGE * 100:.2f}%" for p, value in each.items()}))
    lines.append(f"  {PAPER['memory']}")
    if "crowd" in figures:
        lines.append(row("8 readers, reads a second", beside(figures["crowd"], relative=True)))
    sizes = sorted(int(key.removeprefix("fio")) for key in figures if key.startswith("fio"))
    for size in sizes:
        lines.append(row(f"fio, {size} MiB: CPU ns an I/O", beside(figures[f"fio{size}"], relative=True)))
        misses = {p: f"{value / 10:.1f}%" for p, value in figures[f"misses{size}"].items()}
        lines.append(row("  I/Os that missed", misses))
    if sizes:
        lines.append(f"  {PAPER['fio']}")
    return lines


if __name__ == "__main__":
    print("\n".join(table(read(sys.stdin.read().splitlines()))))
