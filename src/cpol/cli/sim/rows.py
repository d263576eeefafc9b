"""The rows of `cpolc sim`: one for each policy and capacity."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from cpol.printable import shown
from cpol.runtime.simulate.runs.run import Run
from cpol.runtime.simulate.simulator import Steps
from cpol.runtime.simulate.traces import Stream, Trace


def as_json(run: Run) -> str:
    counts, share = run.counts, run.against_first
    values: dict[str, Any] = {
        "policy": run.policy,
        "trace": str(run.trace),
        "capacity": run.capacity,
        "batch": run.batch,
        "seed": run.seed,
        "requests": counts.requests,
        "hits": counts.hits,
        "misses": counts.misses,
        "miss_ratio": counts.miss_ratio,
        "against_first": None if share is None else round(share, 6),
        "fallback": counts.fallback,
        "refused_admission": counts.refused_admission,
        "seconds": round(run.seconds, 6),
        **command_times(),
        **({} if run.bytes is None else bytes_object(run)),
        **({} if run.steps is None else {"steps": steps_object(run.steps)}),
        **run.more,
    }
    return json.dumps(values)


def as_text(run: Run, width: int, with_bytes: bool) -> str:
    counts, share = run.counts, run.against_first
    speed = counts.requests / run.seconds / 1e6 if run.seconds else 0.0
    misses = f"{counts.misses:,}{'?' if run.more.get('doubts') else ''}"
    change = "-" if share is None else f"{100 * share - 100:+.1f}%"
    return (
        f"{shown(run.label, keep=''):<{width}} {run.capacity:>12,} {counts.requests:>14,} {misses:>14}"
        f" {counts.miss_ratio:>10.4f}{bytes_as_text(run) if with_bytes else ''} {change:>9} {counts.fallback:>9,}"
        f" {speed:>8.1f}{steps_as_text(run)}"
    )


def bytes_object(run: Run) -> dict[str, Any]:
    return {"bytes": run.bytes, "missed_bytes": run.counts.missed_bytes, "byte_miss_ratio": run.byte_miss_ratio}


def bytes_as_text(run: Run) -> str:
    share = run.byte_miss_ratio
    return f" {'-' if share is None else format(share, '.4f'):>10}"


def steps_as_text(run: Run) -> str:
    steps = run.steps
    return "" if steps is None else f" {steps.mean:>10,.2f} {steps.p99:>9,} {steps.max:>10,}"


def steps_object(steps: Steps) -> dict[str, Any]:
    return {"evict_requests": steps.requests, "mean": round(steps.mean, 6), "p99": steps.p99, "max": steps.max}


def command_times() -> dict[str, float]:
    """The seconds since the command began, and those of processors that it took: user and system, of all threads."""
    stat = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace")
    ticks = int(stat.rpartition(")")[2].split()[19])  # proc_pid_stat(5): starttime
    began = ticks / os.sysconf("SC_CLK_TCK")
    spent = os.times()
    cpu = spent.user + spent.system + spent.children_user + spent.children_system
    return {
        "command_seconds": round(time.clock_gettime(time.CLOCK_BOOTTIME) - began, 2),
        "command_cpu_seconds": round(cpu, 2),
    }


class Rows:
    """Shows runs as they end.

    JSON objects come in the order of the command line. Of a table a capacity's rows come when all of them are there,
    the fewest misses first.

    Args:
        labels: of the runs with a capacity, in the order of the command line.
        sizes: the capacities, in the order of the command line.
        clear: called before anything is shown.
    """

    def __init__(
        self,
        labels: Sequence[str],
        sizes: Sequence[int],
        steps: bool,
        with_bytes: bool,
        json_output: bool,
        clear: Callable[[], None],
    ) -> None:
        self._labels, self._sizes = labels, sizes
        self._steps, self._bytes, self._json, self._clear = steps, with_bytes, json_output, clear
        self._width = max(len("policy"), *(len(shown(label, keep="")) for label in labels))
        self._done: dict[tuple[int, int], Run] = {}
        self._shown = 0  # of the order of JSON, or capacities

    def begin(self, trace: Trace | Stream, said: str, warmup: int = 0) -> None:
        """Show what stands above the rows; `said` tells of capacity and batch."""
        if self._json:
            return
        self._clear()
        name = shown(str(trace.path), keep="")
        deleted = f", {trace.deletions:,} deletions left out" if trace.deletions else ""
        warm = f", the first {warmup:,} to warm up" if warmup else ""
        click.echo(
            f"{name}: {trace.format}, {trace.requests:,} requests{warm}, {trace.distinct:,} objects{deleted}; {said}"
        )
        head = f"{'policy':<{self._width}} {'capacity':>12} {'requests':>14} {'misses':>14} {'miss ratio':>10}"
        head += f" {'byte ratio':>10}" if self._bytes else ""
        steps_head = f" {'mean steps':>10} {'p99 steps':>9} {'most steps':>10}" if self._steps else ""
        click.echo(f"{head} {'vs first':>9} {'fallback':>9} {'Mreq/s':>8}{steps_head}")

    def put(self, policy: int, size: int, run: Run) -> None:
        """Take a run by the numbers of its label and of its capacity, and show what can be shown."""
        self._done[policy, size] = run
        if self._json:
            while (at := divmod(self._shown, len(self._sizes))) in self._done:
                self._show([at])
                self._shown += 1
            return
        while self._shown < len(self._sizes) and self._is_complete(self._shown):
            self._show((policy, self._shown) for policy in range(len(self._labels)))
            self._shown += 1

    def finish(self) -> None:
        """Show the other runs that ended: there will be no more."""
        if self._json:
            self._show(sorted(at for at in self._done if at >= divmod(self._shown, len(self._sizes))))
            return
        for size in range(self._shown, len(self._sizes)):
            self._show(at for at in self._done if at[1] == size)

    def _is_complete(self, size: int) -> bool:
        return all((policy, size) in self._done for policy in range(len(self._labels)))

    def _show(self, places: Iterable[tuple[int, int]]) -> None:
        runs = []
        for policy, size in places:
            first = self._done.get((0, size))
            runs.append(self._done[policy, size]._replace(first_misses=first and first.counts.misses))
        if not self._json:
            runs.sort(key=lambda run: run.counts.misses)
        self._clear()
        for run in runs:
            click.echo(as_json(run) if self._json else as_text(run, self._width, self._bytes))
