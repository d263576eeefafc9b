"""Checks the steps of tests that fill inputs: `INPUT.add(KEY)`, `INPUT.remove(KEY)`, `ARRAY.set(INDEX, VALUE …)`."""

from __future__ import annotations

from typing import Protocol

from cpol.compiler.check.expect import AGAIN, TOO_MANY
from cpol.compiler.check.input import KINDS
from cpol.compiler.check.symbols import GhostSym, InputSym, ListSym, RecordSym, Typed
from cpol.compiler.check.unsettled import article
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.words import suggest
from cpol.compiler.syntax import ast
from cpol.compiler.types import MAX_TABLE, U64, Type, raw_range


class Constant(Protocol):
    """The raw value of a constant between two bounds, `what` in messages. None after an error."""

    def __call__(self, expr: ast.Expr, type: Type, low: int, high: int, what: str, code: str) -> int | None: ...


class InputStepChecker:
    """Checks such steps of one test."""

    def __init__(self, typed: Typed, report: Report, constant: Constant) -> None:
        self.typed = typed
        self.report = report
        self.constant = constant

    def check(self, step: ast.Fill, times: int) -> None:
        """Check a step that runs `times` times."""
        symbol = self._input(step)
        if symbol is None:
            return
        if symbol.array:
            self._set(step, symbol, times)
        else:
            self._key(step, symbol)

    def asks(self, step: ast.Step) -> bool:
        """Whether `step` asks what is on a list, in a ghost or in the cache, so that its `expect` is missing."""
        if not isinstance(step, ast.Fill) or step.method.text not in ("has", "is"):
            return False
        symbol = self.typed.symbols.names.get(step.input.text)
        listed = isinstance(symbol, ListSym | GhostSym) and not isinstance(symbol, RecordSym)
        return listed or step.input.text == "cache"

    def _input(self, step: ast.Fill) -> InputSym | None:
        """The input that a known method fills. None after an error."""
        if self.asks(step):
            ask = f"{step.input.text}.{step.method.text}(…)"
            why = "a step does something, and `expect` checks what the policy made of it"
            self.report.error("E0116", step.span, f"`{ask}` is not a step", why=why, help=f"write `expect {ask}`")
            return None
        symbol = self.typed.symbols.names.get(step.input.text)
        inputs = [s.name for s in self.typed.symbols.names.values() if isinstance(s, InputSym)]
        if not isinstance(symbol, InputSym):
            kind = (
                f"`{step.input.text}` is {symbol.kind}"
                if symbol is not None
                else f"there is no input `{step.input.text}`"
            )
            self.report.error(
                "E0116",
                step.input.span,
                f"{kind}; only inputs can be filled",
                help=suggest(step.input.text, inputs),
            )
            return None
        self.typed.refs[step.input] = symbol
        method, methods = step.method.text, ("set",) if symbol.array else ("add", "remove")
        if method not in methods:
            self.report.error(
                "E0116",
                step.method.span,
                f"a test cannot `{method}` {'an array' if symbol.array else 'an input'}",
                why="it can `set` entries" if symbol.array else "it can `add` and `remove` keys",
                help=suggest(method, methods),
            )
            return None
        return symbol

    def _key(self, step: ast.Fill, symbol: InputSym) -> None:
        """Check `INPUT.add(KEY, VALUE)` and `INPUT.remove(KEY)`."""
        method = step.method.text
        assert symbol.decl is not None
        if symbol.decl.key.text not in KINDS:  # declare_input() has reported it
            return
        page, named = symbol.decl.key.text == "page", symbol.decl.key.text == "comm"
        keys = ("FILE", "FIRST", "LAST") if page else ('"COMMAND"',) if named else ("KEY",)
        takes = (*keys, "VALUE") if symbol.map and method == "add" else keys
        if len(step.args) != len(takes):
            text = f"{step.input.text}.{method}({', '.join(takes)})"
            self.report.error(
                "E0213", step.span, f"`{method}` takes {len(takes)} here, not {len(step.args)}", help=f"write `{text}`"
            )
            return
        if isinstance(step.args[0], ast.CommLit) != named:
            why = f"the keys of `{step.input.text}` are {KINDS[symbol.decl.key.text]}"
            helps = f'write `{step.input.text}.{method}("rsync"{", VALUE" if len(takes) > 1 else ""})`' if named else ""
            self.report.error("E0116", step.args[0].span, "a key of the wrong kind", why=why, help=helps)
            return
        limits = raw_range(U64)
        key = [self.constant(arg, U64, *limits, "a key", "E0116") for arg in step.args[: len(keys)]]
        if len(takes) > len(keys) and symbol.type is not None:
            what = f"a value of {article(symbol.type)}"
            self.constant(step.args[-1], symbol.type, *raw_range(symbol.type), what, "E0204")
        numbers = [number for number in key if number is not None]
        if page and len(numbers) == len(keys) and numbers[1] > numbers[2]:
            first, last = step.args[1].span, step.args[2].span
            self.report.error(
                "E0206",
                first.to(last),
                "this range is empty",
                label="its start is above its end",
                help="exchange the two numbers",
            )

    def _set(self, step: ast.Fill, symbol: InputSym, times: int) -> None:
        """Check `ARRAY.set(FIRST, VALUE, …)`: entries from FIRST on."""
        if len(step.args) < 2:
            text = f"{step.input.text}.set(INDEX, VALUE)"
            self.report.error("E0213", step.span, "`set` takes an index and a value, or more", help=f"write `{text}`")
            return
        named = next((arg for arg in step.args if isinstance(arg, ast.CommLit)), None)
        if named is not None:
            self.report.error(
                "E0116",
                named.span,
                f"`{step.input.text}` has numbers as indices and values",
                help=f"write `{step.input.text}.set(INDEX, VALUE)` with plain numbers",
            )
            return
        if not self.typed.spend(times * (len(step.args) - 1)):
            why = AGAIN if times > 1 else ""
            self.report.error("E0116", step.span, TOO_MANY, why=why, help="set fewer entries")
            return
        self.constant(step.args[0], U64, 0, MAX_TABLE - 1, "an index", "E0116")
        if symbol.type is not None:
            for value in step.args[1:]:
                what = f"a value of {article(symbol.type)}"
                self.constant(value, symbol.type, *raw_range(symbol.type), what, "E0204")
