"""The texts that an editor has open, and what the compiler says of each.

An open text stands for its file, for policies that import it, too. What the compiler made of a text is kept until one
of the texts changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from cpol.compiler.diagnostics import CompileError, Diagnostic, Report, Severity
from cpol.compiler.diagnostics.edit import placed
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.expand.copy import declared
from cpol.compiler.stages import Compilation, run
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.parse import deep_stack
from cpol.compiler.syntax.whole import Reader, read_whole
from cpol.editor.lsp.names import Index, index
from cpol.editor.lsp.places import Lines, moved

ALL = "editor_imports_all"
"""The policy that imports all of a library, so that its bodies are checked, too."""


@dataclass
class Text:
    """A text, and what the compiler says of it.

    `tree`: None if the syntax is wrong. `compiled`: None if anything is wrong, and for a library.
    """

    path: str
    text: str
    tree: ast.Policy | ast.Library | None = None
    compiled: Compilation | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.text)

    @cached_property
    def names(self) -> Index:
        """The names of the text; none if its syntax is wrong."""
        with deep_stack():
            return Index() if self.tree is None else index(self.tree)

    @property
    def imports(self) -> list[ast.Import]:
        return [] if self.tree is None else [item for item in self.tree.items if isinstance(item, ast.Import)]


class Texts:
    """The open texts by path."""

    def __init__(self, read: Reader = read_whole) -> None:
        self.read = read
        self.open: dict[str, str] = {}
        self.roots: list[str] = []
        """The folders that the editor works in."""
        self._known: dict[str, Text] = {}
        self._parsed: dict[str, Text] = {}
        self._good: dict[str, Text] = {}

    def change(self, path: str, text: str | None) -> None:
        """Open a text, change it, or close it (None)."""
        if text is None:
            self.open.pop(path, None)
            self._parsed.pop(path, None)
            self._good.pop(path, None)
        else:
            self.open[path] = text
        self._known.pop(path, None)
        for other in self.importing(path):
            self._known.pop(other, None)

    def forget(self) -> None:
        """Forget what the compiler said: files have changed."""
        self._known.clear()

    def importing(self, path: str) -> list[str]:
        """The open texts that may import from a file: those that import anything, and those with wrong syntax."""
        known = {other: self._parsed.get(other) for other in self.open if other != path}
        return [other for other, text in known.items() if text is None or text.imports]

    def text(self, path: str) -> Text:
        """What the compiler says of an open text, or of a file.

        Raises:
            OSError: the text is not open, and the file cannot be read.
        """
        if path not in self._known:
            text = self.open.get(path)
            if text is None:
                text = Path(path).read_bytes().decode("utf-8-sig", "replace")
            self._known[path] = self._compile(path, text)
        return self._known[path]

    def parsed(self, path: str) -> tuple[Text, str]:
        """The last state of a text with right syntax, and the text now. The two differ in few characters."""
        now = self.text(path)
        return (self._parsed.get(path, now) if now.tree is None else now), now.text

    def good(self, path: str) -> Text:
        """The last state of a text that was without errors; the state now if there is none."""
        now = self.text(path)
        return self._good.get(path, now) if now.compiled is None else now

    def offset_in(self, state: Text, path: str, offset: int) -> int:
        """Where in a former state of a text an offset of today lies."""
        now = self.text(path).text
        return offset if state.text == now else moved(offset, state.text, now)

    def attempt(self, path: str, text: str, others: Mapping[str, str] | None = None) -> Text:
        """What the compiler would say of a text in place of that at `path`, with other texts in place of theirs."""
        return self._make(path, text, others or {})

    def _compile(self, path: str, text: str) -> Text:
        made = self._make(path, text)
        if path in self.open and made.tree is not None:
            self._parsed[path] = made
            if made.compiled is not None or isinstance(made.tree, ast.Library):
                self._good[path] = made
        return made

    def _make(self, path: str, text: str, given: Mapping[str, str] | None = None) -> Text:
        made = Text(path, text)
        others = {other: said for other, said in {**self.open, **(given or {})}.items() if other != path}

        def read(report: Report) -> ast.Policy | ast.Library:
            tree = self.read(report)
            if report.source.path == path and report.source.text == text:
                made.tree = tree
            return tree

        try:
            made.compiled = run(text, path, others, read)
            made.diagnostics = list(made.compiled.warnings)
        except CompileError as error:
            made.diagnostics = error.diagnostics
            if isinstance(made.tree, ast.Library):
                made.diagnostics = self._library(made, others)
        return made

    def _library(self, library: Text, others: dict[str, str]) -> list[Diagnostic]:
        """What is wrong with a library: the compiler is asked about a policy that imports all of it."""
        tree = library.tree
        assert isinstance(tree, ast.Library)
        own = [found for found in library.diagnostics if found.code != "E0119"]
        names = [name.text for item in tree.items for name in declared(item)[:1]]
        if own or not names:
            return own
        path = Path(library.path)
        given = {**others, library.path: library.text}
        policy = (
            f'policy {ALL} {{ import {", ".join(names)} from "{path.name}"\n'
            f"list {ALL}_list  on added({ALL}_f) {{ place {ALL}_f at tail of {ALL}_list }}\n"
            f"on evict {{ scan {ALL}_list from head as {ALL}_f {{ evict {ALL}_f }} }} }}"
        )
        try:
            run(policy, str(path.with_name(f"{ALL}.cpol")), given, self.read)
        except CompileError as error:
            places = [(found, found.span and found.source.place(found.span)) for found in error.diagnostics]
            return [
                Diagnostic(
                    found.code, found.message, Source(library.path, library.text), place[1], found.label, found.why,
                    found.help, fix=placed(found.fix, found.source),
                )
                for found, place in places
                if place and place[0].path == library.path
            ]  # fmt: skip
        return []


def is_error(found: Diagnostic) -> bool:
    return found.severity is Severity.ERROR
