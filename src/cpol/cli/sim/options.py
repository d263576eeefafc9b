"""Options of `cpolc sim` for prefetch policies: the medium, and the trace that a regime makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import click
from click.core import ParameterSource

from cpol.cli.errors import CliError
from cpol.compiler.diagnostics.words import closest
from cpol.compiler.ir import Policy
from cpol.runtime.simulate.prefetch.regimes import PAGES, REGIMES
from cpol.runtime.simulate.runs.candidates import BUILT_IN

EVICTION_ONLY = (
    *("batch", "like", "belady", "check_invariants", "state_to", "every", "count_steps", "count_bytes", "log_to"),
)
"""Parameters of the command that say how a policy evicts."""

PREFETCH_ONLY = ("latency", "bandwidth", "kernel", "made")
"""Parameters of the command that only the model of prefetching has."""

MAX_LATENCY = 10 * 10**9
MAX_BANDWIDTH = 1 << 50
MAX_ARRAY = 1 << 22

_LATENCY = r"(?P<number>[0-9]{1,12}(\.[0-9]{1,9})?) ?(?P<unit>ns|us|ms|s)"
_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
_BANDWIDTH = r"(?P<number>[0-9]{1,30}(\.[0-9]{1,6})?)(?P<unit>[KMGTP]?)(iB)?"


if TYPE_CHECKING:
    _NumberType = click.ParamType[int]
    _RegimeType = click.ParamType[tuple[str, int]]
else:
    _NumberType = _RegimeType = click.ParamType  # no generic class before click 8.2; Debian 12 has 8.1


class Latency(_NumberType):
    """The nanoseconds of `100us`."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = re.fullmatch(_LATENCY, str(value), re.ASCII)
        if not found:
            self.fail(f"{value!r} is no time; give a number with ns, us, ms or s, such as 100us or 7.5ms", param, ctx)
        from fractions import Fraction  # which other commands start without

        nanoseconds = Fraction(found["number"]) * _NANOSECONDS[found["unit"]]
        if nanoseconds.denominator != 1 or nanoseconds > MAX_LATENCY:
            self.fail(f"{value!r}: a latency is a whole number of nanoseconds, at most 10s", param, ctx)
        return int(nanoseconds)


class Bandwidth(_NumberType):
    """The bytes a second of `100M`."""

    name = "bytes"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = re.fullmatch(_BANDWIDTH, str(value), re.ASCII | re.IGNORECASE)
        if not found:
            self.fail(f"{value!r} is no bandwidth; give bytes a second, such as 8M or 1.5G", param, ctx)
        from decimal import Decimal  # which other commands start without

        power = " KMGTP".index(found["unit"].upper() or " ")
        amount = Decimal(found["number"]) * 1024**power
        if not 1 <= amount <= MAX_BANDWIDTH:
            self.fail(f"{value!r}: a bandwidth is 1 byte to 1024T a second", param, ctx)
        return int(amount)


class Regime(_RegimeType):
    """The regime and the pages of `random/stride` or `random/stride:4096`."""

    name = "regime"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        name, colon, pages = str(value).partition(":")
        if name not in REGIMES:
            close = closest(name, REGIMES)
            hint = f"did you mean {close}?" if close else f"there is {', '.join(REGIMES)}"
            self.fail(f"no regime {name!r}; {hint}", param, ctx)
        if not colon:
            return name, PAGES
        if not re.fullmatch("[0-9]{1,7}", pages, re.ASCII) or not 2 <= int(pages) <= MAX_ARRAY:
            self.fail(f"{value!r}: an array has 2 to {MAX_ARRAY:,} pages, such as {name}:4096", param, ctx)
        return name, int(pages)


_Command = TypeVar("_Command", bound=Callable[..., None])

_OPTIONS = (
    click.option(
        "--latency", metavar="TIME", type=Latency(), help="Of each read, for prefetch policies.  [default: 100us]"
    ),
    click.option(
        "--bandwidth",
        metavar="BYTES",
        type=Bandwidth(),
        help="Bytes that are read a second, for prefetch policies.  [default: 100M]",
    ),
    click.option(
        "--kernel",
        type=click.Choice(["vma", "cluster"]),
        help="The kernel's own readahead of swap: by virtual pages, or by slots.  [default: vma]",
    ),
    click.option(
        "--regime",
        "made",
        metavar="REGIME[:PAGES]",
        type=Regime(),
        help=f"In place of --trace, make one for prefetch policies: {', '.join(REGIMES)}.",
    ),
)


def prefetch_options(command: _Command) -> _Command:
    """The options of a command that only the model of prefetching has."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def is_meant(ctx: click.Context, names: Sequence[str], policies: Sequence[Policy]) -> bool:
    """Whether the command compares what policies prefetch, perhaps beside others that evict.

    Raises:
        CliError: no policy prefetches, and an option is about prefetching.
    """
    built_in = [name for name in names if name in BUILT_IN]
    options = given(ctx, PREFETCH_ONLY)
    if options and not built_in and not any(policy.prefetches for policy in policies):
        raise CliError(
            f"{policies[0].name} prefetches nothing: it has none of `on fault`, `on prefetch` and `on readahead`, but "
            f"{options[0]} is about prefetching; run cpolc sim for {policies[0].name} without it"
        )
    return bool(built_in or options) or any(not policy.evicts for policy in policies)


def given(ctx: click.Context, names: Sequence[str]) -> list[str]:
    """The options among `names` that are on the command line."""
    there = [
        param
        for param in ctx.command.params
        if param.name in names and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE
    ]
    return [param.opts[0] for param in there]
