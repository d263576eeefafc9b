"""Scopes and name lookup, with suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cpol.compiler.check.habits import of_a_name, of_a_type
from cpol.compiler.check.symbols import BUILT_IN, FolioSym, LetSym, Symbol, Symbols
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.diagnostics.edit import Fix, instead, removed
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import nodes
from cpol.compiler.types import Type, parse_type

TYPES = ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "bool", "fix")
"""Types, for suggestions."""


def check_free(report: Report, name: ast.Name, earlier: Symbol | None) -> bool:
    """Whether `name` can be declared. `earlier` already has the name, or is None. It reports an error if not."""
    text = name.text
    if text in BUILT_IN or parse_type(text) is not None:
        report.error(
            "E0103",
            name.span,
            f"`{text}` is built into the language",
            label="declared here",
            help="choose another name",
        )
        return False
    if earlier is not None:
        report.error(
            "E0102",
            name.span,
            f"`{text}` is declared twice",
            label="again here",
            help="choose another name",
            others=(Label(earlier.span, "first declared here"),),
        )
        return False
    return True


def type_named(symbols: Symbols, name: ast.Name, report: Report) -> Type | None:
    """The type of this name. None after an error."""
    enum = symbols.enums.get(name.text)
    if enum is not None:
        enum.used = True
        return enum.type
    type = parse_type(name.text)
    if type is None:
        text = name.text
        short = text[:1] == "s" and text[1:].isdecimal() and 0 < int(text[1:3]) < 8
        enums = list(symbols.enums)
        mine = f", and here {listing(enums)}" if enums else ""
        report.error(
            "E0104",
            name.span,
            f"there is no type `{text}`",
            why=f"the types are `u1` to `u64`, `s8` to `s64`, `bool` and `fix`{mine}",
            help="write `s8`" if short else of_a_type(text) or suggest(text, (*TYPES, *enums)),
        )
    return type


@dataclass
class Scope:
    """The names that are visible at one place."""

    symbols: Symbols
    report: Report
    locals: list[dict[str, Symbol]] = field(default_factory=list)
    unknown: set[str] = field(default_factory=set)

    def find(self, name: str) -> Symbol | None:
        for frame in reversed(self.locals):
            if name in frame:
                return frame[name]
        return self.symbols.names.get(name)

    def locals_of(self, kind: type[Symbol]) -> list[str]:
        """The local names of this kind, outer ones first."""
        return [name for frame in self.locals for name, symbol in frame.items() if isinstance(symbol, kind)]

    def declare(self, symbol: Symbol, name: ast.Name) -> bool:
        """Declare a local name in the innermost frame. Returns whether it was free.

        It reports an error if not, and replaces the earlier symbol.
        """
        free = check_free(self.report, name, self.find(name.text))
        symbol.used = symbol.used or not free
        self.locals[-1][name.text] = symbol
        return free

    def open(self) -> None:
        self.locals.append({})

    def close(self) -> None:
        """Leave the innermost frame and warn of unused names."""
        for symbol in self.locals.pop().values():
            if isinstance(symbol, LetSym) and not symbol.used and not symbol.silent:
                self.report.warning(
                    "W0401",
                    symbol.span,
                    f"`{symbol.name}` is never {'read' if symbol.written else 'used'}",
                    help=f"remove this {symbol.kind.removeprefix('a ')}",
                    fix=self._removal(symbol),
                )

    def _removal(self, symbol: LetSym) -> Fix | None:
        """Removes a `let` or a `var` whose value does nothing."""
        decl = symbol.decl
        if decl is None or symbol.written or any(isinstance(node, ast.Call) for node in nodes(decl.value)):
            return None
        return removed(self.report.source, decl.span, symbol.name)

    def visible(self) -> list[str]:
        return [*self.symbols.names, *(name for frame in self.locals for name in frame)]

    def as_field(self, name: str) -> str:
        """A help text if `name` is a field of the folio record, and a folio is visible; else nothing."""
        folios = [symbol for frame in self.locals for symbol in frame.values() if isinstance(symbol, FolioSym)]
        return instead(name, f"{folios[-1].name}.{name}") if folios and name in self.symbols.fields else ""

    def first_unknown(self, name: str) -> bool:
        """Whether `name` is met for the first time. One mistake in a declaration is one error, not one at each use."""
        first = name not in self.unknown
        self.unknown.add(name)
        return first

    def report_unknown(self, name: ast.Name, what: str, more: Iterable[str] = (), otherwise: str = "") -> None:
        """Report an unknown name, once. `otherwise` is the help if no visible name is alike."""
        if self.first_unknown(name.text):
            self.report.error(
                "E0101",
                name.span,
                f"nothing here is called `{name.text}`",
                label=what,
                help=self.as_field(name.text)
                or of_a_name(name.text)
                or suggest(name.text, [*self.visible(), *more])
                or otherwise,
            )
