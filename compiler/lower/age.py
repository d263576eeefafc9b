"""Lowers `f.age`: the time now, less a hidden field of the record that `added` sets to the time."""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.check.symbols import FolioSym, Typed
from cpol.compiler.syntax import ast

_NOW = ir.CacheAttr("time", ir.U64)


def age(typed: Typed, folio: str) -> ir.Expr:
    """The age of a folio."""
    return ir.Arith("sub", _NOW, ir.Field(folio, _came(typed), ir.U64), ir.U64)


def field(typed: Typed, pos: ir.Pos) -> tuple[ir.VarDecl, ...]:
    """The field of a policy that reads ages."""
    return (ir.VarDecl(_came(typed), ir.U64, 0, pos),) if _reads(typed) else ()


def comes(typed: Typed, folio: str | None, pos: ir.Pos) -> tuple[ir.Stmt, ...]:
    """What a policy that reads ages does first of all in `added`."""
    return (ir.SetField(folio, _came(typed), _NOW, pos),) if folio is not None and _reads(typed) else ()


def _reads(typed: Typed) -> bool:
    if "age" in typed.symbols.fields:
        return False
    paths = (path for path in typed.types if isinstance(path, ast.Path) and len(path.parts) == 2)
    return any(path.parts[1].text == "age" and isinstance(typed.refs.get(path), FolioSym) for path in paths)


def _came(typed: Typed) -> str:
    """The field's name, which the policy has not."""
    name = "came"
    while name in typed.symbols.fields:
        name += "_"
    return name
