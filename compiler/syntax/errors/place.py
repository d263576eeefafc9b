"""The place of a syntax error, and the tokens that could follow."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from antlr4.tree.Tree import TerminalNode

from cpol.grammar.generated.CpolParser import CpolParser as P

LATER_DECLARATIONS = frozenset((P.HAND,))
LATER = LATER_DECLARATIONS
LAST_WORD = P.HAND
SMALL_WORDS = frozenset((P.AT, P.TO, P.OF, P.FROM, P.UP, P.AS, P.IN, P.HEAD, P.TAIL, P.LOWEST, P.HIGHEST))
"""Keywords that can be names of fields."""
SOFT_WORDS = frozenset(
    (P.RECORD, P.CASE, P.SPACE_OF, P.BY, P.DEFAULT, P.DROP, P.FLUSH, P.WAIT, P.AHEAD, P.CACHE, P.RECLAIM)
)
"""Words of the language at some places, and names at all others."""
NAMES = SOFT_WORDS | {P.IDENT}
VALUE = (
    frozenset((P.INT, P.FIXED, P.TRUE, P.FALSE, P.LPAREN, P.MINUS, P.TILDE, P.NOT, P.EVICT, P.EVERY, P.IF))
    | SMALL_WORDS
    | NAMES
)
OPERATORS = frozenset(
    (P.PLUS, P.MINUS, P.STAR, P.SLASH, P.PERCENT, P.EQ, P.NE, P.LT, P.LE, P.GT, P.GE, P.ASSIGN, P.AND, P.OR, P.DOT)
) | {P.AMP, P.BAR, P.CARET, P.SHL, P.SHR}
STATEMENT = (
    frozenset(
        (P.LET, P.VAR, P.IF, P.MATCH, P.FOR, P.WHILE, P.PLACE, P.LEAVE, P.REFUSE, P.MOVE, P.SCAN, P.EVICT, P.STOP)
    )
    | {P.KEEP, P.PIN, P.UNPIN, P.PREFETCH, P.DEFAULT, P.DROP, P.FLUSH, P.AHEAD, P.RECLAIM, P.DO}
    | NAMES
)
DECLARATION = frozenset(
    (P.CONST, P.PARAM, P.ENUM, P.LIST, P.GHOST, P.FOLIO, P.STATE, P.TABLE, P.INPUT, P.FN, P.SCORE, P.ON, P.EVERY)
) | {P.ACTION, P.INVARIANT, P.TEST, P.RECORD, P.IMPORT, P.PIN, P.KEEP, P.CACHE}
ITEM = DECLARATION | LATER
STEP = NAMES | {P.EXPECT}
HEADS = {
    P.DROP: ("dropStmt", NAMES),
    P.FLUSH: ("flushStmt", NAMES),
    P.AHEAD: ("aheadStmt", VALUE),
    P.RECLAIM: ("reclaimStmt", VALUE),
}
"""Soft words that start statements: the rule of each, and what follows."""


def literal(type: int) -> str:
    """The text of a keyword or sign; empty for other tokens."""
    text: str = P.literalNames[type] if type < len(P.literalNames) else "<INVALID>"
    return "" if text == "<INVALID>" else text.strip("'")


class Place:
    """The place of a syntax error."""

    def __init__(self, parser: Any, token: Any, start: Any = None) -> None:
        """The place of `token`, where the parser stopped; `start`: where it began to choose, if it looked ahead."""
        self.parser = parser
        self.token = token
        self.tokens = parser.getTokenStream().tokens
        self.before = parser.getTokenStream().LT(-1)
        self.after = parser.getTokenStream().LT(2)
        self.second = parser.getTokenStream().LT(-2)
        """The token before `before`."""
        self.context = parser._ctx
        self.rule: str = parser.ruleNames[self.context.getRuleIndex()]
        expected = parser.getExpectedTokens()
        self.expected = frozenset(type for interval in expected.intervals or () for type in interval)
        if start is not None and start is not token and start.type in HEADS:
            self.second, self.before, self.after = self.before, start, None
            self.rule, self.expected = HEADS[start.type]

    @property
    def is_member(self) -> bool:
        """Whether the previous token is a member, after a point."""
        return self.second is not None and bool(self.second.type == P.DOT)

    @property
    def score(self) -> Any:
        """The WORD, if the error is at the `of` of `evict WORD SCORE of`; otherwise None."""
        evict = self.parser.getTokenStream().LT(-3)
        found = evict is not None and evict.type == P.EVICT and self.token.type == P.OF
        return self.second if found and self.before.type in NAMES else None

    def handler_head(self) -> tuple[str, list[Any]]:
        """The events of the handler whose parameters hold the error, and the words and signs of its parentheses."""
        on = next(k for k in range(self.token.tokenIndex, -1, -1) if self.tokens[k].type == P.ON)
        rest = [token for token in self.tokens[on + 1 : on + 100] if not token.channel]
        events = list(takewhile(lambda token: bool(token.type != P.LPAREN), rest))
        inside = takewhile(lambda token: bool(token.type not in (P.RPAREN, P.LBRACE)), rest[len(events) :])
        return "".join(token.text for token in events).replace(",", ", "), list(inside)

    def inside(self, rule: int) -> bool:
        """Whether the error is in this rule of the grammar."""
        context = self.context
        while context is not None and context.getRuleIndex() != rule:
            context = context.parentCtx
        return context is not None

    def names_a_list(self, name: str) -> bool:
        """Whether the policy declares a list of this name."""
        inside = False
        for token in self.tokens:
            inside = token.type == P.LIST or (inside and token.type in (*NAMES, P.COMMA))
            if inside and token.text == name:
                return True
        return False

    @property
    def starts_line(self) -> bool:
        return self.before is None or bool(self.before.line < self.token.line)

    def unclosed_brace(self) -> Any:
        """The `{` that is most likely not closed, for an error at the end of the text.

        It is the first `{` whose `}` is further left than its line, or else the innermost one.
        """
        open: list[Any] = []
        indent: dict[int, int] = {}
        for token in self.tokens:
            first = token.line not in indent
            indent.setdefault(token.line, token.column)
            if token.type == P.LBRACE:
                open.append(token)
            elif token.type == P.RBRACE and open:
                brace = open.pop()
                if first and token.column < indent[brace.line]:
                    return brace
        return self.open_brace()

    def open_brace(self) -> Any:
        """The innermost `{` without its `}`."""
        context = self.context
        while context is not None:
            for child in reversed(context.children or ()):
                if isinstance(child, TerminalNode) and child.symbol.type == P.LBRACE:
                    return child.symbol
            context = context.parentCtx
        return None

    @property
    def missing(self) -> str:
        """The one word or sign that can follow, if there is but one."""
        return literal(next(iter(self.expected))) if len(self.expected) == 1 else ""

    def wanted(self) -> str:
        """A short text of the tokens that could follow."""
        rest = set(self.expected)
        words: list[str] = []
        for sign, group, name in (
            (P.INVARIANT, ITEM, "a declaration"),
            (P.PLACE, STATEMENT, "a statement"),
            (P.INT, VALUE, "a value"),
        ):
            if sign in rest:
                rest -= group
                words.append(name)
        if self.rule in ("handler", "event") and P.IDENT in rest:
            return "an event, such as `added`"
        if self.rule in ("step", "folioRange", "number") and P.INT in self.expected:
            return "a folio by number"
        if rest >= STEP:
            rest -= STEP
            words.append("a step of the test (such as `access`)")
        if self.rule in ("path", "pathStmt"):
            rest = {P.ASSIGN, P.ADD_ASSIGN, P.SUB_ASSIGN, P.MUL_ASSIGN, P.LPAREN}
        elif rest & OPERATORS and len(rest - OPERATORS) + len(words) > 0:
            rest -= OPERATORS
        elif len(rest & OPERATORS) > 3:
            rest -= OPERATORS
            words.append("an operator")
        if P.IDENT in rest:
            rest -= NAMES
            words.append("a name")
        if rest >= SMALL_WORDS:
            rest -= SMALL_WORDS
        rest -= LATER
        if "a declaration" in words or len(rest) + len(words) > 5:
            rest &= {P.LBRACE, P.RBRACE, P.RPAREN, P.IN, P.AS}
        words += [f"`{literal(type)}`" for type in sorted(rest) if literal(type)]
        if len(words) < 2:
            return "".join(words) or "the end of the file"
        return ", ".join(words[:-1]) + " or " + words[-1]
