"""Data-flow analysis for comparisons: the ranges of names at each statement, as the conditions around it leave them.

It warns where they decide a comparison that types and lets alone do not (always.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from cpol.compiler.check.always import check_always
from cpol.compiler.check.interval import NONE, Facts, Key, Range, interval, key_of
from cpol.compiler.check.symbols import FieldSym, LetSym, RecordFieldSym, StateSym, Symbol, Typed
from cpol.compiler.diagnostics import Report
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import operands, parts, statements
from cpol.compiler.types import FixType, IntType, Type, common_type, raw_range, widened

_FLIPPED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


Outcomes: TypeAlias = tuple[Facts | None, Facts | None]
"""The facts where a condition holds, and where it does not; None: it never does."""


def check_ranges(typed: Typed, body: tuple[ast.Stmt, ...], report: Report) -> None:
    """Warn of comparisons in the body of a handler that the conditions around them decide."""
    _Walker(typed, report).body(body, NONE)


def check_fn_ranges(typed: Typed, fn: ast.FnDecl, report: Report) -> None:
    """The same for the body of a fn."""
    walker = _Walker(typed, report)
    for let in fn.lets:
        walker.expr(let.value, NONE)
    walker.expr(fn.body, NONE)


class _Walker:
    """Walks statements with facts, which are None in unreachable code."""

    def __init__(self, typed: Typed, report: Report) -> None:
        self.typed = typed
        self.report = report

    def expr(self, expr: ast.Expr | None, facts: Facts, spare: bool | None = None) -> Outcomes:
        """Warn of comparisons in `expr`. What follows `and`, `or` and `if` has the facts that these leave.

        `spare`: the result of which it does not warn. In the condition of a further branch, one that always holds says
        what is left.
        """
        if isinstance(expr, ast.IfElse):
            holds, fails = self.expr(expr.cond, facts, spare)
            if holds is not None:
                self.expr(expr.then, holds)
            if fails is not None:
                self.expr(expr.orelse, fails, True if isinstance(expr.orelse, ast.IfElse) else None)
        elif isinstance(expr, ast.Unary) and expr.op == "not":
            holds, fails = self.expr(expr.operand, facts, None if spare is None else not spare)
            return fails, holds
        elif isinstance(expr, ast.Binary) and expr.op in ("and", "or"):
            left = self.expr(expr.left, facts, spare)
            went_on = left[0] if expr.op == "and" else left[1]
            right = (None, None) if went_on is None else self.expr(expr.right, went_on, spare)
            if expr.op == "and":
                return right[0], _either([left[1], right[1]])
            return _either([left[0], right[0]]), right[1]
        elif expr is not None:
            for part in parts(expr):
                self.expr(part, facts)
            common = self._common(expr)
            if common is not None:
                assert isinstance(expr, ast.Binary)
                if facts:
                    check_always(self.typed, expr, common, self.report, facts, spare)
                return self._left_by(expr, common, True, facts), self._left_by(expr, common, False, facts)
        return facts, facts

    def _common(self, expr: ast.Expr) -> Type | None:
        """The type in which `expr` compares two numbers; None: it does not."""
        if not isinstance(expr, ast.Binary) or expr.op not in _FLIPPED:
            return None
        types = [self.typed.types[side] for side in (expr.left, expr.right)]
        return common_type(*types) if all(isinstance(type, IntType | FixType) for type in types) else None

    def body(self, body: Iterable[ast.Stmt], facts: Facts | None) -> Facts | None:
        for stmt in body:
            if facts is None:
                return None
            facts = self._statement(stmt, facts)
        return facts

    def _statement(self, stmt: ast.Stmt, facts: Facts) -> Facts | None:
        for operand in operands(stmt):
            self.expr(operand, facts)
        if isinstance(stmt, ast.Assign):
            return self._assign(stmt, facts)
        if isinstance(stmt, ast.Do):  # other calls of the action may be made where other facts hold
            self.body(stmt.body or (), NONE)
        elif isinstance(stmt, ast.If):
            return self._branches(stmt.branches, stmt.orelse, facts)
        elif isinstance(stmt, ast.For):
            self.body(stmt.block.body, self._without(stmt, facts))
        elif isinstance(stmt, ast.While):
            kept = self._without(stmt, facts)
            self.body(stmt.block.body, self.expr(stmt.cond, kept)[0])
        elif isinstance(stmt, ast.Scan):
            after = self.body(stmt.body, self._without(stmt, facts))
            if after is not None:
                self._branches(stmt.arms, stmt.otherwise, after)
        return None if isinstance(stmt, ast.Stop | ast.Refuse) else self._without(stmt, facts)

    def _assign(self, stmt: ast.Assign, facts: Facts) -> Facts:
        kept = self._without(stmt, facts)
        target = self.typed.refs.get(stmt.target)
        if stmt.op != "=" or not isinstance(stmt.target, ast.Path) or not isinstance(target, StateSym | LetSym):
            return kept
        type = target.type
        if not isinstance(type, IntType | FixType):
            return kept
        low, high = raw_range(type)
        least, most = (min(max(end, low), high) for end in interval(self.typed, stmt.value, widened(type), facts))
        return {**kept, (target, ""): (least, most)}

    def _branches(self, branches: tuple[ast.Branch, ...], orelse: ast.Block | None, facts: Facts) -> Facts | None:
        ends: list[Facts | None] = []
        left: Facts | None = facts
        for number, branch in enumerate(branches):
            if left is None:
                break
            holds, left = self.expr(branch.cond, left, True if number else None)
            ends.append(self.body(branch.block.body, holds))
        ends.append(self.body(orelse.body, left) if orelse is not None else left)
        return _either(ends)

    def _without(self, stmt: ast.Stmt, facts: Facts) -> Facts:
        """The facts that are left whatever `stmt` assigns. All folios may be one, so a field is that of all."""
        if not facts:
            return facts
        gone: set[Symbol | str] = set()
        for each in statements((stmt,)):
            target = self.typed.refs.get(each.target) if isinstance(each, ast.Assign) else None
            if isinstance(target, FieldSym) and not isinstance(target, RecordFieldSym):
                gone.add(target.name)
            elif target is not None:
                gone.add(target)
        return {key: range for key, range in facts.items() if key and key[0] not in gone and key[1] not in gone}

    def _left_by(self, cond: ast.Binary, common: Type, holds: bool, facts: Facts) -> Facts | None:
        """The facts where the comparison has the value `holds`; None: it never has."""
        op = cond.op if holds else _NEGATED[cond.op]
        known: dict[Key | None, Range] = {**facts}
        for name, its_op, side in ((cond.left, op, cond.right), (cond.right, _FLIPPED[op], cond.left)):
            range = _cut(interval(self.typed, name, common, facts), its_op, interval(self.typed, side, common, facts))
            if range is None:
                return None
            key = key_of(self.typed, name) if isinstance(name, ast.Path) else None
            if key is not None and self.typed.types[name] == common:
                known[key] = range
        return known


def _cut(range: Range, op: str, other: Range) -> Range | None:
    """The values in `range` for which `op` holds with some value in `other`; None: there are none."""
    low, high = range
    match op:
        case "<":
            high = min(high, other[1] - 1)
        case "<=":
            high = min(high, other[1])
        case ">":
            low = max(low, other[0] + 1)
        case ">=":
            low = max(low, other[0])
        case "==":
            low, high = max(low, other[0]), min(high, other[1])
        case "!=" if other[0] == other[1]:
            low, high = low + (low == other[0]), high - (high == other[0])
    return (low, high) if low <= high else None


def _either(ends: Iterable[Facts | None]) -> Facts | None:
    """What is known where several ways meet; None: none of them comes here."""
    live = [end for end in ends if end is not None]
    if not live:
        return None
    keys = [key for key in live[0] if all(key in end for end in live)]
    return {key: (min(end[key][0] for end in live), max(end[key][1] for end in live)) for key in keys}
