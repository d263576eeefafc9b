"""`on added` adopts its folio exactly once on every path."""

from __future__ import annotations

from dataclasses import dataclass

from cpol.compiler import ast
from cpol.compiler.diagnostics import Label, Report


@dataclass(frozen=True)
class _Flow:
    """`unplaced`: how control comes here without a `place`, as conditions. `placed`: a `place` on some way here."""

    unplaced: tuple[str, ...] | None
    placed: ast.Place | None


def check_placed(handler: ast.Handler, target: str, report: Report) -> None:
    """Check the body of `on added`; `target` is a list to suggest."""
    before = len(report.diagnostics)
    end = _Walker(report).body(handler.block.body, _Flow((), None))
    if end.unplaced is None or len(report.diagnostics) > before:
        return
    folio = handler.params[0].text
    if end.placed is None and not end.unplaced:
        message, help = f"`on added` does not place `{folio}`", f"write `place {folio} at tail of {target}`"
    else:
        way = " and ".join(end.unplaced[:4]) + (" and so on" if len(end.unplaced) > 4 else "")
        message = f"`{folio}` is not placed when {way}"
        help = f"write `place {folio} at tail of {target}` on that path too"
    report.error(
        "E0302",
        handler.head,
        message,
        label="every path has to place it",
        why="a folio that is on no list could never be evicted by this policy",
        help=help,
    )


class _Walker:
    def __init__(self, report: Report) -> None:
        self.report = report

    def body(self, body: tuple[ast.Stmt, ...], flow: _Flow) -> _Flow:
        for stmt in body:
            if isinstance(stmt, ast.Place):
                if flow.placed is not None:
                    self._twice(stmt, flow.placed, flow.unplaced is None)
                flow = _Flow(None, stmt)
            elif isinstance(stmt, ast.If):
                flow = self._if(stmt, flow)
        return flow

    def _twice(self, stmt: ast.Place, first: ast.Place, always: bool) -> None:
        self.report.error(
            "E0303",
            stmt.span,
            f"`{stmt.folio.text}` {'is' if always else 'may be'} placed already",
            label="placed again",
            why="a folio is on one list at a time",
            help="keep one of the two on each path",
            others=(Label(first.span, "placed here first"),),
        )

    def _if(self, stmt: ast.If, flow: _Flow) -> _Flow:
        before = flow
        ends: list[_Flow] = []
        for branch in stmt.branches:
            text = " ".join(self.report.source.slice(branch.cond.span).split())
            text = f"`{text if len(text) <= 60 else text[:57] + '...'}`"
            ends.append(self.body(branch.block.body, _when(flow, f"{text} holds")))
            flow = _when(flow, f"{text} does not hold")
        ends.append(self.body(stmt.orelse.body, flow) if stmt.orelse is not None else flow)
        if all(end.placed is None for end in ends):  # nothing was placed here, so nothing here matters
            return before
        unplaced = next((end.unplaced for end in ends if end.unplaced is not None), None)
        return _Flow(unplaced, next(end.placed for end in ends if end.placed is not None))


def _when(flow: _Flow, condition: str) -> _Flow:
    return _Flow(None if flow.unplaced is None else (*flow.unplaced, condition), flow.placed)
