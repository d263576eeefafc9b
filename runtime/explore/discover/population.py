"""The candidates that breed, and the Pareto front of misses, cost and lines."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from cpol.runtime.explore.discover.evaluate import Candidate

SIZE = 32
SAMPLE = 4
"""Candidates of which the fittest breeds."""


class Population:
    """At most SIZE candidates, the fittest first, with the best of each case and the front among them."""

    def __init__(self, candidates: Iterable[Candidate] = ()) -> None:
        self.members: list[Candidate] = []
        self.add(candidates)

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Take candidates in, and let the others go. Of those that miss alike everywhere, the fittest stays."""
        alike: dict[tuple[int, ...], Candidate] = {}
        for each in sorted((*self.members, *candidates), key=lambda each: each.fitness):
            alike.setdefault(each.misses, each)
        found = [*alike.values()]
        if not found:
            return
        kept = {id(each): each for each in self._champions(found)}
        for each in front(found)[: SIZE // 4]:
            kept.setdefault(id(each), each)
        for each in found:
            if len(kept) < SIZE:
                kept.setdefault(id(each), each)
        self.members = sorted(kept.values(), key=lambda each: each.fitness)

    def _champions(self, found: Sequence[Candidate]) -> list[Candidate]:
        """The best in each case, at most half of all."""
        cases = range(len(found[0].misses))
        best = [min(found, key=lambda each: (each.misses[case], each.fitness)) for case in cases]
        return best[: SIZE // 2]

    def priced(self, costs: Sequence[tuple[Candidate, float | None]]) -> None:
        """Note what members cost. One that has no cost cannot run in a kernel, and goes."""
        known = {id(candidate): cost for candidate, cost in costs}
        gone = {number for number, cost in known.items() if cost is None}
        members = [each for each in self.members if id(each) not in gone]
        self.members = [each._replace(cost=known.get(id(each), each.cost)) for each in members]

    def pick(self, source: random.Random) -> Candidate:
        """A parent: the fittest of a few that are drawn."""
        drawn = [source.randrange(len(self.members)) for _ in range(SAMPLE)]
        return self.members[min(drawn)]

    @property
    def front(self) -> list[Candidate]:
        return front(self.members)


def front(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Those than which no other one is as good in all of misses, cost and lines, and better in one; fittest first.

    A cost that is not known yet counts as equal to any.
    """
    found = list(candidates)
    return [each for each in found if not any(_dominates(other, each) for other in found)]


def _dominates(one: Candidate, other: Candidate) -> bool:
    costs = (one.cost or 0.0, other.cost or 0.0) if one.cost and other.cost else (0.0, 0.0)
    pairs = ((one.score, other.score), (one.lines, other.lines), costs)
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)
