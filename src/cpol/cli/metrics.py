"""`cpolc metrics`: prints the statistics of all attached policies as OpenMetrics."""

from __future__ import annotations

import click

from cpol.cli import openmetrics, serve
from cpol.cli.errors import CliError
from cpol.runtime.loader import LoaderError
from cpol.runtime.loader.statistics import read


@click.command(name="metrics")
@click.option(
    "--listen",
    metavar="ADDRESS",
    help="Serve them over HTTP at /metrics, on unix:PATH, PORT (of 127.0.0.1) or HOST:PORT.",
)
def command(listen: str | None) -> None:
    """Write the statistics of all attached policies, and how others ended, to standard output, as OpenMetrics text."""
    if listen is None:
        try:
            click.echo(openmetrics.text(read), nl=False)
        except LoaderError as error:
            raise CliError(str(error)) from None
        return
    try:
        listener = serve.bind(listen)
    except serve.AddressError as error:
        raise CliError(str(error)) from None
    where = listener.getsockname()
    shown = f"unix:{where}" if isinstance(where, str) else f"http://{where[0]}:{where[1]}/metrics"
    serve.serve(listener, openmetrics.registry_of(read), lambda: click.echo(f"serving {shown}", err=True))
