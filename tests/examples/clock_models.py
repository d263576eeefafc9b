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
