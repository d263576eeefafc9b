"""Handmade policies for IR that the front end does not generate."""

from __future__ import annotations

from dataclasses import replace

from cpol.compiler import ir

POS = ir.Pos(1, 1)


def place(name: str, folio: str = "f") -> ir.Handler:
    return ir.Handler("added", folio, None, (ir.Place(folio, ir.End.TAIL, ir.ListRef(name), POS),), POS)


def evict(name: str, folio: str = "f") -> ir.Handler:
    body = (ir.Scan(ir.ListRef(name), ir.End.HEAD, None, folio, (ir.Evict(folio, ir.End.TAIL, POS),), POS),)
    return ir.Handler("evict", None, None, body, POS)


FIFO = ir.Policy(
    name="tiny",
    doc="",
    path="tiny.cpol",
    params=(),
    states=(),
    lists=("queue",),
    ghosts=(),
    fields=(),
    scores=(),
    handlers={"added": place("queue"), "evict": evict("queue")},
)


def with_body(bodies: dict[str, tuple[ir.Stmt, ...]], **changes: object) -> ir.Policy:
    """Return FIFO with these statements at the start of its handlers; a missing handler is added."""
    policy = replace(FIFO, **changes)  # type: ignore[arg-type]  # fields of any type, by name
    merged = dict(policy.handlers)
    for event, body in bodies.items():
        old = merged.get(event)
        folio = None if event in ("init", "evict") else "f"
        merged[event] = ir.Handler(event, folio, None, body + (old.body if old else ()), POS)
    return replace(policy, handlers=merged)
