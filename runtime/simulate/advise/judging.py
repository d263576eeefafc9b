"""Traces by which policies are judged: how much memory they mean, and which tell nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cpol.errors import RequestError, UserError
from cpol.runtime.simulate.advise.advise import LEAST_READS
from cpol.runtime.simulate.runs.capacity import read_capacity
from cpol.runtime.simulate.runs.room import no_capacity
from cpol.runtime.simulate.traces import Trace

if TYPE_CHECKING:
    from decimal import Decimal

LOST = 100
"""A recording that lost more than one of so many events is refused."""


def capacity_of(memory: str) -> int | Decimal:
    """The value of `--memory`, in pages or as a share. Raises RequestError."""
    try:
        return read_capacity(memory)
    except RequestError as error:
        raise RequestError(str(error), "--memory") from None


def no_room(trace: Trace) -> Exception:
    """The error for a trace that does not tell how much memory there was."""
    if trace.format == "record":
        return no_capacity(trace)
    return RequestError(
        "Missing option '--memory'. Give it: a size (64M), pages (1000), or a share of the objects (0.01); only a "
        "recording tells how much memory file pages had."
    )


def check(trace: Trace) -> None:
    """Refuse recordings whose numbers would mean nothing. Raises UserError."""
    if trace.governed:
        raise UserError(
            f"{trace.path}: {trace.governed} evicted while it was recorded, so it tells what that does, and not what "
            "the kernel's default does; detach the policy, and record again"
        )
    if trace.lost * LOST > trace.requests:
        raise UserError(
            f"{trace.path}: {trace.lost:,} events were lost beside {trace.requests:,} requests, more than one of "
            f"{LOST}; record less at once: fewer cgroups, or a shorter time"
        )
    if trace.requests < LEAST_READS:
        raise UserError(f"{trace.path}: it has {trace.requests:,} requests, which tell nothing; record longer")
