"""ANTLR's error strategy: one error for each declaration, without follow-up errors.

After an error the parser skips to the next line that starts a declaration. words.py has the
messages.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from antlr4.error.Errors import InputMismatchException
from antlr4.error.ErrorStrategy import DefaultErrorStrategy
from antlr4.Token import Token

from cpol.compiler.diagnostics import Report
from cpol.compiler.syntax.errors.place import DECLARATION, LATER_DECLARATIONS, Place
from cpol.compiler.syntax.errors.words import is_word, say, say_no_input, say_no_type, say_not_a_name
from cpol.grammar.generated.CpolParser import CpolParser as P

ITEM_STARTS = (DECLARATION | LATER_DECLARATIONS) - {P.PIN}
"""Tokens that start declarations, and no statement. So every rule around an error ends there."""

ASSIGNING = (P.ASSIGN, P.ADD_ASSIGN, P.SUB_ASSIGN, P.MUL_ASSIGN, P.DOT)
"""Signs that no declaration has behind its first word."""

SWALLOWING = frozenset((P.RULE_laterDecl, P.RULE_later, P.RULE_inner))


NAMED_RULES = (P.RULE_typeName, P.RULE_note)
"""Rules that are a name, with messages of their own."""


class PlainStrategy(DefaultErrorStrategy):  # type: ignore[misc]  # antlr4 has no types
    """Reports errors to `report`. It neither inserts nor drops tokens."""

    def __init__(self, report: Report) -> None:
        super().__init__()
        self.report = report

    def reportError(self, recognizer: Any, e: Any) -> None:
        if not self.inErrorRecoveryMode(recognizer):
            self.beginErrorCondition(recognizer)
            say(Place(recognizer, e.offendingToken, getattr(e, "startToken", None)), self.report)

    def recover(self, recognizer: Any, e: Any) -> None:
        while not self._restarts(recognizer, recognizer.getCurrentToken()):
            recognizer.consume()

    def recoverInline(self, recognizer: Any) -> Any:
        token = recognizer.getCurrentToken()
        context = recognizer._ctx
        if context.getRuleIndex() == P.RULE_name and context.parentCtx.getRuleIndex() in NAMED_RULES:
            context = context.parentCtx
        rule = recognizer.ruleNames[context.getRuleIndex()]
        named = rule in ("name", "typeName", "member", "word", "note") and is_word(token)
        named = named and recognizer.getTokenStream().LT(-1).type != P.SCAN  # `scan from head of LIST`
        if rule == "note" and token.type == P.LIST and not self.inErrorRecoveryMode(recognizer):
            self.beginErrorCondition(recognizer)
            say_no_input(token, self.report)
            recognizer.consume()
            return token
        if rule == "typeName" and token.type == P.FOLIO and not self.inErrorRecoveryMode(recognizer):
            self.beginErrorCondition(recognizer)
            say_no_type(token, self.report)
            recognizer.consume()
            return token
        if named and not self.inErrorRecoveryMode(recognizer) and not self._restarts(recognizer, token):
            self.beginErrorCondition(recognizer)
            say_not_a_name(token, self.report)
            recognizer.consume()
            return token
        raise InputMismatchException(recognizer)

    def sync(self, recognizer: Any) -> None:
        context = recognizer._ctx
        rule = context.getRuleIndex()
        if self.inErrorRecoveryMode(recognizer) and rule == P.RULE_ghostDecl:
            self._leave_ghost(recognizer)
        if self.inErrorRecoveryMode(recognizer) or rule in SWALLOWING:
            return
        expected = _expected(recognizer.atn, recognizer.state)
        if recognizer.getTokenStream().LA(1) not in expected and Token.EPSILON not in expected:
            error = InputMismatchException(recognizer)
            if rule not in (P.RULE_policy, P.RULE_library) or context.LBRACE() is None:
                raise error
            self.reportError(recognizer, error)  # stay in the policy, so that parsing can resume
            self.recover(recognizer, error)

    @staticmethod
    def _leave_ghost(recognizer: Any) -> None:
        """End a ghost, after an error in it, in front of a `folio` that is the policy's."""
        stream = recognizer.getTokenStream()
        token = stream.LT(1)
        if token.type == P.FOLIO and not _in_ghost(stream.tokens, token.tokenIndex):
            raise InputMismatchException(recognizer)

    @staticmethod
    def _restarts(recognizer: Any, token: Any) -> bool:
        """Whether parsing can resume at `token`, which must start a line and a declaration."""
        if token.type == Token.EOF:
            return True
        stream = recognizer.getTokenStream()
        before = stream.LT(-1)
        if token.type not in ITEM_STARTS or (before is not None and before.line == token.line):
            return False
        if stream.LT(2).type in ASSIGNING:  # `list += 1`, where `list` is meant as a name
            return False
        return token.type != P.FOLIO or not _in_ghost(stream.tokens, token.tokenIndex)


@cache
def _expected(atn: Any, state: int) -> frozenset[int]:
    """The tokens that can follow in a state of the parser. ANTLR's own set looks at its ranges one by one."""
    return frozenset(atn.nextTokens(atn.states[state]))


def _in_ghost(tokens: list[Any], i: int) -> bool:
    """Whether token `i` is in the braces of a ghost, where `folio` is not a declaration of the policy."""
    depth = 0
    for k in range(i - 1, 1, -1):
        kind = tokens[k].type
        if kind in ITEM_STARTS and kind not in (P.FOLIO, P.LIST):
            return kind == P.GHOST and depth == -1
        depth += {P.RBRACE: 1, P.LBRACE: -1}.get(kind, 0)
    return False
