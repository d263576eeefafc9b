"""Notes of `cpolc sim` on a trace: what it lacks, and what is odd about it."""

from __future__ import annotations

from cpol.cli.messages import say
from cpol.runtime.simulate.traces import Stream, Trace

MANY = 100
"""From so many requests on, it is odd if none repeats another."""


def note_lost(trace: Trace | Stream) -> None:
    """Tell of events that a recording lacks."""
    if trace.lost:
        say(f"{trace.path}: {trace.lost:,} events were lost while it was recorded, so it lacks requests", "note")
    if trace.left:
        left = f"the policy left {trace.left:,} folios to the kernel, so the log lacks later requests of these"
        say(f"{trace.path}: {left}; log a policy that leaves none", "note")


def note_order(trace: Trace | Stream) -> None:
    """Tell of times that go back, and of a trace in which nothing is requested twice. All of it has been read.

    A recording has the events of all processors in the order in which they came. Their times are taken just before.
    """
    if (back := trace.back) and trace.format != "record":
        many = f"{back.total:,} requests have a time" if back.total > 1 else "a request has a time"
        first = (
            f"the first is {back.place}, by {back.ms:,} ms" if back.total > 1 else f"{back.place}, by {back.ms:,} ms"
        )
        say(
            f"{trace.path}: {many} before that of an earlier one, {first}; requests run in the order of the file, and "
            "cache.time never goes back: sort the trace by time if it should follow the times",
            "note",
        )
    if trace.requests == trace.distinct >= MANY:
        say(
            f"{trace.path}: each of the {trace.requests:,} requests is for another object, so every policy misses all; "
            "if keys should recur, say what the trace has with --format or --columns",
            "note",
        )
