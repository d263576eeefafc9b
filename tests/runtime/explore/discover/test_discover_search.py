"""The search: what it keeps, what it throws away, what it judges by."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cpol.compiler.compiled import compiled_text
from cpol.kernel import profiles
from cpol.runtime.explore.discover.evaluate import Candidate, Evaluator, cases_of
from cpol.runtime.explore.discover.evolve import Evolution, another, starts
from cpol.runtime.explore.discover.genome import Genome, bare, tidy
from cpol.runtime.explore.discover.judge import SCALE, judge
from cpol.runtime.explore.discover.population import SIZE, Population, front
from cpol.runtime.explore.discover.prune import pruned, settled
from cpol.runtime.explore.discover.search import Given, halves, held, library
from cpol.runtime.simulate.advise.blocks import BLOCKS
from cpol.runtime.simulate.runs.curve import Sampling
from cpol.runtime.simulate.traces import Trace, read

LRU = """policy a {
  param spare: u8 = 3 in 0..9
  param kept: u8 = 3 in 0..9
  list q, never
  folio { reads: u8 = 0 }
  state turn: u64 = 0
  on added(f) { place f at tail of q }
  on accessed(f) { f.reads += kept move f to tail of q }
  on evict {
    turn += 1
    if never.size > spare { scan never from head as f { evict f } }
    scan q from head as f { evict f }
  }
}
"""


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    """Popular pages, and pages that come once."""
    source = random.Random(1)
    path = tmp_path / "keys.txt"
    popular = [min(int(source.paretovariate(0.7)), 900) for _ in range(3000)]
    path.write_text("".join(f"{page}\n{10_000 + n}\n" for n, page in enumerate(popular)))
    return read(path)


def evaluator(trace: Trace) -> Evaluator:
    return Evaluator(cases_of([("keys", trace, [50, 200], 1)], None, 1), "a", 1)


def genome(text: str) -> Genome:
    return Genome(text, (), frozenset(("lru",)), ())


def run(text: str, by: Evaluator) -> Candidate | None:
    made = by.compile(genome(text))
    assert made
    return by.run(genome(text), made)


def test_lru_has_a_score_of_one(trace: Trace) -> None:
    found = run(LRU, evaluator(trace))
    assert found and found.score == 1.0 and found.lines == 14


def test_what_leaves_the_choice_to_the_kernel_is_thrown_away(trace: Trace) -> None:
    assert (
        run(LRU.replace("scan q from", "scan q from head up to 0 as g { evict g } scan never from"), evaluator(trace))
        is None
    )


def test_what_scans_too_long_is_thrown_away(trace: Trace) -> None:
    by = Evaluator(cases_of([("keys", trace, [2000], 1)], None, 1), "a", 1)
    slow = LRU.replace(
        "scan q from head as f { evict f }", "scan q from head as f { turn += 1 } scan q from head as f { evict f }"
    )
    assert run(LRU, by) and run(slow, by) is None


def test_a_sample_of_a_trace_is_one_of_its_smaller_cache(trace: Trace) -> None:
    whole, part = (cases_of([("keys", trace, [2000], 1)], each, 1)[0] for each in (None, Sampling(0.1, 1)))
    assert (part.pages, whole.pages) == (600, 2000) and part.size < whole.size == 6000
    assert 0.8 < (part.lru / whole.lru) / (600 / 2000) < 1.2


def candidate(score: float, lines: int, cost: float | None, misses: int) -> Candidate:
    return Candidate(genome(f"{misses}"), None, (misses,), score, lines, cost)  # type: ignore[arg-type]  # nobody compiles it


def test_the_front_has_what_is_best_in_some_way() -> None:
    short, cheap, best = candidate(0.9, 10, 50.0, 1), candidate(0.8, 30, 10.0, 2), candidate(0.7, 40, 90.0, 3)
    worse = candidate(0.9, 40, 95.0, 4)
    assert front([worse, short, cheap, best]) == [short, cheap, best]
    assert candidate(0.6, 40, None, 5) in front([best, candidate(0.6, 40, None, 5)])


def test_a_population_keeps_one_of_those_that_miss_alike() -> None:
    long, short = candidate(0.9, 50, 1.0, 7), candidate(0.9, 20, 1.0, 7)
    assert Population([long, short]).members == [short]
    many = Population(candidate(0.5 + n / 100, 20, 1.0, n) for n in range(100))
    assert len(many.members) == SIZE and many.members[0].score == 0.5
    many.priced([(many.members[0], None)])
    assert many.members[0].score == 0.51


def test_other_values_of_a_param_stay_in_its_range() -> None:
    param = compiled_text(LRU, "a.cpol").policy.params[0]
    found = {another(param, 3, random.Random(seed)) for seed in range(200)}
    assert found == set(range(10))


@pytest.mark.slow
def test_what_makes_no_difference_goes(trace: Trace) -> None:
    by = evaluator(trace)
    made = by.compile(genome(LRU))
    assert made
    found = by.run(genome(LRU)._replace(params=(("spare", 5),)), made)
    assert found
    plain = settled(found, by, frozenset(("kept",)))
    assert "param spare" not in plain.genome.text and "never.size > 5" in tidy(plain.genome.text, "a")
    assert "param kept" in plain.genome.text
    shorter = pruned(plain, by, 2, lambda _: None)
    last = shorter[-1]
    assert last.misses == found.misses and [each.lines for each in shorter] == sorted(
        (each.lines for each in shorter), reverse=True
    )
    for word in ("never", "turn", "reads", "kept", "spare"):
        assert word not in last.genome.text
    assert "move f to tail of q" in last.genome.text and last.lines < 9


@pytest.mark.slow
def test_processors_change_nothing(trace: Trace) -> None:
    names = ("lru", "s3fifo", "sieve")
    texts = [(name, bare(made.source.text, "a")) for name, made in library().items() if name in names]
    ends = []
    for jobs in (1, 3):
        evolution = Evolution(evaluator(trace), profiles.load(profiles.DEFAULT), 7, jobs)
        evolution.begin(starts(texts), lambda _: None)
        assert len(evolution.population.members) == 3
        began = evolution.population.members[0].score
        for _ in range(2):
            evolution.generation(lambda _: None, 6)
        ends.append([(each.genome, each.misses, each.cost) for each in evolution.population.members])
        assert evolution.population.members[0].score <= began and evolution.candidates > 9
    assert ends[0] == ends[1]


def test_halves_train_and_judge(trace: Trace) -> None:
    first, second = halves([Given(Path("keys.txt"), trace, [50, 200], 1)])
    assert first[0].trace.requests == trace.requests // 2 and [each.pages for each in second] == [50, 200]
    fifo = compiled_text(
        "policy a { list q on added(f) { place f at tail of q } on evict { scan q from head as f { evict f } } }",
        "a.cpol",
    )
    blocks = second[0].misses(fifo, {}, 1)
    whole = held([Given(Path("keys.txt"), trace, [50], 1)])[0].misses(fifo, {}, 1)
    assert len(whole) == BLOCKS and blocks == whole[BLOCKS // 2 :]


@pytest.mark.slow
def test_the_judge_names_the_best_of_the_library(trace: Trace) -> None:
    ours = {name: made for name, made in library().items() if name in ("lru", "fifo", "s3fifo")}
    cases = held([Given(Path("keys.txt"), trace, [50, 200], 1)])
    judged = judge(ours["s3fifo"], "a", ours, cases, 1, 2, lambda _: None)
    assert judged.best == "s3fifo" and judged.ratio == (1.0, 1.0, 1.0) and not judged.beats_all
    assert [row.best for row in judged.rows] == ["s3fifo", "s3fifo"] and judged.ours == judged.theirs < 1
    worse = {name: made for name, made in ours.items() if name != "s3fifo"}
    better = judge(ours["s3fifo"], "a", worse, cases, 1, 2, lambda _: None)
    assert better.beats_all and better.ratio.high < 1 and SCALE * better.ours < SCALE * better.theirs
    assert [row.ours for row in better.rows] == [row.ours for row in judged.rows]
