"""Drifts of miss ratios over the shares of samples: found, taken away, told; and not invented."""

from __future__ import annotations

import random

import pytest

from cpol.runtime.simulate.runs.drift import LEAST, UNSURE, WIDER, Drift, Seen, less

SEED = 5
SMALL, LARGE, HALF = 0.02, 0.08, 0.0005


def pairs(slope: float, noise: float, rng: random.Random) -> dict[int, tuple[Seen, Seen]]:
    """Samples of twelve capacities, whose policies miss 0.3 of the requests of the whole trace."""

    def seen(share: float, error: float) -> Seen:
        return Seen(share, 0.3 + slope * less(share) + rng.gauss(0, error / 2), error)

    return {place: (seen(SMALL, 2 * noise), seen(LARGE, noise)) for place in range(12)}


def test_a_drift_is_taken_away_and_told() -> None:
    found = pairs(0.004, HALF, random.Random(SEED))
    drift = Drift(found)
    for place, (ratio, half) in drift.corrected({place: large for place, (_, large) in found.items()}).items():
        assert abs(found[place][1].ratio - 0.3) > 5 * HALF
        assert abs(ratio - 0.3) < 3 * HALF
        assert UNSURE * 0.9 * 0.004 * less(LARGE) < half < 0.006


def test_what_is_chance_is_no_drift() -> None:
    off = []
    for seed in range(50):
        found = pairs(0.0, HALF, random.Random(seed))
        corrected = Drift(found).corrected({place: large for place, (_, large) in found.items()})
        off += [abs(ratio - 0.3) <= half for ratio, half in corrected.values()]
    assert sum(off) >= 0.95 * len(off)


def test_a_policy_without_drift_needs_no_more() -> None:
    drift = Drift(pairs(0.0, 1e-9, random.Random(SEED)))
    assert all(drift.needed(place, Seen(SMALL, 0.3, HALF)) < SMALL for place in range(12))


@pytest.mark.parametrize(("slope", "least", "most"), [(0.004, 0.1, 0.11), (0.01, 0.34, 0.36), (-0.01, 0.34, 0.36)])
def test_more_drift_needs_a_larger_share(slope: float, least: float, most: float) -> None:
    drift = Drift(pairs(slope, 1e-6, random.Random(SEED)))
    assert all(least < drift.needed(place, Seen(SMALL, 0.3, 0.0)) < most for place in range(12))


def test_wide_intervals_need_a_larger_share() -> None:
    drift = Drift({})
    assert drift.needed(0, Seen(SMALL, 0.3, 0.001)) == 0
    assert 0.05 < drift.needed(0, Seen(SMALL, 0.3, 0.005)) < 4 * SMALL


def test_samples_that_differ_more_than_their_groups_tell_have_wider_intervals() -> None:
    rng = random.Random(SEED)
    found = pairs(0.0, 10 * HALF, rng)
    told = {
        place: (small._replace(half=2 * HALF), large._replace(half=HALF)) for place, (small, large) in found.items()
    }
    assert 5 < Drift(told).excess < 20
    (_, half), *_ = Drift(told).corrected({place: large for place, (_, large) in told.items()}).values()
    assert half > 5 * WIDER * HALF


def test_no_point_is_much_surer_than_the_curve() -> None:
    seen = {0: Seen(SMALL, 0.3, 0.01), 1: Seen(SMALL, 0.3, 0.0)}
    (_, (_, half)) = Drift({}).corrected(seen).values()
    assert half == pytest.approx(LEAST * WIDER * 0.005)


def test_capacities_beyond_those_that_tell_take_the_nearest() -> None:
    found = pairs(0.004, 1e-6, random.Random(SEED))
    value, _ = Drift({0: found[0]}).at(19)
    assert value == pytest.approx(0.004, rel=0.01)
