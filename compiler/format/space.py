"""Whether there is a space between two tokens that stand on one line."""

from __future__ import annotations

from typing import Any

NONE_BEHIND = frozenset({"(", "[", ".", ".."})
NONE_BEFORE = frozenset({")", "]", ",", ".", "..", ":", "["})


def spaced(before: Any, left: Any, right: Any) -> bool:
    """Between the terminal nodes `left` and `right`; `before` is the one before `left`. Those not there are None."""
    if left is None:
        return False
    first, second = left.symbol.text, right.symbol.text
    if first in NONE_BEHIND or second in NONE_BEFORE:
        return False
    if _rule(left) == "Unary" and first == "-":
        return bool(second == "-")  # `--` would be another token
    if second == "(":
        return _rule(right) == "Primary" and right.parentCtx.children[0] is right
    # FILE:INDEX in a test, as against NAME: VALUE
    return not (first == ":" and before is not None and before.symbol.text[0].isdigit())


def _rule(node: Any) -> str:
    return type(node.parentCtx).__name__.removesuffix("Context")
