"""Policies of examples/ in plain Python, independent of cpol: each tells for every request whether it was a hit."""

from __future__ import annotations

from collections import OrderedDict, deque


def car(keys: list[int], capacity: int) -> list[bool]:
    """Figure 2 of the paper. T1 and T2 are clocks whose hand is at the left end; p is in 1/65536 pages, as `fix` is."""
    t1, t2 = deque[int](), deque[int]()
    b1, b2 = OrderedDict[int, None](), OrderedDict[int, None]()
    bit: dict[int, bool] = {}
    page = 65536
    p = 0
    hits = []
    for x in keys:
        hits.append(x in bit)
        if x in bit:
            bit[x] = True
            continue
        known = x in b1 or x in b2
        if len(t1) + len(t2) == capacity:
            while True:  # replace()
                clock, ghost = (t1, b1) if len(t1) * page >= max(page, p) else (t2, b2)
                head = clock.popleft()
                if bit[head]:
                    bit[head] = False
                    t2.append(head)
                else:
                    del bit[head]
                    ghost[head] = None
                    break
            if not known and len(t1) + len(b1) == capacity:
                b1.popitem(last=False)
            elif not known and len(t1) + len(t2) + len(b1) + len(b2) == 2 * capacity:
                b2.popitem(last=False)
        bit[x] = False
        if not known:
            t1.append(x)
            continue
        if x in b1:
            p = min(p + max(page, len(b2) * page // len(b1)), capacity * page)
        else:
            p = max(p - max(page, len(b1) * page // len(b2)), 0)
        b1.pop(x, None)
        b2.pop(x, None)
        t2.append(x)
    return hits


def mq(keys: list[int], capacity: int) -> list[bool]:
    """Section 4 of the paper, with 8 queues, a life of 4 capacities and as many entries in Qout.

    What Qout says of a block is read before room is made for it.
    """
    queues = [OrderedDict[int, None]() for _ in range(8)]
    at: dict[int, int] = {}
    reference: dict[int, int] = {}
    expire: dict[int, int] = {}
    out = OrderedDict[int, int]()
    life = 4 * capacity
    hits = []
    for now, b in enumerate(keys):
        hits.append(b in at)
        if b in at:
            del queues[at[b]][b]
        else:
            reference[b] = out.pop(b, 0)
            if len(at) == capacity:
                victim, _ = next(filter(None, queues)).popitem(last=False)
                del at[victim]
                if len(out) == 4 * capacity:
                    out.popitem(last=False)
                out[victim] = reference[victim]
        reference[b] += 1
        at[b] = min(reference[b].bit_length() - 1, 7)
        queues[at[b]][b] = None
        expire[b] = now + life
        for k in range(1, 8):
            head = next(iter(queues[k]), None)
            if head is not None and expire[head] < now + 1:
                del queues[k][head]
                queues[k - 1][head] = None
                at[head] = k - 1
                expire[head] = now + 1 + life
    return hits


class Page:
    """A place on a clock. A page that left stays in it while it is tested."""

    def __init__(self, key: int) -> None:
        self.key = key
        self.hot = self.again = False
        self.test = self.resident = True
        self.before = self.behind = self


class Ring:
    """A clock as a ring of pages with two hands; new ones come right behind the hot hand."""

    def __init__(self) -> None:
        self.hot_hand: Page | None = None
        self.cold_hand: Page | None = None

    def put(self, page: Page) -> None:
        if self.hot_hand is None:
            self.hot_hand = self.cold_hand = page.before = page.behind = page
            return
        page.behind, page.before = self.hot_hand, self.hot_hand.before
        page.before.behind = page.behind.before = page

    def remove(self, page: Page) -> None:
        after = page.behind if page.behind is not page else None
        page.before.behind, page.behind.before = page.behind, page.before
        self.hot_hand = after if self.hot_hand is page else self.hot_hand
        self.cold_hand = after if self.cold_hand is page else self.cold_hand


def clock_pro(keys: list[int], capacity: int) -> list[bool]:
    """Section 4 of the paper on one ring. Its third hand takes what left first; a test that the hot hand ended counts
    as failed when the page is forgotten, or comes back.
    """
    ring, pages = Ring(), dict[int, Page]()
    left = OrderedDict[int, Page]()  # not resident, in order of eviction; out of the ring once the hot hand passed
    cold_target = 1
    hits = []

    def count(hot: bool) -> int:
        return sum(page.hot == hot for page in pages.values())

    def step_of_hot_hand() -> None:
        nonlocal cold_target
        page = ring.hot_hand
        assert page is not None
        ring.hot_hand = page.behind
        if not page.resident:
            page.test = False
            ring.remove(page)
        elif page.hot and not page.again:
            page.hot = False
        elif page.hot:
            page.again = False
        elif page.test:
            page.test = False
            cold_target = max(cold_target - 1, 1)

    def run_cold_hand() -> None:
        nonlocal cold_target
        while True:
            if count(True) > capacity - cold_target:
                step_of_hot_hand()
                continue
            page = ring.cold_hand
            assert page is not None
            ring.cold_hand = page.behind
            if page.hot or not page.resident:
                continue
            if not page.again:
                del pages[page.key]
                page.resident = False
                if not page.test:
                    ring.remove(page)
                    return
                if len(left) == capacity:
                    forget(left.popitem(last=False)[1])
                left[page.key] = page
                return
            if page.test:
                page.hot, page.test = True, False
                cold_target = min(cold_target + 1, max(capacity - 1, 1))
            else:
                page.test = True
            page.again = False
            ring.remove(page)
            ring.put(page)

    def forget(page: Page) -> None:
        nonlocal cold_target
        cold_target = max(cold_target - 1, 1)
        if page.test:
            ring.remove(page)

    for key in keys:
        hits.append(key in pages)
        if key in pages:
            pages[key].again = True
            continue
        old = left.pop(key, None)
        if len(pages) == capacity:
            run_cold_hand()
        new = Page(key)
        if old is not None and old.test:
            ring.remove(old)
            new.hot, new.test = True, False
            cold_target = min(cold_target + 1, max(capacity - 1, 1))
        elif old is not None:
            cold_target = max(cold_target - 1, 1)
        ring.put(new)
        pages[key] = new
    return hits
