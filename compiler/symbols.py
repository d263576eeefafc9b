"""What names mean: symbols, scopes, and the tables that make an AST a typed one."""

from __future__ import annotations

from dataclasses import dataclass, field

from cpol.compiler import ast, ir
from cpol.compiler.source import Span

FUNCTIONS = ("min", "max", "floor", "ceil", "signed", "unsigned")
BUILT_IN = (*FUNCTIONS, "cache", *ir.REASON.members)
EVENTS = ("init", "added", "first_accessed", "accessed", "removed", "evict")
FOLIO_ATTRIBUTES = ("list", "pages", "index", "file")


def parse_type(text: str) -> ir.Type | None:
    """The type that `text` names."""
    if text == "bool":
        return ir.BOOL
    if text == "fix":
        return ir.FIX
    digits = text[1:]
    if text[:1] not in ("u", "s") or not digits.isdecimal() or not digits.isascii() or len(digits) > 2:
        return None
    signed = text[0] == "s"
    bits = int(digits)
    if digits[0] == "0" or not (8 if signed else 1) <= bits <= 64:
        return None
    return ir.IntType(signed, bits)


def widened(type: ir.Type) -> ir.Type:
    """The type in which an expression computes with a value of `type`."""
    if isinstance(type, ir.IntType):
        return ir.S64 if type.signed else ir.U64
    return type


def raw_range(type: ir.Type) -> tuple[int, int]:
    """The raw values that `type` can hold."""
    if isinstance(type, ir.IntType):
        if type.signed:
            return -(1 << (type.bits - 1)), (1 << (type.bits - 1)) - 1
        return 0, (1 << type.bits) - 1
    if isinstance(type, ir.FixType):
        return raw_range(ir.S64)
    if isinstance(type, ir.BoolType):
        return 0, 1
    return 0, len(type.members) - 1


@dataclass(eq=False)
class Symbol:
    name: str
    span: Span
    used: bool = field(default=False, init=False)
    written: bool = field(default=False, init=False)

    kind = "a name"


@dataclass(eq=False)
class ConstSym(Symbol):
    type: ir.Type | None = None
    value: int | None = None
    kind = "a const"


@dataclass(eq=False)
class ParamSym(Symbol):
    type: ir.Type | None = None
    default: int = 0
    low: int = 0
    high: int = 0
    doc: str = ""
    kind = "a param"


@dataclass(eq=False)
class ListSym(Symbol):
    number: int = 0
    filled: bool = field(default=False, init=False)
    drained: bool = field(default=False, init=False)
    kind = "a list"


@dataclass(eq=False)
class GhostSym(Symbol):
    decl: ast.GhostDecl | None = None
    capacity: ast.Expr | None = None
    asked: bool = field(default=False, init=False)
    kind = "a ghost"


@dataclass(eq=False)
class StateSym(Symbol):
    type: ir.Type | None = None
    init: int = 0
    kind = "a state"


@dataclass(eq=False)
class FieldSym(Symbol):
    type: ir.Type | None = None
    init: int = 0
    kind = "a folio field"


@dataclass(eq=False)
class ScoreSym(Symbol):
    decl: ast.ScoreDecl | None = None
    kind = "a score"


@dataclass(eq=False)
class FolioSym(Symbol):
    """The folio of a handler (`list` is None), of a scan, or of a score."""

    list: str | None = None
    scanned: bool = False
    kind = "a folio"


@dataclass(eq=False)
class LetSym(Symbol):
    """A `let` or the reason of `removed`. The type is None after an error."""

    type: ir.Type | None = None
    reason: bool = False
    kind = "a `let`"


@dataclass
class Symbols:
    policy: ast.Policy
    names: dict[str, Symbol] = field(default_factory=dict)
    fields: dict[str, FieldSym] = field(default_factory=dict)
    handlers: dict[str, ast.Handler] = field(default_factory=dict)
    invariants: list[ast.Invariant] = field(default_factory=list)

    def lists(self) -> list[ListSym]:
        return [s for s in self.names.values() if isinstance(s, ListSym)]

    @property
    def list_type(self) -> ir.EnumType:
        return ir.EnumType("list", ("none", *(s.name for s in self.lists())))


@dataclass
class Typed:
    """A typed AST: the tree, and what is known of its nodes.

    `types`: of each expression, as it is computed. `leaves`: what a name or a ghost's call reads, not yet widened.
    `refs`: the symbol behind each name or path.
    """

    symbols: Symbols
    types: dict[ast.Expr, ir.Type] = field(default_factory=dict)
    leaves: dict[ast.Path | ast.Call, ir.Expr] = field(default_factory=dict)
    refs: dict[ast.Name | ast.Path, Symbol] = field(default_factory=dict)

    @property
    def policy(self) -> ast.Policy:
        return self.symbols.policy
