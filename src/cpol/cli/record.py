"""`cpolc record`: records what happens to the page cache and the swapped memory of a cgroup."""

from __future__ import annotations

from pathlib import Path

import click

from cpol.cli.errors import CliError
from cpol.cli.once import Once
from cpol.cli.output import spare, writing
from cpol.runtime.machine.settings.start import make
from cpol.runtime.operate import loader, record
from cpol.runtime.operate.record.identity import identify
from cpol.runtime.operate.record.touched import read_touches
from cpol.runtime.operate.tracing import TracingError
from cpol.runtime.simulate.traces import TraceError

MAX_SECONDS = 10**9


@click.command(name="record", cls=Once)
@click.argument("cgroup", required=False)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The recording; -: standard output.",
)
@click.option(
    "--replay",
    metavar="RECORDING",
    type=click.Path(path_type=Path),
    help="Record nothing: write what the policy replay takes, from this recording of a start.",
)
@click.option("--seconds", type=click.IntRange(1, MAX_SECONDS), help="End after so many.  [default: at Ctrl-C]")
@click.option("--no-comm", is_flag=True, help="Leave out the names of commands.")
@click.option("--no-names", is_flag=True, help="Leave out the names of files.")
def command(
    cgroup: str | None, output: Path, replay: Path | None, seconds: int | None, no_comm: bool, no_names: bool
) -> None:
    """Record what happens to the memory of CGROUP, a folder under /sys/fs/cgroup, and of those
    below it: pages of files added, removed, accessed and dirtied, readahead, and swap faults, with
    file, task and time.

    Tracing programs tell, on any kernel with BTF: no module, no patch, no policy. FILE appears when
    the recording ends: at Ctrl-C or SIGTERM, after --seconds, or when the cgroup is removed. Events
    that were lost are counted.

    \b
    cpolc record /sys/fs/cgroup/app -o app.rec --seconds 60
    cpolc sim lru s3fifo --trace app.rec --capacity 64M
    cpolc sim leap --trace app.rec --capacity 64M

    With --replay, FILE gets what a recording says was touched of each file, as entries of the input
    of the policy replay:

    \b
    cpolc record --replay app.rec -o app.start
    cpolc input /sys/fs/cgroup/app start load app.start
    """
    if replay is not None:
        if cgroup is not None or seconds is not None or no_comm or no_names:
            raise click.UsageError("--replay records nothing: it goes with -o alone")
        write_start(replay, output)
        return
    if cgroup is None:
        raise click.UsageError("record what? Name a cgroup, or --replay RECORDING")
    write_recording(cgroup, output, seconds, comm=not no_comm, names=not no_names)


def write_recording(cgroup: str, output: Path, seconds: int | None, *, comm: bool = True, names: bool = True) -> None:
    """Record a cgroup until it ends, or a signal comes.

    Raises:
        CliError: it cannot be recorded, or the output cannot be written.
        click.exceptions.Exit: the loader ended with an error, which it has told.
    """
    try:
        words = record.command_of(cgroup, seconds, comm=comm, names=names)
        with record.Ending() as ending, writing(output) as file:  # a signal must not leave the half-written file
            status = record.record(words, file, ending)
            if status != 0:
                raise click.exceptions.Exit(status if status > 0 else 128 - status)
    except OSError as error:
        raise CliError(f"cannot write {output}: {error.strerror}") from None
    except TracingError as error:
        raise CliError(str(error)) from None


def write_start(recording: Path, output: Path) -> None:
    """Write the input of the policy replay, and tell what is in it.

    Raises:
        CliError: the recording is wrong, none of its files is there, or the output cannot be written.
    """
    spare("-o", output, [recording])
    try:
        touches = read_touches(recording)
        touched = dict(touches.touched())
        numbers = identify({file: name for file, name in touches.names.items() if file in touched})
    except (TraceError, loader.LoaderError) as error:
        raise CliError(str(error)) from None
    start = make({number: touched[file] for file, number in numbers.items()})
    if not start.files:
        if not touched:
            raise CliError(f"{recording}: no page of a file was touched; record the start of a program")
        if not touches.names:
            raise CliError(f"{recording}: the recording has no names of files; record without --no-names")
        raise CliError(f"{recording}: none of its {len(touched)} files is on this machine, by path, device and inode")
    try:
        with writing(output) as file:
            file.write("".join(f"{entry}\n" for entry in start.entries).encode())
    except OSError as error:
        raise CliError(f"cannot write {output}: {error.strerror}") from None
    left = f"; {gone} more files are not there" if (gone := len(touched) - start.files) else ""
    said = f"{start.files} files, {start.pages} pages, {len(start.entries)} entries{left}"
    click.echo(f"{output}: {said}", err=True)
