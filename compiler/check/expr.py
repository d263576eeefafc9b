"""Infers the types of expressions."""

from __future__ import annotations

from typing import Final

from cpol.compiler import arithmetic
from cpol.compiler.check.always import check_always
from cpol.compiler.check.command import warn_of_command
from cpol.compiler.check.constants import check_fits, literal
from cpol.compiler.check.index import IndexChecker
from cpol.compiler.check.interval import constant_value
from cpol.compiler.check.mismatch import say_mismatch
from cpol.compiler.check.unsettled import BAD, LITERAL, Ty, article, default_type, is_lowest_fix, is_number
from cpol.compiler.check.where import CONSTANT
from cpol.compiler.syntax import ast
from cpol.compiler.types import BOOL, FIX, REASON, S64, U64, EnumType, IntType, Type, raw_range, widened

_LIMITS: Final = {"u64": (0, (1 << 64) - 1), "s64": (-(1 << 63), (1 << 63) - 1), "fix": (-(1 << 47), (1 << 47) - 1)}


class ExprChecker(IndexChecker):
    """Infers expression types into `typed.types`. Errors are reported once; enclosing expressions stay silent."""

    def check(self, expr: ast.Expr, want: Type | None = None, what: str = "this") -> Type | None:
        """The type of `expr`, or None after an error.

        `want` is the type that `what` (for the message) needs; `expr` must be convertible to it.
        """
        return self._convert(expr, self.infer(expr), want, what)

    def _convert(self, expr: ast.Expr, got: Ty, want: Type | None, what: str) -> Type | None:
        if got is LITERAL:
            numeric = want is None or is_number(want)
            type = want if want is not None and numeric else default_type(expr)
            got = type if self.settle(expr, type) else BAD
        if got is BAD or not isinstance(got, Type):
            return None
        if want is None or got == want or (want == FIX and isinstance(got, IntType)):
            return got
        say_mismatch(self.report, expr, got, want, what)
        return None

    def store(self, expr: ast.Expr, type: Type, what: str) -> bool:
        """Whether `expr` can be stored as a `type`. It reports an error about `what` if not.

        Run-time values saturate; constants must fit.
        """
        if not check_fits(expr, literal(expr), type, self.report):  # before `check` types it as `u64`
            return False
        got = self.check(expr, widened(type), what)
        return got is not None and check_fits(expr, constant_value(self.typed, expr), type, self.report)

    def count(self, expr: ast.Expr, what: str) -> bool:
        """Whether `expr` is a number of pages, folios or entries: a u64 or a fix, which is rounded
        down.

        It reports an error if not.
        """
        got = self.infer(expr)
        return got == FIX or self._convert(expr, got, U64, what) is not None

    def whole(self, expr: ast.Expr, what: str) -> bool:
        """Whether `expr` is a whole number of either sign. It reports an error if not."""
        got = self.infer(expr)
        want = default_type(expr) if got is LITERAL else S64 if got == S64 else U64
        return self._convert(expr, got, want, what) is not None

    def index(self, expr: ast.Expr) -> bool:
        """Whether `expr` is a `u64` or a member of a declared enum. It reports an error if not."""
        got = self.infer(expr)
        if isinstance(got, EnumType) and got.name != "list" and got != REASON:
            return True
        return self._convert(expr, got, U64, "an index") is not None

    def infer(self, expr: ast.Expr) -> Ty:
        """The type of `expr`, LITERAL if it has literals only, or BAD after an error."""
        got = self._infer(expr)
        if got is not LITERAL and isinstance(got, Type):
            self.typed.types[expr] = got
        return got

    def _infer(self, expr: ast.Expr) -> Ty:
        if isinstance(expr, ast.IntLit):
            return LITERAL
        if isinstance(expr, ast.FixLit):
            if arithmetic.fraction(expr.text) > raw_range(FIX)[1]:
                self.report.error(
                    "E0204",
                    expr.span,
                    "this number is too large for a `fix`",
                    why="its limit is 2^47",
                    help="write a smaller number",
                )
                return BAD
            return FIX
        if isinstance(expr, ast.BoolLit):
            return BOOL
        if isinstance(expr, ast.CommLit):
            return U64
        if isinstance(expr, ast.Path | ast.Call | ast.Element | ast.FieldElement):
            return self._read(expr)
        if isinstance(expr, ast.IfElse):
            return self._if_else(expr)
        if isinstance(expr, ast.Folios):
            self.report.error(
                "E0116",
                expr.span,
                "only a test can name folios by number",
                why="a policy does not choose which folios it gets",
                help=f"a device is a number: write `{expr.file << 20 | expr.first}` for {expr.file}:{expr.first}"
                if self.where == CONSTANT and expr.first == expr.last
                else "",
            )
            return BAD
        if isinstance(expr, ast.Unary):
            return self._unary(expr)
        if expr.op in ("and", "or"):
            left = self.check(expr.left, BOOL, f"each side of `{expr.op}`")
            right = self.check(expr.right, BOOL, f"each side of `{expr.op}`")
            return BOOL if left and right else BAD
        if expr.op in ("+", "-", "*", "/", "%"):
            return self.operands(expr.left, expr.right, f"`{expr.op}`", expr)
        if expr.op in arithmetic.BITS:
            sides = [self._bits(side, expr.op) for side in (expr.left, expr.right)]
            return BAD if BAD in sides else U64
        return self._compare(expr)

    def _bits(self, operand: ast.Expr, op: str) -> Ty:
        """`u64` if `operand` is one, as operations on bits need. It reports an error if not."""
        got = self.infer(operand)
        if got == BOOL:
            words = {"&": "and", "|": "or", "^": "!=", "~": "not"}
            self.report.error(
                "E0201",
                operand.span,
                f"`{op}` computes with the bits of numbers, but this is a `bool`",
                label="`bool`",
                help=f"write `{words[op]}`" if op in words else "",
            )
            return BAD
        what = f"what `{op}` inverts" if op == "~" else f"each side of `{op}`"
        return self._convert(operand, got, U64, what) or BAD

    def _read(self, expr: ast.Path | ast.Call | ast.Element | ast.FieldElement) -> Ty:
        if isinstance(expr, ast.Path):
            got: Ty = self.path(expr) or BAD
        elif isinstance(expr, ast.FieldElement):
            field = self.field_element(expr)
            got = BAD if field is None or field.type is None else field.type
        else:
            got = self.call(expr) if isinstance(expr, ast.Call) else self.element(expr)
        if not isinstance(got, Type):
            return got
        self.typed.declared[expr] = got
        return widened(got)

    def _unary(self, expr: ast.Unary) -> Ty:
        if expr.op == "not":
            return self.check(expr.operand, BOOL, "what `not` negates") or BAD
        if expr.op == "~":
            return self._bits(expr.operand, expr.op)
        if is_lowest_fix(expr):
            self.typed.types[expr.operand] = FIX
            return FIX
        got = self.infer(expr.operand)
        if got is LITERAL or got is BAD or got in (S64, FIX):
            return got
        if got == U64:
            text = self.report.source.slice(expr.operand.span)
            self.report.error(
                "E0208",
                expr.span,
                "an unsigned number has no negative",
                label="`u64`",
                help=f"write `-signed({text})`" if len(text) < 40 else "use `signed(…)`",
            )
        else:
            self.report.error(
                "E0201",
                expr.span,
                f"`-` needs a number, but this is `{got}`",
                help="negate a number, or use `not` for a `bool`",
            )
        return BAD

    def _if_else(self, expr: ast.IfElse) -> Ty:
        """The common type of both branches."""
        cond = self.check(expr.cond, BOOL, "the condition of an `if`")
        a, b = self.infer(expr.then), self.infer(expr.orelse)
        if cond is None or BAD in (a, b):
            return BAD
        if self.numeric(a) and self.numeric(b):
            return self.unify(expr.then, a, expr.orelse, b, "`if … then … else`")
        if a == b:
            return a
        self.report.error(
            "E0201",
            expr.then.span.to(expr.orelse.span),
            "the two values are of different types",
            label=f"first {article(a)}, then {article(b)}",
            why="both values of an `if` have one type",
            help="have both sides give a number, or both a `bool`",
        )
        return BAD

    def _compare(self, expr: ast.Binary) -> Ty:
        left, right = self.infer(expr.left), self.infer(expr.right)
        if BAD in (left, right):
            return BAD
        if self.numeric(left) and self.numeric(right):
            common = self.unify(expr.left, left, expr.right, right, f"`{expr.op}`")
            if common is LITERAL:
                type = default_type(expr)
                common = type if self.settle(expr.left, type) and self.settle(expr.right, type) else BAD
            if common is BAD:
                return BAD
            warn_of_command(self.typed, expr, self.report)
            assert isinstance(common, Type)
            if not self.report.beside:  # another case of the test may decide otherwise
                check_always(self.typed, expr, common, self.report)
            return BOOL
        if left != right:
            self.report.error(
                "E0215",
                expr.span,
                f"{article(left)} and {article(right)} cannot be compared",
                label=f"left is {article(left)}, right is {article(right)}",
                help="compare two values of one type",
            )
            return BAD
        if expr.op not in ("==", "!="):
            self.report.error(
                "E0215",
                expr.op_span,
                f"`{expr.op}` needs numbers, but these are of type `{left}`",
                help="only `==` and `!=` compare them",
            )
            return BAD
        return BOOL

    def numeric(self, type: Ty) -> bool:
        return type is LITERAL or (isinstance(type, Type) and is_number(type))

    def operands(self, left: ast.Expr, right: ast.Expr, what: str, whole: ast.Expr) -> Ty:
        """The common type of two numeric operands."""
        types = self.infer(left), self.infer(right)
        if BAD in types:
            return BAD
        for expr, type in zip((left, right), types, strict=True):
            if not self.numeric(type):
                self.report.error(
                    "E0201",
                    expr.span,
                    f"{what} needs numbers, but this is {article(type)}",
                    help="use numbers on both sides; `if COND then 1 else 0` makes one of a `bool`",
                )
                return BAD
        return self.unify(left, types[0], right, types[1], what)

    def unify(self, left: ast.Expr, a: Ty, right: ast.Expr, b: Ty, what: str) -> Ty:
        """The common type of two numbers. A literal takes the type of the other side."""
        if a is LITERAL and b is LITERAL:
            return LITERAL
        if a is LITERAL or b is LITERAL:
            literal, type = (left, b) if a is LITERAL else (right, a)
            assert isinstance(type, Type)
            return type if self.settle(literal, type) else BAD
        if a == b:
            return a
        if FIX in (a, b):
            return FIX
        self.report.error(
            "E0202",
            left.span.to(right.span),
            f"{what} cannot mix `s64` and `u64`",
            label=f"left is {article(a)}, right is {article(b)}",
            why="signed and unsigned numbers do not mix",
            help="convert one with `signed(…)` or `unsigned(…)`, which saturate",
        )
        return BAD

    def settle(self, expr: ast.Expr, type: Type) -> bool:
        """Give `type` to an expression of literals. Returns False, after an error, if one does not fit."""
        if isinstance(expr, ast.IntLit):
            ok = self._fits(expr, expr.value, type)
        elif isinstance(expr, ast.Unary) and isinstance(expr.operand, ast.IntLit):
            ok = self._fits(expr, -expr.operand.value, type)
            self.typed.types[expr.operand] = type
        elif isinstance(expr, ast.Unary):
            if type == U64:
                self.report.error(
                    "E0208",
                    expr.span,
                    "an unsigned number has no negative",
                    label="`u64`",
                    help="write a number that is not negative, or make both sides `signed(…)`",
                )
                return False
            ok = self.settle(expr.operand, type)
        elif isinstance(expr, ast.Binary):
            ok = self.settle(expr.left, type) and self.settle(expr.right, type)
        elif isinstance(expr, ast.IfElse):
            ok = self.settle(expr.then, type) and self.settle(expr.orelse, type)
        else:
            assert isinstance(expr, ast.Call)
            ok = all(self.settle(arg, type) for arg in expr.args)
        if ok:
            self.typed.types[expr] = type
        return ok

    def _fits(self, expr: ast.Expr, value: int, type: Type) -> bool:
        low, high = _LIMITS[str(type)]
        if low <= value <= high:
            return True
        why = "an unsigned number has no negative" if value < 0 and low == 0 else f"its limits are {low} and {high}"
        self.report.error(
            "E0204",
            expr.span,
            f"{value} does not fit {article(type)}",
            why=why,
            help=f"write a number from {low} to {high}",
        )
        return False
