"""The model of swap and of readahead: memory, times, slots, and what it asks a policy."""

from __future__ import annotations

import pytest
from policies import History

from cpol.runtime.simulate.prefetch.counts import Counts
from cpol.runtime.simulate.prefetch.kernel import Cluster, Vma
from cpol.runtime.simulate.prefetch.medium import Medium
from cpol.runtime.simulate.prefetch.model import Model, Result
from cpol.runtime.simulate.prefetch.protocol import (
    DEFAULT,
    NOTHING,
    Decision,
    Fault,
    Nobody,
    Prefetcher,
    Readahead,
    Target,
)
from cpol.runtime.simulate.prefetch.rows import Read, Row, Rows, Touch

MS = 10**6


def run(rows: list[Row], policy: Prefetcher, capacity: int = 2, medium: Medium | None = None, step: int = MS) -> Result:
    trace = Rows(rows, "test")
    return Model(trace, capacity, medium or Medium(100_000, 0), policy, Vma(), step).run()


def touches(*pages: int, writes: bool = False, last: int = 99) -> list[Row]:
    return [Touch(page, last=last, writes=writes) for page in pages]


class Fixed(History):
    """The same targets at each fault that must read."""

    def __init__(self, *targets: Target, defaulted: bool = False) -> None:
        super().__init__("page")
        self.decision = Decision(targets, defaulted)
        self.asked: list[Fault] = []

    def prefetch(self, fault: Fault) -> Decision:
        self.asked.append(fault)
        return self.decision


def test_first_touch_reads_nothing_and_the_oldest_page_goes() -> None:
    policy = Fixed()
    result = run(touches(1, 2, 1, 3, 1, 2), policy)
    assert (result.swap.accesses, result.swap.faults, result.swap.missed) == (6, 1, 1)  # 2 went for 3
    assert [(fault.page, fault.slot, fault.cached) for fault in policy.seen] == [(2, 1, False)]
    assert result.swap.waited_ns == 100_000 and result.files == Counts()


def test_slots_follow_the_order_of_swap_out() -> None:
    policy = Fixed()
    run(touches(7, 3, 5, 1, 2, 7, 3, 5, 7), policy)
    assert [(fault.page, fault.slot) for fault in policy.seen] == [(7, 1), (3, 2), (5, 3), (7, 1)]
    assert {(fault.slots, fault.device, fault.first, fault.last) for fault in policy.seen} == {(512, 0, 0, 99)}


def test_written_page_gets_a_new_slot() -> None:
    policy = Fixed()
    run(touches(1, 2, 3, 1, writes=True) + touches(2, 3, 1), policy)
    assert [(fault.page, fault.slot) for fault in policy.seen] == [(1, 1), (2, 2), (3, 3), (1, 4)]


@pytest.mark.parametrize("target", [Target("page", 2), Target("slot", 2)])
def test_prefetched_in_time(target: Target) -> None:
    policy = Fixed(target)
    swap = run(touches(1, 2, 3, 4, 1, 2), policy, medium=Medium(100_000, 0)).swap
    assert (swap.faults, swap.missed, swap.prefetched, swap.used, swap.late, swap.wasted) == (2, 1, 1, 1, 0, 0)
    assert (swap.accuracy, swap.coverage, swap.pages_read, swap.unused) == (1.0, 0.5, 2, 0)
    assert [(each.page, each.cached, each.prefetched) for each in policy.seen] == [(1, False, False), (2, True, True)]
    assert len(policy.asked) == 1


def test_prefetched_too_late() -> None:
    """Two pages of 4096 bytes through 4 MB/s take 1 ms each, and 100 us after that."""
    medium = Medium(100_000, 4_096_000)
    swap = run(touches(1, 2, 3, 4, 1, 2), Fixed(Target("page", 2)), medium=medium, step=1000).swap
    assert (swap.missed, swap.used, swap.late) == (1, 1, 1)
    assert swap.waited_ns == 1_100_000 + 2_100_000 - 1_100_000 - 1000


def test_queue_is_one_after_another_and_latencies_overlap() -> None:
    medium = Medium(50, 4096 * 10**6)
    assert [medium.read(0) for _ in range(3)] == [1050, 2050, 3050]
    assert medium.read(10_000) == 11_050


def test_wasted_and_unused() -> None:
    swap = run(touches(1, 2, 3, 4, 1, 3, 4), Fixed(Target("page", 2)), capacity=2).swap
    assert (swap.prefetched, swap.used, swap.wasted, swap.unused) == (2, 0, 1, 1)
    assert swap.accuracy == 0.0


def test_absent_targets_read_nothing() -> None:
    """Free slots, a page in memory, a page that nobody touched, the page itself."""
    targets = [*(Target("slot", slot) for slot in (400, 3, 1)), *(Target("page", page) for page in (4, 50, 1))]
    swap = run(touches(1, 2, 3, 4, 1), Fixed(*targets)).swap
    assert (swap.missed, swap.prefetched, swap.absent) == (1, 0, 6)


def test_policy_and_kernel_together() -> None:
    """The kernel reads 8 pages from page -2 on, as far as they are there; the policy page 6 before them."""
    swap = run(touches(*range(1, 9), 1), Fixed(Target("page", 6), defaulted=True)).swap
    assert (swap.defaulted, swap.prefetched, swap.absent) == (1, 5, 0)
    assert run(touches(*range(1, 9), 1), Fixed(Target("page", 6))).swap.prefetched == 1
    assert run(touches(*range(1, 9), 1), Nobody(NOTHING)).swap.prefetched == 0


def test_faulted_page_is_read_in_its_place() -> None:
    """Alone it is read first; in the kernel's window, here from page 2 to 9, behind the pages below it."""
    rows, medium = touches(*range(1, 11), *(5,)), [Medium(0, 4096 * 1000) for _ in range(2)]  # a page a millisecond
    assert run(rows, Fixed(Target("page", 4)), medium=medium[0]).swap.waited_ns == MS
    assert run(rows, Nobody(DEFAULT), medium=medium[1]).swap.waited_ns == 4 * MS


def test_area_bounds_the_kernel() -> None:
    rows: list[Row] = [Touch(page, first=page & ~1, last=page | 1) for page in (2, 3, 4, 5, 6, 7, 8, 9, 4)]
    assert run(rows, Nobody(DEFAULT), capacity=4).swap.prefetched == 1


def test_recorded_faults_have_slots_and_are_faults() -> None:
    """A page that is not in memory has the slot of its next fault. A page that faults again was not in memory."""
    places = [(1, 70), (2, 30), (3, 50), (1, 71), (1, 72)]
    rows: list[Row] = [Touch(page, last=9, slot=slot, is_fault=True) for page, slot in places]
    policy = Fixed(Target("slot", 30), Target("slot", 50), Target("slot", 71), Target("slot", 99))
    swap = run(rows, policy, capacity=9).swap
    assert [(fault.page, fault.slot, fault.cached) for fault in policy.seen] == [
        (1, 70, False),
        (2, 30, True),
        (3, 50, True),
        (1, 71, False),
        (1, 72, False),
    ]
    assert {fault.slots for fault in policy.seen} == {73}
    assert (swap.missed, swap.used, swap.prefetched) == (3, 2, 2)


def test_two_devices() -> None:
    rows: list[Row] = [Touch(page, last=9, device=page & 1, slot=9 + page, is_fault=True) for page in (1, 2, 3)]
    policy = Fixed(Target("slot", 12))
    assert run(rows, policy, capacity=9).swap.prefetched == 1  # 12 is page 3's on device 1, not on 0
    assert [fault.slots for fault in policy.seen] == [13, 12, 13]


class Files(History):
    """Remembers the requests; reads `ahead` pages behind each."""

    def __init__(self, ahead: int) -> None:
        super().__init__("page")
        self.ahead = ahead
        self.requests: list[Readahead] = []

    def readahead(self, request: Readahead) -> Decision:
        self.requests.append(request)
        begin = request.index + request.wanted
        return Decision(tuple(Target("index", index) for index in range(begin, begin + self.ahead)))


def reads(*indices: int, file: int = 7) -> list[Row]:
    return [Read(file, index) for index in indices]


def test_kernel_reads_a_file_from_its_beginning() -> None:
    """The first window has 4 pages, of which 3 are ahead; at each marker it grows, up to 32 pages."""
    files = run(reads(*range(200)), Nobody(DEFAULT), capacity=300).files
    assert (files.missed, files.prefetched, files.used, files.late) == (1, 199, 199, 0)
    assert files.defaulted == 10  # at 0, and at the markers 1, 4, 12, 28, 60, 92, 124, 156 and 188


def test_kernel_reads_no_more_than_a_random_reader_wants() -> None:
    files = run([*reads(50, 9, 70, 31), Read(7, 99)], Nobody(DEFAULT), capacity=300).files
    assert (files.missed, files.prefetched) == (5, 0)


def test_requests_tell_what_the_kernel_would_read() -> None:
    policy = Files(0)
    run(reads(0, 50, 51, 99), policy, capacity=300)
    told = [(each.index, each.start, each.window, each.sequential, each.marker) for each in policy.requests]
    assert told[:2] == [(0, 0, 4, True, False), (50, 50, 1, False, False)]
    assert told[2:] == [(51, 51, 4, True, False), (99, 99, 1, False, False)]
    assert {(each.file, each.wanted, each.size) for each in policy.requests} == {(7, 1, 100)}


def test_what_a_request_wants_comes_at_once() -> None:
    """Three pages are wanted, and a policy that reads nothing ahead waits once."""
    rows = [Read(7, 50, wanted=3), Read(7, 51, wanted=2), Read(7, 52), Read(7, 99)]
    policy = Files(0)
    files = run(rows, policy, capacity=300).files
    assert (files.missed, files.prefetched, files.wasted) == (2, 2, 0)
    assert [(each.index, each.wanted) for each in policy.requests] == [(50, 3), (99, 1)]
    rows = [Read(7, 0, wanted=3), *reads(*range(1, 9))]
    files = run(rows, policy := Files(2), capacity=300).files
    assert [(each.index, each.marker) for each in policy.requests][:2] == [(0, False), (3, True)] and files.missed == 1


def test_a_page_that_is_written_is_not_read() -> None:
    files = run([Read(7, 0, writes=True), Read(7, 1, writes=True), *reads(0, 1)], Nobody(DEFAULT), capacity=300).files
    assert (files.accesses, files.missed, files.prefetched) == (4, 0, 0)


def test_policy_is_asked_again_at_its_marker() -> None:
    policy = Files(4)
    files = run(reads(*range(20)), policy, capacity=300).files
    assert [(each.index, each.marker) for each in policy.requests][:3] == [(0, False), (1, True), (5, True)]
    assert files.missed == 1 and files.used == 19


def test_cached_history_makes_a_reader_sequential() -> None:
    """Another thread comes to where the cache ends."""
    rows = [*reads(*range(8)), Read(7, 40, thread=2), Read(7, 30, thread=2), Read(7, 8, thread=3), Read(7, 99)]
    policy = Files(0)
    run(rows, policy, capacity=300)
    (request,) = [each for each in policy.requests if each.index == 8]
    assert (request.start, request.window, request.sequential) == (8, 17, True)  # twice 8, and what is wanted


def test_files_and_memory_share_the_capacity() -> None:
    result = run([*touches(1, 2), *reads(0, 1), *touches(1)], Nobody(NOTHING), capacity=2)
    assert (result.swap.missed, result.files.missed) == (1, 2)
    total = result.total
    assert (total.accesses, total.missed, total.waited_ns) == (5, 3, 300_000)


def test_times_of_the_trace_pass() -> None:
    class Times(History):
        def readahead(self, request: Readahead) -> Decision:
            times.append(request.time_ms)
            return NOTHING

    times: list[int] = []
    rows = [Read(1, index, time_ns=5 * MS + index * 10 * MS) for index in (0, 1, 0, 2)]
    Model(Rows(rows, "test"), 9, Medium(3 * MS, 0), Times("page"), Vma()).run()
    assert times == [0, 10 + 3, 20 + 6]  # the waits come on top


def fault(page: int = 0, slot: int = 0, *, hit: bool = False, window: int = 8) -> Fault:
    return Fault(page, slot, 1000, 0, 0, 999, window, hit, hit, 0, 0, (0, 0), 0)


def pages_of(kernel: Vma | Cluster, at: Fault) -> list[int]:
    return [target.number for target in kernel.targets(at)]


def test_vma_readahead_looks_where_the_faults_go() -> None:
    kernel = Vma()
    assert pages_of(kernel, fault(100)) == [*range(97, 105)]  # 4 hits to begin with: 8 pages around
    assert pages_of(kernel, fault(300)) == [299, 300, 301, 302]  # no hits: 1 page, but at least half of the last window
    assert pages_of(kernel, fault(500)) == [500, 501]
    assert pages_of(kernel, fault(700)) == []
    assert pages_of(kernel, fault(701)) == [701, 702]  # the next page: 2
    for page in (702, 703):
        kernel.hit(fault(page, hit=True))
    assert pages_of(kernel, fault(704)) == [704, 705, 706, 707]  # 2 hits: 4
    kernel.hit(fault(506, hit=True))
    assert pages_of(kernel, fault(505)) == [502, 503, 504, 505]  # downward


def test_vma_readahead_ends_at_the_page_table() -> None:
    assert pages_of(Vma(), fault(512)) == [512, 513, 514, 515, 516]
    assert pages_of(Vma(), fault(511)) == [508, 509, 510, 511]
    assert pages_of(Vma(), fault(100, window=1)) == []


def test_cluster_readahead_reads_the_block() -> None:
    kernel = Cluster()
    assert pages_of(kernel, fault(slot=3)) == [1, 2, 3, 4, 5, 6, 7]  # slot 0 is the header
    assert pages_of(kernel, fault(slot=998)) == [996, 997, 998, 999]
    assert pages_of(kernel, fault(slot=501)) == [500, 501]
    assert pages_of(kernel, fault(slot=700)) == [700]
    assert pages_of(kernel, fault(slot=701)) == [700, 701]
    for slot in range(6):
        kernel.hit(fault(slot=slot, hit=True))
    assert pages_of(kernel, fault(slot=20)) == [*range(16, 24)]
    assert pages_of(kernel, fault(slot=20, window=1)) == []
