"""What a name has behind a point: the attributes that the language knows of it, fields, methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cpol.compiler.check.ghost import METHODS, ORDERS, QUESTIONS
from cpol.compiler.types import RECORDS, EnumType
from cpol.compiler.vocabulary.around import CACHE, EVERY, EVICT, TASK
from cpol.compiler.vocabulary.attribute import LISTS, Attribute, Attributes
from cpol.compiler.vocabulary.event import EVENTS, TASK_EVENTS, UNCACHED
from cpol.compiler.vocabulary.folio import FILE, FOLIO
from cpol.compiler.vocabulary.request import FAULT, OUT, RANGE, REQUEST
from cpol.editor.lsp.names import Index, Name

OWNED: dict[str, Attributes] = {
    "folio": FOLIO,
    "fault": FAULT,
    "request": REQUEST,
    "range": RANGE,
    "out": OUT,
    "cache": CACHE,
    "task": TASK,
    "evict": EVICT,
    "every": EVERY,
}
"""The attributes of what a name is."""

OF = {"thread": "task", "file": "file", "area": "area"}

GHOST = {
    "add": "add(f): remember a folio, or what its record is to be",
    "take": "take(f): whether it remembers the folio; it forgets it",
    "has": "has(f): whether it remembers the folio",
    "forget_oldest": "forget_oldest(): forget the entry that has been there longest",
    "size": "how many entries it has",
}


@dataclass(frozen=True)
class Member:
    """Something behind a point. `attribute` is its record in the vocabulary, if it has one."""

    name: str
    kind: str
    """attribute, field, method"""
    detail: str
    doc: str = ""
    attribute: Attribute | None = None


def owner_of(name: Name | None, text: str) -> str:
    """What a word in front of a point is, as OWNED and `members` know it; empty for a plain value."""
    if name is not None:
        return name.kind
    return text if text in ("cache", "task", "evict", "every", *RECORDS) else ""


def members(names: Index, owner: str, text: str, events: tuple[str, ...], statement: bool, test: bool) -> list[Member]:
    """What may stand behind `text.`, which is an `owner`, in handlers of these events.

    Args:
        events: none: in no handler.
        statement: it begins a statement, so it is assigned to, or is an order.
        test: it stands in a test.
    """
    return list(_members(names, owner, text, events, statement, test))


def _members(
    names: Index, owner: str, text: str, events: tuple[str, ...], statement: bool, test: bool
) -> Iterator[Member]:
    if owner in ("folio", "record of file", "record of task", "record of area"):
        yield from _fields(names, "folio" if owner == "folio" else owner.rpartition(" ")[2])
    elif owner == "ghost":
        wanted = (
            ("add", "forget_oldest", "take") if statement else (*QUESTIONS, "size") if not test else ("has", "size")
        )
        for method in (each for each in METHODS if each in wanted and (not statement or each in ORDERS)):
            yield Member(method, "method", GHOST[method])
        if not statement and not test:
            yield from _fields(names, text)
    elif owner in ("list", "table") and not statement:
        yield Member("size", "attribute", "u64: pages on the list" if owner == "list" else "u64: its elements")
        if test and owner == "list":
            yield Member("has", "method", "has(1, 2): whether these folios are on it")
            yield Member("is", "method", "is(1, 2): whether these folios, in this order, are all on it")
    elif owner == "input":
        yield from _of_input(names, text, statement and test)
    if owner in RECORDS and owner != "task" and not statement:
        yield Member("size", "attribute", "u64: how many records there are")
    if owner == "task":
        yield from _fields(names, "task")
    if statement:
        return
    if test and owner == "cache":
        yield Member("has", "method", "has(1, 2): whether these folios are in the cache")
    if owner == "record of file" and events:
        yield from map(_of, FILE.values())
    for attribute in OWNED.get(owner, {}).values():
        if _known(attribute, owner, events):
            yield _of(attribute)


def _known(attribute: Attribute, owner: str, events: tuple[str, ...]) -> bool:
    """Whether an attribute is known in all these handlers."""
    if owner == "folio":
        return attribute.named or not any(event in UNCACHED for event in events)
    if owner == "task":
        return all(event in TASK_EVENTS for event in events)
    return not attribute.only or all(event == attribute.only for event in events)


def _of(attribute: Attribute) -> Member:
    return Member(attribute.name, "attribute", type_name(attribute), attribute.doc, attribute)


def type_name(attribute: Attribute) -> str:
    if attribute.type is LISTS:
        return "list"
    return attribute.type.name if isinstance(attribute.type, EnumType) else str(attribute.type)


def _fields(names: Index, owner: str) -> Iterator[Member]:
    for name in names.names:
        if name.kind == "field" and name.owner == owner:
            yield Member(name.text, "field", name.node.type.text)


def _of_input(names: Index, text: str, filling: bool) -> Iterator[Member]:
    found = next((name for name in names.names if name.kind == "input" and name.text == text), None)
    kind = "" if found is None else found.node.kind.text
    if filling:
        yield Member("add", "method", "add(KEY): user space adds it")
        yield Member("remove", "method", "remove(KEY): user space removes it")
    elif kind == "array":
        yield Member("size", "attribute", "u64: its entries")
    else:
        yield Member("has", "method", "has(KEY): whether user space has put it there")
        if kind == "map":
            yield Member("of", "method", "of(KEY): its value, or the default")


def described(names: Index, path: tuple[str, ...], owner: str) -> Attribute | None:
    """The attribute that `owner.name` is, if no field of the policy hides it."""
    if len(path) != 2:
        return None
    found = OWNED.get(owner, {}).get(path[1])
    if found is not None and found.hidden and any(name.owner == owner and name.text == path[1] for name in names.names):
        return None
    return found


def events_of(of: str) -> tuple[str, ...]:
    return tuple(event.name for event in EVENTS.values() if event.of == of)
