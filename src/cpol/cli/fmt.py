"""`cpolc fmt`: format policies."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from cpol.cli.diagnostics import show
from cpol.cli.errors import EXIT_FAILURE, CliError
from cpol.cli.messages import say
from cpol.cli.once import Once
from cpol.cli.sources import STDIN, regular_file, standard_input
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.format.text import FormatError, format_text
from cpol.compiler.format.upgrade import upgrade
from cpol.compiler.syntax.read import read_file
from cpol.compiler.toolchain.files import rewrite


@click.command(name="fmt", cls=Once)
@click.argument("files", nargs=-1, required=True, metavar="FILE...|-")
@click.option(
    "--check", is_flag=True, help="Write nothing; list the files that would change, with exit code 1 if there are any."
)
@click.option("--diff", is_flag=True, help="Write nothing; print the changes.")
@click.option("--upgrade", "renames", is_flag=True, help="Rename what has a name that is now a word of the language.")
@click.option("--json", is_flag=True, expose_value=False, help="Write errors as JSON, one object a line.")
def command(files: tuple[str, ...], check: bool, diff: bool, renames: bool) -> None:
    """Lay policies out anew, in the one layout of cpol. `-` reads standard input and writes
    standard output.

    Words, comments and meaning stay: cpolc checks this for each file before it replaces it. A file
    with a syntax error stays as it is; the other files are formatted. --upgrade is for policies that
    an older version of cpol compiled: it says what it renames. Exit code: 1 if a file is
    wrong, or would change under --check.
    """
    failed = False
    for name in files:
        try:
            changed = format_one(name, write=not (check or diff), print_diff=diff, renames=renames)
        except CompileError as error:
            show(error.diagnostics)
            failed = True
            continue
        except (CliError, FormatError, OSError) as error:
            reason = f"cannot write {name}: {error.strerror}" if isinstance(error, OSError) else str(error)
            CliError(reason).show()
            failed = True
            continue
        if changed and check:
            say(f"would change: {name}")
            failed = True
    if failed:
        raise click.exceptions.Exit(EXIT_FAILURE)


def format_one(name: str, *, write: bool, print_diff: bool, renames: bool) -> bool:
    """Format the file `name`. Returns whether its text changes.

    Raises:
        CompileError: it cannot be read, or its syntax is wrong.
        FormatError: formatting would damage it; the file is unchanged.
        OSError: it cannot be written; the file is unchanged.
    """
    if name == STDIN:
        old = standard_input()
        new = format_text(renamed(old, "<stdin>") if renames else old, "<stdin>")
        if write:
            click.echo(new, nl=False)
    else:
        old = regular_file(name) if write else read_file(name)
        new = format_text(renamed(old, name) if renames else old, name)
        data = new.encode() if write else b""
        if write and Path(name).read_bytes() != data:
            rewrite(Path(name).resolve(strict=True), data)  # links and permissions stay
    if print_diff:
        lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), name, f"{name} (formatted)")
        click.echo("".join(lines), nl=False)
    return old != new


def renamed(text: str, name: str) -> str:
    """Upgrade the text, and say what was renamed.

    Raises:
        CompileError: the syntax is wrong otherwise.
    """
    text, names = upgrade(text, name)
    for word in sorted(names):
        say(f"{name}: `{word}` is now `{names[word]}`")
    return text
