"""The statistics of attached policies as OpenMetrics text (the OpenMetrics specification, 1.0)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from cpol.runtime.loader.statistics import Statistics

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


@dataclass(frozen=True)
class Family:
    """A metric family: what the kernel's keys become."""

    name: str
    type: str  # counter, gauge
    help: str
    keys: dict[str, dict[str, str]] = field(default_factory=dict)
    """The kernel's keys that are its samples, and the labels that tell them apart."""
    unit: str = ""
    divisor: int = 1
    """Of the kernel's number."""


def _one(name: str, type_: str, help_: str, key: str, unit: str = "", divisor: int = 1) -> Family:
    return Family(name, type_, help_, {key: {}}, unit, divisor)


def _by(label: str, prefix: str, values: str) -> dict[str, dict[str, str]]:
    return {f"{prefix}{value}": {label: value} for value in values.split()}


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
)
KNOWN = frozenset(key for family in FAMILIES for key in family.keys)


def text(policies: Sequence[Statistics]) -> str:
    """All metrics of all policies. What this kernel does not count is not there."""
    return "".join(f"{line}\n" for line in _lines(policies))


def _lines(policies: Sequence[Statistics]) -> Iterator[str]:
    yield from _head("cpol_policy", "info", "A policy that is attached to a cgroup.")
    for one in policies:
        why = {"reason": one.reason} if one.reason else {}
        yield _sample("cpol_policy_info", {**_labels(one), "state": one.state, **why}, 1)
    for family in FAMILIES:
        samples = [
            _sample(
                f"{family.name}_total" if family.type == "counter" else family.name, {**_labels(one), **more}, value
            )
            for one in policies
            for key, more in family.keys.items()
            if key in one.numbers
            for value in [_scaled(one.numbers[key], family.divisor)]
        ]
        yield from _family(family.name, family.type, family.help, samples, family.unit)
    lists = [
        _sample("cpol_list_pages", {**_labels(one), "number": str(number), "list": one.list_name(number)}, pages)
        for one in policies
        for number, pages in enumerate(one.lists)
    ]
    yield from _family("cpol_list_pages", "gauge", "Pages on each of the first lists.", lists, "pages")
    unknown = [
        _sample("cpol_other", {**_labels(one), "key": key}, value)
        for one in policies
        for key, value in sorted(one.numbers.items())
        if key not in KNOWN
    ]
    yield from _family("cpol_other", "unknown", "What this version of cpolc has no name for.", unknown)
    yield "# EOF"


def _family(name: str, type_: str, help_: str, samples: Iterable[str], unit: str = "") -> Iterator[str]:
    samples = list(samples)
    if samples:
        yield from _head(name, type_, help_, unit)
        yield from samples


def _head(name: str, type_: str, help_: str, unit: str = "") -> Iterator[str]:
    yield f"# TYPE {name} {type_}"
    if unit:
        yield f"# UNIT {name} {unit}"
    yield f"# HELP {name} {help_}"


def _labels(one: Statistics) -> dict[str, str]:
    return {"cgroup": one.path or "", "id": str(one.cgroup), "policy": one.policy}


def _sample(name: str, labels: dict[str, str], value: float) -> str:
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{inside}}} {value}"


def _escaped(value: str) -> str:
    """A label's value: any text that is UTF-8. A cgroup's name is chosen by whoever made it."""
    plain = value.encode(errors="replace").decode()
    return plain.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _scaled(value: int, divisor: int) -> float:
    return value if divisor == 1 else value / divisor
