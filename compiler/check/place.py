"""Checks that `on added` places or leaves its folio exactly once on every path."""

from __future__ import annotations

from dataclasses import dataclass

from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import statements


@dataclass(frozen=True)
class _Flow:
    """The paths to a statement. `unplaced`: the conditions of one without a `place`; None: there is
    none.

    `placed` is a `place` or `leave` on some path, or None.
    """

    unplaced: tuple[str, ...] | None
    placed: ast.Place | ast.Leave | None


def check_placed(handler: ast.Handler, target: str, report: Report) -> None:
    """Check the body of `on added`. `target` is a list for the suggestion, or empty."""
    walker = _Walker(report)
    end = walker.body(handler.block.body, _Flow((), None))
    if end.unplaced is None or walker.reported:
        return
    folio = handler.params[0].text
    remedy = f"place {folio} at tail of {target}" if target else f"leave {folio}"
    if end.placed is None and not end.unplaced:
        message, help = f"`on added` does not place `{folio}`", f"write `{remedy}`"
    else:
        way = " and ".join(end.unplaced[:4]) + (" and so on" if len(end.unplaced) > 4 else "")
        message = f"`{folio}` is not placed when {way}"
        help = f"write `{remedy}` on that path too"
    report.error(
        "E0302",
        handler.head,
        message,
        label="every path must place it",
        why="the policy could never evict a folio that is on no list; `leave` hands it to the kernel",
        help=help,
    )


class _Walker:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.reported = False

    def body(self, body: tuple[ast.Stmt, ...], flow: _Flow) -> _Flow:
        for stmt in body:
            if isinstance(stmt, ast.Place | ast.Leave):
                if flow.placed is not None:
                    self._twice(stmt, flow.placed, flow.unplaced is None)
                flow = _Flow(None, stmt)
            elif isinstance(stmt, ast.Do):
                flow = self.body(stmt.body or (), flow)
            elif isinstance(stmt, ast.If):
                flow = self._if(stmt, flow)
            elif isinstance(stmt, ast.For | ast.While | ast.Scan):
                self._loop(stmt)
        return flow

    def _loop(self, loop: ast.For | ast.While | ast.Scan) -> None:
        """Report a `place` or `leave` in a loop."""
        for stmt in statements((loop,)):
            if isinstance(stmt, ast.Place | ast.Leave):
                word = "placed" if isinstance(stmt, ast.Place) else "left"
                self.reported = True
                self.report.error(
                    "E0303",
                    stmt.span,
                    f"`{stmt.folio.text}` may be {word} in every round, or in none",
                    label=f"{word} in a loop",
                    why="each path places its folio, or leaves it, exactly once",
                    help="choose the list in the loop, and place the folio after the loop",
                    others=(Label(loop.head, "this loop"),),
                )
                return

    def _twice(self, stmt: ast.Place | ast.Leave, first: ast.Place | ast.Leave, always: bool) -> None:
        self.reported = True
        self.report.error(
            "E0303",
            stmt.span,
            f"`{stmt.folio.text}` {'is already' if always else 'may already be'} {_done(first)}",
            label=f"{_done(stmt)} again" if type(stmt) is type(first) else f"{_done(stmt)} here",
            why="a folio is on one list at a time"
            if _done(stmt) == _done(first)
            else "a folio is placed, or left to the kernel",
            help="keep one of the two on each path",
            others=(Label(first.span, f"{_done(first)} here first"),),
        )

    def _if(self, stmt: ast.If, flow: _Flow) -> _Flow:
        before = flow
        ends: list[_Flow] = []
        for branch in stmt.branches:
            text = " ".join(self.report.source.slice(branch.cond.span).split())
            if isinstance(stmt, ast.Match):
                text = f"{stmt.value.text} == {text.replace(', ', ' or ')}"
            text = f"`{text if len(text) <= 60 else text[:57] + '...'}`"
            ends.append(self.body(branch.block.body, _when(flow, f"{text} holds")))
            flow = _when(flow, f"{text} does not hold")
        ends.append(self.body(stmt.orelse.body, flow) if stmt.orelse is not None else flow)
        if all(end.placed is None for end in ends):  # without a `place`, the branches have no effect
            return before
        unplaced = next((end.unplaced for end in ends if end.unplaced is not None), None)
        return _Flow(unplaced, next(end.placed for end in ends if end.placed is not None))


def _done(stmt: ast.Place | ast.Leave) -> str:
    return "placed" if isinstance(stmt, ast.Place) else "left"


def _when(flow: _Flow, condition: str) -> _Flow:
    return _Flow(None if flow.unplaced is None else (*flow.unplaced, condition), flow.placed)
