"""Lowers expressions of the typed AST to IR, with explicit conversions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from cpol.compiler import arithmetic, comm, ir
from cpol.compiler.check.interval import named_constant
from cpol.compiler.check.symbols import (
    FaultSym,
    FnSym,
    FolioSym,
    GhostSym,
    InputSym,
    LetSym,
    ListSym,
    ParamSym,
    RecordFieldSym,
    RecordSym,
    RequestSym,
    StateSym,
    Symbol,
    TableSym,
    Typed,
)
from cpol.compiler.check.unsettled import is_lowest_fix
from cpol.compiler.lower import age
from cpol.compiler.syntax import ast
from cpol.compiler.types import Space, common_type, raw_range, widened
from cpol.compiler.vocabulary.function import COMPUTED, FUNCTIONS

_ARITH: dict[str, Literal["add", "sub", "mul", "div", "mod"]] = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod",
}  # fmt: skip
_BITS: dict[str, Literal["and", "or", "xor", "shl", "shr"]] = {
    "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr",
}  # fmt: skip
_COMPARE: dict[str, Literal["eq", "ne", "lt", "le", "gt", "ge"]] = {
    "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
}  # fmt: skip
_DID: dict[str, Literal["dropped", "flushed", "waited", "left", "kept"]] = {
    "dropped": "dropped", "flushed": "flushed", "waited": "waited", "left": "left", "kept": "kept",
}  # fmt: skip
_LOGIC: dict[str, Literal["and", "or"]] = {"and": "and", "or": "or"}
RECORDS: dict[str, Literal["file", "task", "area"]] = {"file": "file", "task": "task", "area": "area"}


def lower_expr(typed: Typed, expr: ast.Expr, want: ir.Type | None = None) -> ir.Expr:
    """Lower `expr`, which has no errors, and convert it to `want` if its type differs."""
    have = typed.types[expr]
    if isinstance(expr, ast.IntLit):
        return number(expr.value, want or have)
    if isinstance(expr, ast.Unary) and expr.op == "-" and isinstance(expr.operand, ast.IntLit):
        return number(-expr.operand.value, want or have)
    lowered = _lower(typed, expr, have)
    if want is not None and want != have:
        return ir.Convert(lowered, want)
    return lowered


def lower_stored(typed: Typed, expr: ast.Expr, type: ir.Type) -> ir.Expr:
    """Lower `expr`, which has no errors, to the declared `type` of where its value goes."""
    return narrow(lower_expr(typed, expr, widened(type)), type)


def narrow(value: ir.Expr, type: ir.Type) -> ir.Expr:
    """Convert a value of the widened type to `type`, saturating."""
    if value.type == type:
        return value
    if isinstance(value, ir.Const):
        return ir.Const(arithmetic.saturate(value.value, type), type)
    if isinstance(value, ir.Convert) and value.operand.type == type:
        return value.operand  # it was widened only to be read
    return ir.Convert(value, type)


def number(value: int, type: ir.Type) -> ir.Const:
    """A whole number as a constant of `type`."""
    return ir.Const(arithmetic.whole(value, type), type)


def widen(leaf: ir.Expr) -> ir.Expr:
    """Convert `leaf` to the type in which expressions compute."""
    wide = widened(leaf.type)
    if leaf.type == wide:
        return leaf
    if isinstance(leaf, ir.Const):
        return ir.Const(leaf.value, wide)
    return ir.Convert(leaf, wide)


def _lower(typed: Typed, expr: ast.Expr, have: ir.Type) -> ir.Expr:
    if isinstance(expr, ast.IntLit):
        return number(expr.value, have)
    if isinstance(expr, ast.FixLit):
        return ir.Const(arithmetic.fraction(expr.text), ir.FIX)
    if isinstance(expr, ast.BoolLit):
        return ir.Const(int(expr.value), ir.BOOL)
    if isinstance(expr, ast.CommLit):
        return ir.Const(comm.number(expr.comm), ir.U64)
    if isinstance(expr, ast.Path):
        return widen(_name(typed, expr))
    if isinstance(expr, ast.Call):
        return widen(_call(typed, expr, have))
    if isinstance(expr, ast.Element):
        return widen(_element(typed, expr))
    if isinstance(expr, ast.FieldElement):
        folio, field = (part.text for part in expr.path.parts)
        return widen(ir.Field(folio, field, typed.declared[expr], lower_expr(typed, expr.index[0], ir.U64)))
    if isinstance(expr, ast.IfElse):
        cond, then, orelse = (
            lower_expr(typed, expr.cond),
            lower_expr(typed, expr.then, have),
            lower_expr(typed, expr.orelse, have),
        )
        return ir.Select(cond, then, orelse, have)
    assert not isinstance(expr, ast.Folios)
    if isinstance(expr, ast.Unary):
        if expr.op == "not":
            return ir.Not(lower_expr(typed, expr.operand))
        if expr.op == "~":
            return ir.Bits("xor", lower_expr(typed, expr.operand, ir.U64), number(arithmetic.ALL_BITS, ir.U64))
        if is_lowest_fix(expr):
            return ir.Const(raw_range(ir.FIX)[0], ir.FIX)
        return ir.Arith("sub", number(0, have), lower_expr(typed, expr.operand, have), have)
    if expr.op in _ARITH:
        left = lower_expr(typed, expr.left, have)
        return ir.Arith(_ARITH[expr.op], left, lower_expr(typed, expr.right, have), have)
    if expr.op in _BITS:
        return ir.Bits(_BITS[expr.op], lower_expr(typed, expr.left, ir.U64), lower_expr(typed, expr.right, ir.U64))
    if expr.op in _LOGIC:
        return ir.Logic(_LOGIC[expr.op], lower_expr(typed, expr.left), lower_expr(typed, expr.right))
    common = common_type(typed.types[expr.left], typed.types[expr.right])
    return ir.Compare(_COMPARE[expr.op], lower_expr(typed, expr.left, common), lower_expr(typed, expr.right, common))


def _name(typed: Typed, path: ast.Path) -> ir.Expr:
    """Lower a name, without widening."""
    constant = named_constant(typed, path)
    if constant is not None:
        return ir.Const(constant, typed.declared[path])
    symbol = typed.refs.get(path)
    if isinstance(symbol, RecordFieldSym):
        return record_field(typed, path, symbol)
    if isinstance(symbol, FaultSym):
        return ir.FaultAttr(path.parts[1].text, typed.declared[path])
    if isinstance(symbol, RequestSym):
        return ir.RequestAttr(path.parts[-1].text, typed.declared[path])
    if symbol is None and path.text == "defaulted":
        return ir.Defaulted()
    if symbol is None and path.text in _DID:
        return ir.RangeDid(_DID[path.text])
    if isinstance(symbol, FolioSym):
        member = path.parts[-1].text
        if len(path.parts) == 2 and member in typed.symbols.fields:
            return ir.Field(symbol.name, member, typed.declared[path])
        if member == "age":
            return age.age(typed, symbol.name)
        return ir.FolioAttr(symbol.name, member, typed.declared[path])
    if isinstance(symbol, ListSym):
        return ir.ListSize(ir.ListRef(symbol.name))
    if isinstance(symbol, GhostSym):
        if path.parts[1].text == "oldest":
            return ir.GhostOldest(symbol.name, path.parts[2].text, typed.declared[path])
        return ir.GhostFull(symbol.name) if path.parts[1].text == "full" else ir.GhostSize(symbol.name)
    if isinstance(symbol, TableSym):
        return ir.TableSize(symbol.name)
    if isinstance(symbol, InputSym):
        return ir.ArraySize(symbol.name)
    if isinstance(symbol, ParamSym):
        return ir.Param(symbol.name, typed.declared[path])
    if isinstance(symbol, StateSym):
        return ir.State(symbol.name, typed.declared[path])
    if isinstance(symbol, LetSym):
        return ir.Local(symbol.name, typed.declared[path])
    owner, member = (part.text for part in path.parts)
    type = typed.declared[path]
    match owner:
        case "cache":
            return ir.CacheAttr(member, type)
        case "task":
            return ir.TaskAttr(member, type)
        case "evict":
            return ir.EvictWanted()
        case _:
            return ir.EveryPeriods()


def record_field(typed: Typed, path: ast.Path, field: RecordFieldSym) -> ir.RecordField:
    """Lower `f.file.FIELD`, `task.FIELD` or `p.area.FIELD`."""
    assert field.type is not None
    owner = path.parts[0]
    asked = field.record != "file" or path in typed.of_request
    return ir.RecordField(RECORDS[field.record], None if asked else owner.text, field.name, field.type)


def _element(typed: Typed, expr: ast.Element) -> ir.Expr:
    symbol = typed.refs[expr]
    indices = tuple(lower_expr(typed, index, ir.U64) for index in expr.index)
    if isinstance(symbol, ListSym):
        return ir.ListSize(ir.ListRef(symbol.name, indices[0]))
    if isinstance(symbol, InputSym):
        assert symbol.type is not None
        return ir.ArrayGet(symbol.name, indices[0], symbol.type)
    assert isinstance(symbol, TableSym) and symbol.type is not None
    return ir.TableGet(symbol.name, indices, symbol.type)


def _call(typed: Typed, call: ast.Call, have: ir.Type) -> ir.Expr:
    """Lower a call, without widening."""
    symbol = typed.refs.get(call.callee if len(call.callee.parts) == 1 else call.callee.parts[0])
    if isinstance(symbol, InputSym):
        return _input(typed, call, symbol)
    if isinstance(symbol, FnSym):
        return _fn(typed, call, symbol)
    if isinstance(symbol, RecordSym):
        return _by_owner(typed, call, symbol)
    if isinstance(symbol, GhostSym) and isinstance(call.args[0], ast.Path):
        return _ghost(typed, call, symbol, call.args[0].text)
    if len(call.callee.parts) == 1:
        return _built_in(typed, call, have)
    return _by_number(typed, call, symbol)


def _ghost(typed: Typed, call: ast.Call, ghost: GhostSym, folio: str) -> ir.Expr:
    method = call.callee.parts[1].text
    if method == "has":
        return ir.GhostHas(ghost.name, folio)
    if method == "take":
        return ir.GhostTake(ghost.name, folio)
    return ir.GhostField(ghost.name, folio, method, typed.declared[call])


def _by_owner(typed: Typed, call: ast.Call, symbol: RecordSym) -> ir.Expr:
    """Lower `file.FIELD(FILE)`, `task.FIELD(THREAD)` or `area.FIELD(FIRST)`, which only tests ask."""
    key = call.args[0]
    assert isinstance(key, ast.IntLit)
    return ir.RecordField(RECORDS[symbol.name], None, call.callee.parts[1].text, typed.declared[call], key.value)


def _by_number(typed: Typed, call: ast.Call, symbol: Symbol | None) -> ir.Expr:
    """Lower a question about folios by number, which only tests ask."""
    where, method = (part.text for part in call.callee.parts)
    named = tuple(folios(call.args))
    index = lower_expr(typed, call.index[0], ir.U64) if call.index else None
    if isinstance(symbol, ListSym):
        return (ir.ListIs if method == "is" else ir.ContainsAll)(ir.ListRef(where, index), named)
    if method == "has":
        return ir.ContainsAll(where, named)
    if method == "pinned" and "pinned" not in typed.symbols.fields:
        return ir.AllPinned(named)
    return ir.CachedField(named[0], method, typed.declared[call], index)


def folios(named: Iterable[ast.Expr]) -> Iterator[tuple[int, int]]:
    """The (file, index) of each folio that a test names by number."""
    for part in named:
        if isinstance(part, ast.IntLit):
            yield 0, part.value
        else:
            assert isinstance(part, ast.Folios)
            yield from ((part.file, index) for index in range(part.first, part.last + 1))


def _targets(named: Iterable[ast.Expr]) -> Iterator[tuple[Space, int]]:
    """The targets of `prefetch` that a test names by number."""
    for part in named:
        if isinstance(part, ast.IntLit):
            yield "index", part.value
        else:
            assert isinstance(part, ast.Folios)
            space: Space = "slot" if part.space == "slot" else "page" if part.space else "index"
            down = part.first > part.last
            yield from ((space, n) for n in range(part.first, part.last + (-1 if down else 1), -1 if down else 1))


def _page_of(typed: Typed, arg: ast.Expr) -> str | None:
    """The name of a folio, or None for a request or a range."""
    assert isinstance(arg, ast.Path)
    return None if isinstance(typed.refs.get(arg), RequestSym) else arg.text


def _input(typed: Typed, call: ast.Call, input: InputSym) -> ir.Expr:
    assert input.decl is not None
    arg = call.args[0]
    page = input.decl.key.text == "page"
    folio = _page_of(typed, arg) if page else None
    key = None if page else lower_expr(typed, arg, ir.U64)
    if call.callee.parts[1].text == "has":
        return ir.InputHas(input.name, key, folio)
    assert input.type is not None
    return ir.InputGet(input.name, key, folio, input.type)


def _fn(typed: Typed, call: ast.Call, fn: FnSym) -> ir.Expr:
    args: list[ir.Expr | ir.FolioArg] = []
    for arg, type in zip(call.args, fn.params, strict=True):
        if type is not None:
            args.append(lower_stored(typed, arg, type))
        else:
            assert isinstance(arg, ast.Path)
            args.append(ir.FolioArg(arg.text))
    assert fn.type is not None
    return ir.FnCall(fn.name, tuple(args), fn.type)


def _built_in(typed: Typed, call: ast.Call, have: ir.Type) -> ir.Expr:
    function = call.callee.text
    if function == "random":
        return ir.Random(lower_expr(typed, call.args[0], ir.U64))
    if function == "hash":
        return ir.Hash(_page_of(typed, call.args[0]), lower_expr(typed, call.args[1], ir.U64))
    if function == "prefetched":
        return ir.PrefetchedIs(tuple(_targets(call.args)))
    if function == "readahead":
        only = call.args[0]
        assert isinstance(only, ast.IntLit)
        return ir.AheadIs(only.value)
    if function in COMPUTED:
        known = FUNCTIONS[function]
        operands = tuple(lower_expr(typed, arg, type) for arg, type in zip(call.args, known.operands, strict=True))
        return ir.Math(function, operands, known.type)
    if function in ("min", "max"):
        op: Literal["min", "max"] = "min" if function == "min" else "max"
        tree = lower_expr(typed, call.args[0], have)
        for arg in call.args[1:]:
            tree = ir.Arith(op, tree, lower_expr(typed, arg, have), have)
        return tree
    operand = lower_expr(typed, call.args[0])
    if operand.type == have:
        return operand
    return ir.Convert(operand, have, "ceil" if function == "ceil" else "floor")
