"""`cpolc study`: compare settings of kernels by programs that run under each of them many times."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

import click

from cpol.cli.errors import EXIT_FAILURE, CliError, code_of
from cpol.cli.messages import say
from cpol.cli.of_files import FileCommands
from cpol.cli.output import put
from cpol.cli.progress import progress
from cpol.errors import RequestError, ToldError
from cpol.printable import shown
from cpol.runtime.operate.study.distributions import check_installed
from cpol.runtime.operate.study.job import read_job
from cpol.runtime.operate.study.kept import opened, read_kept
from cpol.runtime.operate.study.run import Summary, folder_of, run
from cpol.runtime.operate.study.spec import read_study
from cpol.sizes import duration

MAX_JOB = 1 << 20


@click.group(name="study", cls=FileCommands)
def command() -> None:
    """Compare settings of a kernel: variants x programs x memory x swap, many trials each.

    STUDY.toml names them. Each trial has a file in the folder of the study; what is there is not run again, so the
    same command resumes a study. The report says what differs, and what so many trials cannot show.

    \b
    cpolc study mglru.toml
    cpolc study report mglru.study --html mglru.html
    """


@command.command(name="run")
@click.argument("file", metavar="STUDY.toml", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder of the trials.  [default: STUDY.study beside STUDY.toml]",
)
@click.option("--fresh", is_flag=True, help="Begin anew. The trials that are there are set aside, not removed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def run_(file: Path, folder: Path | None, fresh: bool, as_json: bool) -> None:
    """Do the trials of STUDY.toml that are not there yet, in an order that its seed shuffles.

    The exit code is 1 if a program failed, or a trial could not be done; all others are done.
    """
    study = read_study(file)
    folder = folder or folder_of(file)
    if folder == file:
        raise RequestError(f"{file} has the name of the folder of trials; name another one: -o DIR", "--output")
    if not study.machine:
        say("trials run on this machine, one after the other, without a boot: the file has no [machine]", "note")
    with opened(study, folder, fresh) as kept, progress() as show:

        def tell(what: str) -> None:
            show("")
            say(what, "warning")

        try:
            done = run(kept, tell, show)
        except KeyboardInterrupt as signalled:
            show("")
            say(f"interrupted; trials are kept in {folder}, and the same command resumes the study")
            raise click.exceptions.Exit(code_of(signalled)) from None
    click.echo(
        json.dumps({"folder": str(folder), "seed": study.seed, **done._asdict()})
        if as_json
        else shown(_done(done, folder, study.seed))
    )
    if done.failed or done.undone:
        raise click.exceptions.Exit(EXIT_FAILURE)


def _done(done: Summary, folder: Path, seed: int) -> str:
    before = f", {done.there:,} were there" if done.there else ""
    failed = f", {done.failed:,} failed" if done.failed else ""
    undone = f", {done.undone:,} could not be done" if done.undone else ""
    text = f"{folder}: {done.done:,} of {done.trials:,} trials in {duration(done.seconds)}{before}{failed}{undone}"
    return f"{text}, in the order of seed {seed}\nthe report: cpolc study report {quote(str(folder))}"


@command.command(name="report")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with figures, too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def report_(folder: Path, html: Path | None, as_json: bool) -> None:
    """Compare the variants of the study in DIR, also before all its trials are done."""
    check_installed()
    from cpol.runtime.operate.study.page import page
    from cpol.runtime.operate.study.report import facts, lines
    from cpol.runtime.operate.study.statistics import compared

    if html is not None and html.suffix.lower() not in (".html", ".htm"):
        raise click.BadParameter(f"{html} has no known ending; give .html", param_hint="'--html'")
    kept = read_kept(folder)
    found = compared(kept)
    if html is not None:
        put(page(kept, found).encode(errors="backslashreplace"), html)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), **facts(kept, found)}))
        return
    for each in lines(kept, found):
        click.echo(shown(each, keep=""))


@command.command(name="trial")
@click.argument("word", metavar="[JOB]", required=False)
def trial_(word: str | None) -> None:
    """Run one trial on this machine, as root, and print its outcome as one line of JSON.

    `cpolc study run` starts this command, in the machine that STUDY.toml names. JOB is what it gives; without it, the
    trial is read from standard input, as JSON. Settings, swap and cgroup are put back, however it ends.
    """
    from cpol.runtime.operate.study.outcome import line_of
    from cpol.runtime.operate.study.program import Signals, StoppedError
    from cpol.runtime.operate.study.trial import check_machine, run_trial

    job = read_job(sys.stdin.buffer.read(MAX_JOB) if word is None else word)
    check_machine()

    @contextmanager
    def object_of(policy: str) -> Iterator[Path]:
        from cpol.cli.objects import object_or_told  # with the compiler, which takes seconds to load in a machine
        from cpol.cli.profiles import kernel_of

        try:
            with object_or_told(policy, None, kernel_of(None)) as path:
                yield path
        except ToldError as error:
            raise CliError(str(error)) from None

    signals = Signals()
    with signals.handled():
        try:
            outcome = run_trial(job, object_of, signals, tell=lambda what: say(what, "warning"))
        except StoppedError as stopped:
            raise click.exceptions.Exit(128 + stopped.number) from None
        except OSError as error:  # such as no room for its own folder
            raise CliError(f"the trial cannot be done: {error}; nothing was measured") from None
    click.echo(line_of(outcome))
