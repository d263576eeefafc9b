"""Writes the manifest for the loader: the ELF section `.cpol` (runtime/machine/include/cpol/README.md)."""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.contract import MANIFEST_VERSION, MAX_MEMBERS
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
    for state in layout.states(policy.states):
        result.append(f"state {state.decl.name} {stored_type(state.decl.type)} {state.offset} {state.member.size}")
    for table in policy.tables:
        sizes = " ".join(table_size(size) for size in table.sizes)
        result.append(f"table {table.name} {stored_type(table.type)} {table.init} {sizes}")
    for given in policy.arrays:
        assert given.size is not None and given.value is not None
        result.append(f"array {given.name} {type_name(given.value)} {','.join(formula.polish(given.size))}")
    for given in policy.keyed:
        kind, type_ = ("set", ir.BOOL) if given.value is None else ("map", given.value)
        result.append(f"input {given.name} {kind} {given.key} {type_name(type_)} {given.default}")
    if policy.lists:
        result.append(f"lists {lists(policy)}")
    if any(every.unit == "ms" for every in policy.everies):
        result.append(f"tick {','.join(formula.tick(policy))}")
    if policy.pin is not None:
        result.append(f"pin {','.join(formula.polish(policy.pin.quota))}")
    if policy.keep is not None:
        result.append(f"keep {','.join(formula.polish(policy.keep.quota))}")
    result.append(f"meta {layout.record_size(layout.kernel_record(policy, every_access=target.every_access))}")
    return result


def table_size(size: ir.Expr) -> str:
    """A dimension: a number if the object has all elements of it, or else a formula."""
    known = layout.constant_size(size)
    return f"int:{known}" if known else ",".join(formula.polish(size))


def lists(policy: ir.Policy) -> str:
    """The names of all lists. The length of an array follows its name in brackets."""
    arrays = [f"{array.name}[{','.join(formula.polish(array.length))}]" for array in policy.list_arrays]
    return ",".join([*policy.plain_lists, *arrays])


def type_name(type_: ir.Type) -> str:
    """`u8`, `fix`, `bool`, or `enum:first:second:…`."""
    if isinstance(type_, ir.EnumType):
        return ":".join(("enum", *type_.members))
    return str(type_)


def stored_type(type_: ir.Type) -> str:
    """The type of what the loader only shows. An enum with more members than the loader has room for is a number."""
    if isinstance(type_, ir.EnumType) and len(type_.members) > MAX_MEMBERS:
        return f"u{layout.bits_of(type_)[1]}"
    return type_name(type_)
