"""Models of stdlib policies in plain Python, independent of cpol: each maps requests to a number of misses."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable


def fifo(keys: list[int], capacity: int) -> int:
    queue: OrderedDict[int, None] = OrderedDict()
    misses = 0
    for key in keys:
        if key not in queue:
            misses += 1
            if len(queue) == capacity:
                queue.popitem(last=False)
            queue[key] = None
    return misses


def lru(keys: list[int], capacity: int) -> int:
    queue: OrderedDict[int, None] = OrderedDict()
    misses = 0
    for key in keys:
        if key not in queue:
            misses += 1
            if len(queue) == capacity:
                queue.popitem(last=False)
            queue[key] = None
        queue.move_to_end(key)
    return misses


def lfu_exact(keys: list[int], capacity: int) -> int:
    """The least read goes; of equals, the one that has been read so often for longest."""
    cached: dict[int, tuple[int, int]] = {}  # reads, and the time of the last one
    misses = 0
    for now, key in enumerate(keys):
        if key not in cached:
            misses += 1
            if len(cached) == capacity:
                del cached[min(cached, key=lambda each: cached[each])]
        cached[key] = (cached.get(key, (0, 0))[0] + 1, now)
    return misses


def clock(keys: list[int], capacity: int) -> int:
    """A ring of frames with a hand, as in textbooks."""
    ring: list[int] = []
    referenced: dict[int, bool] = {}
    hand = misses = 0
    for key in keys:
        if key in referenced:
            referenced[key] = True
            continue
        misses += 1
        if len(ring) < capacity:
            ring.append(key)
        else:
            while referenced[ring[hand]]:
                referenced[ring[hand]] = False
                hand = (hand + 1) % capacity
            del referenced[ring[hand]]
            ring[hand] = key
            hand = (hand + 1) % capacity
        referenced[key] = False
    return misses


def sieve(keys: list[int], capacity: int) -> int:
    """Algorithm 1 of the paper on one list, oldest first; `hand` is an index into it."""
    queue: list[int] = []
    visited: dict[int, bool] = {}
    hand = misses = 0
    for key in keys:
        if key in visited:
            visited[key] = True
            continue
        misses += 1
        if len(queue) == capacity:
            while visited[queue[hand]]:
                visited[queue[hand]] = False
                hand = (hand + 1) % capacity
            del visited[queue.pop(hand)]
            if hand == len(queue):  # it was the newest
                hand = 0
        queue.append(key)
        visited[key] = False
    return misses


def s3fifo(keys: list[int], capacity: int) -> int:
    """Algorithm 1 of the paper, with libCacheSim's first fill."""
    share = capacity // 10
    small, main, ghost, freq = deque[int](), deque[int](), deque[int](), dict[int, int]()
    misses = 0
    filling = True
    for key in keys:
        if key in freq:
            freq[key] = min(freq[key] + 1, 3)
            continue
        misses += 1
        known = key in ghost
        if known:
            ghost.remove(key)
        from_small = len(main) + share <= capacity
        while len(freq) == capacity:
            filling = False
            from_small = from_small and bool(small)
            old = (small if from_small else main).popleft()
            if freq[old] >= (2 if from_small else 1):
                freq[old] = 0 if from_small else freq[old] - 1
                main.append(old)
                continue
            del freq[old]
            if from_small:
                ghost.append(old)
                if len(ghost) > capacity * 9 // 10:
                    ghost.popleft()
        (main if known or (filling and len(small) >= share) else small).append(key)
        freq[key] = 0
    return misses


def twoq(keys: list[int], capacity: int) -> int:
    fresh, gone = deque[int](), deque[int]()
    hot: OrderedDict[int, None] = OrderedDict()
    misses = 0
    for key in keys:
        if key in hot:
            hot.move_to_end(key)
        if key in hot or key in fresh:
            continue
        misses += 1
        known = key in gone
        if known:
            gone.remove(key)
        if len(fresh) + len(hot) == capacity:
            if len(fresh) > capacity // 4 or not hot:
                gone.append(fresh.popleft())
                if len(gone) > capacity // 2:
                    gone.popleft()
            else:
                hot.popitem(last=False)
        if known:
            hot[key] = None
        else:
            fresh.append(key)
    return misses


def slru(keys: list[int], capacity: int) -> int:
    room = capacity // 4
    segments: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(4)]
    misses = 0
    for key in keys:
        at = next((n for n in range(4) if key in segments[n]), None)
        if at is not None:
            del segments[at][key]
            to = min(at + 1, 3)
            segments[to][key] = None
            if to > at and len(segments[to]) > room:
                segments[at][segments[to].popitem(last=False)[0]] = None
            continue
        misses += 1
        if sum(map(len, segments)) == capacity:
            next(filter(None, segments)).popitem(last=False)
        segments[next((n for n in range(4) if len(segments[n]) < room), 0)][key] = None
    return misses


def arc(keys: list[int], capacity: int) -> int:
    """Figure 4 of the paper; p is in 1/65536 pages, as `fix` is."""
    t1, t2, b1, b2 = (OrderedDict[int, None]() for _ in range(4))
    p = misses = 0
    page = 65536
    for key in keys:
        if key in t1 or key in t2:
            t1.pop(key, None)
            t2.pop(key, None)
            t2[key] = None
            continue
        misses += 1
        in_b1, in_b2 = key in b1, key in b2
        if in_b1:
            p = min(p + max((len(b2) * page) // len(b1), page), capacity * page)
            del b1[key]
        elif in_b2:
            p = max(p - max((len(b1) * page) // len(b2), page), 0)
            del b2[key]
        if len(t1) + len(t2) == capacity:
            remember = True
            if not in_b1 and not in_b2:
                if len(t1) + len(b1) == capacity:
                    if b1:
                        b1.popitem(last=False)
                    else:
                        remember = False
                elif len(t1) + len(b1) + len(t2) + len(b2) >= 2 * capacity:
                    b2.popitem(last=False)
            first = len(t1) * page > p or (in_b2 and len(t1) * page == p) or not t2
            if not remember or (t1 and first):
                old, ghost = t1.popitem(last=False)[0], b1
            else:
                old, ghost = t2.popitem(last=False)[0], b2
            if remember:
                ghost[old] = None
        (t2 if in_b1 or in_b2 else t1)[key] = None
    return misses


def clock2qplus(keys: list[int], capacity: int) -> int:
    share = capacity // 10
    small, main, ghost = deque[int](), deque[int](), deque[int]()
    referenced, entered = dict[int, bool](), dict[int, int]()
    misses = entries = 0
    filling = True
    for key in keys:
        if key in referenced:
            if key in main or 2 * (entries - entered[key]) >= share:
                referenced[key] = True
            continue
        misses += 1
        known = key in ghost
        if known:
            ghost.remove(key)
        from_small = len(main) + share <= capacity
        while len(referenced) == capacity:
            filling = False
            from_small = (from_small and bool(small)) or not main
            old = (small if from_small else main).popleft()
            if referenced[old]:
                referenced[old] = False
                main.append(old)
                continue
            del referenced[old]
            if from_small:
                ghost.append(old)
                if len(ghost) > capacity * 9 // 10:
                    ghost.popleft()
        referenced[key] = False
        if known or (filling and len(small) >= share):
            main.append(key)
        else:
            entries += 1
            entered[key] = entries
            small.append(key)
    return misses


def lirs(keys: list[int], capacity: int) -> int:
    """LIRS with its stack S: a folio on it is `lir`, `hir` or `gone`; Q holds the resident HIR folios."""
    room = capacity - max(capacity // 100, 1)
    stack: OrderedDict[int, str] = OrderedDict()
    queue: OrderedDict[int, None] = OrderedDict()
    gone: OrderedDict[int, None] = OrderedDict()  # non-resident, in order of eviction
    misses = 0

    def lirs() -> int:
        return sum(kind == "lir" for kind in stack.values())

    def prune() -> None:
        while stack and next(iter(stack.values())) != "lir":
            gone.pop(stack.popitem(last=False)[0], None)

    def demote() -> None:
        if lirs() > room:
            prune()
            queue[stack.popitem(last=False)[0]] = None
            prune()

    for key in keys:
        kind = stack.get(key)
        if kind == "lir" or key in queue:
            if kind is not None:
                queue.pop(key, None)
                stack[key] = "lir"
            else:
                queue.move_to_end(key)
                stack[key] = "hir"
            stack.move_to_end(key)
            demote()
            prune()
            continue
        misses += 1
        if len(queue) + lirs() == capacity:
            if queue:
                old = queue.popitem(last=False)[0]
                if old in stack:
                    stack[old] = "gone"
                    gone[old] = None
            else:
                stack.popitem(last=False)
                prune()
        on_stack = stack.get(key) == "gone"
        gone.pop(key, None)
        while len(gone) > capacity:
            del stack[gone.popitem(last=False)[0]]
        if on_stack or lirs() < room:
            stack[key] = "lir"
        else:
            stack[key] = "hir"
            queue[key] = None
        stack.move_to_end(key)
        demote()
    return misses


MODELS: dict[str, Callable[[list[int], int], int]] = {
    "fifo": fifo, "lru": lru, "clock": clock, "sieve": sieve, "s3fifo": s3fifo, "twoq": twoq, "slru": slru,
    "arc": arc, "lfu_exact": lfu_exact, "clock2qplus": clock2qplus, "lirs": lirs,
}  # fmt: skip
