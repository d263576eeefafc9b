"""Hawkeye by thread in plain Python, independent of cpol, and Belady's algorithm."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator

from literature_models import hashed

HISTORY = 1024


class OptGen:
    """Whether Belady's algorithm would hit, in a cache that need not keep what it reads.

    It keeps a page from one read to the next if there is room over all that time: `kept` counts the pages that it has
    kept over each step between two reads.
    """

    def __init__(self, room: int, window: int) -> None:
        self.room = room
        self.window = window
        self.now = 0
        self.kept = Counter[int]()

    def hits(self, last: int) -> bool:
        steps = range(last, self.now)
        if len(steps) > self.window or any(self.kept[step] >= self.room for step in steps):
            return False
        self.kept.update(steps)
        return True


def hawkeye(requests: Iterable[tuple[int, int]], capacity: int) -> Iterator[int]:
    """What is evicted; a request is a thread and a page."""
    ratio = max(capacity // 64, 1)
    generator = OptGen(capacity // ratio, 8 * (capacity // ratio))
    useful = Counter(dict.fromkeys(range(2048), 4))
    history = OrderedDict[int, tuple[int, int]]()  # the last read of a page, and who read it
    cached = OrderedDict[int, tuple[int, bool]]()  # who read a page last, and whether it is friendly; oldest first

    def learn(slot: int, better: bool) -> None:
        useful[slot] = min(useful[slot] + 1, 7) if better else max(useful[slot] - 1, 0)

    for thread, key in requests:
        who = thread % 2048
        if key not in cached and len(cached) == capacity:
            gone = next((key for key, (_, friendly) in cached.items() if not friendly), next(iter(cached)))
            last, friendly = cached.pop(gone)
            if friendly and hashed(gone) % ratio == 0:
                learn(last, better=False)
            yield gone
        if hashed(key) % ratio == 0:
            if key in history:
                last, reader = history.pop(key)
                learn(reader, generator.hits(last))
            elif len(history) == HISTORY:
                history.popitem(last=False)
            history[key] = generator.now, who
            generator.now += 1
        cached.pop(key, None)
        cached[key] = who, useful[who] >= 4


def belady(keys: list[int], capacity: int) -> int:
    """Hits of Belady's algorithm, which does not keep what is read later than all that is cached."""
    upcoming: dict[int, int] = {}
    following = [0] * len(keys)
    for now in range(len(keys) - 1, -1, -1):
        following[now] = upcoming.get(keys[now], len(keys))
        upcoming[keys[now]] = now
    cached: dict[int, int] = {}
    hits = 0
    for now, key in enumerate(keys):
        hits += key in cached
        cached[key] = following[now]
        if len(cached) > capacity:
            del cached[max(cached, key=lambda each: cached[each])]
    return hits
