"""Policies of examples/literature in plain Python, independent of cpol: each maps requests to what it evicts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

MASK = 2**64 - 1


def mix(x: int) -> int:
    """The finaliser of SplitMix64, which the language's `hash` and `random` use."""
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def hashed(key: int) -> int:
    """`hash(f, 0)` of a page of the file 0."""
    return mix(key ^ mix(mix(1)))


def drawn() -> Iterator[int]:
    """What `random(32)` gives, from the seed 1."""
    source = 1
    while True:
        source = (source + 0x9E3779B97F4A7C15) & MASK
        yield (mix(source) >> 32) * 32 >> 32


def lfuda(keys: list[int], capacity: int) -> Iterator[int]:
    """K = F + L; the least K goes, and is L from then on. Of equals, the one that got it first."""
    cached: dict[int, tuple[int, int]] = {}  # K, and the time when it got it
    reads: dict[int, int] = {}
    age = 0
    for now, key in enumerate(keys):
        if key not in cached:
            if len(cached) == capacity:
                gone = min(cached, key=lambda each: cached[each])
                age = cached.pop(gone)[0]
                yield gone
            reads[key] = 0
        reads[key] += 1
        cached[key] = (age + reads[key], now)


def qdlp_fifo(keys: list[int], capacity: int) -> Iterator[int]:
    share = max(capacity // 10, 1)
    small, main, ghost, reads = deque[int](), deque[int](), deque[int](), dict[int, int]()
    for key in keys:
        if key in reads:
            reads[key] = min(reads[key] + 1, 3)
            continue
        known = key in ghost
        if known:
            ghost.remove(key)
        while len(reads) == capacity:
            from_small = len(small) >= share or not main
            old = (small if from_small else main).popleft()
            if reads[old]:
                reads[old] = 0 if from_small else reads[old] - 1
                main.append(old)
                continue
            del reads[old]
            yield old
            if from_small:
                ghost.append(old)
                if len(ghost) > capacity - capacity // 10:
                    ghost.popleft()
        (main if known else small).append(key)
        reads[key] = 0


class Sketch:
    """A count-min sketch of four rows, which halves some columns after every 64 reads."""

    def __init__(self, capacity: int) -> None:
        self.columns = 4 * capacity
        self.rows = [[0] * self.columns for _ in range(4)]
        self.slice = self.reads = 0

    def places(self, key: int) -> Iterator[tuple[list[int], int]]:
        first, stride = ((half * self.columns) >> 32 for half in (hashed(key) & 0xFFFFFFFF, hashed(key) >> 32))
        for number, row in enumerate(self.rows):
            yield row, (first + number * stride) % self.columns

    def estimate(self, key: int) -> int:
        return min(row[column] for row, column in self.places(key))

    def count(self, key: int) -> None:
        for row, column in self.places(key):
            row[column] = min(row[column] + 1, 15)

    def end_of_read(self) -> None:
        self.reads += 1
        for _ in range(64 * 4 // 10 if self.reads % 64 == 0 else 0):
            self.slice = (self.slice + 1) % self.columns
            for row in self.rows:
                row[self.slice] //= 2


def tinylfu_sieve(keys: list[int], capacity: int) -> Iterator[int]:
    """SIEVE on one list, oldest first, with a hand; a newcomer gets in if the sketch says that it is read more."""
    sketch, room = Sketch(capacity), max(capacity // 100, 1)
    fresh, queue, visited = deque[int](), list[int](), dict[int, bool]()
    hand = 0
    for key in keys:
        if key in visited:
            sketch.count(key)
            visited[key] = True
            sketch.end_of_read()
            continue
        while len(visited) == capacity:
            candidate = fresh.popleft()
            if len(queue) + room < capacity:
                queue.append(candidate)
                continue
            while visited[queue[hand]]:
                visited[queue[hand]] = False
                hand = (hand + 1) % len(queue)
            gone = candidate
            if sketch.estimate(candidate) > sketch.estimate(queue[hand]):
                gone = queue.pop(hand)
                if hand == len(queue):  # it was the newest
                    hand = 0
                queue.append(candidate)
            del visited[gone]
            yield gone
        sketch.count(key)
        fresh.append(key)
        visited[key] = False
        sketch.end_of_read()


def drrip(keys: list[int], capacity: int) -> Iterator[int]:
    """Each folio has its prediction; all of a part get later one by one."""
    parts: tuple[dict[int, int], ...] = ({}, {}, {})  # predictions, in the order of the last read
    misses, share, draws = 512, capacity // 32 + 1, drawn()
    for key in keys:
        whose = min(hashed(key) % 32, 2)
        mine = parts[whose]
        if key in mine:
            del mine[key]
            mine[key] = 0
            continue
        if sum(map(len, parts)) == capacity:
            over = [part for part, most in zip(parts, (share, share, 0), strict=True) if len(part) > most]
            part = over[0] if over else next(filter(None, parts))
            while 3 not in part.values():
                for each in part:
                    part[each] += 1
            gone = next(each for each in part if part[each] == 3)
            del part[gone]
            yield gone
        late = next(draws) != 0
        if whose < 2:
            misses = min(misses + 1, 1023) if whose == 0 else max(misses - 1, 0)
        bimodal = whose == 1 or (whose == 2 and misses > 512)
        mine[key] = 3 if bimodal and late else 2


MODELS: dict[str, Callable[[list[int], int], Iterator[int]]] = {
    each.__name__: each for each in (drrip, lfuda, qdlp_fifo, tinylfu_sieve)
}
