"""Calls: the built-in functions, and what a ghost can be asked."""

from __future__ import annotations

from cpol.compiler import ast, ir
from cpol.compiler.check_path import CAPACITY, CONSTANT, INVARIANT, SCORE, PathChecker
from cpol.compiler.names import suggest
from cpol.compiler.symbols import FUNCTIONS, FolioSym, GhostSym
from cpol.compiler.types import BAD, LITERAL, Ty, default_type


class CallChecker(PathChecker):
    """Types of calls."""

    def infer(self, expr: ast.Expr) -> Ty:
        raise NotImplementedError

    def settle(self, expr: ast.Expr, type: ir.Type) -> bool:
        raise NotImplementedError

    def unify(self, left: ast.Expr, a: Ty, right: ast.Expr, b: Ty, what: str) -> Ty:
        raise NotImplementedError

    def numeric(self, type: Ty) -> bool:
        raise NotImplementedError

    def call(self, call: ast.Call) -> Ty:
        """The type of a call."""
        if len(call.callee.parts) == 1:
            return self._function(call)
        ghost = self.ghost_call(call, ("take", "has"))
        if ghost is None:
            return BAD
        method, name, folio = ghost
        if method == "take" and self.where in (SCORE, INVARIANT, CAPACITY, CONSTANT):
            self.report.error(
                "E0212",
                call.span,
                f"{self.where} cannot change anything",
                label="`take` forgets what it finds",
                help=f"write `{name}.has({folio})`",
            )
            return BAD
        self.typed.leaves[call] = (ir.GhostTake if method == "take" else ir.GhostHas)(name, folio)
        return ir.BOOL

    def ghost_call(self, call: ast.Call, methods: tuple[str, ...]) -> tuple[str, str, str] | None:
        """The method, the ghost and the folio of `ghost.method(folio)`. None after an error."""
        receiver, method, *more = call.callee.parts
        symbol = self.scope.find(receiver.text)
        if symbol is None:
            self.scope.report_unknown(receiver, "not declared")
            return None
        symbol.used = True
        self.typed.refs[receiver] = symbol
        if not isinstance(symbol, GhostSym) or more:
            span = more[0].span if more else method.span
            self.report.error("E0109", span, f"{symbol.kind} has nothing to call", why="only ghosts do")
            return None
        if method.text not in methods:
            self._wrong_method(symbol, method, methods)
            return None
        if method.text == "add":
            symbol.written = True
        else:
            symbol.asked = True
        if len(call.args) != 1:
            self.report.error("E0213", call.span, f"`{method.text}` takes one folio, not {len(call.args)} values")
            return None
        folio = self.folio(call.args[0], f"`{method.text}`")
        return None if folio is None else (method.text, symbol.name, folio.name)

    def _wrong_method(self, ghost: GhostSym, method: ast.Name, methods: tuple[str, ...]) -> None:
        if method.text == "add":
            self.report.error("E0201", method.span, "`add` gives no value", help="write it as a statement of its own")
        elif method.text in ("take", "has"):
            self.report.error(
                "E0109",
                method.span,
                f"the answer of `{method.text}` is not used",
                help=f"write `if {ghost.name}.{method.text}(…) {{ … }}`",
            )
        else:
            self.report.error(
                "E0109",
                method.span,
                f"a ghost has no `{method.text}`",
                why="it has `add`, `take` and `has`",
                help=suggest(method.text, ("add", "take", "has")),
            )

    def folio(self, expr: ast.Expr, what: str) -> FolioSym | None:
        """The folio that an argument names."""
        if isinstance(expr, ast.Path) and len(expr.parts) == 1:
            symbol = self.scope.find(expr.parts[0].text)
            if isinstance(symbol, FolioSym):
                symbol.used = True
                self.typed.refs[expr] = symbol
                return symbol
            if symbol is None:
                self.scope.report_unknown(expr.parts[0], "not declared")
                return None
        self.report.error("E0107", expr.span, f"{what} needs a folio", label="not a folio")
        return None

    def _function(self, call: ast.Call) -> Ty:
        function = call.callee.text
        if function not in FUNCTIONS:
            self.report.error(
                "E0109",
                call.callee.span,
                f"there is no function `{function}`",
                why="the functions are `min`, `max`, `floor`, `ceil`, `signed` and `unsigned`",
                help=suggest(function, FUNCTIONS),
            )
            return BAD
        pair = function in ("min", "max")
        if len(call.args) < 2 if pair else len(call.args) != 1:
            takes = "two or more numbers" if pair else "one number"
            self.report.error("E0213", call.span, f"`{function}` takes {takes}, not {len(call.args)}")
            return BAD
        types = [self.infer(arg) for arg in call.args]
        if BAD in types:
            return BAD
        for arg, type in zip(call.args, types, strict=True):
            if not self.numeric(type):
                self.report.error("E0201", arg.span, f"`{function}` needs numbers, and this is a `{type}`")
                return BAD
        if pair:
            return self._pair(call, types)
        return self._conversion(call, function, types[0])

    def _pair(self, call: ast.Call, types: list[Ty]) -> Ty:
        """`min` and `max`: all arguments meet in one type, whatever their order."""
        settled = [(arg, type) for arg, type in zip(call.args, types, strict=True) if type is not LITERAL]
        if not settled:
            return LITERAL
        common: Ty = settled[0][1]
        for arg, type in settled[1:]:
            common = self.unify(settled[0][0], common, arg, type, f"`{call.callee.text}`")
            if common is BAD:
                break
        if not isinstance(common, ir.Type):
            return BAD
        literals = [arg for arg, type in zip(call.args, types, strict=True) if type is LITERAL]
        return common if all(self.settle(arg, common) for arg in literals) else BAD

    def _conversion(self, call: ast.Call, function: str, type: Ty) -> Ty:
        target = ir.S64 if function == "signed" else ir.U64
        if type is LITERAL:
            settled = ir.S64 if function == "signed" else default_type(call.args[0])
            return target if self.settle(call.args[0], settled) else BAD
        if function in ("floor", "ceil") and type != ir.FIX:
            self.report.error(
                "E0201",
                call.args[0].span,
                f"`{function}` rounds a `fix`, and this is a whole number already",
                label=f"`{type}`",
                help=f"leave `{function}` out",
            )
            return BAD
        return target
