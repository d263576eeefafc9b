"""Files that `cpolc sim` writes while it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

import click

from cpol.cli.errors import CliError
from cpol.cli.output import STDOUT
from cpol.compiler.toolchain.files import replacing


def only_one(option: str, policies: int, capacities: int) -> None:
    """Refuse an option that writes of a single run.

    Raises:
        click.BadParameter: there are several runs.
    """
    if policies > 1 or capacities > 1:
        raise click.BadParameter(
            f"is for one policy with one capacity, since policies hold different things; here are {policies} and "
            f"{capacities}: run cpolc sim once for each",
            param_hint=f"'{option}'",
        )


def check_log(path: Path | None, policies: int, capacities: int) -> None:
    """Refuse what `--log` cannot write.

    Raises:
        click.BadParameter: there is such a thing.
    """
    if path == STDOUT:
        raise click.BadParameter(
            "standard output has the results; give the name of a file, such as --log run.log", param_hint="'--log'"
        )
    if path is not None:
        only_one("--log", policies, capacities)


def spare(option: str, path: Path, inputs: Iterable[Path]) -> None:
    """Refuse to write over a file that the command reads.

    Raises:
        CliError: `path` is one of them.
    """
    for other in inputs:
        if path.exists() and other.exists() and path.samefile(other):
            raise CliError(f"{option} {path} would write over {other}, which is read; give another file")


@contextmanager
def written(path: Path) -> Iterator[TextIO]:
    """A file to write row by row. It replaces what is there when all rows are.

    Raises:
        CliError: it cannot be written.
    """
    try:
        with replacing(path) as file, TextIOWrapper(file, encoding="utf-8", newline="\n") as out:
            yield out
    except OSError as error:
        raise CliError(f"cannot write {path}: {error.strerror}") from None
