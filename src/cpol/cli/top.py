"""`cpolc top`: shows per-second statistics of attached policies."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from types import FrameType

import click

from cpol.cli import prefetch_rates, rates, screen
from cpol.cli.errors import CliError
from cpol.cli.numbers import FiniteRange
from cpol.cli.once import Once
from cpol.runtime.operate.loader import LoaderError
from cpol.runtime.operate.loader.statistics import Statistics, read

ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
"""Switch to the terminal's alternate screen without a cursor, and back."""
HOME, CLEAR_LINE, CLEAR_REST = "\x1b[H", "\x1b[K", "\x1b[J"


@click.command(name="top", cls=Once)
@click.option(
    "--interval",
    default=2.0,
    show_default=True,
    type=FiniteRange(0.1, 3600),
    help="Seconds between two tables. Rates cover this interval.",
)
@click.option("--once", is_flag=True, help="Print one table after one interval, for scripts.")
@click.option("--batch", type=click.IntRange(min=1), metavar="N", help="Print N tables, one below the other.")
def command(interval: float, once: bool, batch: int | None) -> None:
    """Show per-second statistics of each attached policy: events, hit ratio, evictions, the sizes
    of its lists. Below them stand the policies that prefetch: faults, accuracy, coverage, waste.

    On a terminal it runs until it is interrupted. With the Python package textual it sorts and
    scrolls there: s and S choose a column, r reverses, a shows all columns, q quits.

    Rates cover the last interval. n/a marks what this kernel does not count, and - what has no
    value in this interval: PROGRAMS% is measured only while `sysctl kernel.bpf_stats_enabled=1`.
    """
    if once and batch is not None:
        raise click.UsageError("--once is --batch 1: give one of them")
    live = not once and batch is None and sys.stdout.isatty()
    if live and screen.on_terminal() and screen.installed():
        fill_screen(interval)
        return
    with redrawn() if live else unchanged() as draw:
        watch(draw, interval, 1 if once else batch)


def fill_screen(interval: float) -> None:
    """Show the full-screen view until the user ends it.

    Raises:
        CliError: there are no statistics.
    """
    from cpol.cli.screen.top import TopScreen

    view = TopScreen(look, look(), interval)
    view.run()
    if view.failure is not None:
        raise view.failure


def watch(draw: Callable[[list[str]], None], interval: float, tables: int | None) -> None:
    """Draw a table each `interval` seconds, `tables` times or without end.

    Raises:
        CliError: there are no statistics.
    """
    before, then = look(), time.monotonic()
    while tables is None or tables > 0:
        time.sleep(interval)
        now = time.monotonic()
        after = look()
        draw(tables_of(before, after, now - then))
        before, then = after, now
        tables = None if tables is None else tables - 1


def tables_of(before: list[Statistics], after: list[Statistics], seconds: float) -> list[str]:
    """The lines of both tables: policies that evict, and below them policies that prefetch."""
    prefetch = prefetch_rates.table(before, after, seconds)
    if prefetch and all(one.prefetches for one in after):
        return prefetch
    return [*rates.table(before, after, seconds), *(["", *prefetch] if prefetch else [])]


def look() -> list[Statistics]:
    """The current statistics."""
    try:
        return read()
    except LoaderError as error:
        raise CliError(str(error)) from None


@contextmanager
def unchanged() -> Iterator[Callable[[list[str]], None]]:
    """Print tables one below the other."""

    def draw(lines: list[str]) -> None:
        click.echo("\n".join(lines) + "\n")
        sys.stdout.flush()

    try:
        yield draw
    except KeyboardInterrupt:
        return


@contextmanager
def redrawn() -> Iterator[Callable[[list[str]], None]]:
    """Draw tables over each other on the alternate screen, and leave it at the end."""

    def draw(lines: list[str]) -> None:
        columns, rows = get_terminal_size()
        if not screen.installed():
            lines = [*lines, "", screen.MISSING]
        shown = [line[:columns] for line in lines[: rows - 1]]
        sys.stdout.write(HOME + "".join(f"{line}{CLEAR_LINE}\r\n" for line in shown) + CLEAR_REST)
        sys.stdout.flush()

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    # Shells start background programs with SIGINT ignored. Handle it, so that the program can be ended.
    earlier = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    sys.stdout.write(ENTER)
    try:
        yield draw
    except KeyboardInterrupt:
        return
    finally:
        sys.stdout.write(LEAVE)
        sys.stdout.flush()
        for number, handler in earlier.items():
            signal.signal(number, handler)
