"""Writes the TextMate grammar of the VS Code extension from the words that the lexer and the vocabulary know."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from cpol.compiler.check.symbols import BUILT_IN
from cpol.compiler.types import UNIT_MS
from cpol.compiler.vocabulary.event import EVENTS
from cpol.compiler.vocabulary.function import FUNCTIONS
from cpol.grammar.generated.CpolLexer import CpolLexer

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "editors" / "vscode" / "syntaxes" / "cpol.tmLanguage.json"

SOFT = ("case", "by", "default", "drop", "flush", "wait", "readahead", "file", "task", "area", "slot", "page")
"""Words that are names at most places. The language server tells which are which."""

DECLARING = (
    *("policy", "library", "import", "const", "param", "enum", "list", "ghost", "folio", "state", "table", "input"),
    *("fn", "action", "score", "on", "every", "invariant", "test", "let", "var"),
)
CONSTANTS = ("true", "false")
OPERATORS = ("and", "or", "not")


def keywords() -> list[str]:
    """The words that can never be names."""
    words = [literal.strip("'") for literal in CpolLexer.literalNames if literal != "<INVALID>"]
    return [word for word in words if word.isalpha() and word not in SOFT]


def grammar() -> dict[str, Any]:
    words = [word for word in keywords() if word not in (*DECLARING, *CONSTANTS, *OPERATORS)]
    declaring = [word for word in keywords() if word in DECLARING]
    built_in = [word for word in BUILT_IN if word not in FUNCTIONS]
    return {
        "name": "cpol",
        "scopeName": "source.cpol",
        "comment": "Made by scripts/textmate.py; `make generate` writes it.",
        "patterns": [
            {"name": "comment.line.documentation.cpol", "match": r"///(?!/).*$"},
            {"name": "comment.line.double-slash.cpol", "match": r"//.*$"},
            {"name": "string.quoted.double.cpol", "match": r"\"[^\"\r\n]*\""},
            {
                "match": rf"\b([0-9][0-9_]*)\s+({_any(UNIT_MS)})\b(?!\s*(?:=|\+=|-=|\*=|\.|\[|\(|:))",
                "captures": {"1": {"name": "constant.numeric.cpol"}, "2": {"name": "keyword.other.unit.cpol"}},
            },
            {
                "name": "constant.numeric.cpol",
                "match": r"\b(?:0x[0-9a-fA-F](?:_?[0-9a-fA-F])*|[0-9](?:_?[0-9])*(?:\.[0-9](?:_?[0-9])*)?)\b",
            },
            {
                "match": rf"\b(on)\s+((?:{_any(EVENTS)})(?:\s*,\s*(?:{_any(EVENTS)}))*)\b",
                "captures": {
                    "1": {"name": "storage.type.cpol"},
                    "2": {"name": "entity.name.function.event.cpol"},
                },
            },
            {
                "match": r"(\.)\s*([A-Za-z_][A-Za-z_0-9]*)",
                "captures": {"2": {"name": "variable.other.member.cpol"}},
            },
            {
                "match": r"\b(fn|action|score|test)\s+([A-Za-z_][A-Za-z_0-9]*)",
                "captures": {"1": {"name": "storage.type.cpol"}, "2": {"name": "entity.name.function.cpol"}},
            },
            {
                "match": r"\b(policy|library|enum)\s+([A-Za-z_][A-Za-z_0-9]*)",
                "captures": {"1": {"name": "storage.type.cpol"}, "2": {"name": "entity.name.type.cpol"}},
            },
            {"name": "storage.type.cpol", "match": rf"\b(?:{_any(declaring)})\b"},
            {"name": "keyword.control.cpol", "match": rf"\b(?:{_any(words)})\b"},
            {"name": "keyword.operator.word.cpol", "match": rf"\b(?:{_any(OPERATORS)})\b"},
            {"name": "constant.language.cpol", "match": rf"\b(?:{_any(CONSTANTS)})\b"},
            {
                "name": "support.type.cpol",
                "match": r"\b(?:u(?:[1-9]|[1-5][0-9]|6[0-4])|s(?:[89]|[1-5][0-9]|6[0-4])|bool|fix)\b",
            },
            {"name": "support.function.cpol", "match": rf"\b(?:{_any(FUNCTIONS)})\b(?=\s*\()"},
            {"name": "variable.language.cpol", "match": rf"\b(?:{_any(built_in)})\b"},
            {"name": "keyword.operator.cpol", "match": r"==|!=|<=|>=|<<|>>|[-+*]=|[-+*/%<>=&|^~]|\.\."},
        ],
    }


def _any(words: Any) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


def text() -> str:
    return json.dumps(grammar(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text(), encoding="utf-8")
    sys.stderr.write(f"{TARGET.relative_to(ROOT)}\n")
