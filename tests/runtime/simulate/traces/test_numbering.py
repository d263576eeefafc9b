"""The numbers of objects."""

from __future__ import annotations

import random
from array import array

import pytest

from cpol.runtime.simulate.traces import Numbers


def expected(ids: array[int]) -> list[int]:
    known: dict[int, int] = {}
    return [known.setdefault(id_, len(known)) for id_ in ids]


@pytest.mark.parametrize("requests", [0, 5000, 10**6])
@pytest.mark.parametrize("most", [1, 30, 2000, 2**64 - 1])
def test_objects_have_numbers_by_their_first_requests(most: int, requests: int) -> None:
    rng = random.Random(most)
    ids = array("Q", [rng.randint(0, most) for _ in range(5000)])
    numbers, found = Numbers(requests), array("I")
    for at in range(0, len(ids), 700):
        some = numbers.of(ids[at : at + 700])
        found.extend(some.numbers)
        assert some.objects == len(set(ids[: at + 700]))
    assert list(found) == expected(ids)
    assert list(numbers.of(ids).numbers) == expected(ids)


def test_a_table_that_grows_keeps_its_numbers() -> None:
    ids = array("Q", range(0, 7 * 10**5, 7))
    numbers = Numbers()
    assert list(numbers.of(ids).numbers) == list(range(10**5))
    assert list(numbers.of(ids[::-1]).numbers) == list(range(10**5))[::-1]


def test_ids_that_share_a_bucket() -> None:
    def unmix(x: int) -> int:
        for factor in (0x9CB4B2F8129337DB, 0x4F74430C22A54005):
            x = (x ^ x >> 33) * factor % 2**64
        return x ^ x >> 33

    ids = array("Q", [unmix(number << 40) for number in range(300)])  # the lower bits of all hashes are 0
    numbers = Numbers()
    for _ in range(2):
        assert numbers.of(ids) == (array("I", range(300)), 300)


def test_no_ids() -> None:
    assert Numbers().of(array("Q")) == (array("I"), 0)
