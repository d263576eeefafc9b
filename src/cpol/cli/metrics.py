"""`cpolc metrics`: prints or serves the statistics of all attached policies for Prometheus."""

from __future__ import annotations

import click

from cpol.cli.errors import CliError
from cpol.cli.once import Once
from cpol.runtime.operate.loader import LoaderError
from cpol.runtime.operate.loader.statistics import read
from cpol.runtime.operate.watch import families, serve


@click.command(name="metrics", cls=Once)
@click.option(
    "--listen",
    metavar="ADDRESS",
    help="Serve them over HTTP at /metrics, on unix:PATH, PORT (of 127.0.0.1) or HOST:PORT.",
)
def command(listen: str | None) -> None:
    """Write the statistics of all attached policies, and how others ended, in Prometheus' text format.

    For node_exporter's textfile collector, write a file and move it into the collector's folder.
    --listen serves OpenMetrics to a client that accepts it, and the text format to any other.
    """
    if listen is None:
        try:
            click.echo(families.text(read), nl=False)
        except LoaderError as error:
            raise CliError(str(error)) from None
        return
    try:
        listener = serve.bind(listen)
    except serve.AddressError as error:
        raise CliError(str(error)) from None
    shown = serve.shown(listener.getsockname())
    serve.serve(listener, families.registry_of(read), lambda: click.echo(f"serving {shown}", err=True))
