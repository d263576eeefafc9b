"""Options that say how a trace is read, and for how much memory, of the commands that read one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import click

from cpol.cli.errors import CliError
from cpol.runtime.simulate.traces import FORMATS, Columns, TraceError, format_of, read_columns


class FormatName(click.Choice):  # type: ignore[type-arg]  # no generic class before click 8.2; Debian 12 has 8.1
    """The name of a trace format in any case, also as other simulators spell it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return format_of(str(value))
        except TraceError as error:
            self.fail(str(error), param, ctx)


def read_mapping(text: str) -> Columns:
    """The value of `--columns`. Raises click.BadParameter."""
    try:
        return read_columns(text)
    except TraceError as error:
        raise click.BadParameter(str(error), param_hint="'--columns'") from None


Taken = ParamSpec("Taken")

file_memory = click.option(
    "--memory",
    metavar="N",
    help="Memory for file pages: a size (4G), pages (1000), a share of the objects (0.1). It must be given unless the "
    "trace is a recording.  [default: as recorded]",
)
"""Of advice."""


def reading(run: Callable[Taken, None]) -> Callable[Taken, None]:
    """The argument and the options that say which trace is read, and how."""

    @click.argument("path", metavar="TRACE", type=click.Path(path_type=Path))
    @click.option("--format", type=FormatName(FORMATS), help="The trace's format, in any case.  [default: detected]")
    @click.option(
        "--columns",
        multiple=True,
        metavar="NAME=COLUMN,...",
        help="The columns of a trace in lines or in Parquet, by number from 0 or by heading, as for cpolc sim.",
    )
    @click.option("--pages", is_flag=True, help="Cut each request into 4 KiB pages.  [default: one page an object]")
    @wraps(run)
    def command(*args: Taken.args, **kwargs: Taken.kwargs) -> None:
        try:
            run(*args, **kwargs)
        except (TraceError, MemoryError) as error:
            raise CliError(str(error) or "out of memory; cut the trace") from None

    return command
