"""What a user says that the requests of a trace do not: `--assume` of `cpolc sim`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from cpol.compiler import comm, device
from cpol.compiler.diagnostics.words import closest
from cpol.compiler.vocabulary.fact import FACTS
from cpol.errors import RequestError, UserError
from cpol.runtime.machine.settings.assumed import MAX_STEP, NOTHING, Assumed
from cpol.runtime.simulate.traces import Stream, Trace

_NUMBER = r"[0-9]{1,20}"
_STEP = r"(?P<number>[0-9]{1,15}(\.[0-9]{1,9})?) ?(?P<unit>ns|us|ms|s|min|h)"
_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}


class Assumptions(NamedTuple):
    """The values for the runs, and the names that the user gave."""

    values: Assumed
    names: frozenset[str]


def read_assumptions(words: Iterable[str]) -> Assumptions:
    """The values of all `--assume NAME=VALUE`.

    Raises:
        RequestError: one is wrong.
    """
    values, names = NOTHING, set[str]()
    for word in words:
        name, _, value = (part.strip() for part in word.partition("="))
        if not name or not value:
            raise bad(f"{word!r} is not NAME=VALUE, such as file=7 or time=50us")
        if name not in FACTS:
            close = closest(name, FACTS)
            hint = f"did you mean {close}?" if close else f"there is {', '.join(FACTS)}"
            raise bad(f"no fact {name!r}; {hint}")
        if name in names:
            raise bad(f"{name} is given twice; give one value")
        names.add(name)
        values = with_value(values, name, value)
    return Assumptions(values, frozenset(names))


def with_value(values: Assumed, name: str, value: str) -> Assumed:
    match FACTS[name].value:
        case "object":
            if value != "object":
                raise bad(f"page={value}: pages cannot all be one; the one value is page=object: an object is a page")
            return values
        case "step":
            return values._replace(step=read_step(value))
        case "way":
            if value not in ("read", "write"):
                raise bad(f"rw={value}: all requests are one: rw=read or rw=write")
            return values._replace(write=value == "write")
        case "no":
            if value != "no":
                raise bad(f"{name}={value}: the simulator knows none that is; the one value is {name}=no")
            return values
        case "comm":
            try:
                return values._replace(comm=comm.parse(value))
            except ValueError as error:
                raise bad(f"comm={value}: {error}") from None
        case "device" if (number := device.parse(value)) is not None:
            return values._replace(device=number)
        case _:
            if not re.fullmatch(_NUMBER, value, re.ASCII) or int(value) >= 2**64:
                raise bad(f"{name}={value}: {value!r} is not a whole number below 2^64")
            return Assumed(**{**values._asdict(), name: int(value)})


def read_step(text: str) -> int:
    """The nanoseconds of `50us`, `0.5 ms` or `2 s`."""
    found = re.fullmatch(_STEP, text, re.ASCII)
    if not found:
        raise bad(f"time={text}: give the time from one request to the next, such as 50us, 0.5ms or 2s (ns to h)")
    from fractions import Fraction  # which takes longer to import than a short trace to run

    step = Fraction(found["number"]) * _NANOSECONDS[found["unit"]]
    if not 1 <= step <= MAX_STEP or step.denominator != 1:
        raise bad(f"time={text}: a step is a whole number of nanoseconds, from 1ns to 1h")
    return int(step)


def check_assumptions(assumed: Assumptions, trace: Trace | Stream) -> None:
    """Refuse an assumption about what the trace says itself.

    Raises:
        UserError: there is one.
    """
    for name in sorted(assumed.names & trace.carries):
        raise UserError(
            f"{trace.path}: the trace has {FACTS[name].what} itself ({trace.format}); leave out --assume {name}"
        )


def bad(what: str) -> RequestError:
    return RequestError(what, "--assume")
