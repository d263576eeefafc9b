from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from cpol.runtime.simulate.sweep.assign import AHEAD, Assignment
from cpol.runtime.simulate.sweep.unit import Found, Reading, Unit


def units(*traces: str) -> list[Unit]:
    return [Unit(Found(name, 0, ""), name, Reading(), {}, (), 1, "0", "") for name in traces]


def given_to(assigned: Assignment, worker: str) -> list[int]:
    numbers = []
    while (number := assigned.give(worker)) is not None:
        numbers.append(number)
    return numbers


def test_units_of_a_trace_go_to_one_worker() -> None:
    every = units(*"aaaabbbb")
    assigned = Assignment(every)
    for worker in "xy":
        assigned.joined(worker, 1)
    done: dict[str, set[str]] = {"x": set(), "y": set()}
    has = {worker: given_to(assigned, worker) for worker in "xy"}
    while assigned.left:
        for worker in "xy":
            if has[worker]:
                number = has[worker].pop(0)
                done[worker].add(every[number].label)
                assigned.ended(worker, number)
                has[worker] += given_to(assigned, worker)
    assert done == {"x": {"a"}, "y": {"b"}}


def test_a_worker_without_a_trace_of_its_own_helps() -> None:
    assigned = Assignment(units(*"aaaa"))
    for worker in "xy":
        assigned.joined(worker, 1)
    assert given_to(assigned, "x") == [0, 1]
    assert given_to(assigned, "y") == [2]


def test_few_units_travel_at_a_time() -> None:
    assigned = Assignment(units(*"abcdefghijklmnopqrstuvwxyz"))
    assigned.joined("x", 3)
    assert len(given_to(assigned, "x")) == 3 * AHEAD
    assert assigned.give("x") is None
    assigned.ended("x", 0)
    assert len(given_to(assigned, "x")) == 1


def test_at_the_end_nothing_waits_behind_another_unit() -> None:
    assigned = Assignment(units(*"abc"))
    for worker in "xyz":
        assigned.joined(worker, 1)
    assert [given_to(assigned, worker) for worker in "xyz"] == [[0], [1], [2]]


def test_what_waited_behind_the_unit_that_killed_a_worker_is_not_to_blame() -> None:
    assigned = Assignment(units(*"abcd"))
    assigned.joined("x", 1)
    assert given_to(assigned, "x") == [0, 1]
    assert assigned.gone("x") == ([], [0, 1])
    assigned.joined("y", 1)
    assert given_to(assigned, "y") == [0]  # alone
    assert assigned.gone("y") == ([0], [0])
    assert assigned.left == 3
    assigned.joined("z", 1)
    assert given_to(assigned, "z") == [1, 2]


def test_a_suspect_waits_until_a_worker_has_nothing_else() -> None:
    assigned = Assignment(units(*"abcdefg"))
    for worker in "xy":
        assigned.joined(worker, 1)
    assert given_to(assigned, "x") == [0, 1]
    assert given_to(assigned, "y") == [2, 3]
    assigned.gone("x")
    assert assigned.give("y") is None
    for number in (2, 3):
        assert assigned.give("y") is None
        assigned.ended("y", number)
    assert given_to(assigned, "y") == [0]
    assigned.ended("y", 0)
    assert given_to(assigned, "y") == [1, 4]


def test_what_ran_beside_the_unit_that_killed_two_workers_is_done() -> None:
    assigned = Assignment(units(*"ab"))
    assigned.joined("x", 2)
    assert given_to(assigned, "x") == [0, 1]
    assert assigned.gone("x") == ([], [0, 1])
    assigned.joined("y", 2)
    assert given_to(assigned, "y") == [0]
    assert assigned.gone("y") == ([0], [0])
    assigned.joined("z", 2)
    assert given_to(assigned, "z") == [1]
    assigned.ended("z", 1)
    assert assigned.left == 0


def test_a_worker_that_died_and_is_there_again_has_lost_its_unit() -> None:
    assigned = Assignment(units("a"))
    assigned.joined("x", 1)
    assert given_to(assigned, "x") == [0]
    assert not assigned.killed("x", 0)
    assert given_to(assigned, "x") == [0]
    assert assigned.killed("x", 0)
    assigned.ended("x", 0)
    assert assigned.left == 0


@given(st.integers(0, 1 << 32))
def test_each_unit_ends_once_and_only_killers_are_to_blame(seed: int) -> None:
    """Workers come and go; a killer ends each worker that begins it."""
    source = random.Random(seed)
    count = source.randint(1, 20)
    killers = {source.randrange(count) for _ in range(source.randrange(4))}
    assigned = Assignment(units(*(source.choice("abcd") for _ in range(count))))
    ended, blamed = Counter[int](), Counter[int]()
    has: dict[str, list[int]] = {}
    threads: dict[str, int] = {}
    for step in range(2000):
        if not assigned.left:
            break
        if not has or (len(has) < 4 and source.random() < 0.3):
            threads[worker := f"w{step}"] = source.randint(1, 3)
            assigned.joined(worker, threads[worker])
            has[worker] = []
        for worker in has:
            has[worker] += given_to(assigned, worker)
        worker = source.choice(sorted(has))
        running = has[worker][: threads[worker]]
        if killers & {*running}:
            blamed.update(assigned.gone(worker).guilty)
            del has[worker]
        elif running:
            has[worker].remove(number := source.choice(running))
            if source.random() < 0.9:
                ended[number] += 1
                assigned.ended(worker, number)
            else:
                assigned.back(worker, number)
    assert assigned.left == 0
    assert {*blamed} == killers
    assert {*ended} == {*range(count)} - killers
    assert not [number for number, times in (ended + blamed).items() if times > 1]
