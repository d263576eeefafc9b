"""Dataclasses whose methods are made when the first one is needed.

Python generates and compiles six methods for each frozen dataclass: a third of a millisecond. A command that takes a
compiled policy from the cache needs those of few classes, since pickle fills an object without them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Literal, TypeVar, dataclass_transform

Made = TypeVar("Made")

_LATER = (
    *("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__"),
    *("__match_args__", "__dataclass_fields__", "__dataclass_params__"),
)


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def dataclass(*, frozen: Literal[True]) -> Callable[[type[Made]], type[Made]]:
    """As that of the standard library. Classes are frozen, and not derived from each other."""

    def begin(made: type[Made]) -> type[Made]:
        for name in _LATER:
            setattr(made, name, _Later(name, made))
        return made

    return begin


class _Later:
    """Stands for a member of the class `made`, and makes all of them when it is asked for."""

    def __init__(self, name: str, made: type) -> None:
        self.name = name
        self.made = made

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        made = self.made
        if not is_made(made):
            for name in _LATER:
                delattr(made, name)
            dataclasses.dataclass(frozen=True)(made)
        return getattr(made if instance is None else instance, self.name)


def is_made(made: type) -> bool:
    """Whether a class of these has its methods."""
    return not isinstance(vars(made)["__init__"], _Later)
