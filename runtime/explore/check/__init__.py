"""Property checking: runs random events in the interpreter, and shrinks a scenario that breaks a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cpol.runtime.explore.check.attempt import PROPERTIES, Counterexample, check_log
    from cpol.runtime.explore.check.search import Result, UnconfirmedError, check

__all__ = ["PROPERTIES", "Counterexample", "Result", "UnconfirmedError", "check", "check_log"]


def __getattr__(name: str) -> Any:
    """What steps and tests of policies do without: the search, and Hypothesis, which the playground lacks."""
    if name in ("PROPERTIES", "Counterexample", "check_log"):
        from cpol.runtime.explore.check import attempt

        return getattr(attempt, name)
    if name in ("Result", "UnconfirmedError", "check"):
        from cpol.runtime.explore.check import search

        return getattr(search, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
