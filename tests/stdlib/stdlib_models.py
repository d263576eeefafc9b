"""Models of stdlib policies in plain Python, which share nothing with cpol: from requests to the number of misses."""

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


def clock(keys: list[int], capacity: int) -> int:
    """A ring of frames with a hand, as in the text books."""
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
    """Algorithm 1 of the paper, on one list from the oldest to the newest; `hand` is an index in it."""
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
            segments[min(at + 1, 3)][key] = None
            continue
        misses += 1
        if sum(map(len, segments)) == capacity:
            for upper, lower in ((3, 2), (2, 1), (1, 0)):
                while len(segments[upper]) > room:
                    segments[lower][segments[upper].popitem(last=False)[0]] = None
            next(filter(None, segments)).popitem(last=False)
        segments[next((n for n in range(4) if len(segments[n]) < room), 0)][key] = None
    return misses


MODELS: dict[str, Callable[[list[int], int], int]] = {
    "fifo": fifo, "lru": lru, "clock": clock, "sieve": sieve, "s3fifo": s3fifo, "twoq": twoq, "slru": slru,
}  # fmt: skip
