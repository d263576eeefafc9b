"""A table: an array of raw values with one or two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod


class Table:
    """Stores elements in row-major order: the last index changes fastest."""

    def __init__(self, sizes: Sequence[int], init: int) -> None:
        self.sizes = tuple(sizes)
        self.elements = [init] * prod(sizes)

    def get(self, indices: Sequence[int]) -> int:
        return self.elements[self._position(indices)]

    def set(self, indices: Sequence[int], value: int) -> None:
        self.elements[self._position(indices)] = value

    def indices(self, position: int) -> tuple[int, ...]:
        """The indices of the element at a position."""
        return (position,) if len(self.sizes) == 1 else divmod(position, self.sizes[1])

    def _position(self, indices: Sequence[int]) -> int:
        """The position of an element. Each index saturates at the last of its dimension."""
        position = 0
        for index, size in zip(indices, self.sizes, strict=True):
            position = position * size + min(index, size - 1)
        return position
