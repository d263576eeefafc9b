"""The kernel's cores have layers: who calls whom makes no cycle, and is as the map in each core's header says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from c_units import Unit, calls, read_symbols
from core_build import ROOT, build

pytestmark = pytest.mark.slow

CORES = ("policy_ext", "cache_ext", "prefetch_ext")
MAP = re.compile(r"^ \* Layers, each of which knows those above it only:$(.*?)^ \* Locks,", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^ \*   (\w+\.[ch](?:, \w+\.[ch])*)(?=\s)", re.MULTILINE)
INCLUDE = re.compile(r'^#include "(\w+\.h)"$', re.MULTILINE)
# Nodes and the index know no lists, lists know no requests, and requests know no policies.
UNKNOWN = {
    "list.h": ("node", "index"),
    "request.h": ("node", "index", "pin_count", "list", "batch"),
    "cache_ext.h": ("node", "index", "pin_count", "list", "batch", "candidates", "select", "scan"),
}


def cycle(graph: Mapping[str, Iterable[str]]) -> str:
    """One cycle of the graph, as `a -> b -> a`; nothing if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return " -> ".join(reversed(found))
    return ""


def layers(core: str) -> list[str]:
    """The units in the order of the map. It has the header of the glue; the unit here is that of the patches."""
    found = MAP.search((ROOT / "kernel" / core / f"{core}.h").read_text())
    assert found, f"{core}.h has no map of layers"
    files = [file for entry in ENTRY.findall(found[1]) for file in entry.split(", ")]
    names = ["glue_patched.c" if file == "glue.h" else file for file in files]
    return [Path(name).stem for name in names if name.endswith(".c")]


def included(core: str, file: str) -> set[str]:
    """The core's own headers that a file of it includes, and that those include."""
    found: set[str] = set()
    left = [file]
    while left:
        more = set(INCLUDE.findall((ROOT / "kernel" / core / left.pop()).read_text())) - found
        found |= more
        left += more
    return found


@pytest.fixture(scope="session")
def units() -> dict[str, dict[str, Unit]]:
    out = build("graph") / "graph"
    sources = {core: sorted((ROOT / "kernel" / core).glob("*.c")) for core in CORES}
    return {core: {path.stem: read_symbols(out / core / f"{path.stem}.o") for path in sources[core]} for core in CORES}


@pytest.mark.parametrize("core", CORES)
def test_no_cycle_of_calls(units: dict[str, dict[str, Unit]], core: str) -> None:
    assert cycle(calls(units[core])) == ""


@pytest.mark.parametrize("core", CORES)
def test_map_of_layers_is_true(units: dict[str, dict[str, Unit]], core: str) -> None:
    order = layers(core)
    assert sorted(order) == sorted(units[core])
    wrong = {
        name: sorted(other for other in needed if order.index(other) > order.index(name))
        for name, needed in calls(units[core]).items()
    }
    assert {name: below for name, below in wrong.items() if below} == {}


@pytest.mark.parametrize("core", CORES)
def test_cores_need_only_what_they_share(units: dict[str, dict[str, Unit]], core: str) -> None:
    others = [other for other in CORES if other not in (core, "policy_ext")]
    theirs = frozenset().union(*(unit.defines for other in others for unit in units[other].values()))
    used = {name: sorted(unit.needs & theirs) for name, unit in units[core].items()}
    assert {name: symbols for name, symbols in used.items() if symbols} == {}


@pytest.mark.parametrize("header", UNKNOWN)
def test_low_layers_do_not_see_higher_ones(header: str) -> None:
    for unit in UNKNOWN[header]:
        assert header not in included("cache_ext", f"{unit}.c"), unit


def test_cycle_is_named() -> None:
    made = {
        "a": Unit(frozenset({"f"}), frozenset({"g", "printk"})),
        "b": Unit(frozenset({"g"}), frozenset({"h"})),
        "c": Unit(frozenset({"h"}), frozenset({"g"})),
    }
    assert calls(made) == {"a": {"b"}, "b": {"c"}, "c": {"b"}}
    assert cycle(calls(made)) in ("b -> c -> b", "c -> b -> c")
    assert cycle({"a": {"b"}, "b": set()}) == ""
