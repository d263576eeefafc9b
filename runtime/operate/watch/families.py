"""The statistics of attached policies as metric families of prometheus_client, and as text."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import (
    GaugeMetricFamily,
    InfoMetricFamily,
    Metric,
    UnknownMetricFamily,
)
from prometheus_client.registry import Collector

import cpol
from cpol.runtime.operate.loader import LoaderError
from cpol.runtime.operate.loader.statistics import Statistics
from cpol.runtime.operate.watch import prefetch_families
from cpol.runtime.operate.watch.family import KIND_LABELS, LABELS, Family, by, kind_label_values, label_values, one

MODULE_VERSION: Final = Path("/sys/module/cache_ext/version")
FRESH_SECONDS = 1.0
"""Least time between two readings of the statistics, for all clients together."""

FAMILIES = (
    Family(
        "cpol_folio_events",
        "counter",
        "Events of folios that the policy was told of.",
        by("event", "", "added adopted accessed removed migrated split"),
    ),
    one(
        "cpol_hits",
        "counter",
        "Accesses of cached folios, but the first since a read.",
        "hits",
    ),
    one("cpol_misses", "counter", "Folios accessed for the first time since a read.", "misses"),
    one("cpol_refaults", "counter", "Folios that came back soon after they were evicted.", "refaults"),
    one("cpol_ticks", "counter", "Runs of the policy's timer.", "ticks"),
    one("cpol_requests", "counter", "Requests of reclaim to the policy.", "requests"),
    one("cpol_calls", "counter", "Calls of the policy's evict handler.", "calls"),
    one("cpol_stalled", "counter", "Requests that the policy gave up.", "stalled"),
    one("cpol_overruns", "counter", "Calls of the evict handler that looked at too many folios.", "overruns"),
    one("cpol_offences", "counter", "Times that the policy kept back what could go.", "offences"),
    one("cpol_contended", "counter", "Passes of reclaim for others that did not wait for the policy.", "contended"),
    one("cpol_near_oom", "counter", "Passes of reclaim so near OOM that the policy was not asked.", "near_oom"),
    one("cpol_nomem", "counter", "Folios that are not governed for want of memory.", "nomem"),
    one("cpol_wanted_pages", "counter", "Pages that reclaim wanted of the policy.", "wanted", "pages"),
    one("cpol_proposed_pages", "counter", "Pages that the policy proposed for eviction.", "proposed", "pages"),
    one("cpol_evicted_pages", "counter", "Pages that were evicted as proposed.", "evicted", "pages"),
    Family(
        "cpol_refused_pages",
        "counter",
        "Pages that were proposed and could not go.",
        by("reason", "refused_", "dirty writeback locked busy referenced other"),
        "pages",
    ),
    Family(
        "cpol_pin_pages",
        "counter",
        "Pinned pages: beyond what is allowed, kept, and taken all the same.",
        by("outcome", "pin_", "refused kept overruled"),
        "pages",
    ),
    one("cpol_mapped_pages", "counter", "Pages that were mapped when the policy proposed them.", "mapped", "pages"),
    one("cpol_unseen_pages", "counter", "Of these, pages without a reported access.", "unseen", "pages"),
    one("cpol_fallback_pages", "counter", "Pages that the kernel's own reclaim took instead.", "fallback", "pages"),
    one("cpol_admission_refused", "counter", "Folios that the policy did not admit.", "refused_admission"),
    one("cpol_admission_overruled", "counter", "Folios that had to be admitted all the same.", "admit_overruled"),
    one("cpol_program_seconds", "counter", "Time in the policy's programs.", "prog_ns", "seconds", 10**9),
    one("cpol_owned_pages", "gauge", "Pages that the policy owns.", "owned", "pages"),
    one("cpol_pinned_pages", "gauge", "Pages that the policy has pinned.", "pinned", "pages"),
    one("cpol_pin_limit_pages", "gauge", "Pages that the policy may pin.", "pin_limit", "pages"),
    one("cpol_lists", "gauge", "Lists of the policy.", "nr_lists"),
    one("cpol_listed_pages", "gauge", "Pages on all lists of the policy.", "listed", "pages"),
    one("cpol_capacity_pages", "gauge", "Pages that the policy may own.", "capacity", "pages"),
    one("cpol_untracked_pages", "gauge", "Pages that were cached before and are not governed.", "untracked", "pages"),
    one("cpol_memory_bytes", "gauge", "Memory that the kernel needs for the policy.", "memory", "bytes"),
    one("cpol_shared_bytes", "gauge", "Memory of the index that all policies share.", "shared", "bytes"),
)
KNOWN = frozenset(key for family in FAMILIES for key in family.keys)


def families(policies: Sequence[Statistics]) -> Iterator[Metric]:
    """All metrics of all policies, without families that this kernel does not count."""
    info = InfoMetricFamily("cpol_policy", "A policy that is attached to a cgroup.", labels=KIND_LABELS)
    lists = GaugeMetricFamily(
        "cpol_list_pages", "Pages on each of the first lists.", labels=[*LABELS, "number", "list"], unit="pages"
    )
    other = UnknownMetricFamily(
        "cpol_other", "What this version of cpolc has no name for.", labels=[*KIND_LABELS, "key"]
    )
    current = [one for one in policies if one.end is None or one.end.held]
    for policy in current:
        labels = kind_label_values(policy)
        info.add_metric(labels, {"state": policy.state, **why(policy)})
        for number, pages in enumerate(policy.lists):
            lists.add_metric([*label_values(policy), str(number), policy.list_name(number)], pages)
        for key in sorted(policy.numbers.keys() - (prefetch_families.KNOWN if policy.prefetches else KNOWN)):
            other.add_metric([*labels, key], policy.numbers[key])
    evict = [policy for policy in current if not policy.prefetches]
    prefetch = [policy for policy in current if policy.prefetches]
    counted = [*(family.metric(evict) for family in FAMILIES), *prefetch_families.families(prefetch)]
    for metric in (build(), info, attached(current), ends(policies), *counted, lists, other):
        if metric.samples:
            yield metric


def build() -> InfoMetricFamily:
    """The versions of what runs. `module` is empty where cache_ext is no module, or an older one."""
    try:
        module = MODULE_VERSION.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        module = ""
    versions = {"version": cpol.__version__, "language": cpol.LANGUAGE_VERSION, "module": module}
    return InfoMetricFamily("cpol_build", "Versions of cpolc, of the language and of the module.", versions)


def attached(policies: Sequence[Statistics]) -> GaugeMetricFamily:
    """When policies were attached, in seconds of Unix time."""
    since_boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    metric = GaugeMetricFamily(
        "cpol_policy_attached_timestamp", "When the policy was attached.", labels=KIND_LABELS, unit="seconds"
    )
    for policy in policies:
        if policy.attached_ms is not None:
            metric.add_metric(kind_label_values(policy), round(since_boot + policy.attached_ms / 1000))
    return metric


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
        labels=[*KIND_LABELS, "exit", "code", "message"],
        unit="seconds",
    )
    last: dict[tuple[str, ...], int] = {}
    for policy in policies:
        if policy.end is not None:
            labels = (*kind_label_values(policy), policy.end.exit, str(policy.end.code), policy.end.message)
            last[labels] = max(last.get(labels, 0), policy.end.ended_ms)
    for labels, ended_ms in last.items():
        metric.add_metric(labels, round(since_boot + ended_ms / 1000))
    return metric


class StatisticsCollector(Collector):
    """Collects the result of `read`, or its LoaderError, at most every FRESH_SECONDS. It is thread-safe."""

    def __init__(self, read: Callable[[], list[Statistics]]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._until = 0.0
        self._statistics: list[Statistics] | LoaderError = []

    def collect(self) -> Iterator[Metric]:
        """The current metrics.

        Raises:
            LoaderError: `read` failed. It is the same object until the next reading.
        """
        with self._lock:
            if time.monotonic() >= self._until:
                try:
                    self._statistics = self._read()
                except LoaderError as error:
                    self._statistics = error
                self._until = time.monotonic() + FRESH_SECONDS
            statistics = self._statistics
        if isinstance(statistics, LoaderError):
            raise statistics.with_traceback(None)  # else it grows with each client
        return families(statistics)


def registry_of(read: Callable[[], list[Statistics]]) -> CollectorRegistry:
    """A registry with the statistics from `read` only."""
    registry = CollectorRegistry()
    registry.register(StatisticsCollector(read))
    return registry


def text(read: Callable[[], list[Statistics]]) -> str:
    """The statistics from `read` in Prometheus' text format, which node_exporter's textfile collector reads."""
    return str(generate_latest(registry_of(read)), "utf-8")
