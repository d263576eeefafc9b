"""Exit codes of all commands, and the error that ends a command with one message."""

from __future__ import annotations

import os
import re
import sys
from typing import IO, Any

import click

from cpol.cli.messages import as_json, wants_json
from cpol.errors import UserError
from cpol.printable import shown

EXIT_FAILURE = 1
"""The input is wrong, or the operation failed."""

EXIT_USAGE = 2
"""The command line is wrong. For `cpolc test`, also: a policy or a test cannot be run."""

EXIT_UNREACHED = 3
"""`cpolc check`: no property broke, but statements of the policy never ran."""

EXIT_TOOL = 4
"""`cpolc check`: a compiler or another tool failed."""

EXIT_WRITE = 74
"""Standard output or standard error cannot be written, for example on a full disk. EX_IOERR of sysexits(3)."""

EXIT_VM_TIMEOUT = 124
"""`cpolc vm run`: the command exceeded `--timeout`, as in timeout(1)."""

EXIT_VM = 125
"""`cpolc vm run`: the machine failed, not the command."""

EXIT_INTERRUPTED = 130
"""Ended by Ctrl-C: 128 + SIGINT. Other signals that end a command, SIGTERM and SIGHUP: 128 + the signal, too."""

EXIT_BROKEN_PIPE = 141
"""The reader of standard output or error has closed it, as in `cpolc … | head`: 128 + SIGPIPE."""


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP: ends a command as Ctrl-C does, with another code."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def code_of(signalled: KeyboardInterrupt) -> int:
    """The exit code of a command that a signal ended."""
    return 128 + signalled.number if isinstance(signalled, Terminated) else EXIT_INTERRUPTED


class CliError(click.ClickException, UserError):
    """An error for the user. The message says what is wrong, why, and what to do instead."""

    exit_code = EXIT_FAILURE

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.json = wants_json()

    def show(self, file: IO[Any] | None = None) -> None:
        text = as_json("error", self.message) if self.json else shown(f"cpolc: error: {self.format_message()}")
        click.echo(text, file=file or sys.stderr)


def no_access(error: OSError) -> CliError:
    """The error for a path that a user gave, and that cannot even be looked at."""
    path = error.filename if isinstance(error.filename, str) else os.fsdecode(error.filename or b"a file")
    short = path if len(path) <= 200 else f"{path[:200]}..."
    return CliError(f"{short}: {error.strerror}; give another path, or the right to use this one")


class UsageFailure(CliError):
    """A wrong command line: under `--json`, or a value that only the command can judge."""

    exit_code = EXIT_USAGE


_NO_NUMBER = r"(?P<word>'.*') is not a valid (?P<kind>integer|float)( range)?\."

_TOO_MANY = r"Got unexpected extra arguments? \((?P<words>.*)\)"

POLICY = "a name of the standard library (`cpolc stdlib list`), or a path to a .cpol file"


def reworded(error: click.UsageError) -> click.UsageError:
    """Have click's message say what to write instead, where it does not."""
    if isinstance(error, click.MissingParameter) and error.param is not None and not error.message:
        return click.MissingParameter(_give(error.param), error.ctx, error.param, error.param_hint, error.param_type)
    if isinstance(error, click.BadParameter) and (found := re.fullmatch(_NO_NUMBER, error.message, re.DOTALL)):
        message = f"{found['word']} is no {'whole ' if found['kind'] == 'integer' else ''}number"
        return click.BadParameter(message + _limits(error.param), error.ctx, error.param, error.param_hint)
    if error.ctx is not None and (found := re.fullmatch(_TOO_MANY, error.message, re.DOTALL)):
        return click.UsageError(f"leave out `{found['words']}`: {_takes(error.ctx)}", error.ctx)
    return error


def _takes(ctx: click.Context) -> str:
    """What may stand on the command line besides options."""
    pieces = [piece for piece in ctx.command.collect_usage_pieces(ctx) if piece != ctx.command.options_metavar]
    return f"`{ctx.command_path}` takes only {' '.join(pieces) or 'options'}"


def _give(param: click.Parameter) -> str:
    """What to give for a parameter that is missing."""
    if isinstance(param, click.Option) and param.help:
        return f"Give it: {param.help[0].lower()}{param.help[1:]}"
    if param.name in ("policy", "policies"):
        return f"Give it: {POLICY}"
    return "Give them: paths to .cpol files" if param.name == "files" else ""


def _limits(param: click.Parameter | None) -> str:
    """The limits of a number, to stand behind `number`."""
    if param is None or not isinstance(param.type, click.IntRange | click.FloatRange) or param.type.min is None:
        return ""
    low, high = param.type.min, param.type.max
    return f", {low} or more" if high is None else f" from {low} to {high}"


def use_colour(stream: IO[Any]) -> bool:
    """Whether to colour output to `stream`: it is a terminal that knows colours, and NO_COLOR is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and not is_dumb()


def is_dumb() -> bool:
    """Whether the terminal says that it knows no control sequences: TERM is dumb, or empty."""
    return os.environ.get("TERM") in ("dumb", "")
