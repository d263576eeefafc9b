"""Copies a part of the AST, with other names and places. It is generic over the classes of the AST."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast

from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import statements

Node = TypeVar("Node")

_PLAIN: dict[type, tuple[str, ...]] = {
    ast.CacheDecl: ("unit",),
    ast.Element: ("members",),
    ast.Every: ("unit",),
    ast.FieldDecl: ("name",),
    ast.Handler: ("events",),
    ast.InputDecl: ("kind", "key"),
    ast.KeepDecl: ("unit",),
    ast.Named: ("name",),
    ast.ParamDecl: ("notes",),
    ast.PinDecl: ("unit",),
}
"""The parts of nodes whose words name no declaration and no local."""


class Copy:
    """Copies nodes. `names` maps names to others, `shift` moves places.

    A node that stands in two places of the original is one node in the copy, too.
    """

    def __init__(self, names: Mapping[str, str], shift: int = 0) -> None:
        self.names = names
        self.shift = shift
        self.made: dict[int, object] = {}
        self.count = 0

    def node(self, node: Node) -> Node:
        return cast(Node, self._any(node))

    def _any(self, node: Any) -> Any:
        kind: Any = type(node)
        if kind is tuple:
            return tuple([self._any(part) for part in node])
        if kind is Span:
            return Span(node.start + self.shift, node.end + self.shift)
        if _parts(kind) is None:
            return node
        if id(node) not in self.made:
            self.count += 1
            self.made[id(node)] = self.make(node)
        return self.made[id(node)]

    def make(self, node: Any) -> Any:
        """A copy of `node`."""
        if isinstance(node, ast.Name):
            return ast.Name(self.names.get(node.text, node.text), self._any(node.span))
        if isinstance(node, ast.Path):
            return ast.Path((self._any(node.parts[0]), *self._words(node.parts[1:])), self._any(node.span))
        kind: Any = type(node)
        made = {
            name: self._any(getattr(node, name)) if mentions else self._words(getattr(node, name))
            for name, mentions in _parts(kind) or ()
        }
        if isinstance(node, ast.GhostDecl):
            made["settings"] = tuple((self._words(name), self._any(value)) for name, value in node.settings)
        return type(node)(**made)

    def _words(self, part: Any) -> Any:
        """`part`, a name or names, with the same text."""
        if isinstance(part, tuple):
            return tuple(self._words(name) for name in part)
        return ast.Name(part.text, self._any(part.span))


@cache
def _parts(kind: type) -> tuple[tuple[str, bool], ...] | None:
    """The parts of nodes of a class, and whether their words may name anything. None: they are no nodes."""
    if not is_dataclass(kind):
        return None
    return tuple((part.name, part.name not in _PLAIN.get(kind, ())) for part in fields(kind))


def mentioned(node: object) -> list[ast.Name]:
    """Every word in `node` that names a declaration or a local, in the order of the text."""
    out: list[ast.Name] = []
    _mentioned(node, out)
    return out


def _mentioned(node: Any, out: list[ast.Name]) -> None:
    kind: Any = type(node)
    if kind is ast.Name:
        out.append(node)
    elif kind is tuple:
        for part in node:
            _mentioned(part, out)
    elif kind is ast.Path:
        out.append(node.parts[0])
    elif kind is not Span:
        for name, mentions in _parts(kind) or ():
            if mentions:
                _mentioned(getattr(node, name), out)


def locals_of(body: tuple[ast.Stmt, ...]) -> list[ast.Name]:
    """The names that statements of `body` declare."""
    return [
        stmt.folio if isinstance(stmt, ast.Scan) else stmt.name
        for stmt in statements(body)
        if isinstance(stmt, ast.Let | ast.Var | ast.For | ast.Scan)
    ]


def declared(item: ast.Item) -> tuple[ast.Name, ...]:
    """The names that `item` adds to those of the policy."""
    if isinstance(item, ast.ListDecl):
        return tuple(each.name for each in item.lists)
    if isinstance(item, ast.EnumDecl):
        return (item.name, *item.members)
    if isinstance(
        item,
        ast.Import
        | ast.FolioDecl
        | ast.RecordDecl
        | ast.PinDecl
        | ast.KeepDecl
        | ast.CacheDecl
        | ast.Handler
        | ast.Every
        | ast.Invariant
        | ast.Test,
    ):
        return ()
    return (item.name,)


def fresh(name: str, taken: Collection[str]) -> str:
    """A name like `name` that is not taken."""
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
