"""Report the measured passes as a table, bars in the terminal, a picture and JSON.

    report.py PASSES.tsv FACTS.json FOLDER

The first pass starts with an empty cache and reads the whole tree under every policy, so the sums leave it out.
Belady's optimum for the same search is simulated and shown beside the measurements (see `Optimum`).
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cpol.runtime.simulate.traces import Numbers, belady_misses

BASELINE = "lru"
OPTIMUM = "Belady (optimal)"
TITLES = {"lru": "default LRU", "mglru": "MGLRU"}
PAGE = 4096
BAR = 40


@dataclass(frozen=True)
class Pass:
    """One search of the tree."""

    number: int
    seconds: float
    bytes: int
    matches: int
    cached: int
    """Bytes of page cache in the cgroup at the end of the pass."""


@dataclass(frozen=True)
class Row:
    """One configuration: sums over all passes but the first, and their ratios to the default LRU."""

    name: str
    title: str
    mib: float
    seconds: float
    mib_ratio: float
    seconds_ratio: float
    passes: list[Pass]


def read_passes(lines: Iterable[str]) -> dict[str, list[Pass]]:
    """Read the passes of each configuration, in the order in which they ran.

    Raises:
        ValueError: two passes found different numbers of matches, so one did not read every file.
    """
    found: dict[str, list[Pass]] = {}
    for line in lines:
        name, number, seconds, read, matches, cached = line.rstrip("\n").split("\t")
        found.setdefault(name, []).append(Pass(int(number), float(seconds), int(read), int(matches), int(cached)))
    matches_seen = {one.matches for passes in found.values() for one in passes}
    if len(matches_seen) != 1 or 0 in matches_seen:
        raise ValueError(f"all passes must find the same number of matches, but they found {sorted(matches_seen)}")
    return found


def rows(found: dict[str, list[Pass]]) -> list[Row]:
    """Make a row per configuration; the default LRU is the baseline."""
    sums = {
        name: (sum(one.bytes for one in passes[1:]) / 2**20, sum(one.seconds for one in passes[1:]))
        for name, passes in found.items()
    }
    base_mib, base_seconds = sums[BASELINE]
    return [
        Row(
            name,
            TITLES.get(name, f"cpol {name}"),
            round(mib, 1),
            round(seconds, 2),
            round(mib / base_mib, 3),
            round(seconds / base_seconds, 3),
            found[name],
        )
        for name, (mib, seconds) in sums.items()
    ]


@dataclass(frozen=True)
class Optimum:
    """What Belady's policy would read in the passes after the first: the fewest misses possible.

    The simulation requests the tree's pages in order, once per pass, without readahead. Its capacity is the most page
    cache that any configuration held. It leaves out the file system's own blocks.
    """

    mib: float
    mib_ratio: float
    """Bytes read, relative to the default LRU."""
    pages: int
    room: int
    """Capacity in pages."""
    passes: int

    @property
    def words(self) -> str:
        return f"Belady, simulated on {self.pages:,} pages x {self.passes} passes with room for {self.room:,}"


def optimum(all_rows: list[Row], tree_bytes: int) -> Optimum:
    """Simulate Belady's policy on the same search, after the first pass."""
    pages, passes = tree_bytes // PAGE, len(all_rows[0].passes)
    room = min(pages, max(one.cached for row in all_rows for one in row.passes) // PAGE)
    misses = belady_misses(Numbers().of(array("Q", range(pages)) * passes), room) - pages
    mib = round(misses * PAGE / 2**20, 1)
    return Optimum(mib, round(mib / all_rows[0].mib, 3), pages, room, passes)


def table(all_rows: list[Row], best: Optimum) -> str:
    """Format the table, with ratios to the default LRU; below 1 is better."""
    lines = [
        f"{'policy':<18}{'first pass':>12}{'MiB read':>10}{'seconds':>9}"
        f"{'MiB ratio':>11}{'time ratio':>12}{'times sooner':>14}"
    ]
    for row in all_rows:
        lines.append(
            f"{row.title:<18}{row.passes[0].seconds:>10.1f} s{row.mib:>10.0f}{row.seconds:>9.1f}"
            f"{row.mib_ratio:>11.2f}{row.seconds_ratio:>12.2f}{1 / row.seconds_ratio:>13.2f}x"
        )
    lines.append(f"{OPTIMUM:<18}{best.mib:>18.0f}{best.mib_ratio:>20.2f}")
    lines.append(f"{best.words}; without the file system's own blocks.")
    return "\n".join(lines)


def bars(all_rows: list[Row], best: Optimum) -> str:
    """Format bars for bytes and seconds; the longest is BAR wide."""
    lines = []
    titles = [row.title for row in all_rows]
    for what, unit, values, labels in (
        ("read from the disk", "MiB", [*(row.mib for row in all_rows), best.mib], [*titles, OPTIMUM]),
        ("time", "s", [row.seconds for row in all_rows], titles),
    ):
        lines.append(f"{what}, passes after the first:")
        longest = max(values)
        for label, value in zip(labels, values, strict=True):
            lines.append(f"  {label:<18}{'█' * max(1, round(BAR * value / longest)):<{BAR}} {value:.0f} {unit}")
    return "\n".join(lines)


def picture(all_rows: list[Row], best: Optimum, facts: dict[str, Any], file: Path) -> None:
    """Draw the same as a picture, for a README."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(10, 3.6), sharey=True)
    titles = [row.title for row in all_rows]
    colours = ["#9aa5b1" if row.name in TITLES else "#2f6fb5" for row in all_rows]
    for axis, values, ratios, label in (
        (axes[0], [row.mib for row in all_rows], [row.mib_ratio for row in all_rows], "MiB read from the disk"),
        (axes[1], [row.seconds for row in all_rows], [row.seconds_ratio for row in all_rows], "seconds"),
    ):
        drawn = axis.barh(titles, values, color=colours)
        axis.bar_label(drawn, [f" {value:.0f}  ({ratio:.2f})" for value, ratio in zip(values, ratios, strict=True)])
        axis.set_xlim(0, max(values) * 1.28)
        axis.set_xlabel(label)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].axvline(best.mib, color="#c0392b", linestyle="--", linewidth=1.2)
    axes[0].set_title(f"- - {OPTIMUM}: {best.mib:.0f}  ({best.mib_ratio:.2f})", color="#c0392b", fontsize=9, loc="left")
    axes[0].invert_yaxis()
    figure.suptitle(
        f"ripgrep, {facts['passes'] - 1} passes after the first over {facts['tree_bytes'] / 2**20:.0f} MiB,"
        f" memory.max {facts['limit_bytes'] / 2**20:.0f} MiB, disk {facts['disk_bps'] / 2**20:.0f} MiB/s"
        f" (in brackets: to the default LRU)\n{best.words}",
        fontsize=10,
    )
    figure.tight_layout()
    figure.savefig(file, dpi=120)


def main(passes_file: Path, facts_file: Path, folder: Path) -> None:
    """Write FOLDER/file-search.json and .png, and print the table and the bars."""
    facts: dict[str, Any] = json.loads(facts_file.read_text())
    with passes_file.open() as lines:
        all_rows = rows(read_passes(lines))
    best = optimum(all_rows, facts["tree_bytes"])
    (folder / "file-search.json").write_text(
        json.dumps({"facts": facts, "rows": [asdict(row) for row in all_rows], "optimum": asdict(best)}, indent=2)
        + "\n"
    )
    picture(all_rows, best, facts, folder / "file-search.png")
    print(f"\n{bars(all_rows, best)}\n\n{table(all_rows, best)}\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
