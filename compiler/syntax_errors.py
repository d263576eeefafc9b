"""Syntax errors in plain words."""

from __future__ import annotations

from typing import Any

from antlr4.error.ErrorStrategy import DefaultErrorStrategy

from cpol.compiler.diagnostics import Report
from cpol.compiler.source import Span


class PlainStrategy(DefaultErrorStrategy):  # type: ignore[misc]  # antlr4 has no types
    def __init__(self, report: Report) -> None:
        super().__init__()
        self.report = report

    def reportError(self, recognizer: Any, e: Any) -> None:
        self._report(recognizer, e.offendingToken)

    def reportUnwantedToken(self, recognizer: Any) -> None:
        self._report(recognizer, recognizer.getCurrentToken())

    def reportMissingToken(self, recognizer: Any) -> None:
        self._report(recognizer, recognizer.getCurrentToken())

    def _report(self, recognizer: Any, token: Any) -> None:
        if self.inErrorRecoveryMode(recognizer):
            return
        self.beginErrorCondition(recognizer)
        self.report.error("E0001", Span(token.start, token.stop + 1), f"`{token.text}` is not expected here")
