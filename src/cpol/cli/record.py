"""`cpolc record`: records what happens to the page cache of a cgroup."""

from __future__ import annotations

from pathlib import Path

import click

from cpol.cli.errors import CliError
from cpol.cli.output import STDOUT
from cpol.compiler.toolchain.files import replacing
from cpol.runtime import record

MAX_SECONDS = 10**9


@click.command(name="record")
@click.argument("cgroup")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The recording; -: standard output.",
)
@click.option("--seconds", type=click.IntRange(1, MAX_SECONDS), help="End after so many.  [default: at Ctrl-C]")
@click.option("--no-comm", is_flag=True, help="Leave out the names of commands.")
def command(cgroup: str, output: Path, seconds: int | None, no_comm: bool) -> None:
    """Record what happens to the page cache of CGROUP, a folder under /sys/fs/cgroup, and of those
    below it: pages added, removed, accessed and dirtied, with file, task and time.

    Tracing programs tell, on any kernel with BTF: no module, no patch, no policy. FILE appears when
    the recording ends: at Ctrl-C or SIGTERM, after --seconds, or when the cgroup is removed. Events
    that were lost are counted.

    \b
    cpolc record /sys/fs/cgroup/app -o app.rec --seconds 60
    cpolc sim lru s3fifo --trace app.rec --capacity 64M
    """
    path = Path("/dev/stdout") if output == STDOUT else output
    try:
        with replacing(path) as file:
            status = record.record(cgroup, file, seconds, comm=not no_comm)
            if status != 0:
                raise click.exceptions.Exit(status if status > 0 else 128 - status)
    except OSError as error:
        raise CliError(f"cannot write {output}: {error.strerror}") from None
    except record.RecordError as error:
        raise CliError(str(error)) from None
