"""`cpolc new`: writes a policy to start from."""

from __future__ import annotations

import os
import re
from pathlib import Path
from shlex import quote

import click

from cpol.cli.errors import CliError
from cpol.cli.once import Once
from cpol.cli.output import STDOUT, put
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.policies import STDLIB, resolve, stdlib_names
from cpol.compiler.stages import parse_text, run

TEMPLATE = Path(__file__).with_name("new.cpol")


@click.command(name="new", cls=Once)
@click.argument("name")
@click.option("--like", metavar="POLICY", help="Copy this policy of the standard library.  [default: a first policy]")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The output file; `-` is standard output.  [default: NAME.cpol]",
)
def command(name: str, like: str | None, output: Path | None) -> None:
    """Write a new policy called NAME: the smallest there is, with comments that teach, or a copy of a stdlib policy.

    A file that exists is never replaced.
    """
    check_name(name)
    text = named(name, like)
    if output == STDOUT:
        put(text, output)
        return
    path = output or Path(f"{name}.cpol")
    create(path, text)
    shown = path if "/" in str(path) else f"./{path}"
    click.echo(f"{path}: try it: cpolc check {quote(str(shown))}", err=True)


def check_name(name: str) -> None:
    """Check the name of a new policy.

    Raises:
        CliError: a policy cannot have this name.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", name):
        fitting = re.sub(r"\W+", "_", name.removesuffix(".cpol"), flags=re.ASCII).strip("_")
        hint = f"; `{fitting}` would do" if re.match("[A-Za-z_]", fitting) else ""
        raise CliError(f"`{name}` is no name: names are ASCII letters, digits and `_`, and start with no digit{hint}")
    if name in stdlib_names():
        raise CliError(
            f"`{name}` is in the standard library already; `cpolc new my_{name} --like {name}` starts from it"
        )


def named(name: str, like: str | None) -> str:
    """The text of the new policy.

    Raises:
        CliError: there is no such stdlib policy, or the language uses the name for something else.
    """
    if like is not None and like not in stdlib_names():
        resolve(like if "/" not in like and not like.endswith(".cpol") else Path(like).stem)  # names the nearest
        raise CliError("--like takes the name of a stdlib policy (`cpolc stdlib list`); copy other files with cp")
    path = TEMPLATE if like is None else STDLIB / f"{like}.cpol"
    old = path.read_text(encoding="utf-8")
    span = parse_text(old, str(path)).ast.name.span
    head, tail = old[: span.start], old[span.end :]
    if like is not None:
        head = re.sub(r"^/// Source: ", f"/// After cpol's {like}: ", head, flags=re.MULTILINE)
    text = head + name + tail
    try:
        run(text, f"{name}.cpol")
    except CompileError as error:
        first = error.diagnostics[0]
        raise CliError(f"a policy cannot be called `{name}`: {first.message}; choose another name") from None
    return text


def create(path: Path, text: str) -> None:
    """Write a new file.

    Raises:
        CliError: it exists, or cannot be written; no partial file is left.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        raise CliError(f"{path} is there already, and is left as it is; name another file with -o") from None
    except OSError as error:
        raise CliError(f"cannot write {path}: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise CliError(f"cannot write {path}: {error.strerror}") from None
