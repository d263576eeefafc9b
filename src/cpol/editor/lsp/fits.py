"""Which of the values that completion offers have the type that is wanted: an editor shows these first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lsprotocol import types

from cpol.compiler.syntax import ast
from cpol.compiler.types import BOOL, FIX, IntType, parse_type
from cpol.compiler.vocabulary.function import FUNCTIONS
from cpol.editor.lsp.members import Member, members, owner_of
from cpol.editor.lsp.names import Index, Name
from cpol.grammar.generated.CpolParser import CpolParser as P

WHOLE = "whole"
"""All types of whole numbers: the compiler converts between them."""

ORDERED = (P.LT, P.LE, P.GT, P.GE)
"""Signs with a number on both sides."""

ALIKE = (P.EQ, P.NE)
"""Signs with the same type on both sides."""

ASSIGNING = (P.ASSIGN, P.ADD_ASSIGN, P.SUB_ASSIGN, P.MUL_ASSIGN)
"""Signs behind which a fraction does not become a whole number."""

_WHOLE = frozenset((WHOLE,))
_NUMBERS = frozenset((WHOLE, str(FIX)))
_BOOL = frozenset((str(BOOL),))


def wanted(words: Sequence[Any], names: Index, visible: Iterable[Name], events: tuple[str, ...]) -> frozenset[str]:
    """The types that the value behind these words may have; none if any may come, or none is known."""
    last = words[-1].type if words else 0
    if last in ORDERED or (last == P.TO and len(words) > 1 and words[-2].type == P.UP):
        return _NUMBERS
    if last not in (*ALIKE, *ASSIGNING) or len(words) < 3:
        return frozenset()
    left, before = words[-2], words[-3]
    known = {name.text: name for name in visible}
    if last == P.ASSIGN and before.type == P.COLON:  # `state x: u8 = `
        found = frozenset((_class(left.text),))
    elif before.type != P.DOT:
        found = of_name(known.get(left.text)) if left.text in known else frozenset()
    else:
        owner = owner_of(known.get(words[-4].text), words[-4].text)
        behind = members(names, owner, words[-4].text, events, last in ASSIGNING, False)
        found = next((_of_member(each) for each in behind if each.name == left.text), frozenset())
    if len(found) != 1 or (found == _BOOL and last == P.ASSIGN):  # which may begin with a number: `hot = f.seen > 1`
        return frozenset()
    return _NUMBERS if found & _NUMBERS and (last in ALIKE or found != _WHOLE) else found


def of_name(name: Name | None) -> frozenset[str]:
    """The types of the values that begin with a name; none: any, or it is not known."""
    if name is None:
        return frozenset()
    if name.kind == "member":
        return frozenset((name.owner,))
    if name.kind == "list":
        return frozenset(("list", WHOLE))  # its size
    if name.kind == "for":
        return _WHOLE
    declared = getattr(name.node, "type", None)
    if name.kind in ("param", "const", "state", "table", "fn", "var", "parameter") and isinstance(declared, ast.Name):
        return frozenset((_class(declared.text),))
    return frozenset()


def sort(items: Iterable[types.CompletionItem], visible: Iterable[Name], want: frozenset[str]) -> None:
    """Have an editor show the values that fit first."""
    known = {name.text: of_name(name) for name in visible}
    known.update(dict.fromkeys(FUNCTIONS, _NUMBERS) | dict.fromkeys(("true", "false", "not"), _BOOL))
    for item in items:
        found = known.get(item.label, frozenset())
        item.sort_text = f"{int(bool(found) and not want & found)}{item.label}"


def _class(type: str) -> str:
    """The type of a value as `wanted` has it."""
    known = parse_type(type)
    return WHOLE if isinstance(known, IntType) else type


def _of_member(member: Member) -> frozenset[str]:
    """Of an attribute or a field; its detail begins with the type."""
    return frozenset((_class(member.detail.partition(":")[0]),))
