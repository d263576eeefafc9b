"""Text to parse tree, with limits against hostile text."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from antlr4 import CommonTokenStream, InputStream, PredictionMode, Token
from antlr4.error.Errors import ParseCancellationException
from antlr4.error.ErrorStrategy import BailErrorStrategy

from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax.durations import mark_units
from cpol.compiler.syntax.errors.strategy import PlainStrategy
from cpol.compiler.syntax.marks import mark_words
from cpol.compiler.syntax.read import say_empty, say_too_large
from cpol.grammar.generated.CpolLexer import CpolLexer
from cpol.grammar.generated.CpolParser import CpolParser

MAX_TOKENS = 10_000

MAX_NAME = 64

MAX_BRACKETS = 60
"""Nesting limit of braces, parentheses, brackets and `if … then`. Each level takes up to 12 parser calls."""

STACK = 5000
"""Additional stack depth in calls. It suffices for MAX_BRACKETS and the limits of later passes."""


@contextmanager
def deep_stack() -> Iterator[None]:
    """Raise the recursion limit by STACK above the caller's depth."""
    before = sys.getrecursionlimit()
    depth = 0
    frame: Any = sys._getframe()
    while frame is not None:
        depth += 1
        frame = frame.f_back
    sys.setrecursionlimit(max(before, depth + STACK))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def parse(report: Report) -> tuple[Any, list[Any]]:
    """Parse the report's source to a parse tree and its tokens.

    Raises:
        CompileError: the syntax is wrong, or a limit is exceeded.
    """
    stream = CommonTokenStream(CpolLexer(InputStream(report.source.text)))
    stream.lazyInit()
    if stream.fetch(MAX_TOKENS) == MAX_TOKENS:
        say_too_large(report, f"this file has more than {MAX_TOKENS} words and signs")
    mark(stream.tokens)
    check_marked(stream.tokens, report)
    parser = CpolParser(stream)
    parser.removeErrorListeners()
    parser._interp.predictionMode = PredictionMode.SLL
    parser._errHandler = BailErrorStrategy()
    try:
        return parser.file_(), stream.tokens
    except ParseCancellationException:
        pass  # an error, or a choice that needs the rules around it, which SLL does not look at
    parser.reset()
    parser._interp.predictionMode = PredictionMode.LL
    parser._errHandler = PlainStrategy(report)
    tree = parser.file_()
    report.check()
    return tree, stream.tokens


OPENING = frozenset((CpolLexer.LBRACE, CpolLexer.LPAREN, CpolLexer.LBRACK))
CLOSING = frozenset((CpolLexer.RBRACE, CpolLexer.RPAREN, CpolLexer.RBRACK))
ENDING = frozenset(range(CpolLexer.POLICY, CpolLexer.EXPECT + 1)) | {
    CpolLexer.LBRACE, CpolLexer.RBRACE, CpolLexer.ASSIGN, CpolLexer.LET, CpolLexer.PLACE, CpolLexer.MOVE,
    CpolLexer.SCAN, CpolLexer.PREFETCH
}  # fmt: skip
"""Tokens that always end an expression."""


def mark(tokens: list[Any]) -> None:
    """Mark the words whose type hangs on their place."""
    mark_units(tokens)
    mark_words(tokens)


def check_marked(tokens: list[Any], report: Report) -> None:
    """Check that there are words, and that they are within limits.

    Raises:
        CompileError: there are no words, or a limit is exceeded.
    """
    if tokens[0].type == Token.EOF or all(t.channel for t in tokens if t.type != Token.EOF):
        say_empty(report)
    _check_limits(tokens, report)
    report.check()


def _check_limits(tokens: list[Any], report: Report) -> None:
    depth = choices = 0
    for token in tokens:
        choices = 0 if token.type in ENDING else choices + (token.type == CpolLexer.IF)
        if choices > MAX_BRACKETS:
            span = Span(token.start, token.stop + 1)
            report.error(
                "E0007",
                span,
                f"`if … then … else …` is nested more than {MAX_BRACKETS} deep",
                help="name parts of it by `let`, or use a `fn`",
            )
            return
        if token.type == CpolLexer.IDENT and token.stop - token.start >= MAX_NAME:
            span = Span(token.start, token.stop + 1)
            report.error("E0112", span, f"a name has at most {MAX_NAME} characters", help="choose a shorter name")
        elif token.type in OPENING:
            depth += 1
            if depth > MAX_BRACKETS:
                span = Span(token.start, token.stop + 1)
                report.error(
                    "E0007",
                    span,
                    f"braces, parentheses and brackets are nested more than {MAX_BRACKETS} deep",
                    help="name parts of it by `let`, or use a `fn`",
                )
                return
        elif token.type in CLOSING:
            depth -= 1
