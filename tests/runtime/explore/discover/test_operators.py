"""Mutations and crossover: what they make prints, and what compiles of it decides alike in both executors."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

from cpol.compiler.compiled import Compiled, compiled_text
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.format import format_text
from cpol.compiler.policies import STDLIB
from cpol.runtime.explore.check import check
from cpol.runtime.explore.discover.crossover import graft
from cpol.runtime.explore.discover.evaluate import fingerprint
from cpol.runtime.explore.discover.genome import Change, apply, bare, lines_of, tidy
from cpol.runtime.explore.discover.operators import OPERATORS, Operator
from cpol.runtime.explore.discover.tree import Tree, tree_of

PARENTS = ("s3fifo", "lirs", "sieve", "wtinylfu", "lhd", "twoq")


@cache
def parent(name: str) -> str:
    return bare((STDLIB / f"{name}.cpol").read_text(encoding="utf-8"), "found")


def children(operator: Operator, count: int) -> Iterator[str]:
    """Texts of children, whether they compile or not."""
    source = random.Random(operator.__name__)
    for _ in range(count):
        tree = tree_of(parent(source.choice(PARENTS)))
        changes = operator(tree, source)
        if changes:
            yield apply(tree.text, changes)


def policies(texts: Iterator[str]) -> Iterator[tuple[str, Compiled]]:
    """Those that compile."""
    for text in texts:
        try:
            yield text, compiled_text(text, "found.cpol")
        except CompileError:
            continue


@pytest.mark.slow
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.__name__)
def test_what_a_mutation_makes_prints_and_most_of_it_compiles(operator: Operator) -> None:
    texts = [*children(operator, 12)]
    made = [*policies(iter(texts))]
    assert texts and len(made) * 6 >= len(texts), [operator.__name__, len(made), len(texts)]
    for text, compiled in made[:4]:
        assert fingerprint(compiled_text(tidy(text, "found"), "found.cpol")) == fingerprint(compiled)
        assert format_text(tidy(text, "found"), "found.cpol") == tidy(text, "found")
    assert any(text not in map(parent, PARENTS) for text, _ in made)


@pytest.mark.long
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.__name__)
def test_what_compiles_decides_alike_in_both_executors(operator: Operator) -> None:
    tried = 0
    for _, compiled in policies(children(operator, 4)):
        found = check(compiled.policy, 20, seed=1, requests=2000).counterexample
        assert found is None or found.property not in ("native", "determinism", "accounts", "total"), (
            found and found.message
        )
        tried += 1
    assert tried


@pytest.mark.slow
def test_crossover_prints_and_half_of_it_compiles() -> None:
    source = random.Random(1)
    pairs = [source.sample(PARENTS, 2) for _ in range(30)]
    tried = [graft(tree_of(parent(ours)), tree_of(parent(theirs)), source) for ours, theirs in pairs]
    texts = [text for text in tried if text]
    made = [*policies(iter(texts))]
    assert len(made) * 2 >= len(texts) > 20
    assert len({fingerprint(compiled) for _, compiled in made}) * 2 > len(made)
    for text, _ in made:
        tidy(text, "found")


def test_crossover_takes_what_handlers_need() -> None:
    """S3-FIFO's `accessed` in FIFO brings its field; a field of the same name and another type gets another name."""
    fifo = """policy a {
      list q  folio { freq: u8 = 0 }
      on added(f) { place f at tail of q }  on evict { scan q from head as f { evict f } }
    }"""
    for seed in range(40):
        text = graft(Tree(fifo), Tree(parent("s3fifo")), random.Random(seed))
        if text and "on accessed(f) { f.freq_2 += 1 }" in text and "on removed" not in text:
            assert "freq_2: u2 = 0" in text and "freq: u8 = 0" in text
            compiled_text(text, "a.cpol")
            return
    pytest.fail("no child took `accessed` alone")


def test_a_bare_policy_does_the_same_without_comments_and_tests() -> None:
    text = parent("s3fifo")
    assert "//" not in text and "test" not in text and "invariant" not in text
    assert lines_of(text) == 34
    ours = compiled_text(text, "found.cpol").policy
    theirs = compiled_text((STDLIB / "s3fifo.cpol").read_text(encoding="utf-8"), "s3fifo.cpol").policy
    assert ours.handlers.keys() == theirs.handlers.keys() and ours.lists == theirs.lists


def test_changes_at_one_place_keep_their_order() -> None:
    assert apply("ab", [Change(1, 1, "1"), Change(1, 1, "2"), Change(1, 2, "B")]).split() == ["a", "1", "2", "B"]
