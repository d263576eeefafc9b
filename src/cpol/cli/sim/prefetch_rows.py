"""The results of `cpolc sim` for prefetch policies, as a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from cpol.cli.sim.rows import command_times
from cpol.printable import shown
from cpol.runtime.simulate.prefetch.counts import Counts
from cpol.runtime.simulate.prefetch.medium import PAGE
from cpol.runtime.simulate.prefetch.rows import Rows
from cpol.runtime.simulate.runs.prefetch import PrefetchRun
from cpol.runtime.simulate.runs.run import Run

MS = 10**6


def as_json(run: PrefetchRun) -> str:
    total = run.result.total
    values: dict[str, Any] = {
        "policy": run.policy,
        "trace": run.trace,
        "capacity": run.capacity,
        "latency_ns": run.latency_ns,
        "bandwidth": run.bandwidth,
        "kernel": run.kernel,
        "seed": run.seed,
        **counts_object(total),
        "swap": counts_object(run.result.swap),
        "files": counts_object(run.result.files),
        "requests": total.accesses,
        "misses": run.misses,
        "miss_ratio": run.miss_ratio,
        **command_times(),
        **run.facts,
    }
    return json.dumps(values)


def as_text(run: PrefetchRun, width: int) -> str:
    total = run.result.total
    return (
        f"{shown(run.label, keep=''):<{width}} {run.capacity:>12,} {total.missed:>10,} {total.prefetched:>10,}"
        f" {total.used:>10,} {total.late:>10,} {total.wasted:>10,} {ratio(total.accuracy):>8}"
        f" {ratio(total.coverage):>8} {total.waited_ns / MS:>12,.1f}"
    )


def out_as_text(run: PrefetchRun, width: int) -> str:
    """What was asked about pages that were about to go out to swap."""
    swap = run.result.swap
    counts = (swap.out_asked, swap.out_kept, swap.out_refused, swap.out_overruled)
    return f"{shown(run.label, keep=''):<{width}} {run.capacity:>12,}" + "".join(f" {count:>13,}" for count in counts)


def counts_object(counts: Counts) -> dict[str, Any]:
    return {
        "accesses": counts.accesses,
        "faults": counts.faults,
        "missed": counts.missed,
        "prefetched": counts.prefetched,
        "used": counts.used,
        "in_time": counts.used - counts.late,
        "late": counts.late,
        "wasted": counts.wasted,
        "unused": counts.unused,
        "absent": counts.absent,
        "defaulted": counts.defaulted,
        "accuracy": None if counts.accuracy is None else round(counts.accuracy, 6),
        "coverage": None if counts.coverage is None else round(counts.coverage, 6),
        "read_bytes": counts.pages_read * PAGE,
        "waited_ns": counts.waited_ns,
        "out_asked": counts.out_asked,
        "out_kept": counts.out_kept,
        "out_refused": counts.out_refused,
        "out_overruled": counts.out_overruled,
    }


def ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def show(runs: Sequence[PrefetchRun], trace: Rows, least_width: int) -> None:
    """Print a table: the capacities as they were given, and for each the policies, the fewest missed first. Of runs
    that were asked about pages that go out, there is a second table.
    """
    first = runs[0]
    reads = len(trace.rows) - trace.touches
    what = [f"{trace.touches:,} touches of memory"] if trace.touches else []
    what += [f"{reads:,} reads of files"] if reads else []
    click.echo(
        f"{shown(first.trace, keep='')}: {trace.format}, {', '.join(what)}, {trace.distinct:,} pages; "
        f"{first.latency_ns / 1000:,g} us, {first.bandwidth / (1 << 20):,g} MiB/s; default: {first.kernel}"
    )
    width = max(least_width, len("policy"))
    head = "".join(f" {name:>10}" for name in ("missed", "prefetched", "used", "late", "wasted"))
    click.echo(f"{'policy':<{width}} {'capacity':>12}{head} {'accuracy':>8} {'coverage':>8} {'waited ms':>12}")
    capacities = [*dict.fromkeys(run.capacity for run in runs)]
    order = sorted(
        runs, key=lambda run: (capacities.index(run.capacity), run.result.total.missed, run.result.total.waited_ns)
    )
    for run in order:
        click.echo(as_text(run, width))
    asked = [run for run in order if run.result.swap.out_asked]
    if asked:
        head = "".join(f" {name:>13}" for name in ("out_asked", "out_kept", "out_refused", "out_overruled"))
        click.echo(f"\n{'policy':<{width}} {'capacity':>12}{head}")
        for run in asked:
            click.echo(out_as_text(run, width))


def show_both(prefetching: Sequence[PrefetchRun], evicting: Sequence[Run]) -> None:
    """Print one table of policies that prefetch and of others that evict: the capacities, the fewest misses first."""
    cells = [(run.label, run.capacity, run.result.total.accesses, run.misses, "prefetches") for run in prefetching]
    cells += [(run.label, run.capacity, run.counts.requests, run.counts.misses, "evicts") for run in evicting]
    width = max(len("policy"), *(len(shown(cell[0], keep="")) for cell in cells))
    click.echo("`prefetches`: beside the kernel's LRU; `evicts`: what is read ahead is not simulated")
    head = f"{'policy':<{width}} {'capacity':>12} {'requests':>14} {'misses':>14} {'miss ratio':>10}"
    click.echo(f"{head}  how")
    for label, capacity, requests, misses, how in sorted(cells, key=lambda cell: (cell[1], cell[3])):
        ratio = misses / max(1, requests)
        click.echo(
            f"{shown(label, keep=''):<{width}} {capacity:>12,} {requests:>14,} {misses:>14,} {ratio:>10.4f}  {how}"
        )
