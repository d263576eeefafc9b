"""Words in messages: what an unknown name may have been meant to be, and lists of names."""

from __future__ import annotations

from collections.abc import Iterable


def suggest(name: str, known: Iterable[str]) -> str:
    """A help text that names the closest of `known`, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(name[:60], [k for k in known if k != name], 1, 0.6)
    return f"did you mean `{close[0]}`?" if close else ""


def listing(words: Iterable[str]) -> str:
    """`a`, `b` and `c`"""
    quoted = [f"`{word}`" for word in words]
    if len(quoted) < 2:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + " and " + quoted[-1]
