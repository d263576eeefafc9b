"""Where the text of a policy can change, and which names it has there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from cpol.grammar.generated.CpolParser import CpolParser as P
from cpol.runtime.explore.discover.genome import Change, parsed

BOOL = "bool"
REAL = "fix"


class Place(NamedTuple):
    """A statement, an arm or a block: its node, the handler that it is in, and the folios that have names there.

    `scanned`: the lists of the scans around it.
    """

    node: Any
    event: str
    folios: tuple[str, ...]
    scanned: tuple[str, ...]


class Tree:
    """A parsed policy."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.policy, self.tokens = parsed(text)
        self.items: list[Any] = [item.getChild(0) for item in self.policy.item()]
        self.lists = [
            each.name().getText()
            for decl in self.of(P.ListDeclContext)
            for each in decl.listName()
            if each.expr() is None
        ]
        self.ghosts = [each.name().getText() for each in self.of(P.GhostDeclContext)]
        self.params = {each.name().getText(): each for each in self.of(P.ParamDeclContext)}
        self.states = {each.name().getText(): each.typeName().getText() for each in self.of(P.StateDeclContext)}
        self.fields = {
            each.word().getText(): each.typeName().getText()
            for decl in self.of(P.FolioDeclContext)
            for each in decl.fieldDecl()
        }
        self.handlers = {event.getText(): each for each in self.of(P.HandlerContext) for event in each.event()}
        self.words = {token.text for token in self.tokens}
        self.statements: list[Place] = []
        self.arms: list[Place] = []
        self.blocks: list[Place] = []
        for item in self.items:
            self._place(item)

    def of(self, kind: type) -> list[Any]:
        """The declarations of a kind."""
        return [item for item in self.items if isinstance(item, kind)]

    def source(self, node: Any) -> str:
        return self.text[node.start.start : node.stop.stop + 1]

    def replace(self, node: Any, new: str) -> Change:
        return Change(node.start.start, node.stop.stop + 1, new)

    def before(self, node: Any, new: str) -> Change:
        return Change(node.start.start, node.start.start, new)

    def at_end(self, block: Any, new: str) -> Change:
        """Before the brace that ends a block."""
        return Change(block.stop.stop, block.stop.stop, new)

    def declare(self, text: str) -> Change:
        """Before the first declaration that is no import."""
        first = next(item for item in self.policy.item() if not item.importDecl())
        return self.before(first, f"{text}\n")

    def add_field(self, text: str) -> Change:
        """A field of folios."""
        for decl in self.of(P.FolioDeclContext):
            return self.at_end(decl, f"\n{text}\n")
        return self.declare(f"folio {{ {text} }}")

    def fresh(self, word: str) -> str:
        """A name that the text does not have."""
        return (
            word
            if word not in self.words
            else next(name for name in (f"{word}{number}" for number in range(2, 10_000)) if name not in self.words)
        )

    def folio_of(self, event: str) -> str | None:
        """The folio's name in a handler; None: there is no such handler, or it has none."""
        handler = self.handlers.get(event)
        return None if handler is None else next(iter(_folios(handler)), None)

    def in_handler(self, event: str, statement: str, *, first: bool = False) -> Change | None:
        """A statement at the end of a handler, or `first`; a handler, if there is none. `{f}` is its folio."""
        handler = self.handlers.get(event)
        if handler is None:
            words = "" if event == "evict" else "(f, why)" if event == "removed" else "(f)"
            end = self.policy.stop.stop
            return Change(end, end, f"on {event}{words} {{ {statement.replace('{f}', 'f')} }}\n")
        folio = self.folio_of(event)
        if folio is None and "{f}" in statement:
            return None
        body = statement.replace("{f}", folio or "")
        block = handler.block()
        if first:
            return Change(block.start.start + 1, block.start.start + 1, body)
        return self.at_end(block, body)

    def numbers(self, *, of_folio: bool) -> list[str]:
        """Fields that are numbers, or else states that are."""
        named = self.fields if of_folio else self.states
        return [name for name, type in named.items() if (type[0] in "us" and type[1:].isdigit()) or type == REAL]

    def flags(self, *, of_folio: bool) -> list[str]:
        named = self.fields if of_folio else self.states
        return [name for name, type in named.items() if type == BOOL]

    def nodes(self, *kinds: type) -> list[Any]:
        """All nodes of some kinds in what runs: not in declarations of data."""
        running = (P.HandlerContext, P.EveryDeclContext, P.FnDeclContext, P.ActionDeclContext, P.ScoreDeclContext)
        return [
            node for item in self.items if isinstance(item, running) for node in below(item) if isinstance(node, kinds)
        ]

    def _place(self, item: Any) -> None:
        match item:
            case P.HandlerContext():
                events = "+".join(event.getText() for event in item.event())
                self._walk(item.block(), events, tuple(_folios(item)), ())
            case P.EveryDeclContext():
                self._walk(item.block(), "every", (), ())
            case P.ActionDeclContext():
                folios = tuple(each.name().getText() for each in item.fnParam() if each.FOLIO())
                self._walk(item.block(), "action", folios, ())

    def _walk(self, node: Any, event: str, folios: tuple[str, ...], scanned: tuple[str, ...]) -> None:
        match node:
            case P.BlockContext():
                self.blocks.append(Place(node, event, folios, scanned))
            case P.StatementContext():
                self.statements.append(Place(node, event, folios, scanned))
            case P.ScanItemContext() if not node.statement():
                self.arms.append(Place(node, event, folios, scanned))
            case P.ScanStmtContext():
                folios = (*folios, node.name().getText())
                scanned = (*scanned, node.listRef().getText())
        for child in node.getChildren():
            if hasattr(child, "getChildren"):
                self._walk(child, event, folios, scanned)


def _folios(handler: Any) -> Iterator[str]:
    """The folio that a handler names. `evict` and periods have none."""
    if handler.handlerParams():
        yield handler.handlerParams().name(0).getText()


def below(node: Any) -> Iterator[Any]:
    """A node and all below it, without leaves."""
    yield node
    for child in node.getChildren():
        if hasattr(child, "getChildren"):
            yield from below(child)


@lru_cache(maxsize=256)
def tree_of(text: str) -> Tree:
    """The tree of a text, which several children may come from. Raises CompileError."""
    return Tree(text)
