"""New conditions, statements and declarations. What does not fit where it is put does not compile, and is thrown away.

Each new number is a param, so that the search tries others without a compilation.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from cpol.runtime.explore.discover.genome import Change
from cpol.runtime.explore.discover.tree import Place, Tree

ORDERS = ("<", "<=", ">", ">=")
ENDS = ("head", "tail")


class Invented(NamedTuple):
    """A text, and the declarations that it needs."""

    text: str
    changes: tuple[Change, ...] = ()


class Inventor:
    """Makes new parts for one text.

    Names that it gives are new in it, so one child has parts of one inventor only.
    """

    def __init__(self, tree: Tree, source: random.Random) -> None:
        self.tree, self.source = tree, source
        self._given: set[str] = set()

    def name(self, word: str) -> str:
        while (name := self.tree.fresh(word)) in self._given:
            word = f"{word}_{len(self._given)}"
        self._given.add(name)
        return name

    def limit(self, low: int, high: int, word: str = "limit") -> Invented:
        """A number as a param."""
        name, value = self.name(word), self.source.randint(low, high)
        return Invented(name, (self.tree.declare(f"param {name}: u32 = {value} in {low}..{high}"),))

    def percent(self, most: int = 100) -> Invented:
        """Percent of the capacity, in pages."""
        found = self.limit(1, most, "percent")
        return Invented(f"{found.text} * cache.capacity / 100", found.changes)

    def condition(self, place: Place) -> Invented:
        """Something that is true or false there."""
        tree, source = self.tree, self.source
        makers = [self._sizes]
        folio = source.choice(place.folios) if place.folios else None
        if tree.numbers(of_folio=False):
            makers.append(self._state)
        if tree.flags(of_folio=False):
            makers.append(self._flag)
        if folio:
            makers += [self._list_of] if len(tree.lists) > 1 else []
            makers += [self._field] * 3 if tree.numbers(of_folio=True) else []
            makers += [self._field_flag] * 2 if tree.flags(of_folio=True) else []
            makers += [self._remembered] * 2 if tree.ghosts else []
        made = source.choice(makers)(folio or "")
        return Invented(f"not ({made.text})", made.changes) if source.random() < 0.2 else made

    def _sizes(self, folio: str) -> Invented:
        tree, source = self.tree, self.source
        sized = [f"{name}.size" for name in (*tree.lists, *tree.ghosts)] or ["cache.size"]
        order = source.choice(ORDERS)
        if len(sized) > 1 and source.random() < 0.3:
            left, right = source.sample(sized, 2)
            return Invented(f"{left} {order} {right}")
        share = self.percent()
        return Invented(f"{source.choice(sized)} {order} {share.text}", share.changes)

    def _state(self, folio: str) -> Invented:
        name, order = self.source.choice(self.tree.numbers(of_folio=False)), self.source.choice(ORDERS)
        other = self.percent(200) if self.source.random() < 0.5 else self.limit(0, 16)
        return Invented(f"{name} {order} {other.text}", other.changes)

    def _flag(self, folio: str) -> Invented:
        return Invented(self.source.choice(self.tree.flags(of_folio=False)))

    def _list_of(self, folio: str) -> Invented:
        return Invented(f"{folio}.list == {self.source.choice(self.tree.lists)}")

    def _field(self, folio: str) -> Invented:
        field = self.source.choice(self.tree.numbers(of_folio=True))
        order = self.source.choice(ORDERS)
        if self.tree.fields[field] in ("u32", "u64"):  # most often a time
            share = self.percent(400)
            return Invented(f"cache.clock - {folio}.{field} {order} {share.text}", share.changes)
        other = self.limit(0, 7)
        return Invented(f"{folio}.{field} {order} {other.text}", other.changes)

    def _field_flag(self, folio: str) -> Invented:
        return Invented(f"{folio}.{self.source.choice(self.tree.flags(of_folio=True))}")

    def _remembered(self, folio: str) -> Invented:
        return Invented(f"{self.source.choice(self.tree.ghosts)}.has({folio})")

    def statement(self, place: Place) -> Invented:
        """Something that may be done there."""
        tree, source = self.tree, self.source
        made: list[str] = []
        for name in tree.numbers(of_folio=False):
            made += [f"{name} += 1", f"{name} -= 1", f"{name} = 0"]
        made += [f"{name} = {value}" for name in tree.flags(of_folio=False) for value in ("true", "false")]
        if place.folios:
            folio = source.choice(place.folios)
            for name in tree.numbers(of_folio=True):
                wide = tree.fields[name] in ("u32", "u64")
                steps = ("+= 1", "-= 1", "= 0", "= 1", "= 2")
                made += [f"{folio}.{name} = cache.clock"] if wide else [f"{folio}.{name} {step}" for step in steps]
            made += [f"{folio}.{name} = {value}" for name in tree.flags(of_folio=True) for value in ("true", "false")]
            if place.event in ("accessed", "first_accessed", "evict"):
                made += [f"move {folio} to {end} of {to}" for to in tree.lists for end in ENDS]
            if place.event == "removed":
                made += [f"{ghost}.add({folio})" for ghost in tree.ghosts]
        if place.scanned:
            made += ["stop"] * 2
        return Invented(source.choice(made) if made else "")

    def move(self, folio: str) -> str:
        return f"move {folio} to {self.source.choice(ENDS)} of {self.source.choice(self.tree.lists)}"
