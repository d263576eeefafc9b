"""Writes IR expressions as C text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cpol.compiler import ir
from cpol.compiler.ir import layout, walk
from cpol.compiler.ir.c_names import comment, identifier
from cpol.compiler.ir.visitor import ExprVisitor
from cpol.compiler.ir.walk import order_matters
from cpol.compiler.literals import show_fix
from cpol.compiler.vocabulary.around import CACHE, TASK
from cpol.compiler.vocabulary.folio import READ_OF_FOLIOS
from cpol.compiler.vocabulary.function import FUNCTIONS
from cpol.compiler.vocabulary.request import ASKED_OF_FILES, ASKED_OF_MEMORY

_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_LOGIC = {"and": "&&", "or": "||"}


def suffix(type_: ir.Type) -> str:
    """The suffix of the arith.h functions that compute with this type.

    Raises:
        TypeError: there is no arithmetic on the type.
    """
    match type_:
        case ir.FixType():
            return "fix"
        case ir.IntType(True, _):
            return "s64"
        case ir.IntType(False, _):
            return "u64"
        case _:
            raise TypeError(f"no arithmetic on {type_}")


def is_hidden(type_: ir.Type) -> bool:
    """Whether the verifier must not know a local of this type: it has few values, each of which would be a path."""
    return isinstance(type_, ir.BoolType) or (isinstance(type_, ir.EnumType) and type_.name != "reason")


def record_name(folio: str) -> str:
    """The C name of the pointer to a folio's record."""
    return f"cpol_rec_{folio}"


def member(node: ir.Field | ir.SetField, index: str = "") -> str:
    """The C text of a field, or of an element of an array, whose index is `index` or else that of the node."""
    place = f"{record_name(node.folio)}->{identifier(node.name)}"
    return place if node.index is None else f"{place}[cpol_within({place}, {index or text(node.index)})]"


def constant(value: int, type_: ir.Type) -> str:
    match type_:
        case ir.BoolType():
            return "true" if value else "false"
        case ir.EnumType("reason", members):
            return f"CPOL_{members[value].upper()}"
        case ir.EnumType("list", members):
            return "LIST_none" if value == 0 else f"LIST_{identifier(members[value])}"
        case ir.EnumType(_, members):
            return f"{value} /* {comment(members[value])} */"
        case ir.FixType():
            return f"{layout.integer(value, True)} /* {show_fix(value)} */"
        case ir.IntType(signed, _):
            return layout.integer(value, signed)


class _Writer(ExprVisitor[str]):
    """Writes an expression. Operands other than atoms and calls get parentheses."""

    def visit_const(self, node: ir.Const) -> str:
        return constant(node.value, node.type)

    def visit_param(self, node: ir.Param) -> str:
        return f"cpol_params.{identifier(node.name)}"

    def visit_state(self, node: ir.State) -> str:
        return f"cpol_state.{identifier(node.name)}"

    def visit_local(self, node: ir.Local) -> str:
        name = identifier(node.name)
        return f"CPOL_HIDDEN({layout.expression_type(node.type)}, {name})" if is_hidden(node.type) else name

    def visit_field(self, node: ir.Field) -> str:
        return member(node)

    def visit_folio_attr(self, node: ir.FolioAttr) -> str:
        return READ_OF_FOLIOS[node.attr].primitive("folio", f"c, {identifier(node.folio)}", record_name(node.folio))

    def visit_list_size(self, node: ir.ListSize) -> str:
        return f"cpol_list_{'size' if node.list.index is None else 'pages'}(c, {list_number(node.list)})"

    def visit_cache_attr(self, node: ir.CacheAttr) -> str:
        return CACHE[node.attr].primitive("cache", "c")

    def visit_task_attr(self, node: ir.TaskAttr) -> str:
        return TASK[node.attr].primitive("task", "c")

    def visit_evict_wanted(self, node: ir.EvictWanted) -> str:
        return "cpol_evict_wanted(c)"

    def visit_every_periods(self, node: ir.EveryPeriods) -> str:
        return "cpol_periods"

    def visit_arith(self, node: ir.Arith) -> str:
        function = f"cpol_{node.op}_{suffix(node.type)}"
        return in_order((node.left, node.right), lambda a: f"{function}({a[0]}, {a[1]})")

    def visit_bits(self, node: ir.Bits) -> str:
        return in_order((node.left, node.right), lambda a: f"cpol_{node.op}_u64({a[0]}, {a[1]})")

    def visit_compare(self, node: ir.Compare) -> str:
        return in_order((node.left, node.right), lambda a: f"{a[0]} {_COMPARE[node.op]} {a[1]}", _compared)

    def visit_logic(self, node: ir.Logic) -> str:
        return f"{_operand(node.left, node.op)} {_LOGIC[node.op]} {_operand(node.right, node.op)}"

    def visit_not(self, node: ir.Not) -> str:
        return f"!{_operand(node.operand)}"

    def visit_convert(self, node: ir.Convert) -> str:
        operand = node.operand
        return convert(self.visit(operand), _is_atom(operand), operand.type, node.type, node.rounding)

    def visit_ghost_take(self, node: ir.GhostTake) -> str:
        return f"cpol_ghost_take(c, {identifier(node.ghost)}, {identifier(node.folio)})"

    def visit_ghost_has(self, node: ir.GhostHas) -> str:
        return f"cpol_ghost_has(c, {identifier(node.ghost)}, {identifier(node.folio)})"

    def visit_ghost_size(self, node: ir.GhostSize) -> str:
        return f"cpol_ghost_size(c, {identifier(node.ghost)})"

    def visit_ghost_full(self, node: ir.GhostFull) -> str:
        return f"cpol_ghost_full(c, {identifier(node.ghost)})"

    def visit_ghost_oldest(self, node: ir.GhostOldest) -> str:
        return f"cpol_ghost_oldest_field(c, {identifier(node.ghost)}, {identifier(node.name)})"

    def visit_ghost_field(self, node: ir.GhostField) -> str:
        return f"cpol_ghost_field(c, {', '.join(map(identifier, (node.ghost, node.folio, node.name)))})"

    def visit_record_field(self, node: ir.RecordField) -> str:
        if node.key is not None:
            raise ValueError("records by number are for tests, which are not compiled")
        return f"cpol_record_get(c, {identifier(node.record)}, {owner(node)}, {identifier(node.name)})"

    def visit_table_get(self, node: ir.TableGet) -> str:
        return in_order(node.indices, lambda a: f"cpol_table_get(c, {identifier(node.table)}, {_two(a)})")

    def visit_table_size(self, node: ir.TableSize) -> str:
        return f"cpol_table_rows(c, {identifier(node.table)})"

    def visit_input_has(self, node: ir.InputHas) -> str:
        return _input("has", node)

    def visit_input_get(self, node: ir.InputGet) -> str:
        return f"({layout.expression_type(node.type)}){_input('get', node)}"

    def visit_array_get(self, node: ir.ArrayGet) -> str:
        """The entry. User space may have stored what the type does not hold, which saturates."""
        value = f"cpol_array_get(c, {identifier(node.input)}, {self.visit(node.index)})"
        if isinstance(node.type, ir.BoolType):
            return f"({value} != 0)"
        signed, bits = layout.bits_of(node.type)
        stored = layout.member(node.input, node.type, 0, packed=False)
        wide = f"({'s64' if signed else 'u64'}){value}"
        return wide if bits == 8 * stored.size else clamp(wide, node.type)

    def visit_array_size(self, node: ir.ArraySize) -> str:
        return f"cpol_array_size(c, {identifier(node.input)})"

    def visit_select(self, node: ir.Select) -> str:
        """The value. The verifier must not know it, else it follows all that comes after for each constant."""
        written = f"({_operand(node.cond)} ? {_arm(node.then, node.type)} : {_arm(node.orelse, node.type)})"
        return f"CPOL_VARIABLE({layout.expression_type(node.type)}, {written})" if walk.is_chosen(node) else written

    def visit_fn_call(self, node: ir.FnCall) -> str:
        """Pass each folio with its record. The macro of a fn that does not read the record drops it."""

        def form(texts: Sequence[str]) -> str:
            rest = iter(texts)
            arguments = ["c"]
            for arg in node.args:
                if isinstance(arg, ir.FolioArg):
                    arguments += [identifier(arg.folio), record_name(arg.folio)]
                else:
                    arguments.append(next(rest))
            return f"cpol_fn_{identifier(node.fn)}({', '.join(arguments)})"

        return in_order([arg for arg in node.args if not isinstance(arg, ir.FolioArg)], form, _argument)

    def visit_random(self, node: ir.Random) -> str:
        return f"cpol_random(c, {self.visit(node.bound)})"

    def visit_hash(self, node: ir.Hash) -> str:
        if node.folio is None:
            return f"cpol_hash_request(c, {self.visit(node.salt)})"
        return f"cpol_hash(c, {identifier(node.folio)}, {self.visit(node.salt)})"

    def visit_math(self, node: ir.Math) -> str:
        return in_order(node.operands, lambda a: f"{FUNCTIONS[node.op].c}({', '.join(a)})")

    def visit_fault_attr(self, node: ir.FaultAttr) -> str:
        return ASKED_OF_MEMORY[node.attr].primitive("fault", "c")

    def visit_request_attr(self, node: ir.RequestAttr) -> str:
        return ASKED_OF_FILES[node.attr].primitive("request", "c")

    def visit_all_pinned(self, node: ir.AllPinned) -> str:
        raise ValueError("`cache.pinned` is for tests, which are not compiled")

    def visit_prefetched_is(self, node: ir.PrefetchedIs) -> str:
        raise ValueError("`prefetched` is for tests, which are not compiled")

    def visit_defaulted(self, node: ir.Defaulted) -> str:
        raise ValueError("`defaulted` is for tests, which are not compiled")

    def visit_range_did(self, node: ir.RangeDid) -> str:
        raise ValueError(f"`{node.what}` is for tests, which are not compiled")

    def visit_ahead_is(self, node: ir.AheadIs) -> str:
        raise ValueError("`readahead` with a number is for tests, which are not compiled")

    def visit_contains_all(self, node: ir.ContainsAll) -> str:
        raise ValueError("`has` with folios by number is for tests, which are not compiled")

    def visit_list_is(self, node: ir.ListIs) -> str:
        raise ValueError("`is` is for tests, which are not compiled")

    def visit_cached_field(self, node: ir.CachedField) -> str:
        raise ValueError("fields of folios by number are for tests, which are not compiled")


_WRITER = _Writer()


def text(expr: ir.Expr) -> str:
    """C text of `expr`."""
    return _WRITER.visit(expr)


def _argument(expr: ir.Expr) -> str:
    """An argument. All of a call are there at once: the verifier must not know the bools and enums among them."""
    return f"CPOL_VARIABLE(u32, {text(expr)})" if is_hidden(expr.type) else text(expr)


def owner(node: ir.RecordField | ir.SetRecord) -> str:
    """The C expression for the file, thread or area of a record."""
    if node.folio is not None:
        return f"cpol_file_key(c, {identifier(node.folio)})"
    return {"task": "cpol_task_key(c)", "area": "cpol_area_key(c)", "file": "cpol_request_key(c)"}[node.record]


def list_number(ref: ir.ListRef) -> str:
    """The C expression for a list's number."""
    if ref.index is None:
        return f"LIST_{identifier(ref.name)}"
    return f"cpol_list_at(c, LIST_{identifier(ref.name)}, {text(ref.index)})"


def _two(indices: Sequence[str]) -> str:
    """The row and the column, which is 0 in a table with one dimension."""
    return f"{indices[0]}, {indices[1] if len(indices) > 1 else 0}"


def _input(what: str, node: ir.InputHas | ir.InputGet) -> str:
    name = identifier(node.input)
    if node.key is not None:
        return f"cpol_input_{what}(c, {name}, {text(node.key)})"
    if node.folio is None:
        return f"cpol_input_{what}_request(c, {name})"
    return f"cpol_input_{what}_page(c, {name}, {identifier(node.folio)})"


def _arm(expr: ir.Expr, type_: ir.Type) -> str:
    """A branch of `?:`. A cast gives constants the type of the whole expression."""
    plain = _operand(expr)
    return f"({layout.expression_type(type_)}){plain}" if isinstance(expr, ir.Const) else plain


def convert(value: str, atom: bool, source: ir.Type, target: ir.Type, rounding: str) -> str:
    """Convert the C text `value` from `source` to `target`, saturating.

    The C type of the result is the wide one, even if `target` is narrow.
    """
    if source == target or isinstance(target, ir.BoolType | ir.EnumType):
        return value
    wide = value if atom else f"({value})"
    kind, goal = "u64" if isinstance(source, ir.BoolType | ir.EnumType) else suffix(source), suffix(target)
    if kind == goal:
        wide = f"({goal}){wide}" if source not in (ir.U64, ir.S64, ir.FIX) else wide
    elif kind == "fix":
        wide = f"cpol_{goal}_{rounding}_fix({value})"
    else:
        wide = f"cpol_{goal}_from_{kind}({value})"
    return clamp(wide, target)


def clamp(value: str, target: ir.Type) -> str:
    """Saturate a u64 or s64 `value` to the range of `target`."""
    signed, bits = layout.bits_of(target)
    if bits == 64 or not isinstance(target, ir.IntType):
        return value
    return f"cpol_clamp_{'s' if signed else 'u'}({value}, {bits})"


def _is_atom(expr: ir.Expr) -> bool:
    return not isinstance(expr, ir.Compare | ir.Logic)


def _operand(expr: ir.Expr, inside: str = "") -> str:
    """An operand of `&&`, ` `, `!` or a comparison, in parentheses where precedence requires or helps."""
    plain = _is_atom(expr) and (inside or not isinstance(expr, ir.Not))
    plain = plain or (inside and isinstance(expr, ir.Compare))
    plain = plain or (isinstance(expr, ir.Logic) and expr.op == inside)
    return text(expr) if plain else f"({text(expr)})"


def _compared(expr: ir.Expr) -> str:
    """An operand of a comparison. The verifier learns what a number is from it, so it gets a copy.

    Of what is read from memory, too: clang keeps it in a register from one `if` to the next.
    """
    inner = expr.operand if isinstance(expr, ir.Convert) else expr
    read = isinstance(inner, ir.Local | ir.Field | ir.State | ir.FolioAttr)
    if read and isinstance(inner.type, ir.IntType | ir.FixType):
        return f"CPOL_COMPARED({layout.expression_type(expr.type)}, {text(expr)})"
    return _operand(expr)


def in_order(
    operands: Sequence[ir.Expr], form: Callable[[Sequence[str]], str], write: Callable[[ir.Expr], str] | None = None
) -> str:
    """Write `form` over the operands. If their order has an effect, temporaries fix it to left to right."""
    if not order_matters(operands):
        return form([(write or text)(operand) for operand in operands])
    values = [
        f"{layout.expression_type(operand.type)} cpol_{n} = {(write or text)(operand)}; "
        for n, operand in enumerate(operands, 1)
    ]
    return f"({{ {''.join(values)}{form([f'cpol_{n}' for n in range(1, len(operands) + 1)])}; }})"
