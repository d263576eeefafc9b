"""Checks `match`: the arms name members of an enum, each once, leave none out, and choose."""

from __future__ import annotations

from abc import abstractmethod

from cpol.compiler.check.folio import FolioChecker
from cpol.compiler.check.unsettled import article
from cpol.compiler.diagnostics import Label
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import inner
from cpol.compiler.types import BOOL, EnumType


class MatchChecker(FolioChecker):
    """Checks the `match` statements of one handler."""

    @abstractmethod
    def block(self, body: tuple[ast.Stmt, ...]) -> bool:
        """Whether all statements of `body` are valid, in a scope of their own."""

    def match(self, stmt: ast.Match) -> bool:
        type = self.expr.check(stmt.value)
        fine = type is not None
        if type is not None and not isinstance(type, EnumType):
            self.report.error(
                "E0223",
                stmt.value.span,
                f"`match` needs a member of an enum, but this is {article(type)}",
                label=f"`{type}`",
                help="write `if … { … } else if … { … }`",
            )
            fine = False
        if isinstance(type, EnumType):
            fine = self._arms(stmt, type)
        for branch in stmt.branches if fine else ():
            fine = self.expr.check(branch.cond, BOOL) is not None and fine
        for body in inner(stmt):
            fine = self.block(body) and fine
        return fine

    def _arms(self, stmt: ast.Match, type: EnumType) -> bool:
        seen: dict[str, Span] = {}
        fine = True
        for member in (member for arm in stmt.arms for member in arm.members):
            fine = self._member(member, type, seen) and fine
            seen.setdefault(member.text, member.span)
        left = [member for member in type.members if member not in seen]
        if not fine:
            return False
        if left and stmt.otherwise is None:
            self._leaves_out(stmt, type, left)
            return False
        if not stmt.arms or (len(stmt.arms) == 1 and not left):
            self.report.error(
                "E0223",
                stmt.span,
                "this `match` chooses nothing",
                label="one block takes every member" if stmt.arms else "only `otherwise`",
                why="the same block runs whatever the value is",
                help="write the statements of the block without the `match`",
            )
            return False
        if not left and stmt.otherwise is not None:
            self.report.warning(
                "W0404",
                stmt.otherwise.span,
                "this can never run",
                label="unreachable",
                why=f"the arms name every member of `{type}`",
                help="remove it, or one of the arms",
            )
        return True

    def _member(self, member: ast.Path, type: EnumType, seen: dict[str, Span]) -> bool:
        got = self.expr.check(member)
        if got is None:
            return False
        if got != type or member.text not in type.members:
            self.report.error(
                "E0223",
                member.span,
                f"`{member.text}` is no member of `{type}`" if type.name != "list" else f"`{member.text}` is no list",
                why=f"its members are {listing(type.members)}" if type.name != "list" else "",
                help=suggest(member.text, type.members),
            )
            return False
        if member.text in seen:
            self.report.error(
                "E0223",
                member.span,
                f"`{member.text}` stands in this `match` twice",
                why="only the first arm would take it",
                others=(Label(seen[member.text], "first here"),),
                help="remove one of the arms",
            )
            return False
        return True

    def _leaves_out(self, stmt: ast.Match, type: EnumType, left: list[str]) -> None:
        others = [name for name in left if name != "none" or type.name != "list"]
        why = "a folio that `on added` has not placed is on no list"
        self.report.error(
            "E0223",
            stmt.value.span,
            f"this `match` leaves out {listing(others)}" if others else "this `match` leaves out folios on no list",
            label="no arm for it" if len(others) < 2 else "no arms for them",
            why=why if not others else "",
            help="add `otherwise { … }`" + (f", or name {listing(others)} in an arm" if type.name != "list" else ""),
        )
