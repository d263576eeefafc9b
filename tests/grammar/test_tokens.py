"""Tokens of the lexer: where each ends, and its type."""

from __future__ import annotations

import pytest
from antlr4 import InputStream

from cpol.grammar.generated.CpolLexer import CpolLexer


def tokens(text: str) -> list[tuple[str, str]]:
    """Return type and text of each token that is not skipped."""
    found = CpolLexer(InputStream(text)).getAllTokens()
    return [(CpolLexer.symbolicNames[token.type], token.text) for token in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.01..0.50", ["FIXED 0.01", "DOTDOT ..", "FIXED 0.50"]),
        ("1..65536", ["INT 1", "DOTDOT ..", "INT 65536"]),
        ("1_000.25", ["FIXED 1_000.25"]),
        ("1 .. 2", ["INT 1", "DOTDOT ..", "INT 2"]),
        ("f.list", ["IDENT f", "DOT .", "LIST list"]),
        ("0x10", ["INT 0x10"]),
        ("0x1_f0", ["INT 0x1_f0"]),
        ("0x", ["BAD_NUMBER 0x"]),
        ("0X10", ["BAD_NUMBER 0X10"]),
        ("0x1g", ["BAD_NUMBER 0x1g"]),
        ("12k", ["BAD_NUMBER 12k"]),
        ("1__0", ["BAD_NUMBER 1__0"]),
        ("1_", ["BAD_NUMBER 1_"]),
        ("1.5e3", ["BAD_NUMBER 1.5e3"]),
        ("a<=b", ["IDENT a", "LE <=", "IDENT b"]),
        ("a!=b", ["IDENT a", "NE !=", "IDENT b"]),
        ("a!b", ["IDENT a", "FOREIGN !", "IDENT b"]),
        ("x-=-1", ["IDENT x", "SUB_ASSIGN -=", "MINUS -", "INT 1"]),
        ("listing", ["IDENT listing"]),
        ("_x9", ["IDENT _x9"]),
        ("3:5..8", ["INT 3", "COLON :", "INT 5", "DOTDOT ..", "INT 8"]),
        ("t[1, i].size", ["IDENT t", "LBRACK [", "INT 1", "COMMA ,", "IDENT i", "RBRACK ]", "DOT .", "IDENT size"]),
        ("live set map events ms", ["IDENT live", "IDENT set", "IDENT map", "IDENT events", "IDENT ms"]),
        ("random admit missed", ["IDENT random", "IDENT admit", "IDENT missed"]),
        ("for then fortune", ["FOR for", "THEN then", "IDENT fortune"]),
        ("é", ["UNKNOWN é"]),
        ("\x00", ["UNKNOWN \x00"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert [f"{kind} {part}" for kind, part in tokens(text)] == expected


def test_comments_are_tokens() -> None:
    text = "/// a doc\n// a comment\n//// a line of slashes\n///\nx"
    assert [kind for kind, _ in tokens(text)] == ["DOC", "COMMENT", "COMMENT", "DOC", "IDENT"]
