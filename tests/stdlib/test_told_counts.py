"""Exact miss counts of policies that applications tell what they know, compared with models and, untold, with LRU."""

from __future__ import annotations

import random
from array import array
from functools import cache

import pytest
import told_models
from known_counts import HERE, ROOT, TRACES, Known

from cpol.compiler import compile_file, ir
from cpol.runtime.machine.settings.inputs import Key, Setting, Value, show
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Names, Requests, Trace, read

TOLD = ("keep_files", "graph", "query")
CAPACITIES = (1, 2, 3, 7, 10, 33, 100, 251)
PAGES = 600


@cache
def stdlib(name: str) -> ir.Policy:
    return compile_file(ROOT / "stdlib" / f"{name}.cpol")


@cache
def trace(name: str) -> Trace:
    return read(TRACES / name)


def setting(policy: str, name: str, key: Key, value: Value) -> Setting:
    (declaration,) = (given for given in stdlib(policy).inputs if given.name == name)
    return show(declaration, key, value)


def requests(seed: int) -> list[int]:
    """Skewed requests with loops in between."""
    rng, keys = random.Random(seed), list[int]()
    while len(keys) < 6000:
        keys += [int(rng.paretovariate(0.7)) % PAGES for _ in range(rng.randint(1, 300))]
        first, length = rng.randrange(PAGES - 300), rng.randint(1, 300)
        keys += list(range(first, first + length)) * rng.randint(0, 2)
    return keys


if HERE:

    @pytest.mark.parametrize("known", [k for k in HERE if k.policy == "lru"], ids=lambda k: "-".join(map(str, k[:2])))
    @pytest.mark.parametrize("name", TOLD)
    def test_untold_they_miss_what_lru_does(name: str, known: Known) -> None:
        counts = Simulator(stdlib(name), known.capacity).run(trace(known.trace).ids)
        assert (counts.misses, counts.fallback) == (known.misses, 0)


@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize("share", [1, 25, 100])
def test_keep_files(capacity: int, share: int) -> None:
    keys = requests(1)
    files = array("Q", (1 + page % 3 for page in range(PAGES)))
    simulator = Simulator(
        stdlib("keep_files"), capacity, {"share": share}, inputs=[setting("keep_files", "kept", (2,), 1)], named=True
    )
    found = simulator.run(Requests(array("Q", keys), names=Names(files, array("Q", range(PAGES))))).misses
    kept = {page for page in range(PAGES) if files[page] == 2}
    assert found == told_models.keep_files(keys, capacity, kept, share)


@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize(("hub", "pinned"), [(0, 50), (1, 50), (300, 25), (100, 100), (5, 0)])
def test_graph(capacity: int, hub: int, pinned: int) -> None:
    keys, rng = requests(2), random.Random(3)
    degrees = {page: rng.choice([0, rng.randrange(500), rng.randrange(500)]) for page in range(PAGES)}
    inputs = [setting("graph", "degree", (page,), (degree,)) for page, degree in degrees.items()]
    inputs.append(setting("graph", "hub", (0,), (hub,)))
    told = {"pinned": pinned, "all": 1}
    found = Simulator(stdlib("graph"), capacity, told, inputs=inputs).run(keys).misses
    assert found == told_models.graph(keys, capacity, degrees, hub, pinned)


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_graph_beside_other_files(capacity: int) -> None:
    """Their pages have the same indices as those with edges, and are told nothing."""
    keys, rng = requests(6), random.Random(7)
    files = array("Q", (1 + page % 3 for page in range(PAGES)))
    indices = array("Q", (page // 3 for page in range(PAGES)))
    degree = [rng.choice([0, rng.randrange(500)]) for _ in range(PAGES // 3)]
    inputs = [setting("graph", "degree", (index,), (edges,)) for index, edges in enumerate(degree)]
    inputs += [setting("graph", "hub", (0,), (300,)), setting("graph", "edges", (2,), 1)]
    simulator = Simulator(stdlib("graph"), capacity, inputs=inputs, named=True)
    found = simulator.run(Requests(array("Q", keys), names=Names(files, indices))).misses
    degrees = {page: degree[indices[page]] for page in range(PAGES) if files[page] == 2}
    assert found == told_models.graph(keys, capacity, degrees, 300)


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_query(capacity: int) -> None:
    keys, rng = requests(4), random.Random(5)
    soon = {page: rng.randrange(4) for page in range(PAGES)}
    later = {page: step and rng.choice([0, step + rng.randint(1, 3)]) for page, step in soon.items()}
    inputs = [setting("query", "next", (page,), (step,)) for page, step in soon.items()]
    inputs += [setting("query", "later", (page,), (step,)) for page, step in later.items()]
    found = Simulator(stdlib("query"), capacity, {"all": 1}, inputs=inputs).run(keys).misses
    assert found == told_models.query(keys, capacity, soon, later)


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_query_beside_other_files(capacity: int) -> None:
    """Their pages have the indices of none that the plan reads: a step counts for an index, whatever the file."""
    keys, rng = requests(8), random.Random(9)
    told = [page for page in range(PAGES) if page % 3]
    files = array("Q", (1 + (page % 3 > 0) for page in range(PAGES)))
    soon = {page: rng.randrange(4) for page in told}
    later = {page: step and rng.choice([0, step + rng.randint(1, 3)]) for page, step in soon.items()}
    inputs = [setting("query", "next", (page,), (step,)) for page, step in soon.items()]
    inputs += [setting("query", "later", (page,), (step,)) for page, step in later.items()]
    inputs.append(setting("query", "tables", (2,), 1))
    simulator = Simulator(stdlib("query"), capacity, inputs=inputs, named=True)
    found = simulator.run(Requests(array("Q", keys), names=Names(files, array("Q", range(PAGES))))).misses
    assert found == told_models.query(keys, capacity, soon, later)
