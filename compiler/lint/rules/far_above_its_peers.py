"""A handler of each request that costs far more than the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cpol.compiler import ir
from cpol.compiler.ir import walk
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import HOT, Subject

TIMES = 8
LEAST = 400
"""Operations below which a handler is cheap whatever the others take."""


def check(subject: Subject) -> Iterator[Finding]:
    counted = _Operations(subject)
    handlers = {event: subject.policy.handlers[event] for event in HOT if event in subject.policy.handlers}
    costs = {event: counted.body(handler.body) for event, handler in handlers.items()}
    for event, cost in costs.items():
        peers = [costs[other] for other in costs if handlers[other].pos != handlers[event].pos]
        if peers and cost >= LEAST and cost > TIMES * max(peers):
            yield from subject.found(
                "L0114",
                handlers[event].pos,
                f"`{event}` takes up to {cost:,} operations, the others at most {max(peers):,}",
                help="have it note what happened, and do the work in `every 1000 events`; `cpolc cost` tells more",
            )


class _Operations:
    """Counts operations of the IR on the longest path, loops by their bounds."""

    def __init__(self, subject: Subject) -> None:
        self.fns: Mapping[str, ir.FnDecl] = {fn.name: fn for fn in subject.policy.fns}
        self.rounds = {loop.pos: loop.each for loops in subject.bounds.loops.values() for loop in loops}

    def body(self, body: tuple[ir.Stmt, ...]) -> int:
        return sum(map(self.stmt, body))

    def stmt(self, stmt: ir.Stmt) -> int:
        own = 1 + sum(map(self.expr, walk.expressions(stmt)))
        match stmt:
            case ir.If(_, then, orelse):
                return own + max(self.body(then), self.body(orelse))
            case ir.For() | ir.Scan():
                return own + self.rounds.get(stmt.pos, 1) * self.body(stmt.body)
            case _:
                return own

    def expr(self, expr: ir.Expr) -> int:
        total = 0
        for part in walk.walk(expr):
            total += not isinstance(part, ir.Const | ir.Convert)
            if isinstance(part, ir.FnCall):
                total += sum(map(self.expr, walk.fn_roots(self.fns[part.fn])))
        return total
