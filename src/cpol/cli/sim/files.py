"""Which files `cpolc sim` may write."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from cpol.cli.errors import CliError
from cpol.cli.output import STDOUT, spare


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


def check_outputs(log_to: Path | None, state_to: Path | None, read: Iterable[Path]) -> None:
    """Refuse `--log` and `--state` into a file that the command reads, or both into one.

    Raises:
        CliError: it is so.
    """
    read = [*read]
    for option, path in (("--log", log_to), ("--state", state_to)):
        if path is not None and path != STDOUT:
            spare(option, path, read)
    both = log_to is not None and state_to is not None and log_to.resolve() == state_to.resolve()
    if log_to is not None and both and (log_to.is_file() or not log_to.exists()):  # /dev/null may be both
        raise CliError(f"--log and --state would both write {log_to}, and one would be lost; give another file to one")


def files_of(inputs: Iterable[str]) -> list[Path]:
    """The files of all `--input NAME=@FILE`."""
    values = (text.partition("=")[2] for text in inputs)
    return [Path(value[1:]) for value in values if value.startswith("@")]
