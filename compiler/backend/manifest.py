"""What the loader must know of a policy: the text in the ELF section `.cpol` (runtime/include/cpol/README.md)."""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.contract import MANIFEST_VERSION
from cpol.compiler.ir import layout
from cpol.compiler.toolchain.target import CACHE_EXT_TARGET, Target


def lines(policy: ir.Policy, target: Target = CACHE_EXT_TARGET) -> list[str]:
    """The manifest, line by line."""
    result = [f"cpol {MANIFEST_VERSION} {policy.name}"]
    if target.layer:
        result.append(f"profile {target.profile}")
    if any(param.live for param in policy.params):
        result.append("params data")
    for placed in layout.params(policy.params):
        decl = placed.decl
        numbers = f"{decl.default} {decl.low} {decl.high} {placed.offset} {placed.member.size}"
        result.append(f"param {decl.name} {type_name(decl.type)} {numbers}{' live' if decl.live else ''}")
    for ghost in policy.ghosts:
        result.append(f"ghost {ghost.name} {','.join(polish(ghost.capacity))}")
    for table in policy.tables:
        if not constant(table):
            result.append(" ".join((f"table {table.name}", *(",".join(polish(size)) for size in table.sizes))))
    for given in policy.inputs:
        kind, type_ = ("set", ir.BOOL) if given.value is None else ("map", given.value)
        result.append(f"input {given.name} {kind} {given.key} {type_name(type_)} {given.default}")
    if policy.lists:
        result.append(f"lists {lists(policy)}")
    if any(every.unit == "ms" for every in policy.everies):
        result.append(f"tick {','.join(tick(policy))}")
    result.append(f"meta {layout.record_size(layout.kernel_record(policy))}")
    return result


def constant(table: ir.TableDecl) -> bool:
    """Whether the object has the whole table, so that the loader has nothing to do."""
    return all(layout.constant_size(size) for size in table.sizes)


def lists(policy: ir.Policy) -> str:
    """The names; after the array's, its length in brackets."""
    length = f"[{','.join(polish(policy.list_array.length))}]" if policy.list_array else ""
    return ",".join(policy.lists) + length


def tick(policy: ir.Policy) -> list[str]:
    """Milliseconds between ticks: the shortest of the periods."""
    periods = [polish(every.period) for every in policy.everies if every.unit == "ms"]
    result = periods[0]
    for period in periods[1:]:
        result = [*result, *period, "min"]
    return result


def type_name(type_: ir.Type) -> str:
    """`u8`, `fix`, `bool`, or `enum:first:second:…`."""
    if isinstance(type_, ir.EnumType):
        return ":".join(("enum", *type_.members))
    return str(type_)


def polish(expr: ir.Expr) -> list[str]:
    """A ghost's capacity, a size, a length or a period, in reverse Polish."""
    match expr:
        case ir.CacheAttr("capacity"):
            return ["capacity"]
        case ir.Param(name):
            return [f"param:{name}"]
        case ir.Const(value, ir.FixType()):
            return [f"fix:{value}"]
        case ir.Const(value, type_):
            return [f"int:{value}", "to_s64"] if _signed(type_) else [f"int:{value}"]
        case ir.Arith(op, left, right, _):
            return [*polish(left), *polish(right), op]
        case ir.Convert(operand, target, rounding):
            return [*polish(operand), *_conversion(operand.type, target, rounding)]
        case _:
            raise ValueError(f"what is evaluated at attach cannot hold {type(expr).__name__}")


def _conversion(source: ir.Type, target: ir.Type, rounding: str) -> list[str]:
    if target == ir.FIX:
        return [] if source == ir.FIX else ["to_fix"]
    if _signed(target):
        return [] if _signed(source) else ["to_s64"]
    if source == ir.FIX:
        return [rounding]
    return ["to_u64"] if _signed(source) else []


def _signed(type_: ir.Type) -> bool:
    return isinstance(type_, ir.IntType) and type_.signed
