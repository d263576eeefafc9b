"""A hook of mkdocs: blocks of cpol have colours. mkdocs runs without the compiler, so `build` writes its words down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

from pygments.lexer import RegexLexer, bygroups, words
from pygments.lexers import LEXERS
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

__all__ = ["CpolLexer"]  # where Pygments looks for lexers

Words: TypeAlias = "dict[str, Sequence[str]]"
"""`keywords`, `events`, `functions` and `units` of the language."""

KEY = "cpol"
"""Of the words in `extra` of mkdocs' settings."""

DECLARING = ("policy", "library", "fn", "action", "score", "test", "enum")
"""What a name follows that the text declares."""


class CpolLexer(RegexLexer):  # type: ignore[misc]  # Pygments has no types
    """Colours only: a text that is wrong has them, too. `know` fills its tokens."""

    name = "cpol"
    aliases: ClassVar[list[str]] = ["cpol"]
    tokens: ClassVar[dict[str, Any]] = {"root": []}


def know(known: Words) -> None:
    """The words of the language."""
    CpolLexer.tokens = {
        "root": [
            (r"\s+", Text),
            (r"///.*", Comment.Special),
            (r"//.*", Comment.Single),
            (r'"[^"\n]*"', String),
            (r"0x[0-9a-fA-F_]+", Number.Hex),
            (rf"[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:\s+(?:{'|'.join(known['units'])})\b)?", Number),
            (rf"\b({'|'.join(DECLARING)})(\s+)([A-Za-z_]\w*)", bygroups(Keyword.Declaration, Text, Name.Class)),
            (r"(\.)([A-Za-z_]\w*)", bygroups(Operator, Name.Attribute)),
            (words(tuple(known["events"]), suffix=r"\b"), Name.Function),
            (words(tuple(known["functions"]), suffix=r"\b(?=\s*\()"), Name.Builtin),
            (r"\b(?:u[1-9][0-9]?|s[1-9][0-9]?|bool|fix)\b", Keyword.Type),
            (words(tuple(known["keywords"]), suffix=r"\b"), Keyword),
            (r"[A-Za-z_]\w*", Name),
            (r"[-+*/%<>=!&|^~.:]+", Operator),
            (r".", Text),
        ]
    }
    LEXERS["CpolLexer"] = (__name__, CpolLexer.name, tuple(CpolLexer.aliases), (), ())


def on_config(config: Any, **_: object) -> None:
    """Before the first page."""
    know(config["extra"][KEY])
