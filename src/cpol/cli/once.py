"""Commands whose options stand once: click takes the last one in silence."""

from __future__ import annotations

import click


class Once(click.Command):
    """A command that refuses an option that stands twice, unless it adds up or is a flag."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        order = [] if ctx.resilient_parsing else self.make_parser(ctx).parse_args(args=[*args])[2]
        for param in order if not any(param.is_eager for param in order) else ():  # such as --help
            if takes_one(param) and order.count(param) > 1:
                raise click.UsageError(f"{param.opts[0]} is given twice; give it once", ctx)
        return super().parse_args(ctx, args)


class Commands(Once, click.Group):
    """A group of such commands."""

    command_class = Once


def takes_one(param: click.Parameter) -> bool:
    """Whether it is an option with one value."""
    return isinstance(param, click.Option) and not (param.multiple or param.is_flag or param.count)
