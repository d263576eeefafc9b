"""Fixes that remove a declaration which nothing names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cpol.compiler.check.symbols import Symbol, Symbols
from cpol.compiler.diagnostics.edit import Edit, Fix, removed
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.syntax import ast


def removal(symbols: Symbols, symbol: Symbol, source: Source) -> Fix | None:
    """Removes the declaration of `symbol`. None if anything names it, or a comment belongs to it."""
    if symbol.used or symbol.written:
        return None
    for item in symbols.policy.items:
        if symbol.span not in item.span:
            continue
        if getattr(item, "name", None) is not None and _names(item, symbol):
            return None if isinstance(item, ast.RecordDecl) else removed(source, item.span, symbol.name)
        for parts in _lists(item):
            if any(_names(part, symbol) for part in parts):
                if len(parts) > 1:
                    return _without(source, parts, symbol)
                whole = isinstance(item, ast.ListDecl | ast.FolioDecl)
                return removed(source, item.span, symbol.name) if whole else None
    return None


def _names(node: Any, symbol: Symbol) -> bool:
    return isinstance(node.name, ast.Name) and node.name.span == symbol.span


def _lists(item: ast.Item) -> Iterator[Sequence[ast.ListName | ast.FieldDecl]]:
    """The parts of a declaration that have names of their own."""
    if isinstance(item, ast.ListDecl):
        yield item.lists
    elif isinstance(item, ast.FolioDecl | ast.RecordDecl):
        yield item.fields
    elif isinstance(item, ast.GhostDecl):
        yield from (record.fields for record in item.records)


def _without(source: Source, parts: Sequence[ast.ListName | ast.FieldDecl], symbol: Symbol) -> Fix | None:
    """Removes one of several parts; that of a list goes with the comma on one of its sides."""
    at = next(number for number, part in enumerate(parts) if _names(part, symbol))
    own = parts[at].span
    if isinstance(parts[at], ast.FieldDecl):
        return removed(source, own, symbol.name)
    span = Span(parts[at - 1].span.end, own.end) if at else Span(own.start, parts[1].span.start)
    if "//" in source.slice(span):
        return None
    return Fix(f"Remove `{symbol.name}`", (Edit(span, ""),))
