"""Messages about lines that should be declarations."""

from __future__ import annotations

from typing import Any

from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.words import closest, listing, meant
from cpol.compiler.syntax.errors.forms import DECLARED
from cpol.compiler.syntax.errors.habits import (
    FOREIGN_DECLARATIONS,
    FOREIGN_STATEMENTS,
    habit,
    handler,
    name_behind_type,
    type_of,
)
from cpol.compiler.syntax.errors.place import DECLARATION, ITEM, LATER, NAMES, Place, literal
from cpol.compiler.syntax.errors.signs import quoted, span
from cpol.grammar.generated.CpolParser import CpolParser as P

WHOLE = ("policy", "library")
"""Rules of the grammar that hold declarations."""

UNKNOWN = (NAMES - DECLARATION) | {P.EVICT, P.PREFETCH}
"""First words of lines that start no declaration."""

EVENTS = ("init", "missed", "admit", "added", "first_accessed", "accessed", "removed", "evict", "prefetch")
"""Events that newcomers declare without `on`."""


def say_no_declaration(token: Any, report: Report, tokens: list[Any]) -> None:
    """Report a word that should start a declaration and does not. `tokens` are all of the file."""
    words = [literal(type) for type in ITEM - LATER]
    better = FOREIGN_DECLARATIONS.get(token.text) or str(FOREIGN_STATEMENTS.get(token.text, ""))  # for a statement only
    if name := name_behind_type(tokens, token):
        better = f"write `state {name}: {type_of(token)} = VALUE`"
    elif token.text in EVENTS:
        better = f"write `{handler(token.text)}`"
    elif not better and (near := closest(token.text, words)):
        better = meant(token.text, near, f" It is written `{DECLARED[near]}`" if near in DECLARED else "")
    why = "" if better else f"a declaration starts with {listing(sorted(filter(None, words)), 'or')}"
    report.error("E0001", span(token), f"expected a declaration or `}}`, found {quoted(token)}", why=why, help=better)


def say_unknown_line(place: Place, report: Report) -> bool:
    """Report a line that starts with an unknown word, which the parser took as part of the line
    above.

    Returns whether it reported an error.
    """
    first = next(t for t in place.tokens if t.line == place.token.line and t.channel == 0)
    if place.token.text in FOREIGN_DECLARATIONS:
        first = place.token
    elif first.type not in UNKNOWN or (first is place.token and habit(place)):
        return False
    say_no_declaration(first, report, place.tokens)
    return True
