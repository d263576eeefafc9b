"""Quick fixes, of policies of the standard library with one mistake each: what they may do to a text, and what not."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from antlr4 import InputStream, Token
from lsprotocol import types

from cpol.compiler.diagnostics.source import Span
from cpol.compiler.policies import STDLIB
from cpol.editor.lsp import problems
from cpol.editor.lsp.names import around
from cpol.editor.lsp.texts import Text, Texts, is_error
from cpol.grammar.generated.CpolLexer import CpolLexer

POLICIES = sorted(STDLIB.glob("*.cpol"))
SEED = 20261130
SHORT = 6
"""Policies of which `make test` tries mutants: the shortest."""
FEW, MANY = 2, 12
"""Mutants of each kind and policy."""

STRANGE = (
    *(";", "&&", "||", "!", "≤", "–", "...", "5s", "0b11", "1e3"),
    *("6fresh_gives", "1access", "ahead", "cache", "tial"),
)
"""What stands in the place of a token: what belongs into no policy, and words at wrong places."""

UNUSED = ("  let idle_value = 1", "  var idle_value: u8 = 1", "  let idle_value = 1 // it says so\n")
DECLARED = (
    "  state idle_value: u8 = 0\n",
    "  // it is idle\n  state idle_value: u8 = 0\n",
    "  state idle_value: u8 = 0 // it says so\n",
    "  const IDLE_VALUE: u8 = 1\n",
    "  list idle_value\n",
    "  ghost idle_value { capacity: 8 }\n",
    "  fn idle_value(x: u64): u64 = x\n",
)


@dataclass(frozen=True)
class Mutant:
    kind: str
    text: str


def lexed(text: str) -> list[Token]:
    return list(CpolLexer(InputStream(text)).getAllTokens())


def code(text: str) -> list[str]:
    return [token.text for token in lexed(text) if token.channel == Token.DEFAULT_CHANNEL]


def comments(text: str) -> list[str]:
    return [token.text for token in lexed(text) if token.text.startswith("//")]


def mutants(text: str, count: int, chance: random.Random) -> Iterator[Mutant]:
    """Texts with one token left out, doubled, replaced or made wrong, a brace left out, or something unused."""
    tokens = [token for token in lexed(text) if token.channel == Token.DEFAULT_CHANNEL]
    words = [token for token in tokens if len(token.text) > 3 and token.text.isidentifier()]
    braces = [token for token in tokens if token.text == "}"]

    def instead(token: Token, new: str) -> str:
        return text[: token.start] + new + text[token.stop + 1 :]

    for token in chance.sample(tokens, count):
        yield Mutant("left out", instead(token, ""))
    for token in chance.sample(tokens, count):
        yield Mutant("doubled", instead(token, f"{token.text} {token.text}"))
    for token in chance.sample(tokens, count):
        yield Mutant("replaced", instead(token, chance.choice(tokens).text))
    for token in chance.sample(tokens, count):
        yield Mutant("strange", instead(token, chance.choice(STRANGE)))
    for token in chance.sample(tokens, count):
        yield Mutant("inserted", instead(token, f"{token.text}{chance.choice(STRANGE)}"))
    for token in chance.sample(words, min(count, len(words))):
        yield Mutant("misspelt", instead(token, token.text[0] + token.text[2] + token.text[1] + token.text[3:]))
    for token in chance.sample(braces, min(count, len(braces))):
        yield Mutant("brace", instead(token, ""))
    opened = [token for token in tokens if token.text == "{"]
    for token in chance.sample(opened, min(count, len(opened))):
        yield Mutant("unused", instead(token, "{" + chance.choice(UNUSED)))
    starts = [at.start() for at in re.finditer(r"^  (?:on|list|state|folio|invariant)\b", text, re.MULTILINE)]
    for at in chance.sample(starts, min(count, len(starts))):
        yield Mutant("unused", text[:at] + chance.choice(DECLARED) + text[at:])


def offered(texts: Texts, path: str) -> list[types.CodeAction]:
    text = texts.text(path)
    return problems.fixes(texts, path, text.lines.range(Span(0, len(text.text))))


def said(text: Text) -> Counter[tuple[str, str]]:
    return Counter((each.code, each.message) for each in text.diagnostics if is_error(each))


def names(text: str) -> set[str]:
    return {token.text for token in lexed(text)}


def mended(texts: Texts, path: str, action: types.CodeAction) -> str:
    """The text with a fix. It removes no comment and nothing that its diagnostic does not name."""
    text = texts.text(path)
    assert action.edit is not None and action.edit.changes is not None and action.diagnostics is not None
    ((uri, changes),) = action.edit.changes.items()
    (edit,) = changes
    assert uri == problems.uri_of(path)
    start, end = text.lines.offset(edit.range.start), text.lines.offset(edit.range.end)
    (found,) = action.diagnostics
    named = text.lines.offset(found.range.start), text.lines.offset(found.range.end)
    after = text.text[:start] + edit.new_text + text.text[end:]
    old = text.text[start:end]
    if edit.new_text.strip() and old:
        assert named[0] <= start and end <= named[1], "it replaces more than the place of the diagnostic"
        assert named == (start, end) or edit.new_text.strip() in found.message
    elif old.strip() and (start, end) != named:
        bare = old.strip(" \t\n,")
        first = start + old.index(bare)
        removed = Span(first, first + len(bare))
        own = text.text[named[0] : named[1]]
        spans = [node.span for node in around(text.tree, named[0]) if hasattr(node, "span")]
        assert removed in spans or bare == own, f"it removes {old!r}, not only `{own}`"
        assert old.count(own) == 1
    assert comments(after) == comments(text.text)
    unknown = set(re.findall(r"\b[A-Z][A-Z_]+\b", edit.new_text)) - names(text.text)
    assert not unknown and "…" not in edit.new_text, "it writes a placeholder"
    return after


def check(path: Path, mutant: Mutant, original: str, texts: Texts) -> list[str]:
    """Hold each fix of a mutant to what fixes may do. Returns the codes of the diagnostics that have one."""
    own = str(path)
    texts.change(own, original)
    texts.text(own)
    texts.change(own, mutant.text)
    actions = offered(texts, own)
    of: dict[object, list[types.CodeAction]] = {}
    for action in actions:
        assert action.diagnostics is not None
        found = action.diagnostics[0]
        of.setdefault((found.code, found.message, str(found.range)), []).append(action)
    for each in of.values():
        assert len({action.title for action in each}) == len(each), "two fixes have one title"
        assert len(each) == 1 or not any(action.is_preferred for action in each)
    for action in actions:
        after = mended(texts, own, action)
        then = texts.attempt(own, after)
        assert said(then) <= said(texts.text(own)), f"it adds an error: {action.title}"
        if mutant.kind == "brace" or (mutant.kind == "left out" and action.title == "Write `of`"):
            assert code(after) == code(original), "it writes the sign elsewhere than where it was left out"
    return [str(key[0]) for key in of if isinstance(key, tuple)]


def all_checked(paths: list[Path], count: int) -> Counter[str]:
    texts = Texts()
    codes = Counter[str]()
    for path in paths:
        chance = random.Random(f"{SEED} {path.name}")
        original = path.read_text(encoding="utf-8")
        for mutant in mutants(original, count, chance):
            try:
                codes.update(check(path, mutant, original, texts))
            except AssertionError as wrong:
                raise AssertionError(f"{path.name}, {mutant.kind}: {wrong}\n{mutant.text}") from wrong
        texts.change(str(path), None)
    return codes


@pytest.mark.slow
def test_fixes_of_mutants_remove_and_break_nothing() -> None:
    short = sorted(POLICIES, key=lambda path: path.stat().st_size)[:SHORT]
    codes = all_checked(short, FEW)
    assert codes.total() > 20 and {"E0012", "W0401"} <= codes.keys(), codes


@pytest.mark.long
@pytest.mark.parametrize("part", range(8))
def test_fixes_of_many_mutants_remove_and_break_nothing(part: int) -> None:
    codes = all_checked(POLICIES[part::8], MANY)
    assert codes.total() > 100 and {"E0012", "E0101", "W0401"} <= codes.keys(), codes
