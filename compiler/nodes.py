"""Dataclasses whose methods are made when the first one is needed.

Python generates and compiles six methods for each frozen dataclass: a third of a millisecond. A command that takes a
compiled policy from the cache needs those of few classes, since pickle fills an object without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses

    _MADE = ("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__")
    _LATER = (*_MADE, "__match_args__", "__dataclass_fields__", "__dataclass_params__")

    def dataclass(*, frozen):
        """As that of the standard library. Classes are frozen, and not derived from each other."""
        assert frozen

        def begin(made):
            for name in _LATER:
                setattr(made, name, _Later(name, made))
            return made

        return begin

    class _Later:
        """Stands for a member of the class `made`, and makes all of them when it is asked for."""

        def __init__(self, name, made):
            self.name = name
            self.made = made

        def __get__(self, instance, owner=None):
            made = self.made
            if made.__dict__.get(self.name) is self:
                for name in _LATER:
                    delattr(made, name)
                dataclasses.dataclass(frozen=True)(made)
            return getattr(made if instance is None else instance, self.name)
