"""Property checking: runs random events in the interpreter, and shrinks a scenario that breaks a policy."""

from cpol.runtime.explore.check.attempt import PROPERTIES, Counterexample, check_log
from cpol.runtime.explore.check.search import Result, UnconfirmedError, check

__all__ = ["PROPERTIES", "Counterexample", "Result", "UnconfirmedError", "check", "check_log"]
