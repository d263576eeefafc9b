"""An advice in words, and as JSON: what `cpolc advise`, `cpolc gallery` and `cpol.advise` show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from cpol.runtime.simulate.advise import price
from cpol.runtime.simulate.advise.advise import FIRST, Advice, Request, Row, fewer_waits
from cpol.runtime.simulate.advise.ahead import Prefetching
from cpol.runtime.simulate.advise.proposals import Suggestion
from cpol.runtime.simulate.runs.capacity import PAGE
from cpol.sizes import size
from cpol.version import __version__

SHOWN = FIRST
"""Rows of the table, unless all are asked for."""

MARK = "?"
"""Behind disk reads that hang on the room, as behind misses of `cpolc sim`."""

AGAIN = "readahead anew"
"""The column of disk reads where readahead was played anew."""

MEANT = {"scanners": "THREADS", "kept": "FILES", "scattered": "FILES"}
"""What the user has to look up of an input, if the trace cannot tell."""

PATHS = "# a recording has the paths of files in their file system; write those of this machine"

HOW = {
    "scanners": "# THREADS: the numbers of those that scan now (ps -eLo tid,comm); an application tells its own",
    "kept": PATHS,
    "scattered": PATHS,
}


class Line(NamedTuple):
    text: str
    bold: bool = False


def lines(path: Path, asked: Request, found: Advice, every: bool, cgroup: str) -> Iterator[Line]:
    """The advice: verdict, table, memory, what was not seen, what to do next. Names are as they are in the trace."""
    trace = asked.trace
    seconds = f" in {trace.times[-1] / 1000:,.1f} s" if trace.times else ""
    yield Line(f"{path}: {trace.format}, {trace.requests:,} requests of {trace.distinct:,} pages{seconds}")
    yield Line(f"The first half chose; the disk reads below are of the second half, {found.requests:,} requests.")
    yield Line("")
    yield Line(found.verdict, bold=True)
    if found.kind != "withheld":
        yield Line("")
        yield from map(Line, (*table(found, every), "", price.legend()))
        if any(row.hangs_on_room for row in (found.default, *found.rows)):
            yield Line(f"{MARK}: with 3 % less room, the disk reads differ by more than 5 %.")
        if found.default.played is not None:
            yield Line(f"{AGAIN}: the kernel's readahead brings what it would bring beside the policy.")
    if found.kind != "withheld" and found.prefetching is not None and found.prefetching.kernel is not None:
        yield Line("")
        yield from map(Line, table_ahead(found.prefetching))
    if asked.policies and found.left:
        yield Line("Not judged: " + "; ".join(f"{each.name} ({each.why})" for each in found.left))
    if found.memory is not None:
        now, more = size(found.pages * PAGE), size(found.pages * found.memory // 100 * PAGE)
        yield Line("")
        yield Line(
            f"Memory: the default needs {more} ({found.memory} %) for what {found.best.choice.name} reads with {now}."
        )
    for row in found.rows if found.kind == "try" else ():
        if (proposal := row.choice.proposal) and row.against.high < 1:
            yield Line(f"{row.choice.name} {'would be told' if proposal.input else 'suits'}: {proposal.words}.")
    if found.suggested:
        yield Line("")
        yield Line("May help, and nothing tells how much:")
        for each in found.suggested:
            yield Line(f"- {each.policy}: {each.words}; {each.why}. {way(each, cgroup)}")
    if found.doubts:
        yield Line("")
        yield Line("Not seen, or not sure:")
        yield from (Line(f"- {doubt.text}") for doubt in found.doubts)
    yield Line("")
    yield Line("Next:")
    yield from (Line(f"    {line}") for line in next_steps(found, cgroup))


def table(found: Advice, every: bool) -> list[str]:
    """The lines of the table."""
    rows: list[tuple[str, ...]] = [("policy", "disk reads", "saves", "95 % interval", AGAIN, "cached read", "settings")]
    if found.recorded is not None:
        rows.append(("the machine", f"{found.recorded:,}", "", "", "", "", "as recorded"))
    off = "" if found.off is None else f", off by {found.off:+.1%}"
    default = found.default
    rows.append((default.choice.name, reads_of(default), "", "", again(default), "", f"the default, modelled{off}"))
    rows += [cells(row) for row in (found.rows if every else found.rows[:SHOWN])]
    if found.optimum is not None:
        saves = 1 - found.optimum / max(1, found.default.reads)
        rows.append(("belady", f"{found.optimum:,}", f"{saves:.1%}", "", "", "", "knows the future"))
    if default.played is None:
        rows = [(*row[: rows[0].index(AGAIN)], *row[rows[0].index(AGAIN) + 1 :]) for row in rows]
    *numbers, _ = range(1, len(rows[0]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = [
        "  ".join((f"{row[0]:<{widths[0]}}", *(f"{row[at]:>{widths[at]}}" for at in numbers), row[-1])).rstrip()
        for row in rows
    ]
    more = len(found.rows) - SHOWN
    return lines if every or more <= 0 else [*lines, f"… and {more} more: --all"]


def reads_of(row: Row) -> str:
    return f"{row.reads:,}{MARK if row.hangs_on_room else ''}"


def cells(row: Row) -> tuple[str, ...]:
    low, high = 1 - row.against.high, 1 - row.against.low
    saves = f"{1 - row.against.ratio:.1%}"
    interval = f"{low:.1%} to {high:.1%}"
    return row.choice.name, reads_of(row), saves, interval, again(row), price.said(row.choice.name), row.choice.settings


def again(row: Row) -> str:
    """Its disk reads with readahead played anew."""
    return "" if row.played is None else f"{row.played.reads:,}"


def table_ahead(found: Prefetching) -> list[str]:
    """The lines about policies that prefetch."""
    assert found.machine is not None and found.kernel is not None
    if found.why:
        return [f"Policies that prefetch are not judged: {found.why}."]
    rows: list[tuple[str, ...]] = [("prefetching", "waits", "saves", "disk reads", "saves")]
    rows.append(("the machine", f"{found.machine.waits:,}", "", f"{found.machine.reads:,}", ""))
    rows.append(("the kernel, modelled", f"{found.kernel.waits:,}", "", f"{found.kernel.reads:,}", ""))
    for row in found.rows:
        saved = [f"{1 - now / max(1, usual):.1%}" for now, usual in zip(row[1:], found.kernel[1:], strict=True)]
        rows.append((row.name, f"{row.waits:,}", saved[0], f"{row.reads:,}", saved[1]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join((f"{row[0]:<{widths[0]}}", *(f"{row[at]:>{widths[at]}}" for at in range(1, 5)))).rstrip()
        for row in rows
    ]
    return [*lines, "", f"Waits are requests for a page that nobody was reading, of {found.requests:,} in all."]


def next_steps(found: Advice, cgroup: str) -> list[str]:
    """The commands to go on with. A word in capitals is for the user to fill in."""
    where = quote(cgroup) if cgroup != "CGROUP" else cgroup
    if found.kind == "try":
        best = found.best
        words = ["cpolc attach", quote(best.choice.name), where]
        words += [f"--set {quote(setting)}" for setting in best.choice.settings.split()]
        steps = []
        if (told := best.choice.proposal) is not None and told.input:
            keys = quote(f"{told.input}={','.join(told.live)}") if told.live else f"{told.input}={MEANT[told.input]}"
            words.append(f"--input {keys}")
            steps = [HOW[told.input]] if told.input in HOW else []
        # Refaults are fewer than disk reads by the first read of each page, so they fall by no smaller share.
        # What is read ahead in vain is hardly read again: without it, less is reclaimed.
        counted = "reclaimed" if told is not None and told.unbrought is not None else "refaults"
        rule = f"{counted} <= {(1 + best.against.ratio) / 2:.2f} * before"
        return [*steps, f"{' '.join(words)} --trial 10m --settle 2m --keep-if {quote(rule)}"]
    steps = []
    if (ahead := fewer_waits(found.prefetching)) is not None:
        rule = "--keep-if 'pressure <= before'"
        steps = [f"cpolc attach {quote(ahead.name)} {where} --trial 10m --settle 2m {rule}"]
    if found.kind == "keep":
        return [*steps, "cpolc advise TRACE --memory N    # what another size would change"]
    return [*steps, f"cpolc record {where} -o longer.rec --seconds 1800", "cpolc advise longer.rec"]


def way(suggestion: Suggestion, cgroup: str) -> str:
    """The commands that try a suggestion."""
    where = quote(cgroup) if cgroup != "CGROUP" else cgroup
    if suggestion.policy == "replay":
        return (
            f"Record a start alone, then: cpolc record --replay START.rec -o app.start; cpolc attach replay {where}; "
            f"cpolc input {where} start load app.start"
        )
    keys = quote(f"{suggestion.input}={','.join(suggestion.live)}") if suggestion.live else f"{suggestion.input}=FILES"
    return f"Try: cpolc attach {suggestion.policy} {where} --input {keys}"


def facts(path: Path, asked: Request, found: Advice, cgroup: str) -> dict[str, Any]:
    """The advice as JSON."""
    trace = asked.trace
    return {
        "trace": str(path),
        "format": trace.format,
        "version": __version__,
        "batch": asked.batch,
        "seed": asked.seed,
        "trials": asked.trials,
        "requests": trace.requests,
        "objects": trace.distinct,
        "verdict": found.kind,
        "text": found.verdict,
        "judged_requests": found.requests,
        "capacity": found.pages,
        "recorded_reads": found.recorded,
        "model_off": found.off,
        "optimum_reads": found.optimum,
        "memory_percent": found.memory,
        "default": row_facts(found.default),
        "policies": [row_facts(row) for row in found.rows],
        "doubts": [doubt._asdict() for doubt in found.doubts],
        "prefetching": None if found.prefetching is None else ahead_facts(found.prefetching),
        "suggested": [each._asdict() for each in found.suggested],
        "left_out": [left._asdict() for left in found.left],
        "next": next_steps(found, cgroup),
    }


def ahead_facts(found: Prefetching) -> dict[str, Any]:
    named = {"recorded": found.machine, "default": found.kernel}
    models = {
        name: None if each is None else {"waits": each.waits, "reads": each.reads} for name, each in named.items()
    }
    rows = [{"policy": row.name, "waits": row.waits, "reads": row.reads} for row in found.rows]
    return {**models, "requests": found.requests, "policies": rows, "withheld": found.why or None}


def row_facts(row: Row) -> dict[str, Any]:
    told = None
    if (proposal := row.choice.proposal) is not None and proposal.input:
        told = {"name": proposal.input, "keys": proposal.keys, "live": proposal.live, "words": proposal.words}
    return {
        "policy": row.choice.name,
        "params": row.choice.texts,
        "input": told,
        "reads": row.reads,
        "reads_with_less_room": row.less,
        "with_readahead": None if row.played is None else row.played._asdict(),
        "chosen_by_reads": row.chosen_by,
        "against_default": row.against._asdict(),
        "instructions_more": row_prices(row),
    }


def row_prices(row: Row) -> dict[str, dict[str, int]] | None:
    """What the policy adds to a cached read and to a miss, by kernel; None: it was not measured."""
    found = price.prices(row.choice.name)
    return None if found is None else {kernel: each._asdict() for kernel, each in found.items()}
