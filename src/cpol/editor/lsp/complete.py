"""Completion: only what is legal at a place. The grammar says which words may come, the vocabulary and the names of the
text say which names these can be.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lsprotocol import types

from cpol.compiler.check.asking import NUMBERS as ASKING_NUMBERS
from cpol.compiler.check.declare.words import KEYS, KINDS
from cpol.compiler.check.scope import TYPES
from cpol.compiler.check.test import SETTINGS
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.expand.copy import declared
from cpol.compiler.expand.library import LIBRARIES
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.again import Lexer, begins
from cpol.compiler.syntax.errors.strategy import ITEM_STARTS
from cpol.compiler.syntax.errors.words import VERBS
from cpol.compiler.types import REASON, RECORDS, UNITS
from cpol.compiler.vocabulary.event import EVENTS, TASK_EVENTS
from cpol.compiler.vocabulary.function import FUNCTIONS
from cpol.editor.lsp import fits
from cpol.editor.lsp.grammar import Next, after
from cpol.editor.lsp.members import Member, members, owner_of
from cpol.editor.lsp.names import Index, Name
from cpol.editor.lsp.offers import allowed
from cpol.editor.lsp.texts import Texts
from cpol.grammar.generated.CpolParser import CpolParser as P

Kind = types.CompletionItemKind
MOST_WORDS = 2000
"""Words and signs of one declaration. In a longer one, nothing is offered."""
MENDS = 6
"""Lines with wrong syntax that are left out, so that the rest tells what may come."""

KINDS_OF = {
    "param": Kind.Constant, "const": Kind.Constant, "enum": Kind.Enum, "member": Kind.EnumMember, "fn": Kind.Function,
    "action": Kind.Function, "score": Kind.Function, "field": Kind.Field, "attribute": Kind.Property,
    "method": Kind.Method, "list": Kind.Struct, "ghost": Kind.Struct, "table": Kind.Struct, "input": Kind.Interface,
}  # fmt: skip

VALUES = (
    "param", "const", "state", "table", "input", "ghost", "list", "fn", "member", "let", "var", "for", "parameter",
    "reason", "folio", "fault", "request", "range", "out",
)  # fmt: skip
"""Names with which an expression may begin."""

ASSIGNED = ("state", "var", "table", "ghost", "folio", "fault", "request", "input")
"""Names with which a statement may begin: what it assigns to, or whose method it calls."""

NO_KEYWORDS = ("name", "smallWord", "later", "inner", "laterDecl", "member", "event")
"""Rules whose words are names, or for later versions."""

FOLIO_RULES = ("placeStmt", "leaveStmt", "refuseStmt", "moveStmt", "pinStmt", "unpinStmt", "evictStmt")


@dataclass
class Place:
    """Where something is to be written: the words in front of it, and what they say."""

    words: list[Any]
    names: Index
    offset: int
    events: tuple[str, ...] = ()
    """Of the handler around it; `every`; none in an action and outside."""
    item: int = 0
    """The type of the first word of the declaration around it; 0: outside of all."""
    openers: list[str] = field(default_factory=list)
    """The words that begin the blocks around it."""
    behind: list[Any] = field(default_factory=list)
    imported: dict[str, str] = field(default_factory=dict)
    """What the libraries declare by the names that are imported."""

    @property
    def scan(self) -> bool:
        return "scan" in self.openers

    @property
    def loop(self) -> bool:
        return self.scan or "for" in self.openers or "while" in self.openers

    def visible(self, *kinds: str) -> list[Name]:
        known = self.names.visible(self.offset)
        return [name for name in known if self.imported.get(name.text, name.kind) in kinds]

    @cached_property
    def types(self) -> frozenset[int]:
        """The types of all words of the text."""
        return frozenset(word.type for word in (*self.words, *self.behind))


class Completer:
    """Answers what may come at a place."""

    def __init__(self, texts: Texts, lexer: Lexer) -> None:
        self.texts = texts
        self.lexer = lexer

    def items(self, path: str, offset: int) -> list[types.CompletionItem]:
        place = self._place(path, offset)
        if place is None:
            return []
        words = _declaration(place.words)
        for _ in range(MENDS):
            if len(words) > MOST_WORDS:
                return []
            found, wrong = after(word.type for word in words)
            if wrong < 0:
                break
            line = words[wrong].line
            if line == words[-1].line:
                return []
            words = [word for word in words if word.line != line or word is words[0]]
        else:
            return []
        _around(place, words)
        out: dict[str, types.CompletionItem] = {}
        for item in (*self._names(place, found, path), *_keywords(place, found)):
            out.setdefault(item.label, item)
        visible = place.names.visible(place.offset)
        if want := fits.wanted(place.words, place.names, visible, place.events):
            fits.sort(out.values(), visible, want)
        return list(out.values())

    def _place(self, path: str, offset: int) -> Place | None:
        """None in a comment or a text, where nothing is offered."""
        text = self.texts.text(path).text
        tokens = self.lexer.marked(text)
        front = bisect_left(tokens, offset, hi=len(tokens) - 1, key=lambda token: token.start)
        if front:
            inside = tokens[front - 1]  # the last one that starts in front of the place
            touched = offset <= inside.stop + 1
            if touched and (inside.channel or (inside.type == P.STRING and offset <= inside.stop)):
                return None
        before = [t for t in tokens[:front] if not t.channel and t.stop < offset]
        if before and before[-1].stop + 1 == offset and _is_word(before[-1]):
            before.pop()
        behind = [t for t in tokens[front:] if not t.channel]
        state, _ = self.texts.parsed(path)
        imported = {
            name: kind for item in state.imports for name, kind in self.declared(_source(item), path)
            if any(name == each.text for each in item.names)
        }  # fmt: skip
        return Place(before, state.names, self.texts.offset_in(state, path, offset), behind=behind, imported=imported)

    # Names.

    def _names(self, place: Place, found: set[Next], path: str) -> Iterator[types.CompletionItem]:
        asked = {each for each in found if each.type == P.IDENT}
        for rules in dict.fromkeys(each.rules for each in sorted(asked, key=lambda each: each.rules)):
            rules = rules[1:] if rules[0] == "name" else rules
            if "member" in rules[:2] or rules[0] == "member":
                yield from _members_at(place, rules)
            elif rules[0] == "importDecl":
                yield from self._imports(place, path)
            else:
                yield from _named(place, rules)
        if any(each.type in (P.EVICT, P.PREFETCH, P.PIN) and each.rules[0] == "event" for each in found):
            yield from _events(place)

    def _imports(self, place: Place, path: str) -> Iterator[types.CompletionItem]:
        if place.words[-1].type == P.FROM:
            for library in sorted(LIBRARIES.glob("*.cpol")):
                yield _item(library.stem, Kind.Module, "a library that comes with cpol")
            return
        source = next((b for a, b in zip(place.behind, place.behind[1:], strict=False) if a.type == P.FROM), None)
        if source is None:
            return
        taken = {word.text for word in place.words}
        for name, what in self.declared(source.text, path):
            if name not in taken:
                yield _item(name, KINDS_OF.get(what, Kind.Variable), what)

    def declared(self, source: str, path: str) -> Iterator[tuple[str, str]]:
        """What a library declares, by its word behind `from`."""
        file = source.strip('"')
        try:
            library = self.texts.text(
                str(LIBRARIES / f"{file}.cpol") if file == source else path.rpartition("/")[0] + "/" + file
            )
        except (OSError, ValueError, CompileError):
            return
        for item in () if library.tree is None else library.tree.items:
            for name in declared(item)[:1]:
                yield name.text, type(item).__name__.removesuffix("Decl").lower()


def _source(item: ast.Import) -> str:
    """The library of an import as it is written."""
    return f'"{item.source.text}"' if item.file else item.source.text


def _is_word(token: Any) -> bool:
    return bool(token.type == P.IDENT or token.text[:1].isalpha() or token.text[:1] == "_")


def _declaration(words: list[Any]) -> list[Any]:
    """The words of the declaration around the end, behind those that begin a file."""
    if len(words) < 3 or words[2].type != P.LBRACE:
        return words
    head = words[:3]
    depth = 1
    last = 3
    for at in range(3, len(words)):
        first = words[at - 1].line < words[at].line
        behind = words[at + 1 : at + 2]
        if words[at - 1].type == P.COLON:  # the type of a parameter, such as `folio`
            pass
        elif (depth <= 1 or (first and words[at].type in ITEM_STARTS and words[at].type not in (P.FOLIO, P.LIST))) and (
            behind and begins(words, at)
        ):
            last, depth = at, 1
        elif depth == 1 and not behind and words[at].type in ITEM_STARTS:
            last = at
        depth += (words[at].type == P.LBRACE) - (words[at].type == P.RBRACE)
    return [*head, *words[last:]]


_OPENERS = {
    P.SCAN: "scan", P.FOR: "for", P.WHILE: "while", P.IF: "if", P.ELSE: "if", P.WHEN: "if", P.OTHERWISE: "if",
    P.MATCH: "match", P.FOLIO: "folio", P.TEST: "test",
}  # fmt: skip


def _around(place: Place, words: list[Any]) -> None:
    """What the words say of the place: its declaration, its events, the blocks around it."""
    inside = words[3:]
    if not inside:
        return
    opener = ""
    for word in inside:
        if word.type in _OPENERS and not (word.type == P.IF and opener):
            opener = _OPENERS[word.type]
        elif word.type == P.LBRACE:
            place.openers.append(opener)
            opener = ""
        elif word.type == P.RBRACE and place.openers:
            place.openers.pop()
            opener = ""
    if not place.openers and any(word.type == P.LBRACE for word in inside):
        return  # the declaration is over
    place.item = inside[0].type
    if place.item == P.EVERY:
        place.events = ("every",)
    elif place.item == P.ON:
        for word in inside[1:]:
            if word.type in (P.LPAREN, P.LBRACE):
                break
            if word.text in EVENTS:
                place.events = (*place.events, word.text)


def _keywords(place: Place, found: Iterable[Next]) -> Iterator[types.CompletionItem]:
    for each in sorted(found, key=lambda each: each.type):
        word = "" if each.type >= len(P.literalNames) else P.literalNames[each.type].strip("'")
        if not each.rules or each.rules[0] in NO_KEYWORDS:
            continue
        if each.type == P.RECORD and each.rules[0] == "recordDecl":
            yield from (_item(record, Kind.Keyword, "a record of each") for record in RECORDS)
        elif each.type == P.SPACE_OF and each.rules[0] == "prefetchStmt":
            if place.events == ("prefetch",):
                yield from (_item(space, Kind.Keyword, "") for space in ("slot", "page"))
        elif word.isalpha() and _fits(place, word, each):
            yield _item(word, Kind.Keyword, "")


def _fits(place: Place, word: str, each: Next) -> bool:
    """Whether a keyword that the grammar takes is legal."""
    if each.rules[0] == "evictAttr":
        return place.events == (word,)
    if len(each.rules) > 1 and each.rules[1] == "statement":
        pins, keeps = P.PIN in place.types, P.KEEP in place.types
        return all(
            allowed(word, event, scan=place.scan, loop=place.loop, pins=pins, keeps=keeps)
            for event in place.events or ("",)
        )
    return word != "hand"


def _members_at(place: Place, rules: tuple[str, ...]) -> Iterator[types.CompletionItem]:
    """What may stand behind the point."""
    at = len(place.words) - 1
    if at < 1 or place.words[at].type != P.DOT:
        return
    word = _in_front(place.words, at)
    if word is None:
        return
    test = place.item == P.TEST
    earlier = place.words[place.words.index(word) - 1] if place.words.index(word) else None
    if earlier is not None and earlier.type == P.DOT and word.text in RECORDS:
        owner, text = f"record of {word.text}", word.text
    else:
        name = next((name for name in reversed(place.names.visible(place.offset)) if name.text == word.text), None)
        owner, text = owner_of(name, word.text), word.text
    statement = "pathStmt" in rules
    found = members(place.names, owner, text, place.events, statement, test)
    if "step" in rules[:2]:
        found = members(place.names, owner, text, (), True, True)
    for member in found:
        yield _of_member(member)


def _in_front(words: list[Any], at: int) -> Any | None:
    """The word in front of a point, and of the index that stands between the two."""
    before = words[at - 1]
    if before.type != P.RBRACK:
        return before
    depth = 0
    for number in range(at - 1, 0, -1):
        depth += (words[number].type == P.RBRACK) - (words[number].type == P.LBRACK)
        if depth == 0:
            return words[number - 1]
    return None


def _named(place: Place, rules: tuple[str, ...]) -> Iterator[types.CompletionItem]:
    last = place.words[-1].type if place.words else 0
    match rules[0]:
        case "listRef":
            yield from _of_names(place.visible("list"))
        case "typeName" if "inputDecl" in rules and last == P.OF and place.words[-2].type != P.RBRACK:
            yield from (_item(key, Kind.EnumMember, "the key of an input") for key in KEYS)
        case "typeName":
            yield from (_item(type, Kind.TypeParameter, "a type") for type in TYPES)
            yield from _of_names(place.visible("enum"))
        case "event":
            yield from _events(place)
        case "note":
            yield from _notes(rules)
        case "evictStmt" if last in (P.LOWEST, P.HIGHEST):
            yield from _of_names(place.visible("score"))
        case rule if rule in FOLIO_RULES:
            kinds = ("folio", "range") if rule == "leaveStmt" else ("folio",)
            yield from _of_names(name for name in place.visible(*kinds))
        case "dropStmt" | "flushStmt":
            yield from _of_names(place.visible("range"))
        case "holdStmt":
            yield from _of_names(place.visible("out"))
        case "doStmt":
            yield from _of_names(place.visible("action"))
        case "matchArm":
            yield from _of_names(place.visible("member"))
        case "ghostItem":
            yield _item("capacity", Kind.Property, "how many entries it has room for")
        case "setting":
            yield from (_item(name, Kind.Property, "a setting of the test") for name in (*SETTINGS, *ASKING_NUMBERS))
            yield from _of_names(place.visible("param"))
        case "step":
            yield from (_item(verb, Kind.Event, "a step of a test") for verb in VERBS)
            yield from _of_names(place.visible("input"))
        case "path" if rules[1] == "pathStmt":
            yield from _of_names(place.visible(*ASSIGNED))
        case "path":
            yield from _values(place)


def _values(place: Place) -> Iterator[types.CompletionItem]:
    """Names with which an expression may begin."""
    constant = place.item in (P.CONST, P.PARAM, P.ENUM)
    kinds = ("const", "member") if constant else VALUES
    yield from _of_names(place.visible(*kinds))
    for function in FUNCTIONS.values():
        yield _item(function.name, Kind.Function, f"{function.call}: {function.gives}")
    if constant:
        return
    yield _item("cache", Kind.Module, "the cache")
    if place.item == P.FN or not place.events or all(event in TASK_EVENTS for event in place.events):
        yield _item("task", Kind.Module, "the task that caused the event")
    if "removed" in place.events or place.item == P.FN:
        yield from (_item(reason, Kind.EnumMember, "why a folio leaves") for reason in REASON.members)


def _notes(rules: tuple[str, ...]) -> Iterator[types.CompletionItem]:
    notes: dict[str, tuple[str, ...]] = {
        "paramDecl": (*UNITS, "live"),
        "everyDecl": ("events", "ms"),
        "inputDecl": KINDS,
        "pinDecl": ("pages",),
        "keepDecl": ("pages",),
        "cacheDecl": ("pages", "MiB", "GiB"),
    }
    yield from (_item(note, Kind.Unit, "") for note in notes.get(rules[1], ()))


def _events(place: Place) -> Iterator[types.CompletionItem]:
    handled = {event.text for name in _handlers(place) for event in name.events}
    for event in EVENTS.values():
        if event.name not in place.events and event.name not in handled:
            shape = event.parameters[-1]
            yield _item(event.name, Kind.Event, f"on {event.name}{'(' + ', '.join(shape) + ')' if shape else ''}")


def _handlers(place: Place) -> list[ast.Handler]:
    return [item for item in place.names.items if isinstance(item, ast.Handler) and place.offset not in
            range(item.span.start, item.span.end + 1)]  # fmt: skip


def _of_names(names: Iterable[Name]) -> Iterator[types.CompletionItem]:
    for name in names:
        yield _item(name.text, KINDS_OF.get(name.kind, Kind.Variable), name.kind)


def _of_member(member: Member) -> types.CompletionItem:
    return _item(member.name, KINDS_OF[member.kind], member.detail, member.doc)


def _item(label: str, kind: types.CompletionItemKind, detail: str, doc: str = "") -> types.CompletionItem:
    return types.CompletionItem(label, kind=kind, detail=detail or None, documentation=doc or None)
