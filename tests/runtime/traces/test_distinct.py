"""The number of different ids."""

from __future__ import annotations

import random
from array import array

import pytest

from cpol.runtime.traces import Distinct


@pytest.mark.parametrize("most", [1, 30, 2000, 2**64 - 1])
def test_different_ids_are_counted_over_parts(most: int) -> None:
    rng = random.Random(most)
    ids = array("Q", [rng.randint(0, most) for _ in range(5000)])
    seen = Distinct()
    for at in range(0, len(ids), 700):
        part = ids[at : at + 700]
        seen.add(part, len(part))
        assert seen.count == len(set(ids[: at + 700]))
    seen.add(ids, len(ids))
    assert seen.count == len(set(ids))


def test_only_the_first_ids_count() -> None:
    seen = Distinct()
    seen.add(array("Q", [0, 1, 0, 2, 3]), 3)
    assert seen.count == 2
    seen.add(array("Q", []), 5)
    assert seen.count == 2
