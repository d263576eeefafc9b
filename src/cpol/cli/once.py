"""Commands whose options stand once: click takes the last one in silence."""

from __future__ import annotations

import click


class Once(click.Command):
    """A command that refuses an option that stands twice, unless it adds up or is a flag."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        _, _, order = self.make_parser(ctx).parse_args(args=[*args])
        for param in order:
            adds_up = not isinstance(param, click.Option) or param.multiple or param.is_flag or param.count
            if not adds_up and order.count(param) > 1:
                raise click.UsageError(f"{param.opts[0]} is given twice; give it once", ctx)
        return super().parse_args(ctx, args)
