"""Random policies without some of their conversions: what an executor computes that forgets to clamp."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, Literal, TypeAlias

from cpol.compiler import ir
from cpol.compiler.types import widened

Kind: TypeAlias = Literal["argument", "result", "variable", "state", "field", "record", "table", "ghost"]

KINDS: dict[Kind, tuple[Any, tuple[str, ...]]] = {
    "argument": (ir.FnCall, ("args",)),
    "result": (ir.FnDecl, ("body",)),
    "variable": (ir.Var | ir.SetVar, ("value",)),
    "state": (ir.SetState, ("value",)),
    "field": (ir.SetField, ("value",)),
    "record": (ir.SetRecord, ("value",)),
    "table": (ir.SetTable, ("value",)),
    "ghost": (ir.GhostAdd, ("values",)),
}
"""Where the IR converts to declared types: the node and its members that are converted."""


def changed(node: Any, change: Callable[[Any], Any]) -> Any:
    """Return `node` with `change` made to each node in it, the innermost first."""
    if isinstance(node, tuple):
        return tuple(changed(part, change) for part in node)
    if isinstance(node, dict):
        return {key: changed(part, change) for key, part in node.items()}
    if not is_dataclass(node) or isinstance(node, ir.Pos | ir.EnumType | type):
        return node
    parts = {each.name: getattr(node, each.name) for each in fields(node)}
    new = {name: changed(part, change) for name, part in parts.items()}
    return change(replace(node, **{name: part for name, part in new.items() if part is not parts[name]}))


def without(policy: ir.Policy, kind: Kind) -> ir.Policy:
    """Return the policy with the values of one kind as they were before their conversion."""
    of, members = KINDS[kind]

    def bare(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(bare(part) for part in value)
        return value.operand if isinstance(value, ir.Convert) and value.type != widened(value.type) else value

    def strip(node: Any) -> Any:
        return replace(node, **{name: bare(getattr(node, name)) for name in members}) if isinstance(node, of) else node

    found: ir.Policy = changed(policy, strip)
    return found
