"""Generates C from policy IR. `cpol/host.h` and `cpol/bpf.h` compile the same text (see
runtime/machine/include/cpol/README.md).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cpol.compiler import ir
from cpol.compiler.backend import expr, fns, manifest, stmt
from cpol.compiler.ir import c_names as names
from cpol.compiler.ir import layout, uses, walk
from cpol.compiler.toolchain.target import CACHE_EXT_TARGET, Target
from cpol.compiler.vocabulary.event import EVENTS, PREFETCH_EVENTS, RANGE_EVENTS

if TYPE_CHECKING:
    import jinja2

_HERE = "#line here"


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # which who has the object in the cache does without

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def generate(policy: ir.Policy, target: Target = CACHE_EXT_TARGET) -> str:
    """The C text of `policy`. Only the manifest in it depends on `target`."""
    writer = stmt.Writer(policy, names.path(policy.path))
    text = (
        _environment()
        .get_template("policy.c.j2")
        .render(
            policy=policy,
            name=names.comment(policy.name),
            source=writer.source,
            doc=[names.comment(line) for line in policy.doc.splitlines()],
            events=EVENTS,
            ranges=[EVENTS[event] for event in RANGE_EVENTS] if policy.prefetches else [],
            identifier=names.identifier,
            params=layout.params(policy.params),
            states=layout.states(policy.states),
            record=layout.record(policy.fields),
            cells=[
                names.identifier(field.name) + (f"[{number}]" if field.length else "")
                for field in policy.fields
                for number in range(max(field.length, 1))
            ],
            record_size=layout.record_size(layout.record(policy.fields)),
            touched=layout.touched(layout.record(policy.fields)).declaration,
            touched_record_size=layout.record_size(layout.with_touched(layout.record(policy.fields))),
            uses=uses.of(policy),
            ghosts=[_ghost(ghost) for ghost in policy.ghosts],
            oldest_read=[names.identifier(ghost) for ghost in walk.oldest_read(policy)],
            tables=[layout.table(table) for table in policy.tables],
            inputs=[_input(given) for given in policy.keyed],
            arrays=[layout.array(given) for given in policy.arrays],
            attached=_attached(policy, writer),
            tick_ms=layout.tick_ms(policy),
            everies=[_every(policy, number, every, writer) for number, every in enumerate(policy.everies)],
            fns=[fns.function(fn, writer) for fn in policy.fns],
            scores=[_score(score, writer) for score in policy.scores],
            handlers=[_handler(event, policy, writer) for event in EVENTS if event in policy.handlers],
            manifest=[names.c_string(line) for line in manifest.lines(policy, target)],
            here=_HERE,
        )
    )
    return _number(text, names.path(policy.name) + ".c")


def _ghost(ghost: ir.GhostDecl) -> dict[str, Any]:
    record = layout.record(ghost.fields)
    return {
        "name": names.identifier(ghost.name),
        "key": ghost.key,
        "record": record,
        "fields": [names.identifier(field.name) for field in ghost.fields],
        "size": layout.record_size(record),
        "words": {item.name: layout.word_of(record, item.name) for item in record},
    }


def _input(given: ir.InputDecl) -> dict[str, Any]:
    default = layout.integer(given.default, True) if given.default < 1 << 63 else f"(s64){given.default}ULL"
    return {
        "name": names.identifier(given.name),
        "raw": given.name,
        "key": {"page": 1, "comm": 2}.get(given.key, 0),
        "default": default,
    }


def _attached(policy: ir.Policy, writer: stmt.Writer) -> list[dict[str, str]]:
    """One C function for each expression that attach evaluates."""
    result = [
        (
            "Entries that a ghost remembers.",
            f"cpol_ghost_capacity_{names.identifier(ghost.name)}",
            ghost.capacity,
            ghost.pos,
        )
        for ghost in policy.ghosts
    ]
    for table in policy.tables:
        one = ir.Const(1, ir.U64)
        for size, what in zip((*table.sizes, one)[:2], ("rows", "columns"), strict=True):
            result.append((f"A table's {what}.", f"cpol_table_{what}_{names.identifier(table.name)}", size, table.pos))
    for given in policy.arrays:
        assert given.size is not None
        function = f"cpol_array_size_{names.identifier(given.name)}"
        result.append(("Entries of an array.", function, given.size, given.pos))
    if policy.pin is not None:
        result.append(("Pages that may be pinned.", "cpol_pin_quota", policy.pin.quota, policy.pin.pos))
    if policy.keep is not None:
        result.append(("Pages that may be kept in a second.", "cpol_keep_quota", policy.keep.quota, policy.keep.pos))
    for array in policy.list_arrays:
        function = f"cpol_list_array_length_{names.identifier(array.name)}"
        result.append(("Lists in an array.", function, array.length, array.pos))
    return [
        {"what": what, "name": name, "value": expr.text(value), "line": writer.line(pos)}
        for what, name, value, pos in result
    ]


def _every(policy: ir.Policy, number: int, every: ir.Every, writer: stmt.Writer) -> dict[str, Any]:
    return {
        "number": number,
        "unit": every.unit,
        "moves": walk.moves(policy, every),
        "line": writer.line(every.pos),
        "period": expr.text(every.period),
        "body": "\n".join(writer.marked(writer.begin(every.body), every.pos) + writer.block(every.body, 1)),
    }


def _score(score: ir.ScoreDecl, writer: stmt.Writer) -> dict[str, str]:
    record = f", struct cpol_meta *{expr.record_name(score.folio)}" if writer.score_uses_record(score) else ""
    arguments = f"cpol_ctx *c, cpol_folio {names.identifier(score.folio)}{record}"
    return {
        "line": writer.line(score.pos),
        "type": layout.expression_type(score.body.type),
        "signature": f"cpol_score_{names.identifier(score.name)}({arguments})",
        "unused": names.identifier(score.folio),
        "body": expr.text(score.body),
    }


def _handler(event: str, policy: ir.Policy, writer: stmt.Writer) -> dict[str, str]:
    handler = policy.handlers[event]
    arguments = ["c"]
    if EVENTS[event].of == "folio":
        arguments.append(names.identifier(handler.folio) if handler.folio else "cpol_f")
    if event == "removed":
        arguments.append(names.identifier(handler.why) if handler.why else "cpol_why")
    return {
        "event": event,
        "head": f"CPOL_HANDLER_ASKED({event}, c)"
        if event in PREFETCH_EVENTS
        else f"CPOL_HANDLER_{event.upper()}({', '.join(arguments)})",
        "line": writer.line(handler.pos),
        "body": writer.handler(handler),
    }


def _number(text: str, name: str) -> str:
    """Replace each `#line here` by the generated file's own line number."""
    lines = text.split("\n")
    numbered = (f'#line {n + 1} "{name}"' if line == _HERE else line for n, line in enumerate(lines, 1))
    return "\n".join(numbered)
