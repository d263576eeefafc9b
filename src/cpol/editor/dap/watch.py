"""Watches: expressions as a test's `expect` may have them, such as `small.size > limit`, in the state of a machine."""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.literals import show_value
from cpol.compiler.stages import Compilation, run
from cpol.compiler.syntax.again import Again
from cpol.runtime.explore.step import StepError
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.eval import value
from cpol.runtime.machine.interp.scope import Scope
from cpol.runtime.machine.interp.state import Call

TEST = "editor_watches"
"""The test that holds the expression. No policy has one of this name."""

MOST = 500
"""Characters of an expression."""

KEPT = 200
"""Expressions whose compilation is kept."""


class Watches:
    """Evaluates expressions about the policy of a compilation."""

    def __init__(self, compiled: Compilation) -> None:
        self.compiled = compiled
        self.read = Again()
        self.known: dict[str, ir.Expr | str] = {}

    def evaluate(self, text: str, machine: Machine) -> tuple[str, str]:
        """The value of an expression, and its type. What it draws at random, the policy draws again.

        Raises:
            StepError: it is wrong; the message says why.
        """
        expr = self._compiled(" ".join(text.split()))
        if isinstance(expr, str):
            raise StepError(expr)
        random, records, reached = machine.random, list(machine.records), set(machine.reached)
        try:
            return show_value(value(expr, Scope(machine, Call())), expr.type), str(expr.type)
        except MachineError as error:
            raise StepError(str(error)) from None
        finally:
            machine.random = random
            machine.records[:] = records
            machine.reached.clear()
            machine.reached.update(reached)

    def _compiled(self, text: str) -> ir.Expr | str:
        """The expression as the interpreter takes it, or what is wrong with it."""
        if text not in self.known:
            if len(self.known) >= KEPT:
                self.known.clear()
            self.known[text] = self._compile(text)
        return self.known[text]

    def _compile(self, text: str) -> ir.Expr | str:
        if not text or len(text) > MOST or any(sign in text for sign in "{}\n") or "//" in text:
            return "a watch is an expression, such as `cache.size` or `LIST.has(3)`"
        whole = self._expect(f"({text}) == ({text})")  # a number, or a member of an enum
        if isinstance(whole, ir.Compare):
            return whole.left
        return self._expect(text)

    def _expect(self, cond: str) -> ir.Expr | str:
        source, span = self.compiled.source, self.compiled.ast.span
        end = span.end - 1
        test = f"test {TEST}(capacity: 1) {{ expect {cond} }}"
        try:
            made = run(f"{source.text[:end]} {test} {source.text[end:]}", source.path, read=self.read)
        except CompileError as error:
            found = error.diagnostics[0]
            return found.message + (f"; {found.help}" if found.help else "")
        step = next(test for test in made.policy.tests if test.name == TEST).steps[0]
        assert isinstance(step, ir.Expect)
        return step.cond
