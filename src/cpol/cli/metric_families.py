"""The statistics of attached policies as metric families of prometheus_client, and as text."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    InfoMetricFamily,
    Metric,
    UnknownMetricFamily,
)
from prometheus_client.registry import Collector

from cpol.runtime.loader.statistics import Statistics

FRESH_SECONDS = 1.0
"""Least time between two readings of the statistics, for all clients together."""

TYPES: Final = {"counter": CounterMetricFamily, "gauge": GaugeMetricFamily}


@dataclass(frozen=True)
class Family:
    """A metric family, made from keys of the kernel's statistics."""

    name: str
    type: str
    """A key of TYPES."""
    help: str
    keys: dict[str, dict[str, str]] = field(default_factory=dict)
    """The kernel's keys that become samples, and the labels of each."""
    unit: str = ""
    divisor: int = 1
    """Divides the kernel's number."""

    def metric(self, policies: Sequence[Statistics]) -> Metric:
        """The family, with a sample for each policy and each key that this kernel counts."""
        more = next(iter(self.keys.values()))
        metric: CounterMetricFamily | GaugeMetricFamily = TYPES[self.type](
            self.name, self.help, labels=[*LABELS, *more], unit=self.unit
        )
        for one in policies:
            for key, labels in self.keys.items():
                if key in one.numbers:
                    metric.add_metric([*label_values(one), *labels.values()], one.numbers[key] / self.divisor)
        return metric


def _one(name: str, type_: str, help_: str, key: str, unit: str = "", divisor: int = 1) -> Family:
    return Family(name, type_, help_, {key: {}}, unit, divisor)


def _by(label: str, prefix: str, values: str) -> dict[str, dict[str, str]]:
    return {f"{prefix}{value}": {label: value} for value in values.split()}


LABELS: Final = ("cgroup", "id", "policy")
FAMILIES = (
    Family(
        "cpol_folio_events",
        "counter",
        "Events of folios that the policy was told of.",
        _by("event", "", "added accessed removed migrated split"),
    ),
    _one(
        "cpol_hits",
        "counter",
        "Accesses of cached folios, but the first since a read.",
        "hits",
    ),
    _one("cpol_misses", "counter", "Folios accessed for the first time since a read.", "misses"),
    _one("cpol_refaults", "counter", "Folios that came back soon after they were evicted.", "refaults"),
    _one("cpol_ticks", "counter", "Runs of the policy's timer.", "ticks"),
    _one("cpol_requests", "counter", "Requests of reclaim to the policy.", "requests"),
    _one("cpol_calls", "counter", "Calls of the policy's evict handler.", "calls"),
    _one("cpol_stalled", "counter", "Requests that the policy gave up.", "stalled"),
    _one("cpol_overruns", "counter", "Calls of the evict handler that looked at too many folios.", "overruns"),
    _one("cpol_offences", "counter", "Times that the policy kept back what could go.", "offences"),
    _one("cpol_contended", "counter", "Passes of reclaim for others that did not wait for the policy.", "contended"),
    _one("cpol_near_oom", "counter", "Passes of reclaim so near OOM that the policy was not asked.", "near_oom"),
    _one("cpol_nomem", "counter", "Folios that are not governed for want of memory.", "nomem"),
    _one("cpol_wanted_pages", "counter", "Pages that reclaim wanted of the policy.", "wanted", "pages"),
    _one("cpol_proposed_pages", "counter", "Pages that the policy proposed for eviction.", "proposed", "pages"),
    _one("cpol_evicted_pages", "counter", "Pages that were evicted as proposed.", "evicted", "pages"),
    Family(
        "cpol_refused_pages",
        "counter",
        "Pages that were proposed and could not go.",
        _by("reason", "refused_", "dirty writeback locked busy referenced other"),
        "pages",
    ),
    _one("cpol_mapped_pages", "counter", "Pages that were mapped when the policy proposed them.", "mapped", "pages"),
    _one("cpol_unseen_pages", "counter", "Of these, pages without a reported access.", "unseen", "pages"),
    _one("cpol_fallback_pages", "counter", "Pages that the kernel's own reclaim took instead.", "fallback", "pages"),
    _one("cpol_admission_refused", "counter", "Folios that the policy did not admit.", "refused_admission"),
    _one("cpol_admission_overruled", "counter", "Folios that had to be admitted all the same.", "admit_overruled"),
    _one("cpol_program_seconds", "counter", "Time in the policy's programs.", "prog_ns", "seconds", 10**9),
    _one("cpol_owned_pages", "gauge", "Pages that the policy owns.", "owned", "pages"),
    _one("cpol_lists", "gauge", "Lists of the policy.", "nr_lists"),
    _one("cpol_listed_pages", "gauge", "Pages on all lists of the policy.", "listed", "pages"),
    _one("cpol_capacity_pages", "gauge", "Pages that the policy may own.", "capacity", "pages"),
    _one("cpol_untracked_pages", "gauge", "Pages that were cached before and are not governed.", "untracked", "pages"),
    _one("cpol_memory_bytes", "gauge", "Memory that the kernel needs for the policy.", "memory", "bytes"),
    _one("cpol_shared_bytes", "gauge", "Memory of the index that all policies share.", "shared", "bytes"),
)
KNOWN = frozenset(key for family in FAMILIES for key in family.keys)


def families(policies: Sequence[Statistics]) -> Iterator[Metric]:
    """All metrics of all policies, without families that this kernel does not count."""
    info = InfoMetricFamily("cpol_policy", "A policy that is attached to a cgroup.", labels=LABELS)
    lists = GaugeMetricFamily(
        "cpol_list_pages", "Pages on each of the first lists.", labels=[*LABELS, "number", "list"], unit="pages"
    )
    other = UnknownMetricFamily("cpol_other", "What this version of cpolc has no name for.", labels=[*LABELS, "key"])
    current = [one for one in policies if one.end is None or one.end.held]
    for one in current:
        labels = label_values(one)
        info.add_metric(labels, {"state": one.state, **why(one)})
        for number, pages in enumerate(one.lists):
            lists.add_metric([*labels, str(number), one.list_name(number)], pages)
        for key in sorted(one.numbers.keys() - KNOWN):
            other.add_metric([*labels, key], one.numbers[key])
    for metric in (info, ends(policies), *(family.metric(current) for family in FAMILIES), lists, other):
        if metric.samples:
            yield metric


def why(one: Statistics) -> dict[str, str]:
    """Labels that say why a policy does not govern."""
    labels = {"exit": one.end.exit} if one.end is not None else {}
    return {**labels, "reason": one.reason} if one.reason else labels


def ends(policies: Sequence[Statistics]) -> GaugeMetricFamily:
    """When policies ended, in seconds of Unix time, and how. Of ends that are alike, the last counts."""
    since_boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    metric = GaugeMetricFamily(
        "cpol_policy_exit_timestamp",
        "When a policy ended, of those that the kernel remembers.",
        labels=[*LABELS, "exit", "code", "message"],
        unit="seconds",
    )
    last: dict[tuple[str, ...], int] = {}
    for one in policies:
        if one.end is not None:
            labels = (*label_values(one), one.end.exit, str(one.end.code), one.end.message)
            last[labels] = max(last.get(labels, 0), one.end.ended_ms)
    for labels, ended_ms in last.items():
        metric.add_metric(labels, round(since_boot + ended_ms / 1000))
    return metric


def label_values(one: Statistics) -> list[str]:
    """The values of LABELS. A cgroup's creator chose its name, which may not be UTF-8."""
    return [text.encode(errors="replace").decode() for text in (one.path or "", str(one.cgroup), one.policy)]


class StatisticsCollector(Collector):
    """Collects the result of `read`, at most every FRESH_SECONDS. It is thread-safe."""

    def __init__(self, read: Callable[[], list[Statistics]]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._until = 0.0
        self._statistics: list[Statistics] = []

    def collect(self) -> Iterator[Metric]:
        """The current metrics. Errors of `read` pass through."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._statistics = self._read()
                self._until = time.monotonic() + FRESH_SECONDS
            statistics = self._statistics
        return families(statistics)


def registry_of(read: Callable[[], list[Statistics]]) -> CollectorRegistry:
    """A registry with the statistics from `read` only."""
    registry = CollectorRegistry()
    registry.register(StatisticsCollector(read))
    return registry


def text(read: Callable[[], list[Statistics]]) -> str:
    """The statistics from `read` in Prometheus' text format, which node_exporter's textfile collector reads."""
    return str(generate_latest(registry_of(read)), "utf-8")
