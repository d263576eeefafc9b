"""A reader that keeps what it made says of each text what one says that begins anew."""

from __future__ import annotations

import os
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from antlr4 import CommonTokenStream, InputStream
from edits import edited, seeded
from quick import examples

from cpol.compiler.diagnostics import CompileError, Report
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.policies import STDLIB
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.again import Again, Lexer, moved
from cpol.compiler.syntax.parse import deep_stack
from cpol.compiler.syntax.whole import Reader, read_whole
from cpol.grammar.generated.CpolLexer import CpolLexer

EDITS = int(os.environ.get("CPOL_EDITS", examples(6)))
"""Edits of each text."""

FILES = sorted(STDLIB.rglob("*.cpol"))

TABLE = """policy rows {
  list q
  on added(f) { place f at tail of q }
  on evict { scan q from head as f { evict f } }
  test many(capacity: 4) { %s access n }
}"""


def equal(left: object, right: object, seen: dict[int, int]) -> bool:
    """Whether two parts of ASTs are equal, with their places, and with the same nodes at several places."""
    if type(left) is not type(right):
        return False
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(equal(one, other, seen) for one, other in zip(left, right, strict=True))
    if not is_dataclass(left) or isinstance(left, type):
        return left == right
    if id(left) in seen:
        return isinstance(left, Source) or seen[id(left)] == id(right)
    if type(left).__name__ != "Span":
        seen[id(left)] = id(right)
    return all(equal(getattr(left, part.name), getattr(right, part.name), seen) for part in fields(left))


def answer(read: Reader, text: str, path: str = "a.cpol") -> object:
    """The AST, or what is wrong."""
    with deep_stack():
        try:
            return read(Report(Source(path, text)))
        except CompileError as error:
            return error.render()


def items(again: Again, text: str) -> tuple[ast.Item, ...]:
    """The declarations of a text with right syntax."""
    tree = answer(again, text)
    assert isinstance(tree, ast.Policy | ast.Library)
    return tree.items


def agree(again: Again, text: str) -> bool:
    """Whether both readers say the same of a text. Returns whether its syntax is right."""
    new, whole = answer(again, text), answer(read_whole, text)
    assert equal(new, whole, {}), (new if isinstance(new, str) else "right", whole, text)
    return not isinstance(whole, str)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_texts_that_change_at_random(path: Path) -> None:
    _, chance = seeded(path.stem)
    text = good = path.read_text(encoding="utf-8")
    again = Again()
    for _ in range(EDITS):
        good = text if agree(again, text) else good
        text = edited(good, chance)
    agree(again, text)


@pytest.mark.parametrize(
    "path",
    [path if path.stem == "fifo" else pytest.param(path, marks=pytest.mark.slow) for path in FILES],
    ids=lambda path: path.stem,
)
def test_what_stands_as_before_is_the_same_node(path: Path) -> None:
    """A word that begins a declaration, and stands within one, too, must not cut it: nothing would be known again."""
    again = Again()
    text = path.read_text(encoding="utf-8")
    at = items(again, text)[-1].span.end - 1
    changed = f"{text[:at]} {text[at:]}"
    same = [one is other for one, other in zip(items(again, text), items(again, changed), strict=True)]
    assert same == [*[True] * (len(same) - 1), False]
    assert answer(again, changed) is answer(again, changed)


def test_a_library_that_a_policy_imports_is_read_once() -> None:
    again = Again()
    text = (STDLIB / "lib" / "balance.cpol").read_text(encoding="utf-8")
    assert answer(again, text) is answer(again, text)


@pytest.mark.parametrize(
    "line", ["", "list q // c", '"x', "\r", "a\rb", "5 s x", "é \U0001f600", "/* x", "\x0b", "1..2"]
)
def test_lines_become_the_tokens_that_a_text_has(line: str) -> None:
    text = f"policy p {{\n{line}\n  {line} }}\n{line}"
    stream = CommonTokenStream(CpolLexer(InputStream(text)))
    stream.fill()
    parts = ("type", "channel", "start", "stop", "line", "column", "tokenIndex", "text")
    ours, theirs = (
        [tuple(getattr(token, part) for part in parts) for token in tokens]
        for tokens in (Lexer().tokens(text), stream.tokens)
    )
    assert ours == theirs


@pytest.mark.slow
def test_the_cases_of_all_tests_share_a_limit() -> None:
    case = "case c%d(n: 1) "
    again = Again()
    steps = "access 1 " * 300
    one = TABLE % ("".join(case % number for number in range(28)) + steps)
    assert agree(again, one) is True
    test = one[one.index("  test") : one.rindex("}")]
    both = one[: one.rindex("}")] + test.replace("many", "more") + "}"
    assert agree(again, both) is False


def test_two_equal_declarations_are_two_nodes() -> None:
    again = Again()
    text = "policy p {\n  invariant true\n  invariant true\n  invariant true\n}"
    for _ in range(2):
        agree(again, text)
        assert len(set(map(id, items(again, text)))) == 3
        text += "\n"


@pytest.mark.parametrize(
    "text",
    [
        "policy p { } }",
        "policy p { x { y",
        "policy p { { { { {",
        "policy p {\n  list q\n  on added(f) {\n  invariant true\n}",
        "policy p {\n  list q }\n  list r\n}",
        "policy p {\n  ghost g {\n  folio { a: u8 = 0\n  list q\n}",
        "library l { ( }",
        "policy p { ) list q }",
    ],
)
def test_braces_that_are_not_in_order(text: str) -> None:
    again = Again()
    agree(again, "policy p {\n  list q\n  list r\n  invariant true\n  ghost g {\n  folio { a: u8 = 0 } }\n}")
    assert agree(again, text) is False


def test_moving_keeps_what_is_shared() -> None:
    text = (STDLIB / "fifo.cpol").read_text(encoding="utf-8")
    tree = answer(read_whole, text)
    assert equal(moved(moved(tree, 7), -7), tree, {})
