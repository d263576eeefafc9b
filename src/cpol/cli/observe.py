"""`cpolc observe`: shows how a cgroup uses the page cache, on any kernel with BTF."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import click

from cpol.cli.errors import CliError
from cpol.cli.numbers import FiniteRange
from cpol.cli.once import Once
from cpol.cli.output import put
from cpol.cli.rates import aligned
from cpol.cli.top import redrawn
from cpol.printable import shown
from cpol.runtime.operate.observe import heat
from cpol.runtime.operate.observe.look import Counts, Key, Look, WorkingSet, largest, working_set
from cpol.runtime.operate.observe.run import Observer, mapped_bytes
from cpol.runtime.operate.tracing import TracingError
from cpol.signals import handled
from cpol.sizes import size

MAX_SECONDS = 10**9
MOST_WORKING_SETS = 100_000
SVG_FILES = 4
HEAD = (
    "USES", "HIT%", "HITS", "MISSES", "FAULTS", "REFAULTS", "AHEAD", "USED", "UNUSED", "UNKNOWN", "DIRTIED", "WRITTEN",
)  # fmt: skip
BY = ("file", "command", "process")
NAME = 28
"""Characters of a name on the live screen, which cuts lines at its width."""

BARS = "▁▂▃▄▅▆▇█"


@click.command(name="observe", cls=Once)
@click.argument("cgroup")
@click.option(
    "--interval",
    default=2.0,
    show_default=True,
    type=FiniteRange(0.1, 3600),
    help="Seconds between two tables, and of each working set.",
)
@click.option("--seconds", type=click.IntRange(1, MAX_SECONDS), help="End after so many.  [default: at Ctrl-C]")
@click.option("--once", is_flag=True, help="Print one table at the end: after --seconds, or one interval.")
@click.option("--by", type=click.Choice(BY), multiple=True, help="Show rows by this (may be repeated).  [default: all]")
@click.option("--rows", default=8, show_default=True, type=click.IntRange(0, 10_000), help="Rows of each table.")
@click.option("--heatmap", is_flag=True, help="Show which parts of a file are used when, in place of the tables.")
@click.option(
    "--file", "wanted", metavar="PATH", help="The file of the heatmaps: the end of its path.  [default: the most used]"
)
@click.option(
    "--svg",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the heatmaps of the most used files at the end.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object instead of each table.")
def command(
    cgroup: str,
    interval: float,
    seconds: int | None,
    once: bool,
    by: tuple[str, ...],
    rows: int,
    heatmap: bool,
    wanted: str | None,
    svg: Path | None,
    as_json: bool,
) -> None:
    """Show how the tasks of CGROUP, a folder under /sys/fs/cgroup, and of those below it use the
    page cache: hits, misses, refaults, readahead that was used and that was not, by file, command
    and process, and the working set over time.

    Tracing programs count, on any kernel with BTF: no module, no patch, no policy. Counts begin with
    the command. What is used through a mapping after its first fault is seen by no tracer.

    \b
    cpolc observe /sys/fs/cgroup/app
    cpolc observe /sys/fs/cgroup/app --once --seconds 60 --json
    cpolc observe /sys/fs/cgroup/app --heatmap --svg app.svg
    """
    if wanted is not None and not (heatmap or svg):
        raise click.UsageError("--file names the file of a heatmap: give --heatmap or --svg, too")
    if heatmap and (as_json or by):
        raise click.UsageError(f"--heatmap shows no tables; leave out {'--json' if as_json else '--by'}")
    live = not once and not as_json and sys.stdout.isatty()
    end = seconds if seconds is not None else interval if once else None
    try:
        with Observer(cgroup, heat.SHIFT if heatmap or svg else None) as observer:
            view = View(observer, by or BY, rows, wanted, NAME if live else None)
            with redrawn() if live else printed() as draw:
                for last in view.looks(interval, end):
                    if last or not once:
                        draw(view.lines(as_json, heatmap))
            if live:
                click.echo("\n".join(view.lines(as_json, heatmap)))
            if svg is not None:
                put(view.svg(), svg)
    except TracingError as error:
        raise CliError(str(error)) from None


@contextmanager
def printed() -> Iterator[Callable[[list[str]], None]]:
    """Print what is drawn, one below the other."""

    def draw(lines: list[str]) -> None:
        click.echo("\n".join(lines))
        sys.stdout.flush()

    yield draw


class Interrupted:
    """Takes Ctrl-C, SIGTERM, SIGHUP: a sleep ends at once, and a look comes to its end. A second one ends all."""

    def __init__(self) -> None:
        self.asked = self.sleeping = False
        self._handled = handled((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), self._note)

    def __enter__(self) -> Interrupted:
        self._handled.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._handled.__exit__(None, None, None)

    def _note(self, *_: object) -> None:
        again, self.asked = self.asked, True
        if self.sleeping or again:
            self.sleeping = False
            raise KeyboardInterrupt

    def sleep(self, seconds: float) -> None:
        """Sleep, unless it has been asked to end."""
        with suppress(KeyboardInterrupt):
            self.sleeping = True
            if not self.asked:
                time.sleep(seconds)
            self.sleeping = False


class View:
    """What was seen of a cgroup, as tables, facts and maps. `name` is the longest name in tables; None: any."""

    def __init__(
        self, observer: Observer, by: tuple[str, ...], rows: int, wanted: str | None, name: int | None = None
    ) -> None:
        self.observer, self.by, self.rows, self.wanted = observer, by, rows, wanted
        self.name = name
        self.heatmap = heat.Heatmap()
        self.sets: list[WorkingSet] = []
        self.begin = time.monotonic()
        self.before = Counts()
        self.now: Look | None = None
        self.seconds = self.interval = 0.0

    def looks(self, interval: float, end: float | None) -> Iterator[bool]:
        """Look each interval, until `end`, a signal or the end of the cgroup. Yields whether it was the last."""
        last = False
        with Interrupted() as interrupted:
            while not last:
                passed = time.monotonic() - self.begin
                interrupted.sleep(min(interval, max(end - passed, 0)) if end is not None else interval)
                self.look_again()
                last = self.look.gone or (end is not None and time.monotonic() - self.begin >= end)
                last |= interrupted.asked
                yield last

    def look_again(self) -> None:
        if self.now is not None:
            self.before = self.now.all
        self.now = self.observer.look()
        passed = time.monotonic() - self.begin
        self.interval, self.seconds = passed - self.seconds, passed
        self.sets.append(working_set(self.now.used_bits, passed))
        del self.sets[:-MOST_WORKING_SETS]
        self.heatmap.add(self.now, passed)

    @property
    def look(self) -> Look:
        assert self.now is not None
        return self.now

    def called(self, file: str) -> str:
        """A file's path, or its number, as a terminal may show it."""
        return shown(self.observer.names.get(file, file), keep="")

    def lines(self, as_json: bool, heatmap: bool) -> list[str]:
        if as_json:
            return [json.dumps(self.facts())]
        return self.map() if heatmap else self.tables()

    # As text.

    def tables(self) -> list[str]:
        look = self.look
        total = [("all", look.all), (f"last {self.interval:.1f} s", look.all.minus(self.before))]
        lines = [f"{shown(self.observer.cgroup, keep='')}: {self.seconds:.1f} s, in pages of 4 KiB"]
        lines += [
            *table("", total),
            "",
            *self.set_lines(),
            *self.notes(),
        ]  # first: a screen may end before all is shown
        if "file" in self.by:
            lines += ["", *self.part("FILE", look.files, self.called, look.other_files)]
        if "command" in self.by:
            lines += ["", *self.part("COMMAND", look.commands(), lambda name: shown(name, keep=""), look.other_tasks)]
        if "process" in self.by:
            processes = look.processes()
            lines += [
                "",
                *self.part("PROCESS", processes, lambda key: f"{key[0]} {shown(key[1], keep='')}", look.other_tasks),
            ]
        return [*lines, ""]

    def part(self, head: str, counts: Mapping[Key, Counts], called: Callable[[Key], str], untold: Counts) -> list[str]:
        """The rows with the most misses, and one for the others."""
        first, others, number = largest(counts, self.rows)
        rows = [(self.short(called(key)), row) for key, row in first]
        if number or any(untold):
            more = " and those that did not fit" if any(untold) else ""
            rows.append((f"{number} others{more}", others.plus(untold)))
        return table(head, rows)

    def short(self, text: str) -> str:
        """A name without its middle, if it is long: a path's end tells most."""
        if self.name is None or len(text) <= self.name:
            return text
        return f"{text[: self.name // 3]}…{text[len(text) - (self.name - self.name // 3 - 1) :]}"

    def set_lines(self) -> list[str]:
        last = self.sets[-1]
        room = max(10, get_terminal_size().columns - 50)
        shown_sets = self.sets[-room:]
        most = max((one.pages or 0 for one in shown_sets), default=0)
        bars = "".join(BARS[min(7, 8 * (one.pages or most) // (most + 1))] for one in shown_sets)
        if last.pages is None:
            return [f"working set: more pages than can be told in {self.interval:.1f} s; take a shorter --interval"]
        error = f" ±{last.error:.1%}" if last.pages else ""
        pages = f"{last.pages:,} pages ({size(last.pages * heat.PAGE)}){error}"
        return [f"working set of the last {self.interval:.1f} s: {pages}  {bars}"]

    def notes(self) -> list[str]:
        """What the counts lack."""
        look, lines = self.look, []
        mapped = mapped_bytes(self.observer.cgroup)
        if mapped or look.all.faults:
            now = f"{size(mapped)} of files are mapped now: " if mapped else ""
            lines.append(f"{now}of a mapped page, only the first fault counts; no tracer sees further uses")
        if look.missed:
            lines.append(f"{look.missed:,} events were missed; the counts lack them")
        if look.untold_pages:
            lines.append(
                f"{look.untold_pages:,} pages came when the table of pages was full; their first use counts as a hit"
            )
        if look.untold_cells:
            lines.append(f"{look.untold_cells:,} uses are in no heatmap: its table was full")
        if look.gone:
            lines.append("the cgroup was removed")
        return lines

    def map(self) -> list[str]:
        """The map of one file, as many rows as the terminal has."""
        columns, rows = get_terminal_size()
        files = self.files()
        if not files:
            return [
                "no use yet"
                if self.wanted is None
                else f"no use yet of a file that ends in {shown(self.wanted, keep='')}"
            ]
        grid = self.heatmap.grid(files[0], max(10, columns - 24))
        head = f"{self.called(files[0])}: to the right the offset, {size(grid.bytes)} a column; downwards the time"
        legend = ".: no use; 1 to 9: uses, by their logarithm"
        return [head, legend, *heat.lines(grid, max(5, rows - 10)), "", *self.set_lines(), *self.notes()]

    def files(self) -> list[str]:
        files = self.heatmap.files()
        if self.wanted is None:
            return files
        return [file for file in files if self.observer.names.get(file, "").endswith(self.wanted)]

    def svg(self) -> str:
        return heat.svg(self.heatmap, self.files()[:SVG_FILES], self.called)

    # As facts.

    def facts(self) -> dict[str, Any]:
        look, names = self.look, self.observer.names
        files = {file: {"file": file, "path": names.get(file)} for file in look.files}
        return {
            "cgroup": self.observer.cgroup,
            "seconds": round(self.seconds, 3),
            "counts": told(look.all),
            "files": [files[file] | told(counts) for file, counts in look.files.items()],
            "commands": [{"command": name} | told(counts) for name, counts in look.commands().items()],
            "processes": [
                {"process": process, "command": name} | told(counts)
                for (process, name), counts in look.processes().items()
            ],
            "other_files": told(look.other_files),
            "other_tasks": told(look.other_tasks),
            "working_set": [one._asdict() for one in self.sets],
            "mapped_bytes": mapped_bytes(self.observer.cgroup),
            "missed_events": look.missed,
            "untold_pages": look.untold_pages,
            "removed": look.gone,
        }


def told(counts: Counts) -> dict[str, Any]:
    """Counts as JSON tells them."""
    return {**counts._asdict(), "hit_ratio": counts.hit_ratio}


def table(head: str, rows: list[tuple[str, Counts]]) -> list[str]:
    """A heading, and a line for each row."""
    return aligned([(head, *HEAD), *((name, *cells(counts)) for name, counts in rows)], {head})


def cells(counts: Counts) -> tuple[str, ...]:
    ratio = "-" if counts.hit_ratio is None else f"{100 * counts.hit_ratio:.1f}"
    return (f"{counts.uses:,}", ratio, *(f"{number:,}" for number in counts))
