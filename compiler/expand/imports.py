"""Puts what a policy imports in place of each `import`.

What an imported declaration needs of its library comes along, under the name LIBRARY_NAME. So a
library may keep helpers, states and tables, and a policy has one instance of each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.expand.copy import Copy, declared, fresh, locals_of, mentioned
from cpol.compiler.expand.library import find, open_library
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.whole import Reader, read_whole

MAX_LIBRARIES = 16
"""Limit for one policy."""


def link(policy: ast.Policy, report: Report, read: Reader = read_whole) -> ast.Policy:
    """`policy` with the declarations that it imports.

    Raises:
        CompileError: an import is wrong, or a library has wrong syntax.
    """
    imports = [item for item in policy.items if isinstance(item, ast.Import)]
    if not imports:
        return policy
    libraries: dict[Path, _Library] = {}
    of = {item: _library(item, libraries, report, read) for item in imports}
    report.check()
    own = {name.text for item in policy.items for name in declared(item)}
    for each, library in of.items():
        for name in each.names:
            library.want(name, report)
    report.check()
    visible = own | {name.text for item in imports for name in item.names}
    items: list[ast.Item] = []
    for item in policy.items:
        items.append(item)
        if isinstance(item, ast.Import):
            items += of[item].take(visible, report)
    report.check()
    return ast.Policy(policy.name, policy.doc, tuple(items), policy.span)


def _library(item: ast.Import, libraries: dict[Path, _Library], report: Report, read: Reader) -> _Library:
    """The library that `item` names. One that cannot be imported is reported, and empty."""
    found = find(item, report)
    if found is None:
        return _Library("", 0)
    path, real = found
    if real not in libraries and len(libraries) == MAX_LIBRARIES:
        why = "the limit keeps the compiler quick"
        report.error(
            "E0117",
            item.span,
            f"a policy imports from at most {MAX_LIBRARIES} libraries",
            why=why,
            help="write what you need of one of them into the policy",
        )
        report.check()
    if real not in libraries:
        made = _Library("", 0)
        opened = open_library(path, real, item, report, read)
        if opened is not None:
            source, library = opened
            shift = report.source.add(source, Span(0, len(source.text)), None)
            made = _Library(library.name.text, shift)
            for part in library.items:
                for name in declared(part):
                    made.declared.setdefault(name.text, part)
                made.items.append(part)
        libraries[real] = made
    return libraries[real]


@dataclass
class _Library:
    """A library, and the names that the policy imports from it, with their places."""

    name: str
    shift: int
    items: list[ast.Item] = field(default_factory=list)
    declared: dict[str, ast.Item] = field(default_factory=dict)
    wanted: dict[str, Span] = field(default_factory=dict)
    taken: bool = False

    def want(self, name: ast.Name, report: Report) -> None:
        item = self.declared.get(name.text)
        if name.text in self.wanted:
            others = (Label(self.wanted[name.text], "first here"),)
            report.error(
                "E0102",
                name.span,
                f"`{name.text}` is imported twice",
                label="again here",
                others=others,
                help="remove one of them",
            )
        elif item is None:
            helps = suggest(name.text, self.declared) or (f"it has {listing(self.declared)}" if self.declared else "")
            report.error("E0101", name.span, f"the library `{self.name}` has no `{name.text}`", help=helps)
        elif isinstance(item, ast.EnumDecl) and name.text != item.name.text:
            report.error(
                "E0107",
                name.span,
                f"`{name.text}` is a member of an enum",
                help=f"import the enum `{item.name.text}`, and its members come with it",
            )
        else:
            self.wanted[name.text] = name.span

    def take(self, visible: set[str], report: Report) -> list[ast.Item]:
        """Copies of what is wanted and of what that needs, the first time; then nothing."""
        if self.taken:
            return []
        self.taken = True
        needed = self._needed()
        names = {
            name.text: f"{self.name}_{name.text}"
            for item in needed
            for name in declared(item)
            if not self._visible(item, name)
        }
        all_names = visible | set(names.values())
        return [self._copy(item, names, all_names, report) for item in needed]

    def _visible(self, item: ast.Item, name: ast.Name) -> bool:
        """Whether `name`, which `item` declares, has the same name in the policy."""
        return name.text in self.wanted or (isinstance(item, ast.EnumDecl) and item.name.text in self.wanted)

    def _needed(self) -> list[ast.Item]:
        """The declarations that are wanted, with all that they mention, in the order of the library."""
        found: dict[ast.Item, None] = {}
        waiting = [self.declared[name] for name in self.wanted]
        while waiting:
            item = waiting.pop()
            if item not in found:
                found[item] = None
                own = _locals(item)
                names = (name.text for name in mentioned(item) if name.text not in own)
                waiting += [self.declared[name] for name in names if name in self.declared]
        return [item for item in self.items if item in found]

    def _copy(self, item: ast.Item, names: dict[str, str], visible: set[str], report: Report) -> ast.Item:
        """A copy of `item`. Its locals hide nothing of the policy, and it sees nothing of it."""
        own = _locals(item)
        taken = visible | own.keys()
        hiding = {name: fresh(name, taken) for name in own if name in visible}
        # What a policy imports is declared where it does so: messages about the name point there.
        places = {name: self.wanted[name.text] for name in declared(item)[:1] if name.text in self.wanted}
        copy = _Declaration({**names, **hiding}, self.shift, places)
        for name in mentioned(item):
            if name.text in visible and name.text not in own and name.text not in self.declared:
                report.error(
                    "E0101",
                    copy.node(name.span),
                    f"nothing in the library `{self.name}` is called `{name.text}`",
                    why="a library sees its own declarations, and none of the policy that imports it",
                    help="declare it in the library, or give it as an argument",
                )
        return copy.node(item)


class _Declaration(Copy):
    """Copies a declaration. Words in `places` lie there, and not in the library."""

    def __init__(self, names: dict[str, str], shift: int, places: dict[ast.Name, Span]) -> None:
        super().__init__(names, shift)
        self.places = places

    def make(self, node: Any) -> Any:
        made = super().make(node)
        return ast.Name(made.text, self.places[node]) if node in self.places else made


def _locals(item: ast.Item) -> dict[str, ast.Name]:
    """The names that only the inside of `item` knows."""
    names: tuple[ast.Name, ...] = ()
    if isinstance(item, ast.FnDecl):
        names = (*(param.name for param in item.params), *(let.name for let in item.lets))
    elif isinstance(item, ast.ActionDecl):
        names = (*(param.name for param in item.params), *locals_of(item.block.body))
    elif isinstance(item, ast.ScoreDecl):
        names = (item.folio,)
    return {name.text: name for name in names}
