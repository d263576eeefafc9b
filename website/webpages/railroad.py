"""Draws the rules of the grammar as railroad diagrams."""

from __future__ import annotations

import io
import re
from typing import Any

import railroad

from webpages.grammar import Choice, Name, Node, Not, Repeated, Sequence, Text, read

HIDDEN = {"DOC", "COMMENT", "SPACE", "FOREIGN", "BAD_NUMBER", "UNKNOWN"}
"""Rules of the lexer that are no part of a policy, or only explain errors."""

ROW = 7
"""Alternatives beside one another, where there are many that are one word."""


def page(grammar: str) -> str:
    """The page of a grammar: a diagram for each rule."""
    rules = read(grammar)
    words = {name: node for name, node in rules.items() if name.isupper() and name not in HIDDEN}
    plain = {name: node.text for name, node in words.items() if isinstance(node, Text) and node.text[0] != "["}
    parser = {name: node for name, node in rules.items() if not name.isupper()}
    lexer = {name: node for name, node in words.items() if name not in plain}
    known = parser.keys() | lexer.keys()
    parts = [
        "# Grammar",
        "Each diagram is a rule of [grammar/Cpol.g4](Cpol.g4), from which the parser is made. Round boxes are\n"
        "text as it stands in a policy, square ones other rules. Comments and white space may stand anywhere.\n"
        "[The language](../docs/language.md) tells what it means.",
    ]
    for title, group in (("Policies", parser), ("Words and numbers", lexer)):
        parts.append(f"## {title}")
        for name, node in group.items():
            drawn = svg(_drawn(node, plain, known))
            parts.append(f'### {name} {{ #{anchor(name)} }}\n\n<div class="drawing">{drawn}</div>')
    return "\n\n".join(parts) + "\n"


def anchor(name: str) -> str:
    """The anchor of a rule. Names of the lexer's rules are in capitals, and ids of a page differ in more than that."""
    return f"word-{name.lower()}" if name.isupper() else f"rule-{name}"


def svg(node: Any) -> str:
    """A diagram without a style of its own, on one line: a blank one would end it for Markdown."""
    out = io.StringIO()
    railroad.Diagram(node, css=None).writeSvg(out.write)
    return re.sub(r"\s*\n\s*", " ", out.getvalue())


def _drawn(node: Node, plain: dict[str, str], known: Any) -> Any:
    def inner(each: Node) -> Any:
        return _drawn(each, plain, known)

    match node:
        case Text(text):
            return railroad.Terminal(text)
        case Name(name) if name in plain:
            return railroad.Terminal(plain[name])
        case Name("EOF"):
            return railroad.Comment("end of the file")
        case Name(name):
            return railroad.NonTerminal(name, href=f"#{anchor(name)}" if name in known else None)
        case Not(part):
            return railroad.Group(inner(part), "anything but")
        case Sequence(parts):
            return railroad.Sequence(*map(inner, parts)) if parts else railroad.Skip()
        case Choice(parts):
            return _choice([inner(part) for part in parts], simple=all(isinstance(part, Name | Text) for part in parts))
        case Repeated(part, "?"):
            return railroad.Optional(inner(part))
        case Repeated(part, "+"):
            return railroad.OneOrMore(inner(part))
        case Repeated(part, _):
            return railroad.ZeroOrMore(inner(part))
    raise AssertionError(node)


def _choice(parts: list[Any], *, simple: bool) -> Any:
    if not simple or len(parts) <= ROW:
        return railroad.Choice(0, *parts)
    columns = [parts[first : first + ROW] for first in range(0, len(parts), ROW)]
    return railroad.HorizontalChoice(*(railroad.Choice(0, *column) for column in columns))
