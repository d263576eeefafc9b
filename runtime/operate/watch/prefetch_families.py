"""The statistics of policies that prefetch, as metric families of prometheus_client."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prometheus_client.metrics_core import HistogramMetricFamily, Metric

from cpol.runtime.operate.loader.statistics import Statistics
from cpol.runtime.operate.watch.family import LABELS, by, label_values, one
from cpol.runtime.operate.watch.family import Family as _Family

FAMILIES = (
    one("cpol_prefetch_faults", "counter", "Swap faults.", "faults"),
    one("cpol_prefetch_faults_cached", "counter", "Swap faults whose page was in the swap cache.", "cached"),
    _Family(
        "cpol_prefetch_calls",
        "counter",
        "Calls of the policy, which may ask for pages.",
        {"asked": {"of": "swap"}, "ra_asked": {"of": "file"}},
    ),
    _Family(
        "cpol_prefetch_defaulted",
        "counter",
        "Calls that asked for the kernel's own readahead, too.",
        {"defaulted": {"of": "swap"}, "ra_defaulted": {"of": "file"}},
    ),
    one("cpol_prefetch_wanted_pages", "counter", "Pages that requests of files asked for.", "ra_wanted", "pages"),
    _Family(
        "cpol_prefetch_read_pages",
        "counter",
        "Pages that were read because the policy asked for them.",
        {"prefetched": {"of": "swap"}, "ra_prefetched": {"of": "file"}},
        "pages",
    ),
    _Family(
        "cpol_prefetch_used_pages",
        "counter",
        "Of these, pages that were used.",
        {"used": {"of": "swap"}, "ra_used": {"of": "file"}},
        "pages",
    ),
    _Family(
        "cpol_prefetch_wasted_pages",
        "counter",
        "Of these, pages that went unused.",
        {"wasted": {"of": "swap"}, "ra_wasted": {"of": "file"}},
        "pages",
    ),
    one(
        "cpol_prefetch_over_share_pages",
        "counter",
        "Of those wasted, pages that still were cached: more lay unused than a quarter of the limit.",
        "over_share",
        "pages",
    ),
    one("cpol_prefetch_late_pages", "counter", "Of those used, pages that were still being read.", "late", "pages"),
    _Family(
        "cpol_prefetch_dropped_targets",
        "counter",
        "Pages that the policy asked for in vain.",
        by("reason", "", "out_of_range duplicates over_limit foreign absent"),
    ),
    one("cpol_prefetch_nomem_pages", "counter", "Pages that no memory was left for.", "nomem", "pages"),
    one("cpol_prefetch_opened_files", "counter", "Files opened that the policy was told of.", "opened"),
    one("cpol_prefetch_ranges", "counter", "Ranges read or written that the policy was told of.", "ranges"),
    one("cpol_prefetch_left_files", "counter", "Calls that left the open file to the kernel.", "files_left"),
    _Family(
        "cpol_prefetch_range_pages",
        "counter",
        "Pages of ranges that the policy dropped: those that left the cache, and those that stayed.",
        by("outcome", "", "dropped left"),
        "pages",
    ),
    _Family(
        "cpol_prefetch_flushes",
        "counter",
        "Ranges that the policy had written back, and what became of them.",
        by("how", "", "flushed waited deferred skipped"),
    ),
    one(
        "cpol_prefetch_deferred_seconds",
        "counter",
        "Time that ranges left to a worker stayed as they were, summed over those it is done with.",
        "deferred_us",
        "seconds",
        10**6,
    ),
    one("cpol_prefetch_waiting_ranges", "gauge", "Ranges that workers have now.", "waiting"),
    one("cpol_prefetch_swap_out_asked_pages", "counter", "Pages about to go out to swap.", "out_asked", "pages"),
    _Family(
        "cpol_prefetch_swap_out_pages",
        "counter",
        "Pages that the policy wanted to keep from swap: kept, beyond its quota, or taken all the same.",
        by("outcome", "out_", "kept refused overruled"),
        "pages",
    ),
    one("cpol_prefetch_offences", "counter", "Windows in which too much was wasted.", "offences"),
    one("cpol_prefetch_program_seconds", "counter", "Time in the policy's programs.", "prog_ns", "seconds", 10**9),
    one("cpol_prefetch_memory_bytes", "gauge", "Memory that the kernel needs for the policy.", "memory", "bytes"),
)
KNOWN = frozenset(key for family in FAMILIES for key in family.keys)


def families(policies: Sequence[Statistics]) -> Iterator[Metric]:
    """All metrics of policies that prefetch."""
    for family in FAMILIES:
        yield family.metric(policies)
    yield latency(policies)


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
