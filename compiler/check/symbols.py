"""Symbols, and the tables of a typed AST."""

from __future__ import annotations

from dataclasses import dataclass, field

from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax import ast
from cpol.compiler.types import MAX_TABLE, REASON, EnumType, Type
from cpol.compiler.vocabulary.around import TAKEN
from cpol.compiler.vocabulary.function import FUNCTIONS

MAX_FOLIOS = 1 << 18
"""Limit for the folios that all tests of a policy name together."""

BUILT_IN = (*FUNCTIONS, "cache", "task", *REASON.members)


@dataclass(eq=False)
class Symbol:
    name: str
    span: Span
    used: bool = field(default=False, init=False)
    written: bool = field(default=False, init=False)

    kind = "a name"


@dataclass(eq=False)
class ConstSym(Symbol):
    """A const. `value` is raw, or None until it is computed and after an error."""

    type: Type | None = None
    value: int | None = None
    kind = "a const"


@dataclass(eq=False)
class ParamSym(Symbol):
    """A param. `default`, `low` and `high` are raw."""

    type: Type | None = None
    default: int = 0
    low: int = 0
    high: int = 0
    doc: str = ""
    unit: str = ""
    live: bool = False
    kind = "a param"


@dataclass(eq=False)
class ListSym(Symbol):
    """A list. `length` is set for an array."""

    number: int = 0
    length: ast.Expr | None = None
    least: int = field(default=0, init=False)
    """Of an array: the lists that it has whatever the params are."""
    filled: bool = field(default=False, init=False)
    drained: bool = field(default=False, init=False)
    kind = "a list"


@dataclass(eq=False)
class GhostSym(Symbol):
    decl: ast.GhostDecl | None = None
    capacity: ast.Expr | None = None
    fields: dict[str, FieldSym] = field(default_factory=dict)
    asked: bool = field(default=False, init=False)
    kind = "a ghost"


@dataclass(eq=False)
class RecordSym(GhostSym):
    """The records of files, threads or areas, named `file`, `task` or `area`. The IR keeps them as a ghost with keys of
    their own.
    """

    kind = "a record"

    @property
    def taken(self) -> tuple[str, ...]:
        """Names that its fields cannot have."""
        return ("size", *TAKEN[self.name])


@dataclass(eq=False)
class StateSym(Symbol):
    """A state. `init` is raw."""

    type: Type | None = None
    init: int = 0
    kind = "a state"


@dataclass(eq=False)
class FieldSym(Symbol):
    """A field of a record. `init` is raw; `length` is 0 unless it is an array."""

    type: Type | None = None
    init: int = 0
    length: int = 0
    kind = "a folio field"


@dataclass(eq=False)
class RecordFieldSym(FieldSym):
    """A field of the record of files, threads or areas; `record` is the name of that."""

    record: str = ""
    kind = "a field of a record"


@dataclass(eq=False)
class EnumSym(Symbol):
    type: EnumType | None = None
    kind = "an enum"


@dataclass(eq=False)
class MemberSym(Symbol):
    enum: EnumSym | None = None
    number: int = 0
    kind = "a member of an enum"


@dataclass(eq=False)
class TableSym(Symbol):
    """A table. `range` bounds its first dimension."""

    decl: ast.TableDecl | None = None
    type: Type | None = None
    init: int = 0
    range: tuple[int, int] = (1, MAX_TABLE)
    kind = "a table"


@dataclass(eq=False)
class InputSym(Symbol):
    """An input. `type` is None for a set. `range` bounds the size of an array."""

    decl: ast.InputDecl | None = None
    map: bool = False
    array: bool = False
    type: Type | None = None
    default: int = 0
    range: tuple[int, int] = (1, MAX_TABLE)
    kind = "an input"


@dataclass(eq=False)
class FnSym(Symbol):
    """A fn. The type of a folio parameter is None.

    - `ready`: its body was checked.
    - `task`: it reads the task.
    - `cache`: it reads what only a policy that evicts has: lists, ghosts, the size of the cache.
    - `cached`: indices of the folio parameters that it reads more of than `file` and `index`.
    - `cost`: operands, including those of its callees.
    - `depth`: depth of calls, including its own.
    """

    decl: ast.FnDecl | None = None
    type: Type | None = None
    params: tuple[Type | None, ...] = ()
    ready: bool = False
    task: bool = False
    cache: bool = False
    cached: set[int] = field(default_factory=set)
    cost: int = 0
    depth: int = 1
    kind = "a fn"


@dataclass(eq=False)
class ActionSym(Symbol):
    """An action. expand/ has put its body in place of each call."""

    decl: ast.ActionDecl | None = None
    kind = "an action"


@dataclass(eq=False)
class ScoreSym(Symbol):
    decl: ast.ScoreDecl | None = None
    kind = "a score"


@dataclass(eq=False)
class FolioSym(Symbol):
    """The folio of a handler (`list` is None), a scan, a score or a fn.

    `uncached`: only `file` and `index` are known. `read`: something reads more than these.
    """

    list: str | None = None
    scanned: bool = False
    uncached: bool = False
    read: bool = field(default=False, init=False)
    kind = "a folio"


@dataclass(eq=False)
class FaultSym(Symbol):
    """The fault of `on fault` or `on prefetch`."""

    kind = "a fault"


@dataclass(eq=False)
class OutSym(FaultSym):
    """The pages of `on swap`. The IR takes what is known of them as that of a fault."""

    kind = "a set of pages"


@dataclass(eq=False)
class RequestSym(Symbol):
    """The request of `on readahead`."""

    kind = "a request"


@dataclass(eq=False)
class RangeSym(RequestSym):
    """The range of `on opened`, `on read` or `on written`. The IR takes it as a request that wants nothing."""

    kind = "a range"


@dataclass(eq=False)
class LetSym(Symbol):
    """A `let`, the variable of a `for`, the reason of `removed` or a parameter of a fn.

    The type is None after an error; that of a parameter is as declared. `silent` suppresses the warning of unused
    names. `range` are the raw values that it may have, if they are known. `decl` is the statement of a `let` or `var`.
    """

    type: Type | None = None
    silent: bool = False
    range: tuple[int, int] | None = field(default=None, init=False)
    decl: ast.Let | ast.Var | None = field(default=None, init=False)
    kind = "a `let`"


@dataclass(eq=False)
class VarSym(LetSym):
    """A `var`. The type is as declared."""

    kind = "a `var`"


@dataclass(eq=False)
class BindSym(LetSym):
    """A parameter of an action, in the place of a call. The type is as declared."""

    kind = "a parameter"


@dataclass
class Symbols:
    policy: ast.Policy
    names: dict[str, Symbol] = field(default_factory=dict)
    fields: dict[str, FieldSym] = field(default_factory=dict)
    enums: dict[str, EnumSym] = field(default_factory=dict)
    handlers: dict[str, ast.Handler] = field(default_factory=dict)
    invariants: list[ast.Invariant] = field(default_factory=list)
    everies: list[ast.Every] = field(default_factory=list)
    tests: list[ast.Test] = field(default_factory=list)

    def lists(self) -> list[ListSym]:
        """All lists in the order of their numbers. Arrays are the last."""
        lists = [s for s in self.names.values() if isinstance(s, ListSym)]
        return sorted(lists, key=lambda s: s.length is not None)

    @property
    def list_type(self) -> EnumType:
        return EnumType("list", ("none", *(s.name for s in self.lists())))


@dataclass
class Typed:
    """A typed AST: the tree and facts about its nodes.

    - `types`: the type of each expression, as it computes.
    - `declared`: the declared type of names, elements and calls, before widening.
    - `refs`: the symbol of each name, path or element.
    - `values`: the raw values of constants in tests.
    - `of_request`: the paths `r.file.FIELD`, where `r` is the request of `on readahead`.
    - `folios`: the number of folios that the tests name.
    """

    symbols: Symbols
    types: dict[ast.Expr, Type] = field(default_factory=dict)
    declared: dict[ast.Expr, Type] = field(default_factory=dict)
    refs: dict[ast.Name | ast.Path | ast.Element | ast.FieldElement, Symbol] = field(default_factory=dict)
    values: dict[ast.Expr, int] = field(default_factory=dict)
    of_request: set[ast.Path] = field(default_factory=set)
    folios: int = 0

    def spend(self, folios: int) -> bool:
        """Count `folios` more that tests name. Returns whether the limit allows them."""
        self.folios += folios
        return self.folios <= MAX_FOLIOS

    @property
    def policy(self) -> ast.Policy:
        return self.symbols.policy
