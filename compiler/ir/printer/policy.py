"""The policy IR as stable, readable text: one declaration or statement a line, every type written out.

Prefix notation, since it shows each operation and its type. `@` gives the line and column in the `.cpol` file.
"""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler import ir
from cpol.compiler.ir.printer.expr import expression, folios, list_ref
from cpol.compiler.literals import show_value


def dump_ir(policy: ir.Policy) -> str:
    """The whole of `policy`. The path is left out, so that the text is the same wherever the file is."""
    return "\n".join(_policy(policy)) + "\n"


def _policy(policy: ir.Policy) -> Iterator[str]:
    yield f"policy {policy.name}"
    for line in policy.doc.splitlines():
        yield f"  doc {line}".rstrip()
    for p in policy.params:
        default, low, high = (show_value(v, p.type) for v in (p.default, p.low, p.high))
        notes = "".join(f" {note}" for note in (p.unit, "live" if p.live else "") if note)
        yield f"  param {p.name}: {p.type} = {default} in {low}..{high}{notes}{_at(p.pos)}"
        for line in p.doc.splitlines():
            yield f"    doc {line}".rstrip()
    for number, name in enumerate(policy.lists, 1):
        array = policy.list_array
        length = f" length {expression(array.length)}" if array is not None and array.name == name else ""
        yield f"  list {name} = {number}{length}"
    for g in policy.ghosts:
        yield f"  ghost {g.name} capacity {expression(g.capacity)}{_at(g.pos)}"
        yield from (f"    field {f.name}: {f.type} = {show_value(f.init, f.type)}{_at(f.pos)}" for f in g.fields)
    for f in policy.fields:
        yield f"  field {f.name}: {f.type} = {show_value(f.init, f.type)}{_at(f.pos)}"
    for s in policy.states:
        yield f"  state {s.name}: {s.type} = {show_value(s.init, s.type)}{_at(s.pos)}"
    for table in policy.tables:
        sizes = ", ".join(expression(size) for size in table.sizes)
        yield f"  table {table.name}: {table.type}[{sizes}] = {show_value(table.init, table.type)}{_at(table.pos)}"
    for i in policy.inputs:
        value = f" to {i.value} = {show_value(i.default, i.value)}" if i.value is not None else ""
        yield f"  input {i.name}: {'set' if i.value is None else 'map'} of {i.key}{value}{_at(i.pos)}"
        for line in i.doc.splitlines():
            yield f"    doc {line}".rstrip()
    for fn in policy.fns:
        params = ", ".join(f"{name}: {type or 'folio'}" for name, type in fn.params)
        yield f"  fn {fn.name}({params}): {fn.type} = {expression(fn.body)}{_at(fn.pos)}"
    for score in policy.scores:
        yield f"  score {score.name}({score.folio}) {expression(score.body)}{_at(score.pos)}"
    for h in policy.handlers.values():
        names = ", ".join(name for name in (h.folio, h.why) if name is not None)
        yield f"  on {h.event}({names}){_at(h.pos)}"
        yield from _body(h.body, "    ")
    for every in policy.everies:
        yield f"  every {expression(every.period)} {every.unit}{_at(every.pos)}"
        yield from _body(every.body, "    ")
    for invariant in policy.invariants:
        yield f"  invariant {expression(invariant.cond)}{_at(invariant.pos)}"
    for test in policy.tests:
        yield from _test(test, {p.name: p.type for p in policy.params})


def _test(test: ir.Test, types: dict[str, ir.Type]) -> Iterator[str]:
    params = "".join(f", {name}: {show_value(value, types[name])}" for name, value in test.params)
    settings = f"capacity: {test.capacity}, batch: {test.batch}, seed: {test.seed}{params}"
    yield f"  test {test.name}({settings}){_at(test.pos)}"
    for line in test.doc.splitlines():
        yield f"    doc {line}".rstrip()
    for step in test.steps:
        yield f"    {_step(step)}{_at(step.pos)}"


def _step(step: ir.Step) -> str:
    match step:
        case ir.Access():
            return f"access{folios(step.folios)}" + (f" as {step.task}" if step.task else "")
        case ir.Remove():
            return f"remove{folios(step.folios)}"
        case ir.Tick():
            return f"tick {step.ms}"
        case ir.Fill():
            key = ":".join(str(part) for part in step.key)
            return f"fill {step.input} {key} {'nothing' if step.value is None else step.value}"
        case ir.Expect():
            return f"expect {expression(step.cond)}"


def _at(pos: ir.Pos) -> str:
    return f"  @{pos.line}:{pos.column}"


def _body(body: tuple[ir.Stmt, ...], indent: str) -> Iterator[str]:
    for stmt in body:
        yield f"{indent}{_statement(stmt)}{_at(stmt.pos)}"
        if isinstance(stmt, ir.If):
            yield from _body(stmt.then, indent + "  ")
            if stmt.orelse:
                yield f"{indent}else"
                yield from _body(stmt.orelse, indent + "  ")
        elif isinstance(stmt, ir.Scan | ir.For):
            yield from _body(stmt.body, indent + "  ")


def _statement(stmt: ir.Stmt) -> str:
    match stmt:
        case ir.Let():
            return f"let {stmt.name}: {stmt.value.type} = {expression(stmt.value)}"
        case ir.SetState():
            return f"set {stmt.name} = {expression(stmt.value)}"
        case ir.SetField():
            return f"set {stmt.folio}.{stmt.name} = {expression(stmt.value)}"
        case ir.SetTable():
            indices = " ".join(expression(index) for index in stmt.indices)
            return f"set {stmt.table}[{indices}] = {expression(stmt.value)}"
        case ir.If():
            return f"if {expression(stmt.cond)}"
        case ir.Place():
            return f"place {stmt.folio} {stmt.end.value} {list_ref(stmt.list)}"
        case ir.Move():
            return f"move {stmt.folio} {stmt.end.value} {list_ref(stmt.list)}"
        case ir.GhostAdd():
            return " ".join(["ghost-add", stmt.ghost, stmt.folio, *(expression(value) for value in stmt.values)])
        case ir.GhostDrop():
            return f"ghost-drop {stmt.ghost} {stmt.folio}"
        case ir.GhostForget():
            return f"ghost-forget {stmt.ghost}"
        case ir.For():
            return f"for {stmt.name} {expression(stmt.low)} to {expression(stmt.high)}"
        case ir.Leave():
            return f"leave {stmt.folio}"
        case ir.Refuse():
            return f"refuse {stmt.folio}"
        case ir.Scan():
            bound = "all" if stmt.bound is None else expression(stmt.bound)
            return f"scan {list_ref(stmt.list)} {stmt.end.value} up-to {bound} as {stmt.folio}"
        case ir.Evict():
            return f"evict {stmt.folio} far {stmt.far.value}"
        case ir.EvictLowest():
            where = f"{stmt.end.value} {list_ref(stmt.list)}"
            return f"evict-lowest {stmt.score} up-to {expression(stmt.bound)} {where}"
        case ir.Stop():
            return "stop"
