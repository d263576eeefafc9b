"""What each name of a text means.

It looks at the syntax alone, so it knows the names of a text with wrong types, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any

from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax import ast
from cpol.compiler.types import RECORDS
from cpol.compiler.vocabulary.event import EVENTS


@dataclass(eq=False)
class Name:
    """A declaration, or what an import brings. `kind` is a word such as `param`, `list`, `let`, `folio`."""

    text: str
    kind: str
    span: Span
    node: Any
    owner: str = ""
    """Of a field: `folio`, or the name of its ghost, or the word of its record. Of a member: its enum."""
    where: Span | None = None
    """Of a local name: where it is known. None: in the whole file."""
    source: ast.Import | None = None
    """Of an imported name: the import."""


@dataclass(eq=False)
class Use:
    """A place that mentions a name."""

    span: Span
    name: Name


@dataclass
class Index:
    """The names of a file, and the places that mention them, declarations among these."""

    names: list[Name] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    items: tuple[ast.Item, ...] = ()

    def at(self, offset: int) -> Use | None:
        """What stands at an offset: of two words that touch it, the one behind."""
        found = [use for use in self.uses if use.span.start <= offset <= use.span.end]
        return max(found, key=lambda use: use.span.start, default=None)

    def of(self, name: Name) -> list[Span]:
        """Where a name is mentioned, its declaration first."""
        spans = dict.fromkeys(use.span for use in self.uses if use.name is name)
        return sorted(spans, key=lambda span: span.start)

    def globals(self) -> dict[str, Name]:
        return {name.text: name for name in self.names if name.where is None and not is_field(name)}

    def visible(self, offset: int) -> list[Name]:
        """The names that a text at an offset may mention, without fields."""
        return [
            name
            for name in self.names
            if not is_field(name) and (name.where is None or name.where.start <= offset <= name.where.end)
        ]


def is_field(name: Name) -> bool:
    return name.kind == "field"


def index(tree: ast.Policy | ast.Library) -> Index:
    """The names of a policy or of a library."""
    made = _Walk()
    made.whole(tree)
    return made.index


def around(node: Any, offset: int) -> list[Any]:
    """The nodes of the AST around an offset, from the outside in."""
    out: list[Any] = []
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting += node
        elif is_dataclass(node) and not isinstance(node, Span):
            span = getattr(node, "span", None)
            if span is None or span.start <= offset <= span.end:
                out.append(node)
                waiting += [getattr(node, part.name) for part in fields(node)]
    return sorted(out, key=lambda found: (found.span.start - found.span.end) if hasattr(found, "span") else 0)


_GLOBAL = {
    ast.ConstDecl: "const",
    ast.ParamDecl: "param",
    ast.StateDecl: "state",
    ast.TableDecl: "table",
    ast.InputDecl: "input",
    ast.FnDecl: "fn",
    ast.ActionDecl: "action",
    ast.ScoreDecl: "score",
    ast.GhostDecl: "ghost",
    ast.EnumDecl: "enum",
}


_PLAIN = {"name", "names", "members", "notes", "unit", "kind", "key", "method", "events", "doc", "lists"}
"""Parts of nodes whose words name nothing, such as `tail`, and those that a node declares."""


@cache
def _mentioning(kind: Any) -> tuple[str, ...]:
    """The parts of nodes of a class that mention names; none of what is no node."""
    if not is_dataclass(kind) or kind is Span:
        return ()
    return tuple(part.name for part in fields(kind) if kind is ast.ListRef or part.name not in _PLAIN)


class _Walk:
    """Declares what a file declares, then follows its items in the order of the text."""

    def __init__(self) -> None:
        self.index = Index()
        self.globals: dict[str, Name] = {}
        self.fields: dict[tuple[str, str], Name] = {}
        self.scopes: list[tuple[dict[str, Name], Span]] = []
        self.seen: set[tuple[Span, int]] = set()

    def whole(self, tree: ast.Policy | ast.Library) -> None:
        self._declare(tree.name, "policy" if isinstance(tree, ast.Policy) else "library", tree)
        self.globals.pop(tree.name.text, None)  # its name is none that a text may mention
        self.index.items = tree.items
        for item in tree.items:
            self._item(item)
        for item in tree.items:
            self._inside(item)

    # Declarations.

    def _declare(self, name: ast.Name, kind: str, node: Any, owner: str = "") -> Name:
        made = Name(name.text, kind, name.span, node, owner)
        if kind == "field":
            self.fields.setdefault((owner, name.text), made)
        else:
            made = self.globals.setdefault(name.text, made)
        if made.span == name.span:
            self.index.names.append(made)
        self._mention(name.span, made)
        return made

    def _local(self, name: ast.Name, kind: str, node: Any) -> None:
        known, where = self.scopes[-1]
        made = Name(name.text, kind, name.span, node, where=Span(name.span.start, where.end))
        known[name.text] = made
        self.index.names.append(made)
        self._mention(name.span, made)

    def _mention(self, span: Span, name: Name) -> None:
        if (span, id(name)) not in self.seen:  # the arms of a match are branches, too
            self.seen.add((span, id(name)))
            self.index.uses.append(Use(span, name))

    def _item(self, item: ast.Item) -> None:
        if isinstance(item, ast.Import):
            for name in item.names:
                self._declare(name, "import", item).source = item
        elif isinstance(item, ast.ListDecl):
            for each in item.lists:
                self._declare(each.name, "list", each)
        elif isinstance(item, ast.FolioDecl):
            self._record(item.fields, "folio")
        elif isinstance(item, ast.RecordDecl):
            self._record(item.fields, item.name.text)
        elif isinstance(item, ast.Test):
            test = Name(item.name.text, "test", item.name.span, item, where=item.name.span)
            self.index.names.append(test)
            self._mention(item.name.span, test)
        elif kind := _GLOBAL.get(type(item), ""):
            self._declare(item.name, kind, item)  # type: ignore[union-attr]  # all of _GLOBAL have a name
            if isinstance(item, ast.GhostDecl):
                for record in item.records:
                    self._record(record.fields, item.name.text)
            elif isinstance(item, ast.EnumDecl):
                for member in item.members:
                    self._declare(member, "member", item, item.name.text)

    def _record(self, declared: tuple[ast.FieldDecl, ...], owner: str) -> None:
        for each in declared:
            self._declare(each.name, "field", each, owner)

    # What items mention.

    @contextmanager
    def _scope(self, where: Span) -> Iterator[None]:
        self.scopes.append(({}, where))
        yield
        self.scopes.pop()

    def _inside(self, item: ast.Item) -> None:
        with self._scope(item.span):
            if isinstance(item, ast.Handler):
                kinds = [EVENTS[event.text].of for event in item.events if event.text in EVENTS]
                for number, param in enumerate(item.params):
                    self._local(param, (kinds[0] if kinds else "folio") if number == 0 else "reason", item)
                self._walk(item.block)
            elif isinstance(item, ast.FnDecl | ast.ActionDecl):
                for each in item.params:
                    kind = "list" if each.list else "folio" if each.type is None else "parameter"
                    self._local(each.name, kind, each)
                    self._walk(each.type)
                self._walk((item.type, item.lets, item.body) if isinstance(item, ast.FnDecl) else item.block)
            elif isinstance(item, ast.ScoreDecl):
                self._local(item.folio, "folio", item)
                self._walk(item.body)
            elif isinstance(item, ast.Test):
                self._test(item)
            elif not isinstance(item, ast.Import):
                self._parts(item)

    def _test(self, test: ast.Test) -> None:
        for name, value in test.settings:
            self._find(name)
            self._walk(value)
        self._walk((test.steps, test.cases))

    def _walk(self, node: Any) -> None:
        if isinstance(node, tuple):
            for part in node:
                self._walk(part)
        elif isinstance(node, ast.Name):
            self._find(node)
        elif isinstance(node, ast.Block):
            with self._scope(node.span):
                self._walk(node.body)
        elif isinstance(node, ast.Let | ast.Var):
            self._walk((node.value, getattr(node, "type", ())))
            self._local(node.name, "var" if isinstance(node, ast.Var) else "let", node)
        elif isinstance(node, ast.For):
            self._walk((node.low, node.high))
            with self._scope(node.span):
                self._local(node.name, "for", node)
                self._walk(node.block)
        elif isinstance(node, ast.Scan):
            self._walk((node.list, node.bound))
            with self._scope(node.span):
                self._local(node.folio, "folio", node)
                self._walk((node.body, node.arms, node.otherwise))
        elif isinstance(node, ast.Path):
            self._path(node)
        elif isinstance(node, ast.Element):
            self._find(node.name)
            self._walk(node.index)
        elif isinstance(node, ast.Call):
            self._path(node.callee)
            self._walk((node.index, node.args))
            for each in node.named:
                self._member(node.callee.parts[0].text, each.name)
                self._walk(each.value)
        elif isinstance(node, ast.TestAction | ast.Case | ast.Folios):
            self._walk(node.steps if isinstance(node, ast.Case) else ())
        elif _mentioning(node.__class__):
            self._parts(node)

    def _parts(self, node: Any) -> None:
        """All parts of a node but the words that name nothing, such as `tail`, and those that it declares."""
        if isinstance(node, ast.ListDecl):
            self._walk(tuple(each.length for each in node.lists))
        elif isinstance(node, ast.GhostDecl):
            self._walk((tuple(value for _, value in node.settings), node.records))
        elif isinstance(node, ast.Arm):
            self._walk(node.members)
        else:
            for name in _mentioning(node.__class__):
                self._walk(getattr(node, name))

    def _path(self, path: ast.Path) -> None:
        first = path.parts[0]
        self._find(first)
        for number, part in enumerate(path.parts[1:], 1):
            before = path.parts[number - 1].text
            if before in RECORDS and (number > 1 or ("", before) in self.fields or before not in self.globals):
                self._member(before, part)
            else:
                self._member(first.text, part)

    def _find(self, name: ast.Name) -> None:
        for known, _ in reversed(self.scopes):
            if name.text in known:
                self._mention(name.span, known[name.text])
                return
        if name.text in self.globals:
            self._mention(name.span, self.globals[name.text])

    def _member(self, owner: str, name: ast.Name) -> None:
        """Mention the field of what `owner` names: a ghost, a record, or a folio."""
        found = self.fields.get((owner, name.text)) or self.fields.get(("folio", name.text))
        if found is not None and (found.owner == owner or owner not in self.globals):
            self._mention(name.span, found)
