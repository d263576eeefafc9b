"""A state, a field or a table that no decision depends on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from cpol.compiler import ir
from cpol.compiler.ir import walk
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject

_Name: TypeAlias = tuple[str, str]
"""What a name stands for, and the name."""


def check(subject: Subject) -> Iterator[Finding]:
    policy = subject.policy
    declared: dict[_Name, ir.Pos] = {("state", each.name): each.pos for each in policy.states}
    declared |= {("field", each.name): each.pos for each in policy.fields}
    declared |= {("table", each.name): each.pos for each in policy.tables}
    written = {target for each in subject.statements if (target := _target(each))}
    read = set(_read(subject))
    for (kind, name), pos in declared.items():
        if (kind, name) in written - read:
            yield from subject.found(
                "L0106",
                pos,
                f"no decision depends on the {kind} `{name}`",
                why="handlers write it, and only tests and invariants read it"
                + (", at a cost for each folio" if kind == "field" else ""),
                help="remove it, or say for whom it is",
            )


def _read(subject: Subject) -> Iterator[_Name]:
    """What is read for more than its own next value."""
    for each in subject.statements:
        own = _target(each)
        for root in walk.expressions(each):
            yield from (name for name in map(_name, walk.walk(root)) if name and name != own)
    roots = [score.body for score in subject.policy.scores]
    roots += [root for fn in subject.policy.fns for root in walk.fn_roots(fn)]
    for root in roots:
        yield from (name for name in map(_name, walk.walk(root)) if name)


def _target(stmt: ir.Stmt) -> _Name | None:
    match stmt:
        case ir.SetState(name):
            return "state", name
        case ir.SetField(_, name):
            return "field", name
        case ir.SetTable(table):
            return "table", table
        case _:
            return None


def _name(expr: ir.Expr) -> _Name | None:
    match expr:
        case ir.State(name):
            return "state", name
        case ir.Field(_, name) | ir.CachedField(_, name):
            return "field", name
        case ir.TableGet(table):
            return "table", table
        case _:
            return None
