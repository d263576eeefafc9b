"""Statements of the IR as lines of C, each after a `#line` that names its place in the `.cpol` file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cpol.compiler import ir
from cpol.compiler.backend import expr, layout, names


@dataclass(frozen=True)
class Writer:
    """Writes statements of one policy."""

    policy: ir.Policy
    source: str  # the `.cpol` file as `#line` names it

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
        if not any(uses_record(statement, folio, self.policy) for statement in body):
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
                reads_local(later, statement.name) for later in statements[number + 1 :]
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
            case ir.Place(folio, end, name):
                return [f"cpol_place(c, {names.identifier(folio)}, LIST_{names.identifier(name)}, {at(end)});"]
            case ir.Move(folio, end, name):
                return [f"cpol_move(c, {names.identifier(folio)}, LIST_{names.identifier(name)}, {at(end)});"]
            case ir.GhostAdd(ghost, folio):
                return [f"cpol_ghost_add(c, {names.identifier(ghost)}, {names.identifier(folio)});"]
            case ir.Propose(folio):
                far = at(self.scan_of(statement).end.far)
                return [f"if (cpol_propose(c, {names.identifier(folio)}, {far})) return;"]
            case ir.Stop():
                return ["break;"]
            case ir.Scan(name, end, bound, folio, body):
                head = self.scan(folio, name, end, bound)
                return [head, *self.record(folio, body, 1, "continue"), *self.block(body, 1), "}"]
            case ir.EvictLowest():
                return self.evict_lowest(statement)

    def scan(self, folio: str, name: str, end: ir.End, bound: ir.Expr | None) -> str:
        limit = "CPOL_U64_MAX" if bound is None else expr.text(bound)
        return f"CPOL_SCAN(c, {names.identifier(folio)}, LIST_{names.identifier(name)}, {at(end)}, {limit}) {{"

    def evict_lowest(self, statement: ir.EvictLowest) -> list[str]:
        score = next(score for score in self.policy.scores if score.name == statement.score)
        call = f"cpol_score_{names.identifier(score.name)}(c, cpol_f{', cpol_rec' if score_uses_record(score) else ''})"
        lines = [f"CPOL_SCAN(c, cpol_f, LIST_{names.identifier(statement.list)}, {at(statement.end)}, "]
        lines[0] += f"{expr.text(statement.bound)}) {{"
        if score_uses_record(score):
            lines += ["\tstruct cpol_meta *cpol_rec = cpol_meta(c, cpol_f);", "\tif (!cpol_rec) continue;"]
        key = f"cpol_key_{expr.suffix(score.body.type)}({call})"
        lines.append(f"\tcpol_offer(c, cpol_f, {key}, {at(statement.end.far)});")
        return [*lines, "}", "if (cpol_take_offers(c)) return;"]

    def scan_of(self, propose: ir.Propose) -> ir.Scan:
        """The scan that binds the folio which `propose` names."""
        for handler in self.policy.handlers.values():
            found = enclosing_scan(handler.body, propose, None)
            if found is not None:
                return found
        raise ValueError(f"{self.policy.path}:{propose.pos.line}: evict {propose.folio} is in no scan")


def indent(text: str, depth: int) -> str:
    return text if text[:1] in ("", "#") else "\t" * depth + text


def at(end: ir.End) -> str:
    """The C argument for an end: whether it is the tail."""
    return "true /* tail */" if end is ir.End.TAIL else "false /* head */"


def store(value: ir.Expr, target: ir.Type) -> str:
    """`value`, saturated at the type of the variable that it goes to."""
    if isinstance(value, ir.Const) and fits(value.value, target):
        return expr.text(value)
    return expr.clamp(expr.text(value), target)


def fits(value: int, target: ir.Type) -> bool:
    signed, bits = layout.bits_of(target)
    low = -(1 << (bits - 1)) if signed else 0
    return low <= value <= low + (1 << bits) - 1


def expressions(statement: ir.Stmt) -> list[ir.Expr]:
    """What a statement itself evaluates, without the statements in it."""
    match statement:
        case ir.Let() | ir.SetState() | ir.SetField():
            return [statement.value]
        case ir.If():
            return [statement.cond]
        case ir.Scan():
            return [statement.bound] if statement.bound is not None else []
        case ir.EvictLowest():
            return [statement.bound]
        case _:
            return []


def children(statement: ir.Stmt) -> tuple[ir.Stmt, ...]:
    match statement:
        case ir.If():
            return statement.then + statement.orelse
        case ir.Scan():
            return statement.body
        case _:
            return ()


def uses_record(statement: ir.Stmt, folio: str, policy: ir.Policy) -> bool:
    """Whether a field of `folio` is read or written in `statement`."""
    if isinstance(statement, ir.SetField) and statement.folio == folio:
        return True
    if isinstance(statement, ir.Scan) and statement.folio == folio:
        return False  # another folio of that name
    read = (e for root in expressions(statement) for e in expr.walk(root))
    if any(isinstance(e, ir.Field) and e.folio == folio for e in read):
        return True
    return any(uses_record(child, folio, policy) for child in children(statement))


def score_uses_record(score: ir.ScoreDecl) -> bool:
    return any(isinstance(e, ir.Field) for e in expr.walk(score.body))


def reads_local(statement: ir.Stmt, name: str) -> bool:
    read = (e for root in expressions(statement) for e in expr.walk(root))
    return any(isinstance(e, ir.Local) and e.name == name for e in read) or any(
        reads_local(child, name) for child in children(statement)
    )


def enclosing_scan(body: Iterable[ir.Stmt], propose: ir.Propose, scan: ir.Scan | None) -> ir.Scan | None:
    """The innermost scan around `propose` (the very object) that binds its folio."""
    for statement in body:
        if statement is propose:
            return scan
        inner = statement if isinstance(statement, ir.Scan) and statement.folio == propose.folio else scan
        found = enclosing_scan(children(statement), propose, inner)
        if found is not None:
            return found
    return None
