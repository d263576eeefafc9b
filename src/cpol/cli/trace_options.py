"""Options that say how a trace is read, of `cpolc sim` and `cpolc trace`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cpol.runtime.simulate.traces import Columns, TraceError, format_of, read_columns

if TYPE_CHECKING:
    _FormatChoice = click.Choice[str]
else:
    _FormatChoice = click.Choice  # no generic class before click 8.2; Debian 12 has 8.1


class FormatName(_FormatChoice):
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
