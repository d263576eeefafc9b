"""Commands whose options stand once (click takes the last one in silence), and whose errors click shows."""

from __future__ import annotations

from typing import Any

import click

from cpol.cli.errors import EXIT_FAILURE, CliError
from cpol.errors import RequestError, ToldError, UserError


class Once(click.Command):
    """A command that refuses an option that stands twice, unless it adds up or is a flag."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words, _, order = ({}, [], []) if ctx.resilient_parsing else self.make_parser(ctx).parse_args(args=[*args])
        for param in order if not any(param.is_eager for param in order) else ():  # such as --help
            if takes_one(param) and order.count(param) > 1:
                raise click.UsageError(f"{param.opts[0]} is given twice; give it once", ctx)
        for param in self.params:
            if is_path(param) and empty(words.get(param.name or "")):
                raise click.BadParameter("it is empty; give a path", ctx, param)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. An error of the library becomes one of click."""
        try:
            return super().invoke(ctx)
        except CliError:
            raise
        except ToldError:
            raise click.exceptions.Exit(EXIT_FAILURE) from None
        except RequestError as error:
            if error.option:
                raise click.BadParameter(str(error), ctx, param_hint=f"'{error.option}'") from None
            raise click.UsageError(str(error), ctx) from None
        except UserError as error:
            raise CliError(str(error)) from None


class Commands(Once, click.Group):
    """A group of such commands."""

    command_class = Once


def is_path(param: click.Parameter) -> bool:
    """Whether it names a file or a folder. An empty one would be the folder where the command runs."""
    return isinstance(param.type, click.Path) or param.name in ("cgroup", "files")


def empty(given: object) -> bool:
    """Whether what stands for a parameter is the empty word, or has it among others."""
    return given == "" or (isinstance(given, list | tuple) and "" in given)


def takes_one(param: click.Parameter) -> bool:
    """Whether it is an option with one value."""
    return isinstance(param, click.Option) and not (param.multiple or param.is_flag or param.count)
