"""Prints the policy IR as stable text: one declaration or statement a line, with every type.

Prefix notation shows each operation with its type. `@line:column` is a place in the `.cpol` file.
"""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler import comm, ir
from cpol.compiler.ir.printer.expr import expression, folios
from cpol.compiler.ir.printer.stmt import at, body
from cpol.compiler.literals import show_value


def dump_ir(policy: ir.Policy) -> str:
    """The IR of `policy` as text. It omits the path, so it does not depend on where the file is."""
    return "\n".join(_policy(policy)) + "\n"


def _policy(policy: ir.Policy) -> Iterator[str]:
    yield f"policy {policy.name}"
    for line in policy.doc.splitlines():
        yield f"  doc {line}".rstrip()
    for p in policy.params:
        default, low, high = (show_value(v, p.type) for v in (p.default, p.low, p.high))
        notes = "".join(f" {note}" for note in (p.unit, "live" if p.live else "") if note)
        yield f"  param {p.name}: {p.type} = {default} in {low}..{high}{notes}{at(p.pos)}"
        for line in p.doc.splitlines():
            yield f"    doc {line}".rstrip()
    lengths = {array.name: f" length {expression(array.length)}" for array in policy.list_arrays}
    for number, name in enumerate(policy.lists, 1):
        yield f"  list {name} = {number}{lengths.get(name, '')}"
    for g in policy.ghosts:
        kind = "ghost" if g.key == "folio" else "record"
        yield f"  {kind} {g.name} capacity {expression(g.capacity)}{at(g.pos)}"
        yield from (f"    field {f.name}: {f.type} = {show_value(f.init, f.type)}{at(f.pos)}" for f in g.fields)
    for f in policy.fields:
        length = f"[{f.length}]" if f.length else ""
        yield f"  field {f.name}: {f.type}{length} = {show_value(f.init, f.type)}{at(f.pos)}"
    for s in policy.states:
        yield f"  state {s.name}: {s.type} = {show_value(s.init, s.type)}{at(s.pos)}"
    for table in policy.tables:
        sizes = ", ".join(expression(size) for size in table.sizes)
        yield f"  table {table.name}: {table.type}[{sizes}] = {show_value(table.init, table.type)}{at(table.pos)}"
    for i in policy.inputs:
        value = f" to {i.value} = {show_value(i.default, i.value)}" if i.value is not None else ""
        kind = f"{'set' if i.value is None else 'map'} of {i.key}{value}"
        if i.size is not None:
            kind = f"array[{expression(i.size)}] of {i.value}"
        yield f"  input {i.name}: {kind}{at(i.pos)}"
        for line in i.doc.splitlines():
            yield f"    doc {line}".rstrip()
    if policy.pin is not None:
        yield f"  pin up-to {expression(policy.pin.quota)}{at(policy.pin.pos)}"
    if policy.keep is not None:
        yield f"  keep up-to {expression(policy.keep.quota)}{at(policy.keep.pos)}"
    for fn in policy.fns:
        params = ", ".join(f"{name}: {type or 'folio'}" for name, type in fn.params)
        yield f"  fn {fn.name}({params}): {fn.type} = {expression(fn.body)}{at(fn.pos)}"
        yield from (f"    {text}" for text in body(fn.lets))
    for score in policy.scores:
        yield f"  score {score.name}({score.folio}) {expression(score.body)}{at(score.pos)}"
    for h in policy.handlers.values():
        names = ", ".join(name for name in (h.folio, h.why) if name is not None)
        yield f"  on {h.event}({names}){at(h.pos)}"
        yield from (f"  {line}" for line in body(h.body))
    for every in policy.everies:
        yield f"  every {expression(every.period)} {every.unit}{at(every.pos)}"
        yield from (f"  {line}" for line in body(every.body))
    for invariant in policy.invariants:
        yield f"  invariant {expression(invariant.cond)}{at(invariant.pos)}"
    for test in policy.tests:
        yield from _test(test, {p.name: p.type for p in policy.params})


def _test(test: ir.Test, types: dict[str, ir.Type]) -> Iterator[str]:
    params = "".join(f", {name}: {show_value(value, types[name])}" for name, value in test.params)
    found = _around(test.around) if test.around != ir.Surroundings() else ""
    settings = f"capacity: {test.capacity}, batch: {test.batch}, seed: {test.seed}{params}{found}"
    yield f"  test {test.name}({settings}){at(test.pos)}"
    if test.row:
        yield f"    row {test.row}"
    for line in test.doc.splitlines():
        yield f"    doc {line}".rstrip()
    for step in test.steps:
        yield f"    {_step(step)}{at(step.pos)}"


def _step(step: ir.Step) -> str:
    match step:
        case ir.Access():
            size = f" of {step.pages} pages" if step.pages > 1 else ""
            verb = "readahead" if step.ahead else "write" if step.write else "access"
            return f"{verb}{folios(step.folios)}{size}{_as(step)}"
        case ir.Fault():
            how = f" {step.how}" if step.how else ""
            return f"fault {' '.join(map(str, step.pages))} slot {step.slot}{how}{_as(step)}"
        case ir.Request():
            kinds = {"sequential": step.sequential, "marker": step.marker, "mapped": step.mapped}
            how = "".join(f" {kind}" for kind, is_so in kinds.items() if is_so)
            return f"request {step.file}:{step.index} of {step.wanted} pages{how}{_as(step)}"
        case ir.Range():
            return f"{step.event} {step.file}:{step.index} of {step.pages} pages{_as(step)}"
        case ir.Out():
            how = (" shared" if step.shared else "") + (" workingset" if step.workingset else "")
            return f"swap {step.page} of {step.pages} pages{how}{_as(step)}"
        case ir.Remove():
            return f"remove{folios(step.folios)}"
        case ir.Reclaim():
            return f"reclaim {step.pages}" + (f" busy{folios(tuple(sorted(step.busy)))}" if step.busy else "")
        case ir.Room():
            return f"room {step.pages}"
        case ir.Mark():
            return f"mark{folios(step.folios)} off {step.off} on {step.on}"
        case ir.Settle():
            return f"{step.what} {step.number}"
        case ir.Readers():
            return f"readers {step.file} {step.readers}"
        case ir.Tick():
            return f"tick {step.ms}"
        case ir.Fill():
            key = ":".join(str(part) for part in step.key)
            value = ",".join(map(str, step.value)) if isinstance(step.value, tuple) else step.value
            return f"fill {step.input} {key} {'nothing' if value is None else value}"
        case ir.Expect():
            return f"expect {expression(step.cond)}"


def _around(around: ir.Surroundings) -> str:
    """The surroundings of a test, as its settings."""
    first, last = around.area
    return f", area: {first}..{last}, slots: {around.slots}, window: {around.window}, size: {around.size}"


def _as(step: ir.Access | ir.Fault | ir.Request | ir.Range | ir.Out) -> str:
    """The task that causes the step."""
    of = f' of "{comm.show(step.comm)}"' if step.comm != comm.UNKNOWN else ""
    return (f" as {step.task}" if step.task or of else "") + of
