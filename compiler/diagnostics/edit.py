"""Edits of a text: those that mend what a diagnostic is about.

A fix is made where the compiler knows the text that should stand there, with all its names. A help that shows a form,
an example or a choice has none.
"""

from __future__ import annotations

from collections.abc import Sequence

from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.nodes import dataclass

SPACE = " \t"


@dataclass(frozen=True)
class Edit:
    """`text` in place of what `span` holds."""

    span: Span
    text: str


@dataclass(frozen=True)
class Fix:
    """Edits that mend what a diagnostic is about. `title` is for a menu.

    `only`: nothing else would do; the help names no other way.
    """

    title: str
    edits: tuple[Edit, ...]
    only: bool = True


class Instead(str):
    """A help that says which word to write in place of another one."""

    name: str
    word: str

    def __new__(cls, help: str, name: str, word: str) -> Instead:
        made = super().__new__(cls, help)
        made.name, made.word = name, word
        return made


def instead(name: str, word: str) -> Instead:
    """A help for `name`, in whose place `word` stands in this language."""
    return Instead(f"write `{word}`", name, word)


def apply(text: str, edits: Sequence[Edit]) -> str:
    """The text after all edits that touch no earlier one."""
    parts, at = list[str](), 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if edit.span.start < at:
            continue
        parts += (text[at : edit.span.start], edit.text)
        at = edit.span.end
    return "".join(parts) + text[at:]


def replaced(source: Source, span: Span, text: str, *, title: str = "", only: bool = True) -> Fix:
    """Write `text` in place of `span`, apart from the words beside it."""
    own, inner, _ = source.place(span)
    before, after = own.text[: inner.start][-1:], own.text[inner.end :][:1]
    if text:
        first = " " if _word(before) and _word(text[0]) else ""
        last = " " if _word(text[-1]) and _word(after) else ""
        new = first + text + last
    else:
        new = " " if _word(before) and _word(after) else ""
    title = title or (f"Write `{text}`" if text else f"Remove `{source.slice(span)}`")
    return Fix(title, (Edit(span, new),), only)


def respelled(source: Source, span: Span, help: Instead) -> Fix | None:
    """Write the other word, if that which it stands for is what `span` holds."""
    return replaced(source, span, help.word) if source.slice(span) == help.name else None


def inserted(source: Source, at: int, text: str, title: str, *, only: bool = True) -> Fix:
    """Write `text` at an offset."""
    return Fix(title, (Edit(Span(at, at), text),), only)


def removed(source: Source, span: Span, name: str) -> Fix | None:
    """Remove a declaration or a statement, with its line if it stands alone.

    None if a comment is inside, behind or above it, since that would go or tell of something else.
    """
    own, inner, _ = source.place(span)
    text, start, end = own.text, inner.start, inner.end
    while start and text[start - 1] in SPACE:
        start -= 1
    begins = start == 0 or text[start - 1] == "\n"
    line_end = text.find("\n", end)
    behind = text[end : len(text) if line_end < 0 else line_end]
    above = text[: start - 1].rpartition("\n")[2] if begins and start else ""
    if "//" in source.slice(span) + behind or above.lstrip().startswith("//"):
        return None
    if not behind.strip():
        if begins and line_end >= 0:
            end = line_end + 1
    elif begins:  # the rest of the line stays where it is
        start = inner.start
        end += len(behind) - len(behind.lstrip(SPACE))
    elif _word(text[start - 1]) and start == inner.start:
        return None
    shift = span.start - inner.start
    return Fix(f"Remove `{name}`", (Edit(Span(start + shift, end + shift), ""),))


def placed(fix: Fix | None, source: Source) -> Fix | None:
    """A fix with its places in the file that they lie in. All lie in one."""
    if fix is None:
        return None
    return Fix(fix.title, tuple(Edit(source.place(edit.span)[1], edit.text) for edit in fix.edits), fix.only)


def _word(sign: str) -> bool:
    return sign == "_" or sign.isalnum()
