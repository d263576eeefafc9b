"""The words of the language that have colours, from the lexer and the vocabulary."""

from __future__ import annotations

from cpol.compiler.types import UNIT_MS
from cpol.compiler.vocabulary.event import EVENTS
from cpol.compiler.vocabulary.function import FUNCTIONS
from cpol.grammar.generated.CpolLexer import CpolLexer
from webpages import colours


def words() -> colours.Words:
    """As the hook of mkdocs reads them."""
    literals = [literal.strip("'") for literal in CpolLexer.literalNames]
    keywords = [word for word in literals if word.isalpha()]
    return {"keywords": keywords, "events": list(EVENTS), "functions": list(FUNCTIONS), "units": list(UNIT_MS)}
