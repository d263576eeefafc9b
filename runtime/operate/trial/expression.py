"""The language of `--keep-if`: comparisons of measures, arithmetic, `and`, `or`, `not`.

Python's parser reads it, and only the nodes that are listed here are taken. Nothing is evaluated by Python.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final

BEFORE: Final = "before"
MAX_LENGTH: Final = 1000
MAX_DEPTH: Final = 40
STRANGE: Final = re.compile(r"[^A-Za-z0-9_.+\-*/<>=!() \t]")
NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,63}")
WORDS: Final = frozenset({BEFORE, "and", "or", "not"})
ARITHMETIC: Final[dict[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
COMPARISONS: Final[dict[type[ast.cmpop], Callable[[float, float], bool]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


class ExpressionError(Exception):
    """The text is no rule. The message says where, from column 1, and what to write instead."""

    def __init__(self, column: int, what: str) -> None:
        super().__init__(f"column {column}: {what}")
        self.column, self.what = column, what


class UnknownError(Exception):
    """The rule has no answer: a value is missing, or an operation has no result."""


@dataclass(frozen=True)
class Compared:
    """A comparison of the rule, with its values."""

    text: str
    """As it stands in the rule."""
    values: tuple[float, ...]
    """Of its sides, from left to right."""
    holds: bool


Values = Mapping[str, float | None]


class Rule:
    """A rule that was read. It is a condition; a number alone is none."""

    def __init__(self, text: str, measures: Collection[str]) -> None:
        """Read `text`, which may use these measures.

        Raises:
            ExpressionError: the text is wrong.
        """
        self.text = text
        self._measures = measures
        self._offset = len(text) - len(text.lstrip(" \t"))
        self._root = self._parse()
        self.used: set[str] = set()
        """The measures that the rule names."""
        self.used_before: set[str] = set()
        """Those of which it uses the value before."""
        self._condition(self._root, 0)

    def _parse(self) -> ast.expr:
        if len(self.text) > MAX_LENGTH:
            raise ExpressionError(MAX_LENGTH + 1, f"the rule is longer than {MAX_LENGTH} characters")
        strange = STRANGE.search(self.text)
        if strange:
            raise ExpressionError(strange.start() + 1, f"a rule has no character {strange[0]!r}")
        if not self.text.strip():
            raise ExpressionError(1, "the rule is empty; write a comparison, such as `refaults <= before`")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.text[self._offset :], mode="eval").body
        except SyntaxError as error:
            end = len(self.text) + 1
            column = min(error.offset + self._offset, end) if error.offset else end  # 0: the text ends too early
            raise ExpressionError(column, f"this is no rule: {error.msg}") from None
        except (ValueError, RecursionError, MemoryError):
            raise ExpressionError(1, "the rule is nested too deeply") from None

    def _bad(self, node: ast.AST, what: str) -> ExpressionError:
        return ExpressionError(getattr(node, "col_offset", 0) + self._offset + 1, what)

    def _condition(self, node: ast.expr, depth: int) -> None:
        """Check what must be true or false."""
        if depth > MAX_DEPTH:
            raise self._bad(node, "the rule is nested too deeply")
        if isinstance(node, ast.BoolOp):
            for value in node.values:
                self._condition(value, depth + 1)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._condition(node.operand, depth + 1)
        elif isinstance(node, ast.Compare):
            self._comparison(node, depth)
        else:
            raise self._bad(node, "this is no comparison; write one, such as `refaults <= 1.05 * before`")

    def _comparison(self, node: ast.Compare, depth: int) -> None:
        for op in node.ops:
            if type(op) not in COMPARISONS:
                raise self._bad(node, "a comparison is one of < <= > >= == !=")
        sides = [node.left, *node.comparators]
        for side in sides:
            self._number(side, depth + 1)
        names = names_in(node)
        if any(isinstance(inner, ast.Name) and inner.id == BEFORE for inner in bare_names(node)):
            if len(names) != 1:
                instead = f"write `{BEFORE}.NAME`, as in `{BEFORE}.refaults`"
                raise self._bad(node, f"`{BEFORE}` is of the one measure that the comparison names; {instead}")
            self.used_before |= names

    def _number(self, node: ast.expr, depth: int) -> None:
        """Check what must be a number."""
        if depth > MAX_DEPTH:
            raise self._bad(node, "the rule is nested too deeply")
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            self._number(node.left, depth + 1)
            self._number(node.right, depth + 1)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            self._number(node.operand, depth + 1)
        elif isinstance(node, ast.Constant):
            self._constant(node)
        elif isinstance(node, ast.Attribute):
            if not isinstance(node.value, ast.Name) or node.value.id != BEFORE:
                raise self._bad(node, f"only `{BEFORE}` has parts, as in `{BEFORE}.refaults`")
            self.used_before.add(self._known(node, node.attr))
        elif isinstance(node, ast.Name):
            if node.id != BEFORE:
                self.used.add(self._known(node, node.id))
        else:
            raise self._bad(node, "this is no number; a number is a measure, a constant, or + - * / of numbers")

    def _constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            raise self._bad(node, f"`{node.value!r}` is no number")
        try:
            finite = math.isfinite(float(node.value))
        except OverflowError:
            finite = False
        if not finite:
            raise self._bad(node, "the number is too large")

    def _known(self, node: ast.AST, name: str) -> str:
        if name not in self._measures:
            raise self._bad(node, f"there is no measure `{name}`; the measures are {', '.join(sorted(self._measures))}")
        return name

    def holds(self, now: Values, before: Values) -> bool:
        """Whether the rule holds for these values.

        Raises:
            UnknownError: a value that the answer needs is missing, or an operation has no result.
        """
        return Run(self, now, before).condition(self._root)

    def compared(self, now: Values, before: Values) -> list[Compared]:
        """The comparisons of the rule whose values are known, in their order."""
        run, found = Run(self, now, before), []
        for node in ast.walk(self._root):
            if isinstance(node, ast.Compare):
                try:
                    found.append((node.col_offset, Compared(self.part(node), run.sides(node), run.condition(node))))
                except UnknownError:
                    continue
        return [one for _, one in sorted(found, key=lambda pair: pair[0])]

    def part(self, node: ast.expr) -> str:
        """The text of a node."""
        return self.text[node.col_offset + self._offset : (node.end_col_offset or 0) + self._offset]


class Run:
    """One evaluation of a rule, which was checked."""

    def __init__(self, rule: Rule, now: Values, before: Values) -> None:
        self._rule, self._now, self._before = rule, now, before

    def condition(self, node: ast.expr) -> bool:
        """And, or: from left to right, and no further than needed."""
        if isinstance(node, ast.BoolOp):
            return (all if isinstance(node.op, ast.And) else any)(map(self.condition, node.values))
        if isinstance(node, ast.UnaryOp):
            return not self.condition(node.operand)
        assert isinstance(node, ast.Compare)
        values = self.sides(node)
        return all(
            COMPARISONS[type(op)](left, right) for op, left, right in zip(node.ops, values, values[1:], strict=False)
        )

    def sides(self, node: ast.Compare) -> tuple[float, ...]:
        """The values of a comparison's sides."""
        names = names_in(node)
        subject = next(iter(names)) if len(names) == 1 else ""
        return tuple(self._number(side, subject) for side in (node.left, *node.comparators))

    def _number(self, node: ast.expr, subject: str) -> float:
        result: float | None
        if isinstance(node, ast.BinOp):
            left, right = self._number(node.left, subject), self._number(node.right, subject)
            try:
                result = ARITHMETIC[type(node.op)](left, right)
            except ZeroDivisionError:
                raise UnknownError(f"`{self._rule.part(node)}` divides by 0") from None
        elif isinstance(node, ast.UnaryOp):
            number = self._number(node.operand, subject)
            result = -number if isinstance(node.op, ast.USub) else number
        elif isinstance(node, ast.Constant):
            assert isinstance(node.value, int | float)
            result = float(node.value)
        else:
            result = self._value(node, subject)
        if not math.isfinite(result):
            raise UnknownError(f"`{self._rule.part(node)}` is no finite number")
        return result

    def _value(self, node: ast.expr, subject: str) -> float:
        if isinstance(node, ast.Attribute):
            name, is_before = node.attr, True
        else:
            assert isinstance(node, ast.Name)
            is_before = node.id == BEFORE
            name = subject if is_before else node.id
        value = (self._before if is_before else self._now).get(name)
        if value is None:
            raise UnknownError(f"`{name}` {'was' if is_before else 'is'} not known{' before' if is_before else ''}")
        return value


def names_in(node: ast.Compare) -> set[str]:
    """The measures that a comparison names, those of `before.NAME` left out."""
    return {inner.id for inner in bare_names(node) if inner.id != BEFORE}


def bare_names(node: ast.AST) -> list[ast.Name]:
    """The names in a node that are not the head of `before.NAME`."""
    heads = {id(inner.value) for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
    return [inner for inner in ast.walk(node) if isinstance(inner, ast.Name) and id(inner) not in heads]
