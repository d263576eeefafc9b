"""The arguments of a request, checked where they come in: what fails behind that is a fault of ours."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")

KINDS = {str: "a string", int: "a number", dict: "an object", list: "an array", bool: "true or false"}
MISSING: Any = object()


class RequestFailed(Exception):
    """A request cannot be carried out. The message is for the user."""


class Arguments:
    """Those of one request, or of an object within it."""

    def __init__(self, command: str, given: object) -> None:
        self.command = command
        self.given: dict[str, Any] = given if isinstance(given, dict) else {}

    def text(self, name: str, default: str = MISSING) -> str:
        return self._of(name, str, default)

    def number(self, name: str, default: int = MISSING) -> int:
        return self._of(name, int, default)

    def flag(self, name: str, default: bool) -> bool:
        return self._of(name, bool, default)

    def inner(self, name: str, default: dict[str, Any] = MISSING) -> Arguments:
        return Arguments(self.command, self._of(name, dict, default))

    def each(self, name: str) -> list[Arguments]:
        """The objects of an array, which may be missing."""
        found = self._of(name, list, [])
        if not all(isinstance(each, dict) for each in found):
            raise RequestFailed(f"the argument {name!r} of {self.command!r} is an array of objects")
        return [Arguments(self.command, each) for each in found]

    def _of(self, name: str, kind: type[T], default: T) -> T:
        found = self.given.get(name)
        if found is None:  # JSON's null, too
            found = default
        if found is MISSING:
            raise RequestFailed(f"{self.command!r} needs the argument {name!r}")
        if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
            raise RequestFailed(f"the argument {name!r} of {self.command!r} is {KINDS[kind]}, not {found!r:.60}")
        return found
