"""Params, and the sizes that depend on them, checked against what the policy allows."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from cpol.compiler import ir
from cpol.compiler.literals import show_value
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.settings.values import parse_value


def read_params(policy: ir.Policy, given: Mapping[str, int | str]) -> dict[str, int]:
    """The raw value of each param: the given one, or the default. A given value is raw, or text as users write it.

    Raises:
        ParamError: there is no such param, or a value is not of its type or out of its range.
    """
    known = ", ".join(param.name for param in policy.params) or "none"
    for name in given:
        if all(name != param.name for param in policy.params):
            raise ParamError(f"policy {policy.name} has no param {name!r}; it has {known}")
    values = {}
    for param in policy.params:
        value = given.get(param.name, param.default)
        written = value if isinstance(value, str) else show_value(value, param.type)
        low, high = show_value(param.low, param.type), show_value(param.high, param.type)
        wanted = f"it is {param.type} in {low}..{high}"
        if param.unit == "ms":
            wanted += " ms, or a time such as 250ms, 5s, 2min or 1h"
        if isinstance(value, str):
            try:
                value = parse_value(value, param.type, param.unit)
            except ValueError as error:
                raise ParamError(f"param {param.name}: {error}; {wanted}") from None
        if not param.low <= value <= param.high:
            raise ParamError(f"param {param.name}: {written} is out of range; {wanted}")
        values[param.name] = value
    return values


def check_array_length(policy: ir.Policy, array: ir.ListArray, length: int, before: int) -> int:
    """The length of an array of lists. The arrays before it have `before`.

    Raises:
        ParamError: it is out of range.
    """
    if not 1 <= length <= ir.MAX_LIST_ARRAY - before:
        raise ParamError(bad_length(policy, array, length, before))
    return length


def bad_length(policy: ir.Policy, array: ir.ListArray, length: int, before: int) -> str:
    """The message for a length of an array of lists that is out of range."""
    where, room = array.pos.within(policy.path), ir.MAX_LIST_ARRAY - before
    beside = f", beside the {before} of other arrays" if before else ""
    if room < 1:
        return (
            f"{where}: {array.name} has no room beside the {before} lists of the arrays above; all arrays together "
            f"have at most {ir.MAX_LIST_ARRAY}; lower the params in their lengths"
        )
    return f"{where}: {array.name} has 1 to {room} lists{beside}, not {length}; change the params in its length"


def check_array_size(policy: ir.Policy, array: ir.InputDecl, size: int) -> int:
    """The entries of an array of user space; 0 counts as 1.

    Raises:
        ParamError: it has too many.
    """
    if size > ir.MAX_TABLE:
        where = array.pos.within(policy.path)
        raise ParamError(
            f"{where}: input {array.name} has {size} entries, more than {ir.MAX_TABLE}; "
            f"lower the params in its size, or the capacity"
        )
    return max(size, 1)


def check_table_sizes(policy: ir.Policy, table: ir.TableDecl, sizes: list[int]) -> list[int]:
    """The sizes of a table; a size of 0 counts as 1.

    Raises:
        ParamError: the table has too many elements.
    """
    sizes = [max(size, 1) for size in sizes]
    if prod(sizes) > ir.MAX_TABLE:
        where = table.pos.within(policy.path)
        raise ParamError(
            f"{where}: table {table.name} has {' * '.join(map(str, sizes))} elements, more than {ir.MAX_TABLE}; "
            f"lower the params in its size, or the capacity"
        )
    return sizes
