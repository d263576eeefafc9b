"""Pages that go out to swap, in the model: which of them a policy is asked about, what it is told, and which stay."""

from __future__ import annotations

from collections.abc import Container

import pytest
from policies import History

from cpol.runtime.simulate.prefetch.counts import Counts
from cpol.runtime.simulate.prefetch.kernel import Vma
from cpol.runtime.simulate.prefetch.medium import Medium
from cpol.runtime.simulate.prefetch.model import Model
from cpol.runtime.simulate.prefetch.protocol import NOTHING, Decision, Fault, Nobody, Out, Outcome, Prefetcher, Target
from cpol.runtime.simulate.prefetch.rows import Read, Row, Rows, Touch

MS = 10**6
ALL = range(1000)


class Keeper(History):
    """Keeps these pages, `quota` of them in all; at a fault it reads `ahead`."""

    has_swap = True

    def __init__(self, pages: Container[int] = (), quota: int = 1000, ahead: int | None = None) -> None:
        super().__init__("page")
        self.pages = pages
        self.quota = quota
        self.ahead = ahead
        self.outs: list[Out] = []

    @property
    def asked(self) -> list[int]:
        return [out.page for out in self.outs]

    def prefetch(self, fault: Fault) -> Decision:
        return NOTHING if self.ahead is None else Decision((Target("page", self.ahead),))

    def swap(self, out: Out) -> Outcome:
        self.outs.append(out)
        if out.page not in self.pages:
            return "goes"
        self.quota -= 1
        return "kept" if self.quota >= 0 else "refused"


def run(rows: list[Row], policy: Prefetcher, capacity: int = 2) -> Counts:
    return Model(Rows(rows, "test"), capacity, Medium(100_000, 0), policy, Vma(), MS).run().swap


def writes(*pages: int) -> list[Row]:
    return [Touch(page, last=99, writes=True) for page in pages]


def reads(*pages: int) -> list[Row]:
    return [Touch(page, last=99) for page in pages]


def outcome(counts: Counts) -> tuple[int, int, int, int]:
    return counts.out_asked, counts.out_kept, counts.out_refused, counts.out_overruled


def test_asked_when_memory_is_full_of_the_page_used_longest_ago() -> None:
    policy = Keeper()
    assert outcome(run(writes(1, 2), policy)) == (0, 0, 0, 0) and policy.asked == []
    counts = run(writes(1, 2, 1, 3, 4), policy)
    assert policy.asked == [2, 1]
    assert outcome(counts) == (2, 0, 0, 0)


def test_what_is_told() -> None:
    rows: list[Row] = [
        Touch(7, process=3, comm=(1, 2), first=5, last=9, writes=True),
        Touch(7, process=4, comm=(3, 4), first=0, last=7, writes=True),
        Touch(8, process=3, comm=(1, 2), first=5, last=9, writes=True),
    ]
    policy = Keeper()
    run(rows, policy, capacity=1)
    assert policy.outs == [Out(7, 5, 9, False, 3, (1, 2), 2), Out(7, 0, 7, False, 4, (3, 4), 3)]


def test_page_that_keeps_its_slot_is_not_asked_about() -> None:
    """1 comes back for a read, and goes unasked; when it was written, it needs a slot again."""
    policy = Keeper()
    run(writes(1, 2, 3) + reads(1) + writes(4, 5), policy)
    assert policy.asked == [1, 2, 3]
    policy = Keeper()
    run([*writes(1, 2, 3), *writes(1), *writes(4, 5)], policy)
    assert policy.asked == [1, 2, 3, 1]


def test_kept_page_has_another_round() -> None:
    policy = Keeper({1})
    counts = run(writes(1, 2, 3, 4, 5, 1), policy, capacity=3)
    assert policy.asked == [1, 2, 3]  # 4 and 5 are younger than 1 now
    assert outcome(counts) == (3, 1, 0, 0)
    assert counts.faults == 0 < run(writes(1, 2, 3, 4, 5, 1), Keeper(), capacity=3).missed


def test_refused_page_goes() -> None:
    counts = run(writes(1, 2, 3, 1), Keeper({1}, quota=0))
    assert outcome(counts) == (2, 0, 1, 0) and counts.missed == 1


def test_overruled_when_all_had_their_turn() -> None:
    """1, 2 and 3 are kept, 4 is in use: so the oldest goes unasked."""
    policy = Keeper(ALL)
    counts = run(writes(1, 2, 3, 4), policy, capacity=3)
    assert policy.asked == [1, 2, 3] and outcome(counts) == (3, 3, 0, 1)
    counts = run([*writes(1, 2, 3, 4, 5), *reads(2, 3, 4, 5)], Keeper(ALL), capacity=3)
    assert outcome(counts)[3] == 3 and counts.missed == 2  # 1, 2 and 3 went; then 2, which has a slot


def test_memory_of_one_page_makes_progress() -> None:
    counts = run(writes(*range(50), *range(50)), Keeper(ALL), capacity=1)
    assert counts.missed == 50 and outcome(counts) == (99, 99, 0, 99)


def test_something_else_goes_before_anybody_is_overruled() -> None:
    """A page of a file, and one that was read ahead and not used."""
    policy = Keeper(ALL)
    counts = run([*writes(1), Read(7, 0), *writes(2)], policy)
    assert policy.asked == [1] and outcome(counts) == (1, 1, 0, 0)
    policy = Keeper({2, 3, 5}, ahead=4)
    counts = run([*writes(1, 4, 2, 3, 5), *reads(1)], policy, capacity=3)
    assert policy.asked == [1, 4, 2, 3, 5] and counts.wasted == 1 and outcome(counts) == (5, 3, 0, 1)


def test_workingset_is_what_was_used_more_than_once() -> None:
    policy = Keeper()
    run(writes(1, 2, 1, 3, 4), policy)
    assert [(out.page, out.workingset) for out in policy.outs] == [(2, False), (1, True)]
    policy = Keeper({1}, quota=1)
    run(writes(1, 2, 3, 4, 5), policy)
    assert [(out.page, out.workingset) for out in policy.outs] == [(1, False), (2, False), (3, False), (1, True)]


@pytest.mark.parametrize(("between", "workingset"), [(2, True), (9, False)])
def test_workingset_is_what_came_back_soon(between: int, workingset: bool) -> None:
    others = range(10, 10 + between)
    policy = Keeper()
    run(writes(1, 2, 3, *others, 1, 50, 51, 52), policy, capacity=3)
    assert [out.workingset for out in policy.outs if out.page == 1] == [False, workingset]


def faults(*places: tuple[int, int]) -> list[Row]:
    return [Touch(page, last=99, slot=slot, is_fault=True) for page, slot in places]


def test_recorded_fault_of_a_kept_page_is_none() -> None:
    """1 was in another slot at its second fault, so it had to go out in between. At the third it was kept, and used
    meanwhile.
    """
    rows = faults((1, 11), (2, 12), (3, 13), (1, 21), (1, 31))
    policy = Keeper({1})
    counts = run(rows, policy)
    assert policy.asked == [1, 2] and outcome(counts) == (2, 1, 0, 0)
    assert (counts.faults, counts.missed) == (4, 4)
    assert run(rows, Keeper()).missed == 5 == run(rows, Nobody(NOTHING)).missed


def test_recorded_page_that_kept_its_slot_is_not_asked_about() -> None:
    policy = Keeper()
    run(faults((1, 11), (2, 12), (3, 13), (1, 11), (4, 14)), policy)
    assert policy.asked == [2, 3]


def test_a_policy_without_the_handler_is_not_asked() -> None:
    """History would fail."""
    counts = run(writes(1, 2, 3, 1), History("page"))
    assert outcome(counts) == (0, 0, 0, 0) and counts.missed == 1
