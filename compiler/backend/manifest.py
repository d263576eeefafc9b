"""Writes the manifest for the loader: the ELF section `.cpol` (runtime/include/cpol/README.md)."""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.contract import MANIFEST_VERSION
from cpol.compiler.ir import formula, layout
from cpol.compiler.toolchain.target import CACHE_EXT_TARGET, Target


def lines(policy: ir.Policy, target: Target = CACHE_EXT_TARGET) -> list[str]:
    """The lines of the manifest."""
    result = [f"cpol {MANIFEST_VERSION} {policy.name}"]
    if target.layer:
        result.append(f"profile {target.profile}")
    if any(param.live for param in policy.params):
        result.append("params data")
    for placed in layout.params(policy.params):
        decl = placed.decl
        numbers = f"{decl.default} {decl.low} {decl.high} {placed.offset} {placed.member.size}"
        notes = (" ms" if decl.unit == "ms" else "") + (" live" if decl.live else "")
        result.append(f"param {decl.name} {type_name(decl.type)} {numbers}{notes}")
    for ghost in policy.ghosts:
        result.append(f"ghost {ghost.name} {','.join(formula.polish(ghost.capacity))}")
    for table in policy.tables:
        if not constant(table):
            result.append(" ".join((f"table {table.name}", *(",".join(formula.polish(size)) for size in table.sizes))))
    for given in policy.inputs:
        kind, type_ = ("set", ir.BOOL) if given.value is None else ("map", given.value)
        result.append(f"input {given.name} {kind} {given.key} {type_name(type_)} {given.default}")
    if policy.lists:
        result.append(f"lists {lists(policy)}")
    if any(every.unit == "ms" for every in policy.everies):
        result.append(f"tick {','.join(formula.tick(policy))}")
    result.append(f"meta {layout.record_size(layout.kernel_record(policy, every_access=target.every_access))}")
    return result


def constant(table: ir.TableDecl) -> bool:
    """Whether the table's size is fixed in the object. Otherwise the loader sets it."""
    return all(layout.constant_size(size) for size in table.sizes)


def lists(policy: ir.Policy) -> str:
    """The names of all lists. The array's length follows its name in brackets."""
    length = f"[{','.join(formula.polish(policy.list_array.length))}]" if policy.list_array else ""
    return ",".join(policy.lists) + length


def type_name(type_: ir.Type) -> str:
    """`u8`, `fix`, `bool`, or `enum:first:second:…`."""
    if isinstance(type_, ir.EnumType):
        return ":".join(("enum", *type_.members))
    return str(type_)
