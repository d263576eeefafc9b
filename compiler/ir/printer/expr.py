"""IR expressions as text, in prefix notation; see `dump_ir`."""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.ir.visitor import ExprVisitor
from cpol.compiler.literals import show_value


class _Printer(ExprVisitor[str]):
    def visit_const(self, node: ir.Const) -> str:
        return f"{show_value(node.value, node.type)}:{node.type}"

    def visit_param(self, node: ir.Param) -> str:
        return f"(param {node.name}:{node.type})"

    def visit_state(self, node: ir.State) -> str:
        return f"(state {node.name}:{node.type})"

    def visit_local(self, node: ir.Local) -> str:
        return f"(local {node.name}:{node.type})"

    def visit_field(self, node: ir.Field) -> str:
        return f"(field {node.folio}.{node.name}{self._index(node)}:{node.type})"

    def visit_folio_attr(self, node: ir.FolioAttr) -> str:
        return f"(attr {node.folio}.{node.attr}:{node.type})"

    def visit_list_size(self, node: ir.ListSize) -> str:
        return f"(size {list_ref(node.list)})"

    def visit_cache_attr(self, node: ir.CacheAttr) -> str:
        return f"(cache {node.attr})"

    def visit_task_attr(self, node: ir.TaskAttr) -> str:
        return f"(task {node.attr})"

    def visit_evict_wanted(self, node: ir.EvictWanted) -> str:
        return "(wanted)"

    def visit_every_periods(self, node: ir.EveryPeriods) -> str:
        return "(periods)"

    def visit_arith(self, node: ir.Arith) -> str:
        return f"({node.op}:{node.type} {self.visit(node.left)} {self.visit(node.right)})"

    def visit_bits(self, node: ir.Bits) -> str:
        return f"({node.op}:{node.type} {self.visit(node.left)} {self.visit(node.right)})"

    def visit_compare(self, node: ir.Compare) -> str:
        return f"({node.op} {self.visit(node.left)} {self.visit(node.right)})"

    def visit_logic(self, node: ir.Logic) -> str:
        return f"({node.op} {self.visit(node.left)} {self.visit(node.right)})"

    def visit_not(self, node: ir.Not) -> str:
        return f"(not {self.visit(node.operand)})"

    def visit_convert(self, node: ir.Convert) -> str:
        rounding = f" {node.rounding}" if node.operand.type == ir.FIX else ""
        return f"(to:{node.type}{rounding} {self.visit(node.operand)})"

    def visit_ghost_take(self, node: ir.GhostTake) -> str:
        return f"(take {node.ghost} {node.folio})"

    def visit_ghost_has(self, node: ir.GhostHas) -> str:
        return f"(has {node.ghost} {node.folio})"

    def visit_ghost_size(self, node: ir.GhostSize) -> str:
        return f"(ghost-size {node.ghost})"

    def visit_ghost_full(self, node: ir.GhostFull) -> str:
        return f"(ghost-full {node.ghost})"

    def visit_ghost_oldest(self, node: ir.GhostOldest) -> str:
        return f"(ghost-oldest {node.ghost} {node.name}:{node.type})"

    def visit_ghost_field(self, node: ir.GhostField) -> str:
        return f"(ghost-field {node.ghost} {node.folio} {node.name}:{node.type})"

    def visit_record_field(self, node: ir.RecordField) -> str:
        return f"(record-field {owner(node)}.{node.name}:{node.type})"

    def visit_table_get(self, node: ir.TableGet) -> str:
        indices = " ".join(self.visit(index) for index in node.indices)
        return f"(element {node.table} {indices}:{node.type})"

    def visit_table_size(self, node: ir.TableSize) -> str:
        return f"(table-size {node.table})"

    def visit_input_has(self, node: ir.InputHas) -> str:
        return f"(input-has {node.input} {self._key(node)})"

    def visit_input_get(self, node: ir.InputGet) -> str:
        return f"(input-get {node.input} {self._key(node)}:{node.type})"

    def visit_array_get(self, node: ir.ArrayGet) -> str:
        return f"(entry {node.input} {self.visit(node.index)}:{node.type})"

    def visit_array_size(self, node: ir.ArraySize) -> str:
        return f"(array-size {node.input})"

    def visit_select(self, node: ir.Select) -> str:
        return f"(if:{node.type} {self.visit(node.cond)} {self.visit(node.then)} {self.visit(node.orelse)})"

    def visit_fn_call(self, node: ir.FnCall) -> str:
        args = [arg.folio if isinstance(arg, ir.FolioArg) else self.visit(arg) for arg in node.args]
        return f"({' '.join(['call', node.fn, *args])}:{node.type})"

    def visit_random(self, node: ir.Random) -> str:
        return f"(random {self.visit(node.bound)})"

    def visit_hash(self, node: ir.Hash) -> str:
        return f"(hash {node.folio or 'request'} {self.visit(node.salt)})"

    def visit_math(self, node: ir.Math) -> str:
        return f"({' '.join([node.op, *map(self.visit, node.operands)])})"

    def visit_contains_all(self, node: ir.ContainsAll) -> str:
        where = list_ref(node.where) if isinstance(node.where, ir.ListRef) else node.where
        return f"(contains-all {where}{folios(node.folios)})"

    def visit_list_is(self, node: ir.ListIs) -> str:
        return f"(list-is {list_ref(node.list)}{folios(node.folios)})"

    def visit_cached_field(self, node: ir.CachedField) -> str:
        return f"(cached-field {node.name}{self._index(node)}{folios((node.folio,))})"

    def visit_all_pinned(self, node: ir.AllPinned) -> str:
        return f"(all-pinned{folios(node.folios)})"

    def visit_fault_attr(self, node: ir.FaultAttr) -> str:
        return f"(fault {node.attr}:{node.type})"

    def visit_request_attr(self, node: ir.RequestAttr) -> str:
        return f"(request {node.attr}:{node.type})"

    def visit_range_did(self, node: ir.RangeDid) -> str:
        return f"({node.what})"

    def visit_ahead_is(self, node: ir.AheadIs) -> str:
        return f"(ahead-is {node.pages})"

    def visit_prefetched_is(self, node: ir.PrefetchedIs) -> str:
        return f"(prefetched-is{''.join(f' {space} {number}' for space, number in node.targets)})"

    def visit_defaulted(self, node: ir.Defaulted) -> str:
        return "(defaulted)"

    def _index(self, node: ir.Field | ir.CachedField) -> str:
        return "" if node.index is None else f"[{self.visit(node.index)}]"

    def _key(self, node: ir.InputHas | ir.InputGet) -> str:
        return self.visit(node.key) if node.key is not None else node.folio or "request"


_PRINTER = _Printer()


def expression(expr: ir.Expr) -> str:
    """One expression, in prefix notation."""
    return _PRINTER.visit(expr)


def list_ref(ref: ir.ListRef) -> str:
    """A list, with its index in brackets if it has one."""
    return ref.name if ref.index is None else f"{ref.name}[{expression(ref.index)}]"


def folios(names: tuple[tuple[int, int], ...]) -> str:
    """Folios as `file:index`, each after a space."""
    return "".join(f" {file}:{index}" for file, index in names)


def owner(node: ir.RecordField | ir.SetRecord) -> str:
    """What the record is of: `f.file`, `task`, `area`, `request.file`, or `file(3)` in a test."""
    if isinstance(node, ir.RecordField) and node.key is not None:
        return f"{node.record}({node.key})"
    if node.record != "file":
        return node.record
    return f"{node.folio or 'request'}.file"
