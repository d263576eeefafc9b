"""Pages of stdlib policies: as `docs/stdlib` has them, with miss curves, the source, and a link to the playground."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bridge.curves import optimal
from bridge.traces import trace_of

from cpol.api import Policy, Trace, mrc
from cpol.compiler.policies import STDLIB, stdlib_names
from webpages.drawings import Points, curves

TRACES = {
    "Zipf with scans": {"kind": "scan", "requests": 20_000, "pages": 1000, "seed": 1},
    "A loop": {"kind": "loop", "requests": 20_000, "pages": 1000, "seed": 1},
}
"""Traces that the playground can make, too."""

POINTS = 16
BESIDE = "lru"


def widened(page: str, text: str) -> str:
    """The page of a policy with what only the site has: a link to the playground behind the summary, and drawings."""
    name = Path(page).stem
    link = f"[Try it in the playground](../../playground/index.html#policy={name}){{ .md-button target=_blank }}"
    head, section, rest = text.partition("\n## ")
    return f"{head}\n{link}\n{section}{rest}\n{drawings(name)}"


def drawings(name: str) -> str:
    """Miss curves, if the policy evicts, and its source."""
    parts = []
    if Policy(name).ir.evicts:
        parts.append("## Misses by capacity")
        for title, asked in TRACES.items():
            what = f"{title}: {asked['requests']:,} requests, simulated."
            parts += [what, curves(_lines(name, title), f"Misses of {name} by capacity. {what}")]
    source = (STDLIB / f"{name}.cpol").read_text(encoding="utf-8").rstrip("\n")
    parts += ["## Source", f"```cpol\n{source}\n```"]
    return "\n\n".join(parts) + "\n"


def _lines(name: str, title: str) -> dict[str, Points]:
    lines = {name: _misses(name, title), BESIDE: _misses(BESIDE, title), "optimal": _optimal(title)}
    return dict(sorted(lines.items(), key=lambda line: (line[0] != name, line[0] == "optimal")))


@cache
def _pages(title: str) -> list[int]:
    return trace_of(TRACES[title])


@cache
def _capacities(title: str) -> list[int]:
    different = len(set(_pages(title)))
    return sorted({max(1, different * step // POINTS) for step in range(1, POINTS + 1)})


@cache
def _misses(name: str, title: str) -> Points:
    curve = mrc([name], Trace.from_arrays(_pages(title)), capacity=_capacities(title), jobs=1)
    return [(point.capacity, point.miss_ratio) for point in curve[name]]


@cache
def _optimal(title: str) -> Points:
    pages = _pages(title)
    return [(capacity, optimal(pages, capacity) / len(pages)) for capacity in _capacities(title)]


def page_names() -> list[str]:
    """The pages of policies in docs/stdlib."""
    return [f"docs/stdlib/{name}.md" for name in stdlib_names()]
