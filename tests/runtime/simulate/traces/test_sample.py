"""Samples of the objects of a trace."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from cpol.runtime.simulate.traces import Trace, memory, sample
from cpol.runtime.simulate.traces.synth import make, parse

SEED = 5
GROUPS = 8


@pytest.fixture(scope="module")
def trace() -> Trace:
    return make(parse(["zipf:objects=4000,skew=0.8,requests=60000"]), SEED)


def ids(trace: Trace, share: float, seed: int) -> list[int]:
    found = sample(trace, share, seed, GROUPS).requests.ids
    assert found
    return found.tolist()


def test_a_sample_has_all_requests_of_its_objects(trace: Trace) -> None:
    found = sample(trace, 0.25, SEED, GROUPS)
    assert found.requests.ids and found.requests.numbered
    taken = set(found.requests.ids)
    assert found.share == len(taken) / trace.distinct == pytest.approx(0.25, abs=0.03)
    assert [each for each in trace.ids if each in taken] == found.requests.ids.tolist()
    numbers, objects = found.requests.numbered
    assert objects == len(taken)
    assert len({*zip(numbers, found.requests.ids, strict=True)}) == objects == max(numbers) + 1


def test_seeds_take_other_objects_and_smaller_samples_are_parts(trace: Trace) -> None:
    large, small, other, again = (ids(trace, *each) for each in ((0.3, 1), (0.1, 1), (0.1, 2), (0.1, 2)))
    assert {*small} < {*large}
    assert not {*other} <= {*large}
    assert again == other


def test_groups_have_about_as_many_objects(trace: Trace) -> None:
    found = sample(trace, 0.5, SEED, GROUPS)
    sizes = [found.groups.count(group) for group in range(GROUPS)]
    assert sum(sizes) == len(found.groups) == round(found.share * trace.distinct)
    assert min(sizes) > 0.7 * max(sizes)


def test_columns_are_those_of_the_chosen_requests(trace: Trace) -> None:
    doubled = array("Q", (2 * each for each in trace.ids))
    brings = bytes(each % 3 for each in trace.ids)
    found = sample(replace(trace, tasks=doubled, ahead=brings), 0.25, SEED, GROUPS).requests
    assert found.ids
    assert found.tasks == array("Q", (2 * each for each in found.ids))
    assert found.ahead == bytes(each % 3 for each in found.ids)


def test_a_share_of_nothing_has_an_object(trace: Trace) -> None:
    assert len(ids(trace, 1e-9, SEED)) >= 1


def test_ids_are_left_out_if_nobody_reads_them(trace: Trace) -> None:
    with_ids, without = (sample(trace, 0.1, SEED, GROUPS, ids=each).requests for each in (True, False))
    assert without.ids is None
    assert without.numbered == with_ids.numbered


def test_columns_in_huge_pages_are_the_same(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    given = replace(trace, ahead=bytes(each % 3 for each in trace.ids))
    small = sample(given, 0.25, SEED, GROUPS)
    monkeypatch.setattr(memory, "HUGE", 1)
    huge = sample(given, 0.25, SEED, GROUPS)
    assert isinstance(huge.requests.ids, memoryview) and not isinstance(small.requests.ids, memoryview)
    assert huge == small
