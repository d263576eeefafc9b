"""Resolves fields of the records of files, threads and areas: `f.file.FIELD`, `task.FIELD`, `p.area.FIELD`."""

from __future__ import annotations

from cpol.compiler.check.scope import Scope
from cpol.compiler.check.symbols import FaultSym, FolioSym, RecordFieldSym, RecordSym, RequestSym, Typed
from cpol.compiler.check.where import FN, TEST
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.vocabulary.around import TASK_ALWAYS, TASK_HIDDEN
from cpol.compiler.vocabulary.event import EVENTS, PREFETCH_EVENTS, TASK_EVENTS
from cpol.compiler.vocabulary.folio import FILE

WITH_ARTICLE = {"file": "a file", "task": "a task", "area": "an area"}
OF_FILES = (FolioSym, RequestSym)
"""What has a file."""


class RecordChecker:
    """Resolves fields of records. `where` is the event of the handler, or one of the constants of where.py."""

    def __init__(self, typed: Typed, scope: Scope, report: Report, where: str) -> None:
        self.typed = typed
        self.scope = scope
        self.report = report
        self.where = where
        self.asks_task = False
        self.asks_cache = False

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
            help=self._instead_of_task(path),
        )
        return False

    def _instead_of_task(self, path: ast.Path) -> str:
        if self.where == TEST:
            return f"write `{path.text}(7)`, for the thread 7" if self.names_record(path) else ""
        if self.where in ("evict", "removed"):
            return f"keep it in a field of the folio: `f.by = {path.text}` in `on added(f)`"
        return ""

    def evicting(self, span: Span, what: str) -> bool:
        """Whether `what`, which only a policy that evicts has, can be used here. It reports an error if not."""
        self.asks_cache = self.asks_cache or self.where == FN  # the call of the fn is checked instead
        if self.where not in PREFETCH_EVENTS:
            return True
        self.report.error(
            "E0320",
            span,
            f"{what} cannot be used in {self.place}",
            why="these handlers run for no folio; what they share with those that evict is states, tables, params, "
            "inputs and the records of files and threads",
            help="keep what you need in a `state` or a `table`",
        )
        return False

    def names_record(self, path: ast.Path) -> bool:
        """Whether `path` is `f.file.FIELD`, `p.area.FIELD`, or `task.FIELD` where threads have a record."""
        if self.names_file(path):
            return False
        if len(path.parts) == 3:
            owner = self.scope.find(path.parts[0].text)
            kind = path.parts[1].text
            return isinstance(owner, FaultSym) if kind == "area" else kind == "file" and isinstance(owner, OF_FILES)
        if len(path.parts) != 2 or path.parts[0].text != "task" or path.parts[1].text in (*TASK_ALWAYS, "size"):
            return False
        record = self.typed.symbols.names.get("task")
        return isinstance(record, RecordSym) and (
            path.parts[1].text not in TASK_HIDDEN or path.parts[1].text in record.fields
        )

    def names_file(self, path: ast.Path) -> bool:
        """Whether `path` is what is known of each file, such as `f.file.readers`, and no field of its record."""
        if len(path.parts) != 3 or path.parts[1].text != "file" or path.parts[2].text not in FILE:
            return False
        record = self.typed.symbols.names.get("file")
        hidden = isinstance(record, RecordSym) and path.parts[2].text in record.fields
        return not hidden and isinstance(self.scope.find(path.parts[0].text), OF_FILES)

    def record_field(self, path: ast.Path) -> RecordFieldSym | None:
        """The field of a record that `path` names. None after an error."""
        kind = "task" if len(path.parts) == 2 else path.parts[1].text
        name = path.parts[-1].text
        record = self.typed.symbols.names.get(kind)
        if kind != "task":
            owner = self.scope.find(path.parts[0].text)
            assert owner is not None
            owner.used = True
            if isinstance(owner, RequestSym):
                self.typed.of_request.add(path)
        elif not self.knows_task(path):
            return None
        field = record.fields.get(name) if isinstance(record, RecordSym) else None
        if not isinstance(record, RecordSym) or not isinstance(field, RecordFieldSym):
            if not self.scope.first_unknown(f"{kind}.{name}"):
                return None
            fields = list(record.fields) if isinstance(record, RecordSym) else []
            self.report.error(
                "E0106",
                path.parts[-1].span,
                f"{WITH_ARTICLE[kind]} has no `{name}`",
                why=f"its record has {listing(fields)}" if fields else f"no record of {WITH_ARTICLE[kind]} is declared",
                help=suggest(name, fields) or f"declare it: `{kind} up to 4096 {{ {name}: u32 = 0 }}`",
            )
            return None
        record.used = True
        self.typed.refs[path] = field
        return field
