"""IR statements as lines of text; see `dump_ir`."""

from __future__ import annotations

from collections.abc import Iterable

from cpol.compiler import ir
from cpol.compiler.ir.printer.expr import expression, list_ref, owner
from cpol.compiler.ir.visitor import StmtVisitor


class _Printer(StmtVisitor[list[str]]):
    """Prints a statement as one line, followed by the lines of nested statements."""

    def visit_let(self, node: ir.Let) -> list[str]:
        return [line(node, f"let {node.name}: {node.value.type} = {expression(node.value)}")]

    def visit_var(self, node: ir.Var) -> list[str]:
        return [line(node, f"var {node.name}: {node.type} = {expression(node.value)}")]

    def visit_set_var(self, node: ir.SetVar) -> list[str]:
        return [line(node, f"set {node.name} = {expression(node.value)}")]

    def visit_set_state(self, node: ir.SetState) -> list[str]:
        return [line(node, f"set {node.name} = {expression(node.value)}")]

    def visit_set_field(self, node: ir.SetField) -> list[str]:
        element = "" if node.index is None else f"[{expression(node.index)}]"
        return [line(node, f"set {node.folio}.{node.name}{element} = {expression(node.value)}")]

    def visit_set_record(self, node: ir.SetRecord) -> list[str]:
        return [line(node, f"set {owner(node)}.{node.name} = {expression(node.value)}")]

    def visit_set_table(self, node: ir.SetTable) -> list[str]:
        indices = " ".join(expression(index) for index in node.indices)
        return [line(node, f"set {node.table}[{indices}] = {expression(node.value)}")]

    def visit_if(self, node: ir.If) -> list[str]:
        orelse = ["else", *body(node.orelse)] if node.orelse else []
        return [line(node, f"if {expression(node.cond)}"), *body(node.then), *orelse]

    def visit_place(self, node: ir.Place) -> list[str]:
        return [line(node, f"place {node.folio} {node.end.value} {list_ref(node.list)}")]

    def visit_move(self, node: ir.Move) -> list[str]:
        return [line(node, f"move {node.folio} {node.end.value} {list_ref(node.list)}")]

    def visit_ghost_add(self, node: ir.GhostAdd) -> list[str]:
        return [
            line(node, " ".join(["ghost-add", node.ghost, node.folio, *(expression(value) for value in node.values)]))
        ]

    def visit_ghost_drop(self, node: ir.GhostDrop) -> list[str]:
        return [line(node, f"ghost-drop {node.ghost} {node.folio}")]

    def visit_ghost_forget(self, node: ir.GhostForget) -> list[str]:
        return [line(node, f"ghost-forget {node.ghost}")]

    def visit_for(self, node: ir.For) -> list[str]:
        return [line(node, f"for {node.name} {expression(node.low)} to {expression(node.high)}"), *body(node.body)]

    def visit_leave(self, node: ir.Leave) -> list[str]:
        return [line(node, f"leave {node.folio}")]

    def visit_refuse(self, node: ir.Refuse) -> list[str]:
        return [line(node, f"refuse {node.folio}")]

    def visit_scan(self, node: ir.Scan) -> list[str]:
        bound = "all" if node.bound is None else expression(node.bound)
        return [
            line(node, f"scan {list_ref(node.list)} {node.end.value} up-to {bound} as {node.folio}"),
            *body(node.body),
        ]

    def visit_evict(self, node: ir.Evict) -> list[str]:
        return [line(node, f"evict {node.folio} far {node.far.value}")]

    def visit_evict_by_score(self, node: ir.EvictByScore) -> list[str]:
        where = f"{node.end.value} {list_ref(node.list)}"
        which = "highest" if node.highest else "lowest"
        return [line(node, f"evict-{which} {node.score} up-to {expression(node.bound)} {where}")]

    def visit_stop(self, node: ir.Stop) -> list[str]:
        return [line(node, "stop")]

    def visit_pin(self, node: ir.Pin) -> list[str]:
        return [line(node, f"pin {node.folio}")]

    def visit_unpin(self, node: ir.Unpin) -> list[str]:
        return [line(node, f"unpin {node.folio}")]

    def visit_want_eviction(self, node: ir.WantEviction) -> list[str]:
        return [line(node, f"reclaim {expression(node.pages)}")]

    def visit_prefetch(self, node: ir.Prefetch) -> list[str]:
        target, count, stride = (expression(part) for part in (node.target, node.count, node.stride))
        return [line(node, f"prefetch {node.space} {target} up-to {count} by {stride}")]

    def visit_default(self, node: ir.Default) -> list[str]:
        return [line(node, "default")]

    def visit_hold(self, node: ir.Hold) -> list[str]:
        return [line(node, "hold")]

    def visit_drop(self, node: ir.Drop) -> list[str]:
        return [line(node, "drop")]

    def visit_flush(self, node: ir.Flush) -> list[str]:
        return [line(node, "flush and wait" if node.wait else "flush")]

    def visit_leave_file(self, node: ir.LeaveFile) -> list[str]:
        return [line(node, "leave-file")]

    def visit_ahead(self, node: ir.Ahead) -> list[str]:
        return [line(node, f"readahead {expression(node.pages)}")]


_PRINTER = _Printer()


def body(statements: Iterable[ir.Stmt]) -> list[str]:
    """The lines of a body, indented."""
    return [f"  {text}" for statement in statements for text in _PRINTER.visit(statement)]


def line(statement: ir.Stmt, text: str) -> str:
    return f"{text}{at(statement.pos)}"


def at(pos: ir.Pos) -> str:
    """The suffix that names a place in the `.cpol` file."""
    return f"  @{pos}"
