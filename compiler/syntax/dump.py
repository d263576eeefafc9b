"""Prints the AST as stable text: one node a line, indented below its parent, with line and column.

It is generic over the classes of `cpol.compiler.syntax.ast`, so new nodes need no change here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any

from cpol.compiler.comm import show as show_comm
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.syntax import ast
from cpol.compiler.types import Type


def dump_ast(policy: ast.Policy | ast.Library, source: Source, types: Mapping[ast.Expr, Type]) -> str:
    """The AST of `policy` as text. `types` adds the types of expressions."""
    return "\n".join(_Dumper(source, types).node(policy, "", "")) + "\n"


class _Dumper:
    def __init__(self, source: Source, types: Mapping[ast.Expr, Type]) -> None:
        self.source = source
        self.types: Mapping[Any, Type] = types

    def node(self, node: object, label: str, indent: str) -> Iterator[str]:
        """The lines of a node: simple parts on the first line, nested nodes below."""
        plain: list[str] = []
        deep: list[tuple[str, object]] = []
        place = ""
        for field in fields(node):  # type: ignore[arg-type]  # every node is a dataclass
            value = getattr(node, field.name)
            if field.name == "span":
                pos = self.source.pos(value.start)
                place = f"  @{pos}"
            elif isinstance(value, Span) or value in (None, (), ""):
                continue
            elif isinstance(node, ast.Path):
                plain.append(node.text)
            elif (text := self._plain(value)) is not None:
                plain.append(text)
            else:
                deep.append((field.name, value))
        type = f": {self.types[node]}" if node in self.types else ""
        yield f"{indent}{label}{' '.join([_kind(node), *plain])}{type}{place}"
        for name, value in deep:
            yield from self._part(name, value, indent + "  ")

    def _plain(self, value: object) -> str | None:
        """`value` as one word, or None if it is a nested node."""
        if isinstance(value, ast.Name):
            return value.text
        if isinstance(value, Enum):
            return str(value.value)
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int):
            return str(value)
        if isinstance(value, str):
            return value if value.isprintable() and " " not in value and value else repr(value)
        if isinstance(value, tuple) and all(isinstance(part, ast.Name) for part in value):
            return "[" + " ".join(part.text for part in value) + "]"
        if isinstance(value, tuple) and all(isinstance(part, int) for part in value):
            return f'"{show_comm((value[0], value[1]))}"'
        return None

    def _part(self, name: str, value: object, indent: str) -> Iterator[str]:
        if not isinstance(value, tuple):
            yield from self.node(value, f"{name}: ", indent)
            return
        for part in value:
            if isinstance(part, tuple):  # a ghost's setting
                setting, inner = part
                yield from self.node(inner, f"{setting.text}: ", indent)
            else:
                yield from self.node(part, f"{name}: " if name not in ("items", "body") else "", indent)


def _kind(node: object) -> str:
    return type(node).__name__
