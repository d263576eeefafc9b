"""Decides whether a space stands between two tokens on one line."""

from __future__ import annotations

from typing import Any

NONE_BEHIND = frozenset({"(", "[", ".", ".."})
NONE_BEFORE = frozenset({")", "]", ",", ".", "..", ":", "["})


def spaced(before: Any, left: Any, right: Any) -> bool:
    """Whether a space goes between `left` and `right`.

    The arguments are terminal nodes. `before` precedes `left`; a missing node is None.
    """
    if left is None:
        return False
    first, second = left.symbol.text, right.symbol.text
    if first == ":" and _rule(left) in ("Cell", "FolioRange"):
        return _rule(left) == "Cell"
    if first in NONE_BEHIND or second in NONE_BEFORE:
        return False
    if _rule(left) == "Unary" and first in ("-", "~"):
        return bool(first == second == "-")  # `--` would be another token
    if second == "(":
        return _rule(right) == "Primary" and right.parentCtx.children[0] is right
    # No space in FILE:INDEX in a test, but in NAME: VALUE.
    return not (first == ":" and before is not None and before.symbol.text[0].isdigit())


def _rule(node: Any) -> str:
    return type(node.parentCtx).__name__.removesuffix("Context")
