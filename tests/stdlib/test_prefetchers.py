"""The kernel's own swap readahead and leap, as policies: the same pages as plain models of them; and their library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from cpol.compiler import compile_file, compile_source
from cpol.runtime.machine.events.prefetch import Fault
from cpol.runtime.machine.interp import Machine
from cpol.runtime.simulate.simulator import Simulator

STDLIB = Path(__file__).parents[2] / "stdlib"
TABLE = 512
"""Pages that one page table holds."""


def pages_to_read(previous: int, now: int, hits: int, most: int, last: int) -> int:
    """Return how many pages the kernel reads (`__swapin_nr_pages`)."""
    alone = 2 if abs(now - previous) == 1 else 1
    pages = max(4, 1 << (hits + 1).bit_length()) if hits else alone
    return max(min(pages, most), last // 2)


@dataclass
class Cluster:
    """`swap_cluster_readahead`, with its static variables."""

    hits: int = 0
    previous: int = 0
    last: int = 0

    def fault(self, fault: Fault) -> None:
        self.hits += fault.prefetched

    def prefetch(self, fault: Fault) -> list[int]:
        if fault.window <= 1:
            return []
        hits, self.hits = self.hits, 0
        pages = pages_to_read(self.previous, fault.slot, hits, fault.window, self.last)
        if not hits:
            self.previous = fault.slot
        self.last = pages
        mask = pages - 1
        first, last = max(1, fault.slot & ~mask), min(fault.slot | mask, fault.slots - 1)
        return [slot for slot in range(first, last + 1) if slot != fault.slot] if mask else []


@dataclass
class Area:
    """`swap_vma_readahead`, with the word that each area has: page, window, hits."""

    known: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    def fault(self, fault: Fault) -> None:
        _, window, hits = self.known.get(fault.area, (0, 0, 4))
        if fault.cached:
            self.known[fault.area] = fault.page, window, min(hits + fault.prefetched, 63)

    def prefetch(self, fault: Fault) -> list[int]:
        most = min(fault.window, 32)
        if most == 1:
            return []
        previous, window, hits = self.known.get(fault.area, (0, 0, 4))
        now = fault.page
        pages = pages_to_read(previous, now, hits, most, window)
        self.known[fault.area] = now, pages, 0
        if pages == 1:
            return []
        left = now if now == previous + 1 else now - pages + 1 if previous == now + 1 else now - (pages - 1) // 2
        table = now - now % TABLE
        first = max(left, 0, fault.first, table)
        end = min(left + pages, fault.last + 1, table + TABLE)
        return [page for page in range(first, end) if page != now]


DEPTH = 32
"""Strides that leap remembers."""


@dataclass
class Leap:
    """Leap as its paper says it, by slots or by pages: a vote over the newest quarter, half and all of the strides."""

    by_page: bool = False
    strides: list[int] = field(default_factory=lambda: [0] * DEPTH)
    last: int = 0
    hits: int = 0
    pages: int = 0

    def fault(self, fault: Fault) -> None:
        now = fault.page if self.by_page else fault.slot
        self.strides = [now - self.last, *self.strides[:-1]]
        self.last = now
        self.hits += fault.prefetched

    def trend(self) -> int:
        for part in (DEPTH // 4, DEPTH // 2, DEPTH):
            ((stride, votes),) = Counter(self.strides[:part]).most_common(1)
            if 2 * votes > part:
                return stride
        return 0

    def prefetch(self, fault: Fault) -> list[int]:
        near = 1 if abs(self.strides[0]) == 1 else 9
        least = min(4, fault.window)
        pages = max(pages_to_read(0, near, self.hits, fault.window, self.pages), least)
        self.hits, self.pages = 0, pages
        trend, now = self.trend(), fault.page if self.by_page else fault.slot
        if trend:
            targets = [now + k * trend for k in range(1, pages)]
        elif self.by_page:
            targets = [now - (pages - 1) // 2 + k for k in range(pages)]
        else:
            targets = [(now & ~(pages - 1)) + k for k in range(pages)]
        low, high = (fault.first, fault.last) if self.by_page else (1, fault.slots - 1)
        return [target for target in targets if low <= target <= high and target != now]


def faults(random: Random, count: int) -> list[Fault]:
    """Return faults that walk areas forward, backward, in strides and at random."""
    made = []
    page, slot, area = 600, 500, 0
    step = 1
    for _ in range(count):
        if random.random() < 0.1:
            step = random.choice((1, 1, -1, -1, 3, 40, 0))
            area = random.randrange(3)
        if random.random() < 0.05:
            page, slot = random.randrange(1500), random.randrange(1, 1000)
        page, slot = (page + step) % 1500, (slot + step - 1) % 999 + 1
        cached = random.random() < 0.6
        how = (cached, cached and random.random() < 0.8)
        bounds = (0, 1499) if area else (page - page % 100, page - page % 100 + 99)
        made.append(Fault(page, slot, 1000, *bounds, area, 0, *how, random.choice((8, 8, 8, 1, 2, 32, 64))))
    return made


MODELS: dict[str, Callable[[], Cluster | Area | Leap]] = {
    "swap_cluster": Cluster,
    "swap_vma": Area,
    "leap": Leap,
    "leap_vma": lambda: Leap(by_page=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("name", "model"), MODELS.items(), ids=list(MODELS))
def test_they_decide_as_their_sources(name: str, model: Callable[[], Cluster | Area | Leap], seed: int) -> None:
    policy = compile_file(STDLIB / f"{name}.cpol")
    machine, native, kernel = Machine(policy, 1), Simulator(policy, 1).asks, model()
    read = 0
    for fault in faults(Random(seed), 1000):
        machine.fault(fault)
        native.fault(fault)
        kernel.fault(fault)
        if fault.cached:
            continue
        wanted = kernel.prefetch(fault)
        for decided in (machine.prefetch(fault), native.prefetch(fault)):
            assert [target.number for target in decided.targets] == wanted, fault
            assert not decided.defaulted
        read += len(wanted)
    assert read > 500


def test_the_library_computes_the_kernels_number_of_pages() -> None:
    policy = compile_source(
        """policy p {
          import swapin_pages from swapin
          state pages: u64 = 0
          on fault(p) { pages = swapin_pages(p.slot, p.device == 1, p.page, p.last) }
        }""",
        "p.cpol",
    )
    machine = Machine(policy, 1)
    for hits in range(1, 64):
        for near in (0, 1):
            for last in (0, 1, 2, 8, 64):
                for most in (last, min(last + 2, 64), 64):
                    machine.fault(Fault(last, hits, 100, 0, most, device=near))
                    assert machine.state["pages"] == pages_to_read(5, 6 if near else 9, hits, most, last)


@pytest.mark.long
@pytest.mark.parametrize("name", ["leap", "leap_vma"])
@pytest.mark.parametrize("apart", (1, 2, 3, 6, 9, 15, 16, 17, 31, 34))
def test_leap_finds_a_majority_of_which_few_are_neighbours(name: str, apart: int) -> None:
    """Every other stride is 7, the others differ; and each `apart` strides, two in a row are 7."""
    policy = compile_file(STDLIB / f"{name}.cpol")
    machine, model = Machine(policy, 1), Leap(by_page=name == "leap_vma")
    random, place, trends = Random(apart), 5000, 0
    for count in range(4 * DEPTH):
        place += 7 if count % 2 == 0 or count % (2 * apart) == 1 else random.randrange(-50, 60)
        fault = Fault(place, place, 10000, 0, 9999, window=8)
        machine.fault(fault)
        model.fault(fault)
        wanted, decided = model.prefetch(fault), machine.prefetch(fault)
        assert [target.number for target in decided.targets] == wanted, count
        trends += model.trend() == 7
    assert trends > 4
