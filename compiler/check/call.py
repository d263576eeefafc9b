"""Calls: built-in functions, fns, and methods of ghosts and inputs."""

from __future__ import annotations

from cpol.compiler.check.ghost import GhostChecker
from cpol.compiler.check.habits import of_a_function, of_a_list
from cpol.compiler.check.input import ask_input
from cpol.compiler.check.symbols import ActionSym, FnSym, GhostSym, InputSym, ListSym, RecordSym
from cpol.compiler.check.unsettled import BAD, LITERAL, Ty, article, default_type
from cpol.compiler.check.where import FIXED, FN, PURE, TEST
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.types import FIX, S64, U64, Type
from cpol.compiler.vocabulary.around import CACHE
from cpol.compiler.vocabulary.event import TASK_EVENTS
from cpol.compiler.vocabulary.function import FUNCTIONS


class CallChecker(GhostChecker):
    """Infers types of calls."""

    def infer(self, expr: ast.Expr) -> Ty:
        raise NotImplementedError

    def settle(self, expr: ast.Expr, type: Type) -> bool:
        raise NotImplementedError

    def unify(self, left: ast.Expr, a: Ty, right: ast.Expr, b: Ty, what: str) -> Ty:
        raise NotImplementedError

    def numeric(self, type: Ty) -> bool:
        raise NotImplementedError

    def call(self, call: ast.Call) -> Ty:
        """The declared type of a call."""
        if call.index:
            return self._nothing_to_call(call)
        if len(call.callee.parts) == 1:
            return self._function(call) if self.no_names(call) else BAD
        receiver, _, *more = call.callee.parts
        symbol = self.scope.find(receiver.text)
        if symbol is None:
            if receiver.text == "cache":
                return self._nothing_to_call(call)
            self.scope.report_unknown(receiver, "not declared", ("cache", "task"))
            return BAD
        symbol.used = True
        self.typed.refs[receiver] = symbol
        if isinstance(symbol, GhostSym) and not isinstance(symbol, RecordSym) and not more:
            return self.ask_ghost(call, symbol)
        if isinstance(symbol, InputSym) and not more:
            return ask_input(self, call, symbol) if self.no_names(call) else BAD
        return self._nothing_to_call(call)

    def _nothing_to_call(self, call: ast.Call) -> Ty:
        receiver = call.callee.parts[0]
        symbol = self.scope.find(receiver.text)
        method = call.callee.parts[-1]
        kind = symbol.kind if symbol is not None else f"`{receiver.text}`"
        only = "only ghosts and inputs can be called"
        if method.text in ("has", "is"):
            only = "only `expect` in a test asks what is on a list or in the cache"
        first = call.args[0] if call.args else None
        folio = first.parts[0].text if isinstance(first, ast.Path) else ""
        help = of_a_list(receiver.text, method.text, folio) if isinstance(symbol, ListSym) else ""
        if receiver.text == "cache" and method.text in CACHE:
            help = f"write `cache.{method.text}`"
        self.report.error("E0109", method.span, f"{kind} has no `{method.text}(…)`", why=only, help=help)
        return BAD

    def statement(self, call: ast.Call) -> bool:
        """Whether a call can be a statement. It reports an error if not."""
        callee = call.callee
        symbol = self.scope.find(callee.parts[0].text)
        plain = isinstance(symbol, GhostSym) and not isinstance(symbol, RecordSym)
        if isinstance(symbol, GhostSym) and plain and len(callee.parts) == 2 and not call.index:
            symbol.used = True
            self.typed.refs[callee.parts[0]] = symbol
            return self.ghost_statement(call, symbol)
        if isinstance(symbol, InputSym) and callee.parts[-1].text in ("add", "remove", "set"):
            why = "user space fills inputs; in a policy only a test can"
            self.report.error(
                "E0109",
                call.span,
                f"a policy cannot fill the input `{symbol.name}`",
                why=why,
                help=f"keep it in a `table` or a `state`; a test writes `{symbol.name}.{callee.parts[-1].text}(…)`",
            )
        elif len(callee.parts) == 1 and symbol is None and callee.text not in FUNCTIONS:
            self._no_function(call, callee.text)
        elif isinstance(symbol, ActionSym):
            text = self.report.source.slice(call.span)
            message, why = f"`{callee.text}(…)` is not a statement", "an action is called by a word of its own"
            self.report.error("E0109", call.span, message, why=why, help=f"write `do {text}`")
        elif len(callee.parts) == 1 or isinstance(symbol, InputSym):
            self.report.error(
                "E0109",
                call.span,
                f"`{callee.text}(…)` is not a statement",
                why="its value is not used",
                help=f"use its value: `let x = {callee.text}(…)`, or remove it",
            )
        elif symbol is None and callee.parts[0].text != "cache":
            self.scope.report_unknown(callee.parts[0], "not declared")
        else:
            self._nothing_to_call(call)
        return False

    def _fn(self, call: ast.Call, fn: FnSym) -> Ty:
        fn.used = True
        if self.where in FIXED:
            self.not_constant(call.callee, fn.kind)
            return BAD
        if not fn.ready:
            self.report.error(
                "E0108",
                call.callee.span,
                f"`{fn.name}` is called before its declaration",
                why="no fn can call itself, so every call ends",
                help="a fn calls only fns above it: move the declaration up",
            )
            return BAD
        if fn.type is None:  # its declaration reports the error
            return BAD
        if fn.task and self.where not in (*TASK_EVENTS, FN):
            self.report.error(
                "E0315",
                call.callee.span,
                f"`{fn.name}` reads `task`, which is not known in {self.place}",
                why=f"a task causes only {listing(TASK_EVENTS)}",
                help="call it where a task is known, or give it what it reads of `task` as an argument",
            )
            return BAD
        if fn.cache and not self.evicting(call.callee.span, f"`{fn.name}`, which reads lists, ghosts or the cache,"):
            return BAD
        self.asks_task = self.asks_task or fn.task
        if len(call.args) != len(fn.params):
            count = f"{len(fn.params)} argument{'s' if len(fn.params) != 1 else ''}"
            self.report.error(
                "E0213",
                call.span,
                f"`{fn.name}` takes {count}, not {len(call.args)}",
                help=f"write `{fn.name}(…)` with {count}",
            )
            return BAD
        self.typed.refs[call.callee] = fn
        fine = [self._pass(fn, i, arg) for i, arg in enumerate(call.args)]
        return fn.type if all(fine) else BAD

    def _pass(self, fn: FnSym, i: int, arg: ast.Expr) -> bool:
        """Whether `arg` can be argument `i` of `fn`."""
        assert fn.decl is not None
        type, name = fn.params[i], fn.decl.params[i].name.text
        if type is not None:
            return self.store(arg, type, f"`{name}` of `{fn.name}`")
        folio = self.folio(arg, f"`{name}` of `{fn.name}`")
        if folio is None:
            return False
        if i in fn.cached:
            folio.read = True
            if folio.uncached:
                self.report.error(
                    "E0316",
                    arg.span,
                    f"`{fn.name}` reads more of `{folio.name}` than is known in {self.place}",
                    why=f"`{folio.name}` is not in the cache: only its `file` and `index` are known",
                    help="call it in `on added` or later, or have it read only `file` and `index`",
                )
                return False
        return True

    def _random(self, call: ast.Call) -> Ty:
        if self.where in PURE:
            self.report.error(
                "E0212",
                call.span,
                f"{self.where} cannot change anything",
                label="`random` draws the next number",
                help="" if self.where in FIXED or self.where == TEST else "draw it in a handler",
            )
            return BAD
        return U64 if self.check(call.args[0], U64, "`random`") is not None else BAD

    def _hash(self, call: ast.Call) -> Ty:
        folio = self.named_page(call.args[0], "`hash`")
        salt = self.check(call.args[1], U64, "the second argument of `hash`")
        return U64 if folio is not None and salt is not None else BAD

    def _function(self, call: ast.Call) -> Ty:
        function = call.callee.text
        symbol = self.scope.find(function)
        if isinstance(symbol, FnSym):
            return self._fn(call, symbol)
        if function not in FUNCTIONS:
            self._no_function(call, function)
            return BAD
        known = FUNCTIONS[function]
        if not known.least <= len(call.args) <= known.most:
            text = self.report.source.slice(call.args[0].span) if call.args else "f"
            helps = f"write `hash({text}, 0)`: each number gives another hash" if function == "hash" else ""
            self.report.error("E0213", call.span, f"`{function}` takes {known.needs}, not {len(call.args)}", help=helps)
            return BAD
        if function == "random":
            return self._random(call)
        if function == "hash":
            return self._hash(call)
        if known.operands:
            operands = zip(call.args, known.operands, strict=True)
            fine = [self.check(arg, type, f"`{function}`") is not None for arg, type in operands]
            return known.type if all(fine) else BAD
        types = [self.infer(arg) for arg in call.args]
        if BAD in types:
            return BAD
        for arg, type in zip(call.args, types, strict=True):
            if not self.numeric(type):
                self.report.error(
                    "E0201",
                    arg.span,
                    f"`{function}` needs numbers, but this is {article(type)}",
                    help=f"give it numbers, such as `{function}(1)`",
                )
                return BAD
        if function in ("min", "max"):
            return self._pair(call, types)
        return self._conversion(call, function, types[0])

    def _no_function(self, call: ast.Call, function: str) -> None:
        fns = [s.name for s in self.typed.symbols.names.values() if isinstance(s, FnSym)]
        symbol = self.scope.find(function)
        if symbol is None and not self.scope.first_unknown(f"{function}()"):
            return
        why = f"the functions are {listing(FUNCTIONS)}" + (f", and here {listing(fns)}" if fns else "")
        self.report.error(
            "E0109",
            call.callee.span,
            f"there is no function `{function}`"
            if symbol is None
            else f"`{function}` is {symbol.kind}, not a function",
            why=why,
            help=of_a_function(function) or suggest(function, (*FUNCTIONS, *fns)),
        )

    def _pair(self, call: ast.Call, types: list[Ty]) -> Ty:
        """The type of `min` or `max`: a common type of all arguments, independent of their order."""
        settled = [(arg, type) for arg, type in zip(call.args, types, strict=True) if type is not LITERAL]
        if not settled:
            return LITERAL
        common: Ty = settled[0][1]
        for arg, type in settled[1:]:
            common = self.unify(settled[0][0], common, arg, type, f"`{call.callee.text}`")
            if common is BAD:
                break
        if not isinstance(common, Type):
            return BAD
        literals = [arg for arg, type in zip(call.args, types, strict=True) if type is LITERAL]
        return common if all(self.settle(arg, common) for arg in literals) else BAD

    def _conversion(self, call: ast.Call, function: str, type: Ty) -> Ty:
        target = S64 if function == "signed" else U64
        if type is LITERAL:
            settled = S64 if function == "signed" else default_type(call.args[0])
            return target if self.settle(call.args[0], settled) else BAD
        if function in ("floor", "ceil") and type != FIX:
            self.report.error(
                "E0201",
                call.args[0].span,
                f"`{function}` rounds a `fix`, but this is already a whole number",
                label=f"`{type}`",
                help=f"leave `{function}` out",
            )
            return BAD
        return target
