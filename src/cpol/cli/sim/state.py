"""`cpolc sim --state`: what it refuses, and its table."""

from __future__ import annotations

from pathlib import Path

import click

from cpol.cli.sim.files import only_one
from cpol.runtime.simulate.runs.state import Watch


def check_state(path: Path | None, every: int | None, policies: int, capacities: int) -> None:
    """Refuse what `--state` cannot show.

    Raises:
        click.BadParameter: there is such a thing.
    """
    if path is None:
        if every is not None:
            raise click.BadParameter(
                f"is for --state; add --state FILE for CSV or --state - for a table, or leave out --every {every}",
                param_hint="'--every'",
            )
        return
    only_one("--state", policies, capacities)


def show(watch: Watch) -> None:
    """Print the rows that were kept, as a table."""
    click.echo(f"\nevery {watch.every:,} requests: pages on lists, entries of ghosts, states")
    table = [watch.columns, *(list(map(grouped, watch.cells(row))) for row in watch.rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for cells in table:
        click.echo("  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)))


def grouped(cell: str) -> str:
    """A whole number with commas; other cells as they are."""
    return f"{int(cell):,}" if cell.removeprefix("-").isdigit() else cell
