"""What the loader must know of a policy: the text in the ELF section `.cpol` (runtime/include/cpol/README.md)."""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.backend import layout

VERSION = 1


def lines(policy: ir.Policy) -> list[str]:
    """The manifest, line by line."""
    result = [f"cpol {VERSION} {policy.name}"]
    for placed in layout.params(policy.params):
        decl = placed.decl
        numbers = f"{decl.default} {decl.low} {decl.high} {placed.offset} {placed.member.size}"
        result.append(f"param {decl.name} {type_name(decl.type)} {numbers}")
    for ghost in policy.ghosts:
        result.append(f"ghost {ghost.name} {','.join(polish(ghost.capacity))}")
    result.append(f"lists {','.join(policy.lists)}")
    result.append(f"meta {layout.record_size(layout.kernel_record(policy))}")
    return result


def type_name(type_: ir.Type) -> str:
    """`u8`, `fix`, `bool`, or `enum:first:second:…`."""
    if isinstance(type_, ir.EnumType):
        return ":".join(("enum", *type_.members))
    return str(type_)


def polish(expr: ir.Expr) -> list[str]:
    """A ghost's capacity in reverse Polish."""
    match expr:
        case ir.CacheAttr("capacity"):
            return ["capacity"]
        case ir.Param(name):
            return [f"param:{name}"]
        case ir.Const(value, type_):
            return [f"fix:{value}" if isinstance(type_, ir.FixType) else f"int:{value}"]
        case ir.Arith(op, left, right, _):
            return [*polish(left), *polish(right), op]
        case ir.Convert(operand, target, rounding):
            return [*polish(operand), *_conversion(operand.type, target, rounding)]
        case _:
            raise ValueError(f"a ghost's capacity cannot hold {type(expr).__name__}")


def _conversion(source: ir.Type, target: ir.Type, rounding: str) -> list[str]:
    if isinstance(target, ir.FixType) == isinstance(source, ir.FixType):
        return []
    return ["to_fix" if isinstance(target, ir.FixType) else rounding]
