"""Words in messages: what an unknown name may have been meant to be, and lists of names."""

from __future__ import annotations

from collections.abc import Iterable


def closest(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The word of `known` that is most like `name`, in upper or lower case; empty if none is as like as that."""
    from difflib import get_close_matches

    names = {word.lower(): word for word in known if word != name}
    close = get_close_matches(name[:60].lower(), names, 1, likeness)
    return names[close[0]] if close else ""


def suggest(name: str, known: Iterable[str]) -> str:
    """A help text that names the closest of `known`, or nothing."""
    close = closest(name, known)
    return f"did you mean `{close}`?" if close else ""


def listing(words: Iterable[str]) -> str:
    """`a`, `b` and `c`"""
    quoted = [f"`{word}`" for word in words]
    if len(quoted) < 2:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + " and " + quoted[-1]
