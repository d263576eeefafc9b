"""Reads the part of ANTLR's notation that grammar/Cpol.g4 uses, as a tree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)|(?P<text>'(?:\\.|[^'\\])+')|(?P<set>\[(?:\\.|[^\]\\])*\])|(?P<arrow>->[^;]*)
    |(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<sign>[():;|*+?~.]|\{[^}]*\})""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Text:
    """Characters that stand there as they are, or a set of them, as the grammar writes it."""

    text: str


@dataclass(frozen=True)
class Name:
    """Another rule."""

    name: str


@dataclass(frozen=True)
class Not:
    """Anything else."""

    inner: Node


@dataclass(frozen=True)
class Sequence:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Repeated:
    """`sign` is `*`, `+` or `?`."""

    inner: Node
    sign: str


Node: TypeAlias = Text | Name | Not | Sequence | Choice | Repeated


class GrammarError(Exception):
    """The grammar uses something that this reader does not know."""


def read(text: str) -> dict[str, Node]:
    """The rules of a grammar by name, in their order, without fragments' marks and actions of the lexer."""
    tokens = _tokens(text)
    reader = _Reader(tokens)
    rules: dict[str, Node] = {}
    while reader.here:
        word = reader.take()
        if word == "grammar":
            reader.take()
            reader.expect(";")
        elif word == "tokens":
            reader.take()
        else:
            name = reader.take() if word == "fragment" else word
            reader.expect(":")
            rules[name] = reader.choice()
            reader.expect(";")
    return rules


def _tokens(text: str) -> list[str]:
    out, at = [], 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise GrammarError(f"cannot read {text[at : at + 20]!r}")
        if found.lastgroup not in ("space", "arrow"):
            out.append(found[0])
        at = found.end()
    return out


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    @property
    def here(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        word = self.here
        if not word:
            raise GrammarError("the grammar ends in a rule")
        self.at += 1
        return word

    def expect(self, word: str) -> None:
        if (found := self.take()) != word:
            raise GrammarError(f"{word!r} is expected, not {found!r}")

    def choice(self) -> Node:
        parts = [self.sequence()]
        while self.here == "|":
            self.take()
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self) -> Node:
        parts = []
        while self.here not in ("|", ")", ";", ""):
            parts.append(self.repeated())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeated(self) -> Node:
        node = self.single()
        while self.here in ("*", "+", "?"):
            node = Repeated(node, self.take())
        return node

    def single(self) -> Node:
        word = self.take()
        if word == "(":
            inner = self.choice()
            self.expect(")")
            return inner
        if word == "~":
            return Not(self.single())
        if word == ".":
            return Text("any character")
        if word[0] == "'":
            return Text(word[1:-1].replace("\\\\", "\\"))
        if word[0] == "[":
            return Text(word)
        if word[0].isalpha():
            return Name(word)
        raise GrammarError(f"{word!r} cannot stand here")
