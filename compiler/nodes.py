"""Dataclasses whose methods are made when the first one is needed.

Python generates and compiles six methods for each frozen dataclass: a third of a millisecond. A command that takes a
compiled policy from the cache needs those of few classes, since pickle fills an object without them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from threading import RLock
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
        with _making:
            if not is_made(self.made):
                _make(self.made)
        return getattr(self.made if instance is None else instance, self.name)


_making = RLock()
"""Two threads may need a class at the same time."""


def _make(made: type) -> None:
    """Give the class its methods, `__init__` at last.

    At each moment it has either all of them or what stands for them, since other threads use it meanwhile. So the
    standard library works on a copy.
    """
    own = {name: value for name, value in vars(made).copy().items() if name not in (*_LATER, "__dict__", "__weakref__")}
    copy: type = dataclasses.dataclass(frozen=True)(type(made.__name__, made.__bases__, own))
    for field in dataclasses.fields(copy):
        if field.name in vars(copy):  # a default, in place of its `field`
            setattr(made, field.name, vars(copy)[field.name])
        elif field.name in vars(made):
            delattr(made, field.name)
    for method in ("__setattr__", "__delattr__"):  # those of the copy know the copy
        setattr(made, method, _refuse)
    for member in reversed(_LATER):
        if member not in ("__setattr__", "__delattr__"):
            setattr(made, member, vars(copy)[member])


def _refuse(self: object, name: str, value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to or delete field {name!r}")


def is_made(made: type) -> bool:
    """Whether a class of these has its methods."""
    return not isinstance(vars(made)["__init__"], _Later)
