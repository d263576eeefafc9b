"""A metric family of prometheus_client, made from keys of the kernel's statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from cpol.runtime.operate.loader.statistics import Statistics

LABELS: Final = ("cgroup", "id", "policy")
KIND_LABELS: Final = (*LABELS, "kind")
"""Of a family for both kinds of policies: one policy may evict and prefetch, and has statistics of each kind."""
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


def one(name: str, type_: str, help_: str, key: str, unit: str = "", divisor: int = 1) -> Family:
    return Family(name, type_, help_, {key: {}}, unit, divisor)


def by(label: str, prefix: str, values: str) -> dict[str, dict[str, str]]:
    return {f"{prefix}{value}": {label: value} for value in values.split()}


def label_values(one: Statistics) -> list[str]:
    """The values of LABELS. A cgroup's creator chose its name, which may not be UTF-8."""
    return [text.encode(errors="replace").decode() for text in (one.path or "", str(one.cgroup), one.policy)]


def kind_label_values(one: Statistics) -> list[str]:
    """The values of KIND_LABELS."""
    return [*label_values(one), "prefetch" if one.prefetches else "evict"]
