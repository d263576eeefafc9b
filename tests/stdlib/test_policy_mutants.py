"""Mutants of stdlib policies: what counts as one, and that the policies' tests and the search find them."""

from __future__ import annotations

from functools import cache

import pytest
from judge_mutants import MOST_EVENTS, TEXTS, failing, judge
from policy_mutants import KINDS, STDLIB, Mutant, compiled, differs, mutants, pick

PATHS = {path.stem: path for path in STDLIB}
mutants_of = cache(lambda policy: mutants(PATHS[policy]))


def only(policy: str, kind: str, line_has: str, old: str, new: str) -> Mutant:
    """The one mutant of a policy that replaces `old` on a line with some words."""
    lines = TEXTS[policy].splitlines()
    (found,) = (
        mutant
        for mutant in mutants_of(policy)
        if (mutant.kind, mutant.old, mutant.new) == (kind, old, new) and line_has in lines[mutant.line - 1]
    )
    return found


FOUND = [
    only("fifo", "end", "scan queue", "head", "tail"),
    only("twoq", "list", "gone.take(f)", "hot", "fresh"),
    only("s3fifo", "count", "f.freq > 0", "f.freq -= 1", ""),
    only("slru", "compare", "else if second.size <", "<", "<="),
    only("clock", "drop", "when f.referenced", "f.referenced = false", ""),
    only("twoq", "drop", "scan fresh from head as f", "scan fresh from head as f { evict f }", ""),
]
"""One of each kind that a test finds, and one that only the search finds."""


@pytest.mark.slow
@pytest.mark.parametrize("mutant", FOUND, ids=str)
def test_mutant_is_found(mutant: Mutant) -> None:
    assert differs(mutant, TEXTS[mutant.policy])
    verdict = judge(mutant, both=False)
    assert verdict.good, f"not in {MOST_EVENTS} events: {verdict}"


@pytest.mark.slow
def test_every_kind_has_mutants() -> None:
    assert {mutant.kind for policy in PATHS for mutant in mutants_of(policy)} == set(KINDS)


@pytest.mark.slow
def test_an_equivalent_mutant_does_not_count() -> None:
    text = """policy p {
  list queue
  state n: u64 = 0
  on added(f) { n += 1  place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
}
"""
    start = text.index("n += 1")
    mutant = Mutant("p", "count", 4, start, start + len("n += 1"), "n += 1", "")
    assert compiled(mutant.apply(text), "p") is not None
    assert not differs(mutant, text)


def test_what_the_compiler_refuses_does_not_count() -> None:
    mutant = only("fifo", "drop", "on added", "place f at tail of queue", "")
    assert not differs(mutant, TEXTS["fifo"])


def test_a_policy_itself_is_not_found() -> None:
    policy = compiled(TEXTS["clock"], "clock")
    assert policy is not None
    assert [failing(policy, test) for test in policy.tests] == [None, None]


@pytest.mark.slow
def test_the_same_seed_picks_the_same() -> None:
    paths = [path for path in STDLIB if path.stem in ("fifo", "clock", "lfu")]
    assert list(pick(4, 5, paths)) == list(pick(4, 5, paths))
