"""How what a recording foretells is compared with what was (foretold.py): ranks, Kendall's tau, the best."""

from __future__ import annotations

import pytest
from foretold import NEAR, Row, best_is_near, kendall, ranks, table


def rows(**pairs: tuple[int, int]) -> list[Row]:
    return [Row(name, foretold, real) for name, (foretold, real) in pairs.items()]


def test_difference_is_a_share_of_what_was_real() -> None:
    assert Row("one", 90, 100).difference == pytest.approx(-0.1)
    assert Row("one", 105, 100).is_near and Row("one", 95, 100).is_near
    assert not Row("one", 106, 100).is_near and not Row("one", 94, 100).is_near


def test_equal_counts_have_the_same_rank() -> None:
    assert ranks([30, 10, 20, 10]) == [4, 1, 3, 1]


def test_tau_counts_pairs() -> None:
    assert kendall(rows(a=(1, 10), b=(2, 20), c=(3, 30))) == (1, 3, 0)
    assert kendall(rows(a=(1, 30), b=(2, 20), c=(3, 10))) == (-1, 0, 3)
    assert kendall(rows(a=(1, 10), b=(2, 30), c=(3, 20))) == (pytest.approx(1 / 3), 2, 1)
    assert kendall(rows(a=(1, 10), b=(1, 30), c=(3, 40))) == (pytest.approx(2 / 6**0.5), 2, 0)
    assert kendall(rows(a=(1, 10), b=(1, 10), c=(3, 40))) == (pytest.approx(1), 2, 0), "a tie is in no order"


def test_best_foretold_is_held_against_the_best() -> None:
    near = round(100 * (1 + NEAR))
    assert best_is_near(rows(a=(1, near), b=(2, 100)))
    assert not best_is_near(rows(a=(1, near + 1), b=(2, 100)))


def test_table() -> None:
    told = table([Row("mru", 1000, 1001), Row("lru", 2000, 1500, ("readahead", "fallback"))]).splitlines()
    assert told[2:4] == [
        "| mru | 1,000 | 1,001 | -0.1 % | 1 | 1 |",
        "| lru | 2,000? (readahead, fallback) | 1,500 | **+33.3 %** | 2 | 2 |",
    ]
    assert told[-2:] == [
        "Kendall's tau 1.00: 1 pairs foretold in the real order, 0 in the other, 0 tied.",
        "Foretold as the best: mru, with 1,001 real misses; the best: mru, with 1,001. Within 5 %.",
    ]
