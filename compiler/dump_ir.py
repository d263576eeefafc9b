"""The policy IR as stable, readable text: one declaration or statement a line, every type written out.

Prefix notation, since it shows each operation and its type. `@` gives the line and column in the `.cpol` file.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from cpol.compiler import ir


def dump_ir(policy: ir.Policy) -> str:
    """The whole of `policy`. The path is left out, so that the text is the same wherever the file is."""
    return "\n".join(_policy(policy)) + "\n"


def constant(value: int, type: ir.Type) -> str:
    """A raw value, as the language writes it (a `fix` exactly, however many digits that needs)."""
    if isinstance(type, ir.BoolType):
        return "true" if value else "false"
    if isinstance(type, ir.EnumType):
        return type.members[value]
    if isinstance(type, ir.FixType):
        sign, whole = ("-" if value < 0 else ""), abs(value)
        high, low = whole >> ir.FIX_FRACTION_BITS, whole & ((1 << ir.FIX_FRACTION_BITS) - 1)
        fraction = f"{Decimal(low) / (1 << ir.FIX_FRACTION_BITS):f}".partition(".")[2] or "0"
        return f"{sign}{high}.{fraction}"
    return str(value)


def _policy(policy: ir.Policy) -> Iterator[str]:
    yield f"policy {policy.name}"
    for line in policy.doc.splitlines():
        yield f"  doc {line}".rstrip()
    for p in policy.params:
        default, low, high = (constant(v, p.type) for v in (p.default, p.low, p.high))
        yield f"  param {p.name}: {p.type} = {default} in {low}..{high}{_at(p.pos)}"
        for line in p.doc.splitlines():
            yield f"    doc {line}".rstrip()
    for number, name in enumerate(policy.lists, 1):
        yield f"  list {name} = {number}"
    for g in policy.ghosts:
        yield f"  ghost {g.name} capacity {expression(g.capacity)}{_at(g.pos)}"
    for f in policy.fields:
        yield f"  field {f.name}: {f.type} = {constant(f.init, f.type)}{_at(f.pos)}"
    for s in policy.states:
        yield f"  state {s.name}: {s.type} = {constant(s.init, s.type)}{_at(s.pos)}"
    for score in policy.scores:
        yield f"  score {score.name}({score.folio}) {expression(score.body)}{_at(score.pos)}"
    for h in policy.handlers.values():
        names = ", ".join(name for name in (h.folio, h.why) if name is not None)
        yield f"  on {h.event}({names}){_at(h.pos)}"
        yield from _body(h.body, "    ")
    for invariant in policy.invariants:
        yield f"  invariant {expression(invariant.cond)}{_at(invariant.pos)}"


def _at(pos: ir.Pos) -> str:
    return f"  @{pos.line}:{pos.column}"


def _body(body: tuple[ir.Stmt, ...], indent: str) -> Iterator[str]:
    for stmt in body:
        yield f"{indent}{_statement(stmt)}{_at(stmt.pos)}"
        if isinstance(stmt, ir.If):
            yield from _body(stmt.then, indent + "  ")
            if stmt.orelse:
                yield f"{indent}else"
                yield from _body(stmt.orelse, indent + "  ")
        elif isinstance(stmt, ir.Scan):
            yield from _body(stmt.body, indent + "  ")


def _statement(stmt: ir.Stmt) -> str:
    match stmt:
        case ir.Let():
            return f"let {stmt.name}: {stmt.value.type} = {expression(stmt.value)}"
        case ir.SetState():
            return f"set {stmt.name} = {expression(stmt.value)}"
        case ir.SetField():
            return f"set {stmt.folio}.{stmt.name} = {expression(stmt.value)}"
        case ir.If():
            return f"if {expression(stmt.cond)}"
        case ir.Place():
            return f"place {stmt.folio} {stmt.end.value} {stmt.list}"
        case ir.Move():
            return f"move {stmt.folio} {stmt.end.value} {stmt.list}"
        case ir.GhostAdd():
            return f"ghost-add {stmt.ghost} {stmt.folio}"
        case ir.Scan():
            bound = "all" if stmt.bound is None else expression(stmt.bound)
            return f"scan {stmt.list} {stmt.end.value} up-to {bound} as {stmt.folio}"
        case ir.Propose():
            return f"propose {stmt.folio}"
        case ir.EvictLowest():
            return f"evict-lowest {stmt.score} up-to {expression(stmt.bound)} {stmt.end.value} {stmt.list}"
        case ir.Stop():
            return "stop"


def expression(expr: ir.Expr) -> str:
    """One expression, in prefix notation."""
    match expr:
        case ir.Const():
            return f"{constant(expr.value, expr.type)}:{expr.type}"
        case ir.Param():
            return f"(param {expr.name}:{expr.type})"
        case ir.State():
            return f"(state {expr.name}:{expr.type})"
        case ir.Local():
            return f"(local {expr.name}:{expr.type})"
        case ir.Field():
            return f"(field {expr.folio}.{expr.name}:{expr.type})"
        case ir.FolioAttr():
            return f"(attr {expr.folio}.{expr.attr}:{expr.type})"
        case ir.ListSize():
            return f"(size {expr.list})"
        case ir.CacheAttr():
            return f"(cache {expr.attr})"
        case ir.EvictWanted():
            return "(wanted)"
        case ir.Arith():
            return f"({expr.op}:{expr.type} {expression(expr.left)} {expression(expr.right)})"
        case ir.Compare() | ir.Logic():
            return f"({expr.op} {expression(expr.left)} {expression(expr.right)})"
        case ir.Not():
            return f"(not {expression(expr.operand)})"
        case ir.Convert():
            rounding = f" {expr.rounding}" if expr.operand.type == ir.FIX else ""
            return f"(to:{expr.type}{rounding} {expression(expr.operand)})"
        case ir.GhostTake():
            return f"(take {expr.ghost} {expr.folio})"
        case ir.GhostHas():
            return f"(has {expr.ghost} {expr.folio})"
