"""Notes of `cpolc sim` on a trace: what it lacks, and what is odd about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from cpol.cli.diagnostics import span_facts
from cpol.cli.messages import as_json, say, wants_json
from cpol.compiler.analysis.facts import Read
from cpol.compiler.compiled import Compiled
from cpol.compiler.vocabulary.fact import FACTS
from cpol.printable import shown
from cpol.runtime.simulate.runs.assumptions import Assumptions
from cpol.runtime.simulate.runs.room import KERNEL_BATCH, SHARE, Followed, is_above
from cpol.runtime.simulate.traces import Stream, Trace
from cpol.runtime.simulate.traces.columns import COLUMNS
from cpol.runtime.simulate.traces.formats import FORMATS

if TYPE_CHECKING:
    from cpol.runtime.simulate.prefetch.rows import Rows

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


def note_room(trace: Trace | Stream, sizes: Sequence[int], batch: int, room: Followed | None, follows: bool) -> None:
    """Tell where the numbers of a recording's runs may not be the machine's."""
    if trace.format != "record":
        return
    if room is not None and not follows and any(is_above(size, room) for size in sizes):
        say(
            f"{trace.path}: file pages had {room}, {room.mean:,} on average; with more than that, the order of "
            "policies may differ from the machine's: leave --capacity out, and runs have the room that there was",
            "note",
        )
    if batch != KERNEL_BATCH:
        say(
            f"{trace.path}: the kernel asks for {KERNEL_BATCH} pages at once; with --batch {batch} the order of "
            "policies may differ from the machine's: leave it out",
            "note",
        )
    if trace.unread * SHARE > trace.requests:
        say(
            f"{trace.path}: readahead brought {trace.unread:,} pages that nobody read; they come in all runs when they "
            "came in the machine, and are no requests, but with another policy the kernel would read others ahead",
            "note",
        )


def note_lacking(
    compiled: Compiled, trace: Trace | Stream | Rows, assumed: Assumptions, told_otherwise: Iterable[str] = ()
) -> None:
    """Tell what the policy reads and neither the trace nor the user says: one note for each fact."""
    told = {*trace.carries, *assumed.names, *told_otherwise}
    for read in compiled.reads:
        if read.fact not in told:
            told.add(read.fact)
            note(compiled, trace, read, sum(other.fact == read.fact for other in compiled.reads))


def note(compiled: Compiled, trace: Trace | Stream | Rows, read: Read, places: int) -> None:
    pos = compiled.source.pos(read.span.start)
    more = f" (the first of {places} places)" if places > 1 else ""
    fact = FACTS[read.fact]
    what = f"`{read.word}`{more}: the {trace.format} trace has no {fact.what}; {fact.otherwise}"
    having = [format.name for format in FORMATS.values() if read.fact in format.carries]
    if read.fact == "page":
        having.append("vscsi with --pages")
    if read.fact in COLUMNS:
        having.append(f"csv or parquet with --columns {read.fact}=COLUMN")
    other = f"or give a trace that has {fact.what} ({', '.join(having)})"
    help = f"say it with --assume {fact.name}={fact.say}" + (f", {other}" if fact.traced else "; no trace tells")
    if wants_json():
        spans = [span_facts(compiled.source, read.span, read.word, primary=True)]
        click.echo(as_json("note", what, spans=spans, help=help), err=True)
    else:
        click.echo(shown(f"note: {pos.within(compiled.source.path)}: {what}; {help}"), err=True)
