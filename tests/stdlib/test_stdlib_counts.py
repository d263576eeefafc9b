"""Exact miss counts of the standard library, compared with libCacheSim on real traces and with models."""

from __future__ import annotations

import random
from functools import cache

import pytest
from known_counts import HERE, KNOWN, ROOT, TRACES, Known
from stdlib_models import MODELS

from cpol.compiler import compile_file, ir
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Trace, read

PEER = "_peer"
OPTIMUM = "belady"


@cache
def stdlib(name: str) -> ir.Policy:
    return compile_file(ROOT / "stdlib" / f"{name}.cpol")


@cache
def trace(name: str) -> Trace:
    return read(TRACES / name)


if HERE:

    @pytest.mark.parametrize(
        "known", [k for k in HERE if not k.policy.endswith((PEER, OPTIMUM))], ids=lambda k: "-".join(map(str, k[:3]))
    )
    def test_known_miss_counts(known: Known) -> None:
        counts = Simulator(stdlib(known.policy), known.capacity).run(trace(known.trace).ids)
        assert (counts.misses, counts.fallback) == (known.misses, 0)

    @pytest.mark.parametrize("known", [k for k in HERE if k.policy == OPTIMUM], ids=lambda k: "-".join(map(str, k[:2])))
    def test_known_belady_counts(known: Known) -> None:
        assert trace(known.trace).belady_misses(known.capacity) == known.misses


NEAR = {"slru": 0.0005, "arc": 0.0001, "lirs": 0.0005, "wtinylfu": 0.025}
"""Largest difference from libCacheSim, as a share of its misses; W-TinyLFU: only if the peer has a window."""


def test_differences_from_libcachesim_are_small() -> None:
    ours = {known[:3]: known.misses for known in KNOWN}
    peers = [known for known in KNOWN if known.policy.endswith(PEER)]
    for peer in peers:
        name = peer.policy.removesuffix(PEER)
        own = ours[peer.trace, peer.capacity, name]
        if name == "wtinylfu" and peer.capacity < 100:
            assert own < peer.misses  # the peer's window is empty, so it caches almost nothing
        else:
            assert abs(own - peer.misses) <= NEAR[name] * peer.misses, peer
    assert len(peers) == 10 * len(NEAR)


def synthetic(seed: int, length: int) -> list[int]:
    """Return skewed requests with loops over a few hundred objects and scans of new objects in between."""
    rng = random.Random(seed)
    keys: list[int] = []
    fresh = 1_000_000
    while len(keys) < length:
        keys += [int(rng.paretovariate(0.8)) % 5000 for _ in range(rng.randint(1, 400))]
        start, width = rng.randrange(10_000, 11_000), rng.randint(1, 300)
        keys += list(range(start, start + width)) * rng.randint(0, 2)
        scan = rng.randint(0, 200)
        keys += range(fresh, fresh + scan)
        fresh += scan
    return keys[:length]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "lirs" else name for name in MODELS]
)
def test_misses_match_the_model(name: str) -> None:
    keys = synthetic(1, 8000)
    for capacity in (1, 2, 3, 4, 7, 10, 33, 100, 251, 1000):
        assert Simulator(stdlib(name), capacity).run(keys).misses == MODELS[name](keys, capacity), capacity


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_misses_match_the_model_on_random_traces(name: str) -> None:
    rng = random.Random(f"{name} 1")
    for _ in range(100):
        capacity = rng.randint(1, 40)
        keys = rng.choices(range(rng.randint(1, 80)), k=300)
        assert Simulator(stdlib(name), capacity).run(keys).misses == MODELS[name](keys, capacity), (capacity, keys)


def test_every_model_has_a_column() -> None:
    without_model = {"wtinylfu", "wtinylfu_adaptive", OPTIMUM, *(f"{name}{PEER}" for name in NEAR)}
    assert {known.policy for known in KNOWN} == {*MODELS, *without_model}


def test_page_of_counts_matches_the_table() -> None:
    page = (ROOT / "docs" / "measured" / "miss-counts.md").read_text(encoding="utf-8")
    first_table = page.split("## Where they differ")[0]
    lines = [line.split("|")[1:-1] for line in first_table.splitlines() if line.startswith("| ")]
    rows = {name.strip(): cells for name, *cells in lines}
    places = list(dict.fromkeys(known[:2] for known in KNOWN))
    for known in KNOWN:
        if known.policy.endswith(PEER):
            continue
        cell = rows[known.policy][places.index(known[:2])]
        peer = next((k.misses for k in KNOWN if k[:3] == (*known[:2], known.policy + PEER)), known.misses)
        assert cell.strip() == (str(known.misses) if peer == known.misses else f"{known.misses} ({peer})"), known
