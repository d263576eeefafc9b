"""What a rule is given: a compiled policy, with what was computed of it, and a place for what it finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TypeVar

from cpol.compiler import ir
from cpol.compiler.analysis.cost.bounds import Bounds, bounds_of
from cpol.compiler.analysis.profile import Profile
from cpol.compiler.analysis.upper_bound import Setting, upper_bound
from cpol.compiler.diagnostics import Diagnostic, Severity
from cpol.compiler.diagnostics.edit import Edit
from cpol.compiler.diagnostics.source import Pos, Span
from cpol.compiler.ir import walk
from cpol.compiler.lint.finding import Finding
from cpol.compiler.stages import Compilation
from cpol.compiler.syntax import ast

CAPACITY = 1 << 18
"""The pages of the cache for which rules compute: 1 GiB."""

HOT = ("first_accessed", "accessed", "added", "missed", "removed")
"""Events that come with requests. `removed` runs with interrupts off."""

_Item = TypeVar("_Item")


class Subject:
    """A policy that rules look at. `profiles` are kernels that it should run on."""

    def __init__(self, compiled: Compilation, profiles: Sequence[Profile] = ()) -> None:
        self.compiled = compiled
        self.policy = compiled.policy
        self.profiles = profiles

    def found(
        self, code: str, at: Pos | Span, message: str, *, why: str = "", help: str, edits: Sequence[Edit] = ()
    ) -> Iterator[Finding]:
        """A finding, unless it lies in a library: a policy has no say in what that holds."""
        source = self.compiled.source
        span = at if isinstance(at, Span) else source.word(at)
        if span is None:
            return
        own, span, _ = source.place(span)
        if own is source:
            diagnostic = Diagnostic(code, message, source, span, "", why, help, (), Severity.WARNING)
            yield Finding(diagnostic, tuple(edits))

    def items(self, kind: type[_Item]) -> Iterator[_Item]:
        """The declarations of a kind in the policy's own text."""
        for item in self.compiled.ast.items:
            if isinstance(item, kind) and self.compiled.source.region(item.span.start) is None:
                yield item

    @property
    def name(self) -> Span:
        """Where findings about the policy as a whole are shown."""
        return self.compiled.ast.name.span

    @cached_property
    def setting(self) -> Setting:
        """The defaults of params, and a cache of CAPACITY pages."""
        return Setting.of(self.policy, CAPACITY)

    @cached_property
    def bounds(self) -> Bounds:
        """Bounds of its loops under `setting`."""
        return bounds_of(self.policy, self.setting)

    def grows(self, bound: ir.Expr | None) -> bool:
        """Whether the bound of a scan grows with the cache, or bounds nothing."""
        if bound is None:
            return True
        at = upper_bound(bound, self.setting, {})
        half = upper_bound(bound, Setting.of(self.policy, CAPACITY // 2), {})
        return at.raw >= CAPACITY or at.raw > half.raw

    @cached_property
    def statements(self) -> tuple[ir.Stmt, ...]:
        """The statements of all handlers and `every` blocks."""
        return tuple(each for body in walk.bodies(self.policy) for each in walk.statements(body))

    @cached_property
    def expressions(self) -> tuple[ir.Expr, ...]:
        """The expressions of handlers, `every` blocks, scores and fns."""
        return tuple(walk.all_expressions(self.policy))

    def constant(self, declaration: ast.StateDecl | ast.ParamDecl, value: str) -> tuple[Edit, ...]:
        """The declaration as that of a const. None if a comment is inside, which would go."""
        if "//" in self.compiled.source.slice(declaration.span):
            return ()
        return (Edit(declaration.span, f"const {declaration.name.text}: {declaration.type.text} = {value}"),)
