"""Crossover: handlers of one policy take the place of another's, with all that they need."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cpol.grammar.generated.CpolParser import CpolParser as P
from cpol.runtime.explore.discover.genome import Change, apply
from cpol.runtime.explore.discover.tree import Tree

HANDLERS = ("missed", "admit", "added", "first_accessed", "accessed", "removed", "evict")


def graft(ours: Tree, theirs: Tree, source: random.Random) -> str | None:
    """The text of `ours` with some handlers of `theirs`. Theirs may use our lists instead of their own."""
    known = [event for event in HANDLERS if event in theirs.handlers]
    events = source.sample(known, source.randint(1, max(1, len(known) - 1)))
    taken = list({id(theirs.handlers[event]): theirs.handlers[event] for event in events}.values())
    events = [event.getText() for item in taken for event in item.event()]  # one item may be of several
    names: dict[str, str] = {}
    if ours.lists and theirs.lists and source.random() < 0.6:
        mapped = {name: source.choice(ours.lists) for name in theirs.lists}
        names = dict(zip(theirs.lists, ours.lists, strict=False))
        names = {name: names.get(name, mapped[name]) for name in theirs.lists}
    needed = _needed(theirs, taken, names)
    names |= _renamed(ours, theirs, needed)
    changes = [ours.replace(item, "") for event, item in ours.handlers.items() if event in events]
    changes = [*dict.fromkeys(changes)]
    fields = [each for each in needed if isinstance(each, P.FieldDeclContext)]
    for decl in needed:
        if decl not in fields and not _has(ours, decl, _text(theirs, decl, names)):
            changes.append(ours.declare(_text(theirs, decl, names)))
    for text in (_text(theirs, decl, names) for decl in fields):
        name, type = (part.strip() for part in text.split("=")[0].split(":"))
        if ours.fields.get(name) != type:
            changes.append(ours.add_field(text))
    if not ours.of(P.FolioDeclContext):
        changes = _one_folio(ours, changes)
    end = ours.policy.stop.stop
    changes += [Change(end, end, f"{_text(theirs, item, names)}\n") for item in taken]
    return apply(ours.text, changes)


def _one_folio(ours: Tree, changes: Iterable[Change]) -> list[Change]:
    """Several new fields in one `folio { … }`."""
    changes = list(changes)
    blocks = [each for each in changes if each.new.startswith("folio {")]
    rest = [each for each in changes if each not in blocks]
    fields = " ".join(each.new.strip().removeprefix("folio {").removesuffix("}") for each in blocks)
    return [*rest, ours.declare(f"folio {{ {fields} }}")] if blocks else rest


def _declarations(tree: Tree) -> dict[str, Any]:
    """What names stand for, apart from fields of folios; a `list` declaration has several."""
    found: dict[str, Any] = {}
    for item in tree.items:
        match item:
            case P.ListDeclContext():
                found |= {each.name().getText(): each for each in item.listName()}
            case P.ImportDeclContext():
                found |= {each.getText(): item for each in item.name()}
            case P.GhostDeclContext() | P.StateDeclContext() | P.TableDeclContext() | P.EnumDeclContext():
                found[item.name().getText()] = item
            case P.ConstDeclContext() | P.ParamDeclContext() | P.FnDeclContext() | P.ActionDeclContext():
                found[item.name().getText()] = item
            case P.ScoreDeclContext():
                found[item.name(0).getText()] = item
    return found


def _fields(tree: Tree) -> dict[str, Any]:
    return {each.word().getText(): each for decl in tree.of(P.FolioDeclContext) for each in decl.fieldDecl()}


def _needed(theirs: Tree, taken: Iterable[Any], names: Mapping[str, str]) -> list[Any]:
    """The declarations that some nodes need, and these need in turn, in the order of the text."""
    declarations, fields = _declarations(theirs), _fields(theirs)
    found: dict[int, Any] = {}
    todo = list(taken)
    while todo:
        node = todo.pop()
        before = ""
        for token in theirs.tokens:
            if node.start.start <= token.start <= node.stop.stop and not token.channel:
                known = fields.get(token.text) if before == "." else declarations.get(token.text)
                if known is not None and id(known) not in found and token.text not in names:
                    found[id(known)] = known
                    todo.append(known)
                before = token.text
    return sorted(found.values(), key=lambda node: node.start.start)


def _renamed(ours: Tree, theirs: Tree, needed: Sequence[Any]) -> dict[str, str]:
    """Other names for declarations that ours has otherwise."""
    names: dict[str, str] = {}
    known = _declarations(ours)
    for _ in range(len(needed) + 1):  # a declaration that names a renamed one differs, too
        before = len(names)
        for decl in needed:
            match decl:
                case P.ImportDeclContext() | P.EnumDeclContext():
                    continue
                case P.FieldDeclContext():
                    name = decl.word().getText()
                    same = name not in ours.fields or ours.fields[name] == decl.typeName().getText()
                case P.ScoreDeclContext():
                    name = decl.name(0).getText()
                    same = name not in known or _same(ours, known[name], theirs, decl, names)
                case _:
                    name = decl.name().getText()
                    same = name not in ours.words or (name in known and _same(ours, known[name], theirs, decl, names))
            if not same and name not in names:
                names[name] = ours.fresh(f"{name}_2")
        if len(names) == before:
            break
    return names


def _same(ours: Tree, mine: Any, theirs: Tree, other: Any, names: Mapping[str, str]) -> bool:
    return ours.source(mine).split() == _text(theirs, other, names).removeprefix("list ").split()


def _has(ours: Tree, decl: Any, text: str) -> bool:
    """Whether ours has a declaration already."""
    if isinstance(decl, P.ImportDeclContext):
        return text.split() in [ours.source(each).split() for each in ours.of(P.ImportDeclContext)]
    if isinstance(decl, P.ListNameContext):
        return text.removeprefix("list ").strip() in ours.lists
    return text.split() in [ours.source(each).split() for each in ours.items]


def _text(theirs: Tree, node: Any, names: Mapping[str, str]) -> str:
    """The source of a node with other names."""
    parts, at = [], node.start.start
    for token in theirs.tokens:
        if at <= token.start <= node.stop.stop and token.text in names:
            parts += [theirs.text[at : token.start], names[token.text]]
            at = token.stop + 1
    text = "".join([*parts, theirs.text[at : node.stop.stop + 1]])
    return f"list {text}" if isinstance(node, P.ListNameContext) else text
