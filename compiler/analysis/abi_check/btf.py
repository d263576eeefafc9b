"""Types in an object's BTF, as bpftool dumps them, and their C spelling."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from cpol.compiler.toolchain import process
from cpol.compiler.toolchain.process import ToolError, ToolFailedError

BPFTOOL = "bpftool"

Type = dict[str, Any]
"""A type in bpftool's JSON: `kind`, `name` and the keys of that kind."""


class InterfaceError(ToolError):
    """The object or the interface cannot be read. The message says why."""


def run(*command: str) -> str:
    """The standard output of a tool that reads an object.

    Raises:
        InterfaceError: the tool rejects the object.
        ToolError: it is not installed.
    """
    try:
        return process.run(command)
    except ToolFailedError as error:
        raise InterfaceError(f"{error.tool} cannot read {command[-1]}: {error.said}") from None


@dataclass
class Btf:
    """The types of an object. `types` maps BTF ids to types."""

    types: dict[int, Type]
    _words: dict[int, str] = field(default_factory=dict)

    @cached_property
    def functions(self) -> dict[str, Type]:
        return {each["name"]: each for each in self.types.values() if each["kind"] == "FUNC"}

    @cached_property
    def variables(self) -> dict[str, Type]:
        return {each["name"]: each for each in self.types.values() if each["kind"] == "VAR"}

    @cached_property
    def structs(self) -> dict[str, Type]:
        return {each["name"]: each for each in self.types.values() if each["kind"] in ("STRUCT", "UNION")}

    def unqualified(self, number: int) -> Type | None:
        """The type without typedefs, qualifiers and tags; None is void."""
        while number:
            found = self.types[number]
            if found["kind"] not in ("TYPEDEF", "CONST", "VOLATILE", "RESTRICT", "TYPE_TAG"):
                return found
            number = found["type_id"]
        return None

    def words(self, number: int) -> str:
        """The C spelling of a type in a prototype: integers by sign and width, structs by name."""
        if number not in self._words:
            self._words[number] = self._say(number)
        return self._words[number]

    def _say(self, number: int) -> str:
        found = self.unqualified(number)
        if found is None:
            return "void"
        match found["kind"]:
            case "INT":
                return _integer(found)
            case "PTR":
                target = self.unqualified(found["type_id"])
                return self.words(found["type_id"]) + (
                    "" if target is not None and target["kind"] == "FUNC_PROTO" else " *"
                )
            case "STRUCT" | "UNION":
                return f"{found['kind'].lower()} {found['name']}"
            case "FWD":
                return f"{found['fwd_kind']} {found['name']}"
            case "FUNC_PROTO":
                return f"{self.words(found['ret_type_id'])} ({self.arguments(found)})"
            case kind:
                return f"{kind.lower()} {found['name']}"

    def arguments(self, prototype: Type) -> str:
        return ", ".join(self.words(param["type_id"]) for param in prototype["params"]) or "void"

    def prototype(self, number: int) -> Type | None:
        """The prototype of a function or of a pointer to one; None for other types."""
        found = self.unqualified(number)
        while found is not None and found["kind"] == "PTR":
            found = self.unqualified(found["type_id"])
        return found if found is not None and found["kind"] == "FUNC_PROTO" else None

    def members(self, struct: str) -> Iterator[Type]:
        yield from self.structs[struct]["members"]

    def has_path(self, struct: str, path: list[str]) -> bool:
        """Whether `struct` has the member path, as in `struct.a.b`."""
        found: Type | None = self.structs.get(struct)
        for name in path:
            if found is None:
                return False
            member = next((each for each in found.get("members", ()) if each["name"] == name), None)
            if member is None:
                return False
            found = self.unqualified(member["type_id"])
        return True


def _integer(found: Type) -> str:
    if found["encoding"] == "BOOL":
        return "bool"
    return f"{'s' if found['encoding'] == 'SIGNED' else 'u'}{found['nr_bits']}"


def read_btf(path: Path) -> Btf:
    """Read the BTF of an object.

    Raises:
        InterfaceError: bpftool rejects the object.
        ToolError: bpftool is not installed.
    """
    text = run(BPFTOOL, "btf", "dump", "-j", "file", str(path))
    try:
        return Btf({each["id"]: each for each in json.loads(text)["types"]})
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise InterfaceError(f"{BPFTOOL} told nothing of use of {path}: {error!r}") from None
