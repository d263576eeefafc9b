"""The rows of `cpolc sim`: one for each policy and capacity."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import click

from cpol.cli.messages import shown
from cpol.runtime.native import Counts, Steps
from cpol.runtime.traces import Stream, Trace


class Run(NamedTuple):
    """A run of one policy with one capacity.

    `first_misses` are those of the first policy with the same capacity; `steps` is None if they were not counted.
    `more` goes into the JSON object as it is.
    """

    policy: str
    trace: Path
    capacity: int
    batch: int
    seed: int
    counts: Counts
    seconds: float
    first_misses: int = 0
    steps: Steps | None = None
    more: Mapping[str, Any] = MappingProxyType({})

    @property
    def against_first(self) -> float:
        """The misses as a share of those of the first policy. Every trace has a miss."""
        return self.counts.misses / max(self.first_misses, 1)

    def as_json(self) -> str:
        counts = self.counts
        values: dict[str, Any] = {
            "policy": self.policy,
            "trace": str(self.trace),
            "capacity": self.capacity,
            "batch": self.batch,
            "seed": self.seed,
            "requests": counts.requests,
            "hits": counts.hits,
            "misses": counts.misses,
            "miss_ratio": counts.miss_ratio,
            "against_first": round(self.against_first, 6),
            "fallback": counts.fallback,
            "refused_admission": counts.refused_admission,
            "seconds": round(self.seconds, 6),
            **({} if self.steps is None else {"steps": steps_object(self.steps)}),
            **self.more,
        }
        return json.dumps(values)

    def as_text(self, width: int) -> str:
        counts = self.counts
        speed = counts.requests / self.seconds / 1e6 if self.seconds else 0.0
        change = f"{100 * self.against_first - 100:+.1f}%"
        return (
            f"{self.policy:<{width}} {self.capacity:>12,} {counts.requests:>14,} {counts.misses:>14,}"
            f" {counts.miss_ratio:>10.4f} {change:>9} {counts.fallback:>9,} {speed:>8.1f}{self.steps_as_text()}"
        )

    def steps_as_text(self) -> str:
        steps = self.steps
        return "" if steps is None else f" {steps.mean:>10,.2f} {steps.p99:>9,} {steps.max:>10,}"


def steps_object(steps: Steps) -> dict[str, Any]:
    return {"evict_requests": steps.requests, "mean": round(steps.mean, 6), "p99": steps.p99, "max": steps.max}


def compared(runs: Iterable[Run]) -> Iterator[Run]:
    """The runs with the misses of the first policy. The first run of each capacity is its own."""
    first: dict[int, int] = {}
    for run in runs:
        yield run._replace(first_misses=first.setdefault(run.capacity, run.counts.misses))


def show(runs: Iterable[Run], trace: Trace | Stream, batch: int, width: int, json_output: bool) -> None:
    """Print JSON objects as the runs end, or a table: the capacities as they were given, and for each the policies, the
    fewest misses first."""
    if json_output:
        for run in runs:
            click.echo(run.as_json())
        return
    runs = list(runs)
    name = shown(str(trace.path), keep="")
    deleted = f", {trace.deletions:,} deletions left out" if trace.deletions else ""
    click.echo(
        f"{name}: {trace.format}, {trace.requests:,} requests, {trace.distinct:,} objects{deleted}; batch {batch}"
    )
    width = max(width, len("policy"))
    head = f"{'policy':<{width}} {'capacity':>12} {'requests':>14} {'misses':>14} {'miss ratio':>10} {'vs first':>9}"
    steps = any(run.steps is not None for run in runs)
    steps_head = f" {'mean steps':>10} {'p99 steps':>9} {'most steps':>10}" if steps else ""
    click.echo(f"{head} {'fallback':>9} {'Mreq/s':>8}{steps_head}")
    for capacity in dict.fromkeys(run.capacity for run in runs):
        same = [run for run in runs if run.capacity == capacity]
        for run in sorted(same, key=lambda run: run.counts.misses):
            click.echo(run.as_text(width))
