"""Property checking: random events against the interpreter, and the smallest that break a policy."""

from cpol.runtime.check.search import PROPERTIES, Counterexample, Result, check, check_log

__all__ = ["PROPERTIES", "Counterexample", "Result", "check", "check_log"]
