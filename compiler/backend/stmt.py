"""Writes IR statements as C lines. A `#line` before each names its place in the `.cpol` file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from cpol.compiler import ir
from cpol.compiler.backend import expr
from cpol.compiler.ir import layout, walk
from cpol.compiler.ir.c_names import identifier, line_file
from cpol.compiler.ir.visitor import StmtVisitor


@dataclass(frozen=True)
class Writer(StmtVisitor[list[str]]):
    """Writes the statements of one policy as lines, indented relative to their parent."""

    policy: ir.Policy
    source: str  # the `.cpol` path in `#line`

    @cached_property
    def fns(self) -> Mapping[str, frozenset[int]]:
        """For each `fn`, the arguments that are passed with a record."""
        return walk.record_args(self.policy)

    def line(self, pos: ir.Pos) -> str:
        return f'#line {pos.line} "{line_file(pos, self.source)}"'

    def handler(self, handler: ir.Handler) -> str:
        """The body of a handler as text."""
        record = self.record(handler.folio, handler.body, 1, "return") if handler.folio else []
        before = self.marked(self.begin(handler.body) + record, handler.pos)
        return "\n".join(before + self.block(handler.body, 1))

    def begin(self, body: Iterable[ir.Stmt]) -> list[str]:
        """What comes before `body`: which version of each array it reads, and since when evictions count for it."""
        body = tuple(body)
        lines = [f"\tcpol_array_begin(c, {identifier(name)});" for name in walk.arrays_read(self.policy, body)]
        if any(isinstance(stmt, ir.WantEviction) for stmt in walk.statements(body)):
            lines.append("\tcpol_reclaim_begin(c);")
        return lines

    def lets(self, fn: ir.FnDecl) -> list[str]:
        """The lines of the `let`s of a fn."""
        lines: list[str] = []
        for number, let in enumerate(fn.lets):
            lines += [indent(text, 1) for text in self.marked(self.visit(let), let.pos)]
            later = (*(later.value for later in fn.lets[number + 1 :]), fn.body)
            if not any(isinstance(e, ir.Local) and e.name == let.name for root in later for e in walk.walk(root)):
                lines.append(f"\t(void){identifier(let.name)};")
        return lines

    def marked(self, lines: list[str], pos: ir.Pos) -> list[str]:
        """The `lines` of one statement, with a `#line` before each line of code that has none yet."""
        result: list[str] = []
        for text in lines:
            code = text.strip() not in ("", "}", "} else {") and not text.startswith("#")
            if code and not (result and result[-1].startswith("#")):
                result.append(self.line(pos))
            result.append(text)
        return result

    def record(self, folio: str, body: Iterable[ir.Stmt], depth: int, otherwise: str) -> list[str]:
        """Look up the record of `folio` if `body` uses it. `otherwise` runs if there is no record."""
        if not any(walk.uses_record(statement, folio, self.fns) for statement in body):
            return []
        pad, name = "\t" * depth, expr.record_name(folio)
        return [
            f"{pad}struct cpol_meta *{name} = cpol_meta(c, {identifier(folio)});",
            f"{pad}if (!{name}) {otherwise};",
        ]

    def block(self, body: Iterable[ir.Stmt], depth: int) -> list[str]:
        statements = list(body)
        lines: list[str] = []
        for number, statement in enumerate(statements):
            lines += [indent(text, depth) for text in self.marked(self.visit(statement), statement.pos)]
            if isinstance(statement, ir.Let | ir.Var) and not any(
                walk.reads_local(later, statement.name) for later in statements[number + 1 :]
            ):
                lines.append("\t" * depth + f"(void){identifier(statement.name)};")
        return lines

    def visit_let(self, node: ir.Let) -> list[str]:
        type_, name, value = layout.expression_type(node.value.type), identifier(node.name), expr.text(node.value)
        if expr.is_hidden(node.value.type):
            return [f"CPOL_HIDE({name}, {value});"]
        return [f"const {type_} {name} = {expr.text(node.value)};"]

    def visit_var(self, node: ir.Var) -> list[str]:
        type_, value = layout.expression_type(node.type), expr.text(node.value)
        if expr.is_hidden(node.type):
            return [f"CPOL_HIDE({identifier(node.name)}, {value});"]
        return [f"{type_} {identifier(node.name)} = CPOL_VARIABLE({type_}, {value});"]

    def visit_set_var(self, node: ir.SetVar) -> list[str]:
        type_, value = layout.expression_type(node.type), expr.text(node.value)
        if expr.is_hidden(node.type):
            return [f"CPOL_HIDE_NEXT({identifier(node.name)}, {value});"]
        return [f"{identifier(node.name)} = CPOL_VARIABLE({type_}, {value});"]

    def visit_set_state(self, node: ir.SetState) -> list[str]:
        return [f"CPOL_STORE(cpol_state.{identifier(node.name)}, {expr.text(node.value)});"]

    def visit_set_field(self, node: ir.SetField) -> list[str]:
        if node.index is None:
            return [f"CPOL_STORE({expr.member(node)}, {expr.text(node.value)});"]

        def form(texts: Sequence[str]) -> str:
            return f"CPOL_STORE({expr.member(node, texts[0])}, {texts[1]})"

        return [expr.in_order((node.index, node.value), form) + ";"]

    def visit_set_record(self, node: ir.SetRecord) -> list[str]:
        place = f"c, {identifier(node.record)}, {expr.owner(node)}, {identifier(node.name)}"
        # A member of a few bits has no type that C could take over.
        plain = f"({layout.expression_type(node.value.type)})" if isinstance(node.value, ir.Field | ir.State) else ""
        return [f"cpol_record_set({place}, {plain}{expr.text(node.value)});"]

    def visit_if(self, node: ir.If) -> list[str]:
        orelse = ["} else {", *self.block(node.orelse, 1)] if node.orelse else []
        return [f"if ({expr.text(node.cond)}) {{", *self.block(node.then, 1), *orelse, "}"]

    def visit_place(self, node: ir.Place) -> list[str]:
        return [f"cpol_place(c, {identifier(node.folio)}, {expr.list_number(node.list)}, {at(node.end)});"]

    def visit_move(self, node: ir.Move) -> list[str]:
        return [f"cpol_move(c, {identifier(node.folio)}, {expr.list_number(node.list)}, {at(node.end)});"]

    def visit_leave(self, node: ir.Leave) -> list[str]:
        return [f"cpol_leave(c, {identifier(node.folio)});"]

    def visit_refuse(self, node: ir.Refuse) -> list[str]:
        return [f"cpol_refuse(c, {identifier(node.folio)});", "return;"]

    def visit_ghost_drop(self, node: ir.GhostDrop) -> list[str]:
        return [f"(void)cpol_ghost_take(c, {identifier(node.ghost)}, {identifier(node.folio)});"]

    def visit_ghost_forget(self, node: ir.GhostForget) -> list[str]:
        return [f"cpol_ghost_forget_oldest(c, {identifier(node.ghost)});"]

    def visit_evict(self, node: ir.Evict) -> list[str]:
        return [f"if (cpol_evict(c, {identifier(node.folio)}, {at(node.far)})) return;"]

    def visit_stop(self, node: ir.Stop) -> list[str]:
        return ["break;"]

    def visit_pin(self, node: ir.Pin) -> list[str]:
        return [f"cpol_pin(c, {identifier(node.folio)});"]

    def visit_unpin(self, node: ir.Unpin) -> list[str]:
        return [f"cpol_unpin(c, {identifier(node.folio)});"]

    def visit_want_eviction(self, node: ir.WantEviction) -> list[str]:
        return [f"cpol_reclaim(c, {expr.text(node.pages)});"]

    def visit_prefetch(self, node: ir.Prefetch) -> list[str]:
        if node.space != "index":
            return [f"cpol_prefetch_{node.space}(c, {expr.text(node.target)});"]

        def form(texts: Sequence[str]) -> str:
            return f"cpol_prefetch_index(c, {', '.join(texts)})"

        return [expr.in_order((node.target, node.count, node.stride), form) + ";"]

    def visit_default(self, node: ir.Default) -> list[str]:
        return ["cpol_default(c);"]

    def visit_hold(self, node: ir.Hold) -> list[str]:
        return ["cpol_hold(c);"]

    def visit_drop(self, node: ir.Drop) -> list[str]:
        return ["cpol_drop(c);"]

    def visit_flush(self, node: ir.Flush) -> list[str]:
        return [f"cpol_flush(c, {'true /* wait */' if node.wait else 'false'});"]

    def visit_leave_file(self, node: ir.LeaveFile) -> list[str]:
        return ["cpol_leave_file(c);"]

    def visit_ahead(self, node: ir.Ahead) -> list[str]:
        return [f"cpol_ahead(c, {expr.text(node.pages)});"]

    def visit_set_table(self, node: ir.SetTable) -> list[str]:
        def form(texts: Sequence[str]) -> str:
            column = texts[1] if len(texts) > 2 else "0"
            return f"cpol_table_set(c, {identifier(node.table)}, {texts[0]}, {column}, {texts[-1]})"

        return [expr.in_order((*node.indices, node.value), form) + ";"]

    def visit_for(self, node: ir.For) -> list[str]:
        name = identifier(node.name)
        head = expr.in_order((node.low, node.high), lambda a: f"cpol_range({a[0]}, {a[1]})")
        lines = [f"CPOL_FOR({name}, {head}) {{"]
        if not any(walk.reads_local(inner, node.name) for inner in node.body):
            lines.append(f"\t(void){name};")
        return [*lines, *self.block(node.body, 1), "}"]

    def visit_ghost_add(self, node: ir.GhostAdd) -> list[str]:
        ghost = next(ghost for ghost in self.policy.ghosts if ghost.name == node.ghost)
        arguments = f"c, {identifier(ghost.name)}, {identifier(node.folio)}"
        if not ghost.fields:
            return [f"cpol_ghost_add({arguments});"]

        def form(texts: Sequence[str]) -> str:
            members = [f".{identifier(field.name)} = {text}" for field, text in zip(ghost.fields, texts, strict=True)]
            record = f"((struct cpol_record_{identifier(ghost.name)}){{ {', '.join(members)} }})"
            return f"cpol_ghost_add_record({arguments}, {record})"

        return [expr.in_order(node.values, form) + ";"]

    def visit_scan(self, node: ir.Scan) -> list[str]:
        folio, before, listed, limit = node.folio, *self.reach(node)
        head = f"CPOL_SCAN(c, {identifier(folio)}, {listed}, {at(node.end)}, {limit}) {{"
        record = self.record(folio, node.body, 1, "continue")
        return closed([*before, head, *record, *self.block(node.body, 1), "}"])

    def reach(self, statement: ir.Scan | ir.EvictByScore) -> tuple[list[str], str, str]:
        """The lines before a scan, its list and its bound. Temporaries fix the order if it has an effect."""
        listed = expr.list_number(statement.list)
        limit = "CPOL_U64_MAX" if statement.bound is None else expr.text(statement.bound)
        if not walk.order_matters(walk.expressions(statement)):
            return [], listed, limit
        return ["{", f"const u32 cpol_on = {listed};", f"const u64 cpol_most = {limit};"], "cpol_on", "cpol_most"

    def visit_evict_by_score(self, node: ir.EvictByScore) -> list[str]:
        score = next(score for score in self.policy.scores if score.name == node.score)
        reads = self.score_uses_record(score)
        before, listed, limit = self.reach(node)
        field = self.score_field(score)
        if field is not None and not node.highest:
            whole = f"CPOL_ADD_CANDIDATES_BY(c, {listed}, {at(node.end)}, {limit}, {field});"
            return closed([*before, whole, "if (cpol_evict_candidates(c)) return;"])
        call = f"cpol_score_{identifier(score.name)}(c, cpol_f{', cpol_rec' if reads else ''})"
        lines = [*before, f"CPOL_SCAN(c, cpol_f, {listed}, {at(node.end)}, {limit}) {{"]
        if reads:
            lines += ["\tstruct cpol_meta *cpol_rec = cpol_meta(c, cpol_f);", "\tif (!cpol_rec) continue;"]
        key = f"cpol_key_{expr.suffix(score.body.type)}({call})"
        lines.append(f"\tcpol_add_candidate(c, cpol_f, {'~' if node.highest else ''}{key}, {at(node.end.far)});")
        return closed([*lines, "}", "if (cpol_evict_candidates(c)) return;"])

    def score_field(self, score: ir.ScoreDecl) -> str | None:
        """The record member that equals the score, or None.

        The kernel compares such a member itself, without a BPF program for each folio, and finds the lowest.
        """
        body = score.body.operand if isinstance(score.body, ir.Convert) else score.body
        if (
            not isinstance(body, ir.Field)
            or body.index is not None
            or layout.bits_of(body.type)[0]
            or layout.bits_of(score.body.type)[0]
        ):
            return None
        members = layout.record(self.policy.fields)
        member = next(member for member in members if member.name == identifier(body.name))
        return member.name if member.width is None else None

    def score_uses_record(self, score: ir.ScoreDecl) -> bool:
        return walk.reads_record(score.body, score.folio, self.fns)


def indent(text: str, depth: int) -> str:
    return text if text[:1] in ("", "#") else "\t" * depth + text


def at(end: ir.End) -> str:
    """The C argument for an end: true for the tail."""
    return "true /* tail */" if end is ir.End.TAIL else "false /* head */"


def closed(lines: list[str]) -> list[str]:
    """Close the block that `reach` opened, if it did."""
    return [*lines, "}"] if lines[0] == "{" else lines
