"""Statements of the IR as lines of C, each after a `#line` that names its place in the `.cpol` file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from cpol.compiler import ir
from cpol.compiler.backend import expr
from cpol.compiler.ir import c_names as names
from cpol.compiler.ir import layout, walk


@dataclass(frozen=True)
class Writer:
    """Writes statements of one policy."""

    policy: ir.Policy
    source: str  # the `.cpol` file as `#line` names it

    @cached_property
    def fns(self) -> Mapping[str, frozenset[int]]:
        """Which arguments of each `fn` are read as records."""
        return walk.record_args(self.policy)

    def line(self, pos: ir.Pos) -> str:
        return f'#line {pos.line} "{self.source}"'

    def handler(self, handler: ir.Handler) -> str:
        """The lines of a handler's body."""
        record = self.record(handler.folio, handler.body, 1, "return") if handler.folio else []
        return "\n".join(self.marked(record, handler.pos) + self.block(handler.body, 1))

    def marked(self, lines: list[str], pos: ir.Pos) -> list[str]:
        """`lines` of one statement: each that holds code and does not have its `#line` already gets one."""
        result: list[str] = []
        for text in lines:
            code = text.strip() not in ("", "}", "} else {") and not text.startswith("#")
            if code and not (result and result[-1].startswith("#")):
                result.append(self.line(pos))
            result.append(text)
        return result

    def record(self, folio: str, body: Iterable[ir.Stmt], depth: int, otherwise: str) -> list[str]:
        """Gets the record of `folio` if `body` uses it; a kernel that has none for it leaves by `otherwise`."""
        if not any(walk.uses_record(statement, folio, self.fns) for statement in body):
            return []
        pad, name = "\t" * depth, expr.record_name(folio)
        return [
            f"{pad}struct cpol_meta *{name} = cpol_meta(c, {names.identifier(folio)});",
            f"{pad}if (!{name}) {otherwise};",
        ]

    def block(self, body: Iterable[ir.Stmt], depth: int) -> list[str]:
        statements = list(body)
        lines: list[str] = []
        for number, statement in enumerate(statements):
            lines += [indent(text, depth) for text in self.marked(self.statement(statement), statement.pos)]
            if isinstance(statement, ir.Let) and not any(
                walk.reads_local(later, statement.name) for later in statements[number + 1 :]
            ):
                lines.append("\t" * depth + f"(void){names.identifier(statement.name)};")
        return lines

    def statement(self, statement: ir.Stmt) -> list[str]:
        """Its lines, indented relative to where it stands."""
        match statement:
            case ir.Let(name, value):
                ctype = layout.expression_type(value.type)
                return [f"const {ctype} {names.identifier(name)} = {expr.text(value)};"]
            case ir.SetState(name, value):
                target = next(state.type for state in self.policy.states if state.name == name)
                return [f"cpol_state.{names.identifier(name)} = {store(value, target)};"]
            case ir.SetField(folio, name, value):
                target = next(field.type for field in self.policy.fields if field.name == name)
                return [f"{expr.record_name(folio)}->{names.identifier(name)} = {store(value, target)};"]
            case ir.If(cond, then, orelse):
                lines = [f"if ({expr.text(cond)}) {{", *self.block(then, 1)]
                if orelse:
                    lines += ["} else {", *self.block(orelse, 1)]
                return [*lines, "}"]
            case ir.SetTable():
                return [self.set_table(statement)]
            case ir.For():
                return self.loop(statement)
            case ir.Place(folio, end, ref) | ir.Move(folio, end, ref):
                verb = "place" if isinstance(statement, ir.Place) else "move"
                return [f"cpol_{verb}(c, {names.identifier(folio)}, {expr.list_number(ref)}, {at(end)});"]
            case ir.Leave(folio):
                return [f"cpol_leave(c, {names.identifier(folio)});"]
            case ir.Refuse(folio):
                return [f"cpol_refuse(c, {names.identifier(folio)});", "return;"]
            case ir.GhostAdd():
                return self.ghost_add(statement)
            case ir.GhostDrop(ghost, folio):
                return [f"(void)cpol_ghost_take(c, {names.identifier(ghost)}, {names.identifier(folio)});"]
            case ir.GhostForget(ghost):
                return [f"cpol_ghost_forget_oldest(c, {names.identifier(ghost)});"]
            case ir.Evict(folio, far):
                return [f"if (cpol_propose(c, {names.identifier(folio)}, {at(far)})) return;"]
            case ir.Stop():
                return ["break;"]
            case ir.Scan():
                return self.scan(statement)
            case ir.EvictLowest():
                return self.evict_lowest(statement)

    def set_table(self, statement: ir.SetTable) -> str:
        table = next(table for table in self.policy.tables if table.name == statement.table)
        name = names.identifier(table.name)

        def form(texts: Sequence[str]) -> str:
            column = texts[1] if len(texts) > 2 else "0"
            return f"cpol_table_set(c, {name}, {texts[0]}, {column}, {stored(statement.value, texts[-1], table.type)})"

        return expr.in_order((*statement.indices, statement.value), form) + ";"

    def loop(self, statement: ir.For) -> list[str]:
        name = names.identifier(statement.name)
        head = expr.in_order((statement.low, statement.high), lambda a: f"cpol_range({a[0]}, {a[1]})")
        lines = [f"CPOL_FOR({name}, {head}) {{"]
        if not any(walk.reads_local(inner, statement.name) for inner in statement.body):
            lines.append(f"\t(void){name};")
        return [*lines, *self.block(statement.body, 1), "}"]

    def ghost_add(self, statement: ir.GhostAdd) -> list[str]:
        ghost = next(ghost for ghost in self.policy.ghosts if ghost.name == statement.ghost)
        arguments = f"c, {names.identifier(ghost.name)}, {names.identifier(statement.folio)}"
        if not ghost.fields:
            return [f"cpol_ghost_add({arguments});"]
        fields = list(zip(ghost.fields, statement.values, strict=True))

        def form(texts: Sequence[str]) -> str:
            members = [
                f".{names.identifier(field.name)} = {stored(value, text, field.type)}"
                for (field, value), text in zip(fields, texts, strict=True)
            ]
            record = f"((struct cpol_record_{names.identifier(ghost.name)}){{ {', '.join(members)} }})"
            return f"cpol_ghost_add_record({arguments}, {record})"

        return [expr.in_order(statement.values, form) + ";"]

    def scan(self, statement: ir.Scan) -> list[str]:
        folio, before, listed, limit = statement.folio, *self.reach(statement)
        head = f"CPOL_SCAN(c, {names.identifier(folio)}, {listed}, {at(statement.end)}, {limit}) {{"
        record = self.record(folio, statement.body, 1, "continue")
        return closed([*before, head, *record, *self.block(statement.body, 1), "}"])

    def reach(self, statement: ir.Scan | ir.EvictLowest) -> tuple[list[str], str, str]:
        """What comes before a scan, its list and its bound: computed one by one where it matters."""
        listed = expr.list_number(statement.list)
        limit = "CPOL_U64_MAX" if statement.bound is None else expr.text(statement.bound)
        if not walk.order_matters(walk.expressions(statement)):
            return [], listed, limit
        return ["{", f"const u32 cpol_on = {listed};", f"const u64 cpol_most = {limit};"], "cpol_on", "cpol_most"

    def evict_lowest(self, statement: ir.EvictLowest) -> list[str]:
        score = next(score for score in self.policy.scores if score.name == statement.score)
        reads = self.score_uses_record(score)
        before, listed, limit = self.reach(statement)
        field = self.score_field(score)
        if field is not None:
            whole = f"CPOL_OFFER_BY(c, {listed}, {at(statement.end)}, {limit}, {field});"
            return closed([*before, whole, "if (cpol_take_offers(c)) return;"])
        call = f"cpol_score_{names.identifier(score.name)}(c, cpol_f{', cpol_rec' if reads else ''})"
        lines = [*before, f"CPOL_SCAN(c, cpol_f, {listed}, {at(statement.end)}, {limit}) {{"]
        if reads:
            lines += ["\tstruct cpol_meta *cpol_rec = cpol_meta(c, cpol_f);", "\tif (!cpol_rec) continue;"]
        key = f"cpol_key_{expr.suffix(score.body.type)}({call})"
        lines.append(f"\tcpol_offer(c, cpol_f, {key}, {at(statement.end.far)});")
        return closed([*lines, "}", "if (cpol_take_offers(c)) return;"])

    def score_field(self, score: ir.ScoreDecl) -> str | None:
        """The member of the record that is the score, if it is one and no more: then no program runs for each folio."""
        body = score.body.operand if isinstance(score.body, ir.Convert) else score.body
        if not isinstance(body, ir.Field) or layout.bits_of(body.type)[0] or layout.bits_of(score.body.type)[0]:
            return None
        members = layout.record(self.policy.fields)
        member = next(member for member in members if member.name == names.identifier(body.name))
        return member.name if member.width is None else None

    def score_uses_record(self, score: ir.ScoreDecl) -> bool:
        return walk.reads_record(score.body, score.folio, self.fns)


def indent(text: str, depth: int) -> str:
    return text if text[:1] in ("", "#") else "\t" * depth + text


def at(end: ir.End) -> str:
    """The C argument for an end: whether it is the tail."""
    return "true /* tail */" if end is ir.End.TAIL else "false /* head */"


def store(value: ir.Expr, target: ir.Type) -> str:
    """`value`, saturated at the type of the variable that it goes to."""
    return stored(value, expr.text(value), target)


def stored(value: ir.Expr, text: str, target: ir.Type) -> str:
    """`text`, which is `value` or holds it, saturated at the type of the variable that it goes to."""
    if isinstance(value, ir.Const) and fits(value.value, target):
        return text
    return expr.clamp(text, target)


def closed(lines: list[str]) -> list[str]:
    """Ends the block that `reach` began, if it did."""
    return [*lines, "}"] if lines[0] == "{" else lines


def fits(value: int, target: ir.Type) -> bool:
    signed, bits = layout.bits_of(target)
    low = -(1 << (bits - 1)) if signed else 0
    return low <= value <= low + (1 << bits) - 1
