"""Property checking: runs random events in the interpreter, and shrinks a scenario that breaks a policy."""

from cpol.runtime.check.search import PROPERTIES, Counterexample, Result, UnconfirmedError, check, check_log

__all__ = ["PROPERTIES", "Counterexample", "Result", "UnconfirmedError", "check", "check_log"]
