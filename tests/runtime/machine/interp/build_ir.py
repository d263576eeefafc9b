"""Short constructors of policy IR."""

from __future__ import annotations

from collections.abc import Sequence

from cpol.compiler import ir
from cpol.compiler.ir import End
from cpol.runtime.machine.events import Op
from cpol.runtime.machine.interp import EVICTED, Machine

HEAD, TAIL = End.HEAD, End.TAIL
POS = ir.Pos(1, 1)
WANTED = ir.EvictWanted()


def number(value: int, type: ir.Type = ir.U64) -> ir.Const:
    return ir.Const(value, type)


def place(to: str = "queue", end: End = TAIL) -> ir.Place:
    return ir.Place("f", end, ir.ListRef(to), POS)


def move(to: str = "queue", end: End = TAIL, folio: str = "f") -> ir.Move:
    return ir.Move(folio, end, ir.ListRef(to), POS)


def propose(folio: str = "f", far: End = TAIL) -> ir.Evict:
    return ir.Evict(folio, far, POS)


def scan(
    body: Sequence[ir.Stmt], of: str = "queue", end: End = HEAD, bound: ir.Expr | None = None, folio: str = "f"
) -> ir.Scan:
    return ir.Scan(ir.ListRef(of), end, bound, folio, tuple(body), POS)


def when(cond: ir.Expr, then: Sequence[ir.Stmt], orelse: Sequence[ir.Stmt] = ()) -> ir.If:
    return ir.If(cond, tuple(then), tuple(orelse), POS)


def compare(op: str, left: ir.Expr, right: ir.Expr) -> ir.Compare:
    return ir.Compare(op, left, right)  # type: ignore[arg-type]  # tests name operators by str


def arith(op: str, left: ir.Expr, right: ir.Expr) -> ir.Arith:
    return ir.Arith(op, left, right, left.type)  # type: ignore[arg-type]  # tests name operators by str


def attr(name: str, folio: str = "f") -> ir.FolioAttr:
    return ir.FolioAttr(folio, name, ir.U64)  # type: ignore[arg-type]  # tests name operators by str


def set_state(name: str, value: ir.Expr) -> ir.SetState:
    return ir.SetState(name, value, POS)


def var(name: str, type: ir.Type = ir.U64, init: int = 0) -> ir.VarDecl:
    return ir.VarDecl(name, type, init, POS)


def state(name: str, type: ir.Type = ir.U64) -> ir.State:
    return ir.State(name, type)


def field(name: str, type: ir.Type = ir.U64, folio: str = "f") -> ir.Field:
    return ir.Field(folio, name, type)


def policy(
    *,
    lists: Sequence[str] = ("queue",),
    added: Sequence[ir.Stmt] | None = None,
    first_accessed: Sequence[ir.Stmt] = (),
    accessed: Sequence[ir.Stmt] = (),
    removed: Sequence[ir.Stmt] = (),
    evict: Sequence[ir.Stmt] | None = None,
    init: Sequence[ir.Stmt] = (),
    params: Sequence[ir.ParamDecl] = (),
    states: Sequence[ir.VarDecl] = (),
    fields: Sequence[ir.VarDecl] = (),
    ghosts: dict[str, int] | None = None,
    scores: dict[str, ir.Expr] | None = None,
    invariants: Sequence[ir.Expr] = (),
    missed: Sequence[ir.Stmt] = (),
    admit: Sequence[ir.Stmt] = (),
    array: ir.Expr | None = None,
    tables: Sequence[ir.TableDecl] = (),
    inputs: Sequence[ir.InputDecl] = (),
    fns: Sequence[ir.FnDecl] = (),
    everies: Sequence[ir.Every] = (),
) -> ir.Policy:
    """Build a policy. By default, `added` places at the tail of the first list and `evict` proposes from its head.

    `array` is the length of an array of lists named `generation`.
    """
    bodies = {
        "init": init,
        "missed": missed,
        "admit": admit,
        "added": [place(lists[0])] if added is None else added,
        "first_accessed": first_accessed,
        "accessed": accessed,
        "removed": removed,
        "evict": [scan([propose()], lists[0])] if evict is None else evict,
    }
    handlers = {
        event: ir.Handler(
            event, None if event in ("init", "evict") else "f", "why" if event == "removed" else None, tuple(body), POS
        )
        for event, body in bodies.items()
        if body
    }
    return ir.Policy(
        name="made",
        doc="",
        path="made.cpol",
        params=tuple(params),
        states=tuple(states),
        lists=(*lists, *(["generation"] if array is not None else [])),
        ghosts=tuple(ir.GhostDecl(name, number(capacity), POS) for name, capacity in (ghosts or {}).items()),
        fields=tuple(fields),
        scores=tuple(ir.ScoreDecl(name, "f", body, POS) for name, body in (scores or {}).items()),
        handlers=handlers,
        invariants=tuple(ir.Invariant(cond, "as made", ir.Pos(7, 3)) for cond in invariants),
        list_arrays=() if array is None else (ir.ListArray("generation", array, POS),),
        tables=tuple(tables),
        inputs=tuple(inputs),
        fns=tuple(fns),
        everies=tuple(everies),
    )


def machine(made: ir.Policy, capacity: int = 100, count: int = 0, batch: int = 1) -> Machine:
    """Make a machine with folios 0, 1, … count - 1, each read once."""
    result = Machine(made, capacity, {}, batch)
    for index in range(count):
        result.added(0, index)
        result.first_accessed(0, index)
    return result


def order(of: Machine, name: str = "queue") -> list[int]:
    """Return the indices of the folios on a list, from head to tail."""
    return [folio.index for folio in of.lists[name]]


def evict(of: Machine, wanted: int) -> list[int]:
    """Make a request, evict all proposals, and return their indices."""
    indices = [folio.index for folio in of.evict(wanted)]
    for index in indices:
        of.removed(0, index, EVICTED)
    return indices


def since(of: Machine, start: int) -> list[tuple[str, int, int, int]]:
    """Return label, index, a and b of the records from `start` on."""
    return [(Op(row.op).label, row.page, row.a, row.b) for row in of.records[start:]]
