"""Resolves fields of the records of files and threads: `f.file.FIELD`, `task.FIELD`."""

from __future__ import annotations

from cpol.compiler.check.scope import Scope
from cpol.compiler.check.symbols import (
    EVENTS,
    TASK_ATTRIBUTES,
    TASK_EVENTS,
    TASK_HIDDEN,
    FolioSym,
    RecordFieldSym,
    RecordSym,
    Typed,
)
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast

FN = "a fn"
TEST = "a test"


class RecordChecker:
    """Resolves fields of records. `where` is the event of the handler, or one of the constants of path.py."""

    def __init__(self, typed: Typed, scope: Scope, report: Report, where: str) -> None:
        self.typed = typed
        self.scope = scope
        self.report = report
        self.where = where
        self.asks_task = False

    @property
    def place(self) -> str:
        """The name of the place in messages."""
        return (
            f"`on {self.where}`" if self.where in EVENTS else f"`{self.where}`" if " " not in self.where else self.where
        )

    def knows_task(self, path: ast.Path) -> bool:
        """Whether a task is known here. It reports an error if not."""
        if self.where == FN:  # the call of the fn is checked instead
            self.asks_task = True
        if self.where in TASK_EVENTS or self.where == FN:
            return True
        self.report.error(
            "E0315",
            path.span,
            f"`{path.text}` is not known in {self.place}",
            why=f"a task causes only {listing(TASK_EVENTS)}",
            help=f"write `{path.text}(7)`, for the thread 7" if self.where == TEST and self.names_record(path) else "",
        )
        return False

    def names_record(self, path: ast.Path) -> bool:
        """Whether `path` is `f.file.FIELD` of a folio, or `task.FIELD` where threads have a record."""
        if len(path.parts) == 3 and path.parts[1].text == "file":
            return isinstance(self.scope.find(path.parts[0].text), FolioSym)
        if len(path.parts) != 2 or path.parts[0].text != "task" or path.parts[1].text in (*TASK_ATTRIBUTES, "size"):
            return False
        record = self.typed.symbols.names.get("task")
        return isinstance(record, RecordSym) and (
            path.parts[1].text not in TASK_HIDDEN or path.parts[1].text in record.fields
        )

    def record_field(self, path: ast.Path) -> RecordFieldSym | None:
        """The field of a record that `path` names. None after an error."""
        kind = "task" if len(path.parts) == 2 else "file"
        name = path.parts[-1].text
        record = self.typed.symbols.names.get(kind)
        if kind == "file":
            folio = self.scope.find(path.parts[0].text)
            assert folio is not None
            folio.used = True
        elif not self.knows_task(path):
            return None
        field = record.fields.get(name) if isinstance(record, RecordSym) else None
        if not isinstance(record, RecordSym) or not isinstance(field, RecordFieldSym):
            fields = list(record.fields) if isinstance(record, RecordSym) else []
            self.report.error(
                "E0106",
                path.parts[-1].span,
                f"a {kind} has no `{name}`",
                why=f"its record has {listing(fields)}" if fields else f"no record of a {kind} is declared",
                help=suggest(name, fields) or f"declare it: `{kind} up to 4096 {{ {name}: u32 = 0 }}`",
            )
            return None
        record.used = True
        self.typed.refs[path] = field
        return field
