"""The diagnostics of a compilation, and the exception that carries its errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cpol.compiler.diagnostics.diagnostic import Diagnostic, Label, Severity
from cpol.compiler.diagnostics.edit import Fix, Instead, respelled
from cpol.compiler.diagnostics.errors import registry
from cpol.compiler.diagnostics.render import render
from cpol.compiler.diagnostics.source import Source, Span

MAX_ERRORS = 100
"""Limit for one compilation."""


class CompileError(Exception):
    """The text is not a valid policy. `diagnostics` has at least one error, in text order."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        super().__init__(diagnostics)

    def __str__(self) -> str:
        return self.render()

    def render(self, color: bool = False) -> str:
        return "\n\n".join(render(d, color) for d in self.diagnostics)


@dataclass
class Report:
    """Collects the diagnostics of one compilation."""

    source: Source
    diagnostics: list[Diagnostic] = field(default_factory=list)
    beside: tuple[Label, ...] = ()
    """What all errors point to besides, such as the case of a test that is checked."""
    libraries: Mapping[str, str] = field(default_factory=dict)
    """Texts of libraries by their paths, which take the place of the files."""
    _seen: set[tuple[str, str, Span | None]] = field(default_factory=set)

    def error(
        self,
        code: str,
        span: Span | None,
        message: str,
        *,
        label: str = "",
        why: str = "",
        help: str,
        others: tuple[Label, ...] = (),
        fix: Fix | None = None,
    ) -> None:
        """Add an error. `help` says what to write instead; where it is empty, the registry does for the whole code.

        `fix`: edits that do so. None: those of a help that names one word for another.
        """
        if fix is None and span is not None and isinstance(help, Instead):
            fix = respelled(self.source, span, help)
        help = help or registry()[code].help or f"`cpolc explain {code}` shows how to write it"
        beside = (*others, *self.beside)
        self._add(Diagnostic(code, message, self.source, span, label, why, str(help), beside, fix=fix))

    def warning(
        self, code: str, span: Span, message: str, *, help: str, label: str = "", why: str = "", fix: Fix | None = None
    ) -> None:
        if self.source.place(span)[0] is self.source:  # a policy has no say in what a library holds
            self._add(Diagnostic(code, message, self.source, span, label, why, help, (), Severity.WARNING, fix))

    def _add(self, diagnostic: Diagnostic) -> None:
        key = self._key(diagnostic)
        if key not in self._seen:
            self._seen.add(key)
            self.diagnostics.append(diagnostic)
            if self.errors == MAX_ERRORS:
                self.diagnostics.append(
                    Diagnostic(
                        "E0018",
                        f"the compiler stops after {MAX_ERRORS} errors",
                        self.source,
                        None,
                        help="mend these first",
                    )
                )
                self.check()

    def _key(self, diagnostic: Diagnostic) -> tuple[str, str, Span | None]:
        """Equal for diagnostics that say the same. Of the copies of an action's body, the first speaks for all."""
        if diagnostic.span is None or self.source.region(diagnostic.span.start) is None:
            return self.source.path, diagnostic.message, diagnostic.span
        source, span, call = self.source.place(diagnostic.span)
        return source.path, diagnostic.code if call is not None else diagnostic.message, span

    @property
    def errors(self) -> int:
        return sum(d.severity is Severity.ERROR for d in self.diagnostics)

    @property
    def failed(self) -> bool:
        return self.errors > 0

    def sorted(self) -> list[Diagnostic]:
        """The diagnostics in the order of the text. Those in libraries come last."""
        return sorted(self.diagnostics, key=self._order)

    def _order(self, diagnostic: Diagnostic) -> tuple[bool, str, int]:
        if diagnostic.span is None:
            return False, self.source.path, len(self.source.text)
        source, span, _ = self.source.place(diagnostic.span)
        return source is not self.source, source.path, span.start

    def check(self) -> None:
        """Raise the errors, if there are any. Warnings are left out, because errors can cause them.

        Raises:
            CompileError: there are errors.
        """
        if self.failed:
            raise CompileError([d for d in self.sorted() if d.severity is Severity.ERROR])
