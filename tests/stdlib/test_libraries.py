"""The libraries in stdlib/lib compute what they say."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from cpol.compiler import compile_source
from cpol.compiler.expand.library import LIBRARIES
from cpol.compiler.stages import parse_text
from cpol.runtime.explore.check.policy_test import run_test

POLICY = """policy p {{
  list queue
  {}
  on evict {{ scan queue from head as f {{ evict f }} }}
}}
"""
PLACE = "on added(f) { place f at tail of queue }"


def passes(items: str) -> None:
    policy = compile_source(POLICY.format(items if "on added" in items else f"{items}\n{PLACE}"), "p.cpol")
    assert policy.tests
    assert [failure for test in policy.tests if (failure := run_test(policy, test)) is not None] == []


@pytest.mark.parametrize("path", sorted(LIBRARIES.glob("*.cpol")), ids=lambda path: str(path.stem))
def test_each_names_its_paper(path: Path) -> None:
    library = parse_text(path.read_text(encoding="utf-8"), str(path)).ast
    assert library.name.text == path.stem
    assert "\nSource: " in library.doc


def test_a_sketch_counts_and_ages() -> None:
    passes("""import count, estimate, age from sketch
      folio { seen: u8 = 0 }
      on added(f) { do count(f)  f.seen = estimate(f)  place f at tail of queue }
      on accessed(f) { do count(f)  f.seen = estimate(f) }
      every 20 events { do age(256) }
      test counts(capacity: 8) {
        access 1, 1, 1, 1, 2, 2
        expect cache.seen(1) == 4 and cache.seen(2) == 2
      }
      test a_counter_ends_at_15(capacity: 8) {
        repeat 17 { access 1 }
        expect cache.seen(1) == 15
      }
      test ages(capacity: 8) {   // 32 columns: 256 steps halve each counter 8 times
        repeat 20 { access 1 }
        access 1, 1
        expect cache.seen(1) == 2
      }""")


def test_a_sketch_ages_column_by_column() -> None:
    passes("""import count, estimate, age from sketch
      folio { seen: u8 = 0 }
      on added(f) { do count(f)  place f at tail of queue }
      on accessed(f) { do count(f)  f.seen = estimate(f) }
      every 10 events { do age(32) }
      test halves_once(capacity: 8) {
        repeat 10 { access 1 }
        expect cache.seen(1) == 10
        access 1
        expect cache.seen(1) == 6
      }""")


def test_moving_averages() -> None:
    passes("""import ewma, ewma_after from ewma
      state mean: fix = 0.0
      state slow: fix = 0.0
      on accessed(f) { mean = ewma(mean, 8, 0.5)  slow = ewma_after(slow, 8, f.index, 4) }
      test by_count(capacity: 8) {
        access 1, 1
        expect mean == 4.0
        access 1, 1
        expect mean == 7.0
      }
      test by_time(capacity: 8) {
        access 4, 4
        expect slow == 4.0
        access 0, 0
        expect slow == 4.0
        access 8, 8
        expect slow == 7.0
      }""")


def test_a_target_between_two_ghosts() -> None:
    passes("""import raised, lowered from balance
      state more: fix = 0.0
      state less: fix = 0.0
      on accessed(f) {
        more = raised(f.index, 3, 8)
        less = lowered(f.index, 3, 2)
      }
      test steps(capacity: 6) {
        access 3, 3
        expect more == 5.0 and less == 2.0
        access 5, 5
        expect more == 6.0 and less == 4.0
        access 0, 0
        expect more == 2.0 and less == 0.0
      }""")


def test_climbing() -> None:
    passes("""import climb, height from climb
      on init { height = 5.0 }
      on accessed(f) { do climb(f.index, 2.0, 1.0, 8.0) }
      test turns_when_hits_fall(capacity: 8) {
        access 1, 1
        expect height == 7.0
        access 3, 3
        expect height == 8.0
        access 2, 2
        expect height == 6.0
        access 2
        expect height == 4.0
        access 1
        expect height == 6.0
      }""")


def test_the_lowest_bucket_is_found() -> None:
    """Against a search of all, with numbers at the ends of words, of words of words, and of all."""
    edges = [0, 1, 31, 32, 33, 1023, 1024, 1025, 2047, 9000, 16350, 16351, 16352, 16382, 16383]
    rng = random.Random(3)
    steps, held = [], set[int]()
    for _ in range(120):
        number = rng.choice(edges) if rng.random() < 0.6 else rng.randrange(16384)
        start = rng.choice([*edges, 16384, number])
        held ^= {number}
        expected = min((each for each in held if each >= start), default=16384)
        steps.append(f"access {number}  access 0:{20_000 + start}  expect found == {expected}")
    passes(f"""import filled, emptied, first_filled from buckets
      state found: u64 = 0
      ghost held {{ capacity: 20000 }}
      on added(f) {{
        place f at head of queue
        if f.index >= 20000 {{ found = first_filled(f.index - 20000) }}
        else if held.take(f) {{ do emptied(f.index) }}
        else {{ held.add(f)  do filled(f.index) }}
      }}
      test as_a_search(capacity: 1) {{ {"  ".join(steps)} }}""")


def test_libraries_share_no_names() -> None:
    items = [
        item
        for path in LIBRARIES.glob("*.cpol")
        for item in parse_text(path.read_text(encoding="utf-8"), str(path)).ast.items
    ]
    names = Counter(item.name.text for item in items if hasattr(item, "name"))
    assert set(names.values()) == {1}
