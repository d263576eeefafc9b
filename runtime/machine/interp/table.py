"""A table: an array of raw values with one or two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod


class Table:
    """Elements in row-major order: the last index changes fastest. Only those that differ from `init` are stored."""

    def __init__(self, sizes: Sequence[int], init: int) -> None:
        self.sizes = tuple(sizes)
        self.init = init
        self.changed: dict[int, int] = {}
        """The elements that differ from the initial value, by position."""

    @property
    def elements(self) -> list[int]:
        """All elements in order."""
        return [self.changed.get(position, self.init) for position in range(len(self))]

    def __len__(self) -> int:
        return prod(self.sizes)

    def get(self, indices: Sequence[int]) -> int:
        return self.changed.get(self._position(indices), self.init)

    def set(self, indices: Sequence[int], value: int) -> None:
        position = self._position(indices)
        if value == self.init:
            self.changed.pop(position, None)
        else:
            self.changed[position] = value

    def indices(self, position: int) -> tuple[int, ...]:
        """The indices of the element at a position."""
        return (position,) if len(self.sizes) == 1 else divmod(position, self.sizes[1])

    def _position(self, indices: Sequence[int]) -> int:
        """The position of an element. Each index saturates at the last of its dimension."""
        position = 0
        for index, size in zip(indices, self.sizes, strict=True):
            position = position * size + min(index, size - 1)
        return position
