"""Control variates: what is known of a sample and of the whole is taken from what was found."""

from __future__ import annotations

import random

import pytest

from cpol.runtime.simulate.runs.controls import Control, Controls

SEED = 5


def test_a_regression_takes_what_is_known_from_the_whole() -> None:
    """A sum of two controls is known exactly, and of noise beside them the interval tells."""
    rng = random.Random(SEED)
    first, second = ([rng.randrange(1000) for _ in range(64)] for _ in range(2))
    known = [Control(first, 10.1 * sum(first)), Control(second, 9.9 * sum(second))]
    both = [2 * one + 3 * other for one, other in zip(first, second, strict=True)]
    truth, controls = 2 * known[0].whole + 3 * known[1].whole, Controls(known, 0.1)
    assert controls.regression(both) == pytest.approx((truth, 0), abs=1e-6)
    held = 0
    for _ in range(200):
        noise = [rng.gauss(0, 5) for _ in both]
        total, error = controls.regression([one + other for one, other in zip(both, noise, strict=True)])
        held += abs(total - truth) <= error
    assert 180 <= held < 200, f"{held} of 200 intervals hold"


def test_controls_that_say_the_same_count_once() -> None:
    same = [float(each) for each in range(64)]
    known = [Control(same, 5000.0), Control(same, 5000.0), Control([7.0] * 64, 4480.0)]
    assert Controls(known, 0.1).regression(same) == pytest.approx((5000, 0), abs=1e-6)


def test_without_controls_a_sum_grows_by_the_share() -> None:
    total, error = Controls([], 0.25).regression([3.0, 5.0] * 32)
    assert total == pytest.approx(4 * 256)
    assert error == pytest.approx(2 * 8 * 0.75**0.5 * 4, rel=0.02)
