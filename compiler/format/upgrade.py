"""`cpolc fmt --upgrade`: policies of older versions, whose names have become words of the language since."""

from __future__ import annotations

import re

from antlr4 import CommonTokenStream, InputStream

from cpol.compiler.diagnostics import CompileError, Report
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.syntax.errors.words import NEWER_WORDS
from cpol.compiler.syntax.parse import deep_stack, parse
from cpol.compiler.syntax.read import check_text
from cpol.grammar.generated.CpolLexer import CpolLexer


def upgrade(text: str, path: str) -> tuple[str, dict[str, str]]:
    """Rename what has a name that is now a word of the language.

    Returns the text, and the new name of each old one. A text with right syntax stays as it is.
    `path` appears in messages.

    Raises:
        CompileError: the syntax of `text` is wrong otherwise.
    """
    first = error = _error(text, path)
    names: dict[str, str] = {}
    while first and error:
        wrong = {text[d.span.start : d.span.end] for d in error.diagnostics if d.code == "E0011" and d.span}
        found = (wrong & NEWER_WORDS) - names.keys()
        if not found:
            raise first
        new = {word: _unused(word, text) for word in found}
        text = _rename(text, new)
        names |= new
        error = _error(text, path)
    return text, names


def _error(text: str, path: str) -> CompileError | None:
    report = Report(Source(path, text))
    try:
        with deep_stack():
            check_text(report)
            parse(report)
    except CompileError as error:
        return error
    return None


def _unused(word: str, text: str) -> str:
    used = set(re.findall(r"\w+", text))
    while word in used:
        word += "_"
    return word


def _rename(text: str, names: dict[str, str]) -> str:
    """Replace words, but not in comments."""
    stream = CommonTokenStream(CpolLexer(InputStream(text)))
    stream.fill()
    parts: list[str] = []
    at = 0
    for token in stream.tokens:
        if token.text in names:
            parts += text[at : token.start], names[token.text]
            at = token.stop + 1
    return "".join(parts) + text[at:]
