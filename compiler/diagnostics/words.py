"""Words in messages: suggestions for unknown names, and lists of names."""

from __future__ import annotations

from collections.abc import Iterable

from cpol.compiler.diagnostics.edit import Instead


def closest(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The word in `known` that is most similar to `name`, ignoring case.

    `likeness` (0 to 1) is the least similarity; empty if no word reaches it.
    """
    from difflib import get_close_matches

    names = {word.lower(): word for word in known if word != name}
    close = get_close_matches(name[:60].lower(), names, 1, likeness)
    return names[close[0]] if close else ""


def suggest(name: str, known: Iterable[str]) -> str:
    """A help text that suggests the most similar word, or an empty text."""
    close = closest(name, known)
    return meant(name, close) if close else ""


def meant(name: str, word: str, more: str = "") -> Instead:
    """A help text that suggests `word`, and says more about it."""
    return Instead(f"did you mean `{word}`?{more}", name, word)


def listing(words: Iterable[str], last: str = "and") -> str:
    """`a`, `b` and `c`"""
    quoted = [f"`{word}`" for word in words]
    if len(quoted) < 2:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + f" {last} " + quoted[-1]
