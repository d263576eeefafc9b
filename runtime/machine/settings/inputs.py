"""Inputs: sets, maps and arrays that user space fills and handlers read (docs/semantics.md, State)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from cpol.compiler import comm, device, ir
from cpol.compiler.literals import show_value
from cpol.compiler.types import raw_range
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.settings.values import parse_value

Key: TypeAlias = tuple[int, ...]
"""One number; in a `page` input, the file, the first and the last index; in a `comm` input, a Comm."""

Value: TypeAlias = int | tuple[int, ...] | None
"""A raw value (1 in a set); None removes the key. For an array, those of the entries from the key on."""

Setting: TypeAlias = tuple[str, str, str]
"""Input, key and value as users write them, also in the header of an event log. An array has several values, with
commas between them: those of the entries from the key on."""

MAX_U64 = 2**64 - 1

SETTING_ENTRIES = 128
"""Entries of an array in one setting, so that a line of an event log stays short."""


class Input:
    """An input and what it holds."""

    def __init__(self, declaration: ir.InputDecl, size: int = 0) -> None:
        self.declaration = declaration
        self.size = size
        """Entries of an array."""
        self.holds: list[tuple[Key, int]] = []  # disjoint keys and their values
        self.entries: dict[int, int] = {}  # those of an array that were written

    def fill(self, key: Key, value: Value) -> None:
        """Give `key`, or each page of it, a raw value (1 in a set); None removes it. Of an array, give values to the
        entries from `key` on; those beyond the end are dropped.

        Raises:
            ParamError: the input cannot have this key or value.
        """
        declaration = self.declaration
        check(declaration, key, value)
        if isinstance(value, tuple):
            self.entries.update((at, entry) for at, entry in enumerate(value, key[0]) if at < self.size)
            return
        self.holds = [(rest, held) for old, held in self.holds for rest in without(old, key)]
        if value is not None:
            self.holds.append((key, value))

    def find(self, *key: int) -> int | None:
        """The raw value of a number, of a page (file, index), or of `task.comm`; None: it is absent."""
        return next((value for held, value in self.holds if covers(held, key)), None)

    def entry(self, index: int) -> int:
        """The raw value of an entry of an array, 0 beyond its end."""
        return self.entries.get(index, 0)

    @property
    def settings(self) -> list[Setting]:
        """What it holds, as users write it."""
        if self.declaration.size is not None:
            return [show(self.declaration, key, value) for key, value in runs(self.entries)]
        return [show(self.declaration, key, value) for key, value in self.holds]


def runs(entries: dict[int, int]) -> Iterator[tuple[Key, tuple[int, ...]]]:
    """The entries that are not 0, as runs of neighbours."""
    first, found = 0, list[int]()
    for index in sorted(index for index, value in entries.items() if value):
        if index != first + len(found) or len(found) == SETTING_ENTRIES:
            if found:
                yield (first,), tuple(found)
            first, found = index, []
        found.append(entries[index])
    if found:
        yield (first,), tuple(found)


def check(declaration: ir.InputDecl, key: Key, value: Value) -> None:
    """Check that the input can have this key and value.

    Raises:
        ParamError: it cannot.
    """
    if declaration.size is not None and not isinstance(value, tuple):
        raise ParamError(f"input {declaration.name}: an array has values from an index on, not {value!r}")
    for one in value if isinstance(value, tuple) else (value,):
        if one is not None and not within(one, value_type(declaration)):
            raise ParamError(f"input {declaration.name}: {one} is not a value of type {value_type(declaration)}")
    wanted = {"page": 3, "comm": 2}.get(declaration.key, 1)
    if len(key) != wanted:
        raise ParamError(f"input {declaration.name}: {key} is not a key of kind {declaration.key}")
    outside = next((number for number in key if not 0 <= number <= MAX_U64), None)
    if outside is not None:
        raise ParamError(
            f"input {declaration.name}: {outside} is no number of a {declaration.key}: those are 0 to {MAX_U64}"
        )
    if wanted == 3 and key[1] > key[2]:
        raise ParamError(f"input {declaration.name}: the range {key[1]}..{key[2]} ends before it begins")


def covers(held: Key, key: Sequence[int]) -> bool:
    """Whether `held` includes the page (file, index), or is the number; of a Comm, its own number counts."""
    if len(key) == 1:
        return (held if len(held) == 1 else (comm.number((held[0], held[1])),)) == tuple(key)
    file, index = key
    return held[0] == file and held[1] <= index <= held[2]


def without(held: Key, key: Key) -> list[Key]:
    """The parts of `held` that remain without `key`."""
    if len(held) < 3:
        return [] if held == key else [held]
    if held[0] != key[0]:
        return [held]
    file, first, last = held
    below, above = (file, first, min(last, key[1] - 1)), (file, max(first, key[2] + 1), last)
    return [rest for rest in (below, above) if rest[1] <= rest[2]]


def within(value: int, type: ir.Type) -> bool:
    """Whether a raw value is in the range of its type."""
    low, high = raw_range(type)
    return low <= value <= high


def value_type(declaration: ir.InputDecl) -> ir.Type:
    """The type of the input's values; a set maps its keys to true."""
    return ir.BOOL if declaration.value is None else declaration.value


# As users write them.


def parse(policy: ir.Policy, setting: Setting) -> tuple[str, Key, int | tuple[int, ...]]:
    """Read a setting: the input's name, the key and the raw value or, of an array, values.

    Raises:
        ParamError: the policy has no such input, or the key or the value is malformed.
    """
    name, key, value = setting
    declaration = next((declaration for declaration in policy.inputs if declaration.name == name), None)
    if declaration is None:
        known = ", ".join(declaration.name for declaration in policy.inputs) or "none"
        raise ParamError(f"policy {policy.name} has no input {name!r}; it has {known}")
    numbers = parse_key(declaration, key)
    type = value_type(declaration)
    try:
        if declaration.size is not None:
            return name, numbers, tuple(parse_value(one, type) for one in value.split(","))
        raw = parse_value(value, type)
    except ValueError as error:
        raise ParamError(f"input {name}: {error}; its values are {type}") from None
    if declaration.value is None and not raw:
        raise ParamError(f"input {name}: it is a set, so a key has the value 'true', not {value!r}")
    return name, numbers, raw


def parse_key(declaration: ir.InputDecl, key: str) -> Key:
    """Read a key.

    Raises:
        ParamError: it is malformed.
    """
    if declaration.key == "comm":
        try:
            return comm.parse(key)
        except ValueError as error:
            raise ParamError(f"input {declaration.name}: no command is called {key!r}: {error}") from None
    number = device.parse(key) if declaration.key == "device" else None
    if number is not None:
        return (number,)
    form = r"([0-9]{1,20}):([0-9]{1,20})\.\.([0-9]{1,20})" if declaration.key == "page" else r"([0-9]{1,20})"
    match = re.fullmatch(form, key)
    if match is None:
        forms = {"page": "FILE:FIRST..LAST", "device": "MAJOR:MINOR, or a whole number"}
        wanted = forms.get(declaration.key, "a whole number")
        raise ParamError(f"input {declaration.name}: {key!r} is not a key of kind {declaration.key}; write {wanted}")
    return tuple(int(number) for number in match.groups())


def show(declaration: ir.InputDecl, key: Key, value: int | tuple[int, ...]) -> Setting:
    """A key and its raw value, or values of an array, as users write them."""
    type = value_type(declaration)
    values = value if isinstance(value, tuple) else (value,)
    return declaration.name, show_key(key), ",".join(show_value(one, type) for one in values)


def show_key(key: Key) -> str:
    match key:
        case (number,):
            return str(number)
        case (first, second):
            return comm.show((first, second))
        case _:
            return f"{key[0]}:{key[1]}..{key[2]}"
