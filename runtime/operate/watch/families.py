"""The statistics of attached policies as metric families of prometheus_client, and as text."""

from __future__ import annotations

import re
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
    UnknownMetricFamily,
)
from prometheus_client.registry import Collector

from cpol import version
from cpol.runtime.operate.loader import LoaderError
from cpol.runtime.operate.loader.statistics import Statistics

MODULE_VERSION: Final = Path("/sys/module/cache_ext/version")
FRESH_SECONDS = 1.0
"""Least time between two readings of the statistics, for all clients together."""

LABELS: Final = ("cgroup", "id", "policy")
KIND_LABELS: Final = (*LABELS, "kind")
"""Of a family for both kinds of policies: one policy may evict and prefetch, and has statistics of each kind."""
UNITS: Final = {"count": ("", 1), "ns": ("seconds", 10**9), "us": ("seconds", 10**6)}
"""What Prometheus has instead of a unit of the kernel, and the divisor. It has the other units itself."""
ARRAYS: Final = ("lists", "latency")
"""Statistics of several numbers, which have families of another kind."""


@dataclass
class Family:
    """A metric family, made from keys of the kernel's statistics."""

    name: str
    help: str
    is_gauge: bool
    unit: str
    divisor: int
    """Divides the kernel's number."""
    keys: dict[str, dict[str, str]] = field(default_factory=dict)
    """The kernel's keys that become samples, and the labels of each."""

    def metric(self, policies: Sequence[Statistics]) -> Metric:
        """The family, with a sample for each policy and each key that this kernel counts."""
        more = next(iter(self.keys.values()))
        kind = GaugeMetricFamily if self.is_gauge else CounterMetricFamily
        metric = kind(self.name, self.help, labels=[*LABELS, *more], unit=self.unit)
        for one in policies:
            for key, labels in self.keys.items():
                if key in one.numbers:
                    metric.add_metric([*label_values(one), *labels.values()], one.numbers[key] / self.divisor)
        return metric


def of_contract(part: dict[str, Any], prefix: str) -> dict[str, Family]:
    """The families of a part of compiler/contract.toml, by name."""
    found: dict[str, Family] = {}
    for key, item in part["statistics"].items():
        if item["unit"] and key not in ARRAYS:
            name = item.get("metric", key)
            help_ = part["families"].get(name, item["doc"])
            unit, divisor = UNITS.get(item["unit"], (item["unit"], 1))
            family = Family(
                f"{prefix}{name}{unit and '_'}{unit}", MARKUP.sub("", help_), "gauge" in item, unit, divisor
            )
            found.setdefault(family.name, family).keys[key] = item.get("label", {})
    return found


MARKUP: Final = re.compile(r"`|\[|\]\(#[^)]*\)")
CONTRACT: Final = tomllib.loads((resources.files("cpol.compiler") / "contract.toml").read_text("utf-8"))
FAMILIES: Final = of_contract(CONTRACT, "cpol_")
PREFETCH_FAMILIES: Final = of_contract(CONTRACT["prefetch"], "cpol_prefetch_")
KNOWN: Final = frozenset(key for family in FAMILIES.values() for key in family.keys)
PREFETCH_KNOWN: Final = frozenset(key for family in PREFETCH_FAMILIES.values() for key in family.keys)


def label_values(one: Statistics) -> list[str]:
    """The values of LABELS. A cgroup's creator chose its name, which may not be UTF-8."""
    return [text.encode(errors="replace").decode() for text in (one.path or "", str(one.cgroup), one.policy)]


def kind_label_values(one: Statistics) -> list[str]:
    """The values of KIND_LABELS."""
    return [*label_values(one), "prefetch" if one.prefetches else "evict"]


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
        for key in sorted(policy.numbers.keys() - (PREFETCH_KNOWN if policy.prefetches else KNOWN)):
            other.add_metric([*labels, key], policy.numbers[key])
    evict = [policy for policy in current if not policy.prefetches]
    prefetch = [policy for policy in current if policy.prefetches]
    counted = [family.metric(evict) for family in FAMILIES.values()]
    counted += [*(family.metric(prefetch) for family in PREFETCH_FAMILIES.values()), latency(prefetch)]
    for metric in (build(), info, attached(current), ends(policies), *counted, lists, other):
        if metric.samples:
            yield metric


def build() -> InfoMetricFamily:
    """The versions of what runs. `module` is empty where cache_ext is no module, or an older one."""
    try:
        module = MODULE_VERSION.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        module = ""
    versions = {"version": version.__version__, "language": version.LANGUAGE_VERSION, "module": module}
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


def latency(policies: Sequence[Statistics]) -> Metric:
    """How long faults took that had to read. The kernel times one in eight, counts by powers of two, keeps no sum."""
    metric = HistogramMetricFamily(
        "cpol_prefetch_fault_seconds", "How long swap faults took that had to read.", labels=LABELS, unit="seconds"
    )
    for policy in policies:
        faults, buckets = 0, []
        for number, count in enumerate(policy.latency):
            faults += count
            last = number == len(policy.latency) - 1
            buckets.append(("+Inf" if last else repr(2**number / 10**6), float(faults)))
        if buckets:
            metric.add_metric(label_values(policy), buckets, sum_value=None)
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
