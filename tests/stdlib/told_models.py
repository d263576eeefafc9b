"""Models of stdlib policies that applications tell what they know, in plain Python, independent of cpol.

Each maps requests to a number of misses; reclaim wants one page at a time, as with batch 1.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence, Set

Queue = OrderedDict[int, None]


def turn(queue: Queue, number: int) -> None:
    """Folios from the head go to the far end."""
    for key in list(queue)[:number]:
        queue.move_to_end(key)


def take_lowest(queue: Queue, number: int, score: Callable[[int], int]) -> None:
    """Look at folios from the head. The first one of lowest score goes; a loser goes to the far end at once."""
    looked = list(queue)[:number]
    lowest = looked[0]
    for key in looked[1:]:
        loser, lowest = (lowest, key) if score(key) < score(lowest) else (key, lowest)
        queue.move_to_end(loser)
    del queue[lowest]


def keep_files(keys: Sequence[int], capacity: int, kept: Set[int], share: int = 25) -> int:
    """LRU; `kept` are the pages of files that are named. So many per cent of the cache are pinned at most."""
    queue, stay = Queue(), Queue()
    misses = 0
    for key in keys:
        if key not in queue and key not in stay:
            misses += 1
            if len(queue) + len(stay) == capacity:
                turn(stay, 16)
                (queue or stay).popitem(last=False)
        pinned = key in stay or (key in kept and len(stay) < capacity * share // 100)
        for old in (queue, stay):
            old.pop(key, None)
        (stay if pinned else queue)[key] = None
    return misses


def graph(
    keys: Sequence[int], capacity: int, degrees: Mapping[int, int], hub: int = 0, pinned: int = 50, sample: int = 16
) -> int:
    """Pages without edges go first, then of a sample the one with fewest edges. Pages of hubs are pinned.

    Pages that `degrees` does not name are of other files, which have a tenth of the cache, and what nobody else wants.
    """
    lists = rest, others, hot, hubs = Queue(), Queue(), Queue(), Queue()
    misses = 0
    for key in keys:
        if not any(key in pages for pages in lists):
            misses += 1
            if sum(map(len, lists)) == capacity:
                turn(hubs, 16)
                if rest:
                    rest.popitem(last=False)
                elif len(others) > capacity // 10 or (others and not hot):
                    others.popitem(last=False)
                elif hot:
                    take_lowest(hot, sample, lambda page: degrees[page])
                else:
                    hubs.popitem(last=False)
        degree = degrees.get(key, 0)
        stays = key in hubs or (0 < hub <= degree and len(hubs) < capacity * pinned // 100)
        for old in lists:
            old.pop(key, None)
        (hubs if stays else hot if degree else rest if key in degrees else others)[key] = None
    return misses


def query(
    keys: Sequence[int], capacity: int, soon: Mapping[int, int], later: Mapping[int, int], sample: int = 16
) -> int:
    """Pages that no step reads go first, then of a sample the one that a step reads last; the plan does not move on.

    Pages that `soon` does not name are of other files, which have a tenth of the cache, and what nobody else wants.
    """
    lists = rest, others, plan = Queue(), Queue(), Queue()
    done = dict[int, int]()

    def distance(page: int) -> int:
        read = done.get(page, 0)
        step = soon.get(page, 0) if read < soon.get(page, 0) else later.get(page, 0)
        return (step if step > read else 2**32 - 1) * 2**24 + page

    misses = 0
    for key in keys:
        if not any(key in pages for pages in lists):
            misses += 1
            if sum(map(len, lists)) == capacity:
                if rest:
                    rest.popitem(last=False)
                elif len(others) > capacity // 10 or not plan:
                    others.popitem(last=False)
                else:
                    take_lowest(plan, sample, lambda page: -distance(page))
            done.pop(key, None)
        done[key] = soon.get(key, 0)
        for old in lists:
            old.pop(key, None)
        if soon.get(key, 0):
            plan[key] = None
            plan.move_to_end(key, last=False)
        else:
            (rest if key in soon else others)[key] = None
    return misses
