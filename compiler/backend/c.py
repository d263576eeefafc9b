"""Policy IR to C: one body that both `cpol/host.h` and `cpol/bpf.h` compile (runtime/include/cpol/README.md)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from cpol.compiler import ir
from cpol.compiler.backend import expr, layout, manifest, names, stmt

EVENTS = ("init", "added", "first_accessed", "accessed", "removed", "evict")

_HERE = "#line here"


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def generate(policy: ir.Policy) -> str:
    """The C text of `policy`."""
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
            identifier=names.identifier,
            params=layout.params(policy.params),
            states=[layout.member(state.name, state.type, state.init, packed=False) for state in policy.states],
            record=layout.record(policy.fields),
            record_size=layout.record_size(layout.record(policy.fields)),
            kernel_record_size=layout.record_size(layout.kernel_record(policy)),
            ghosts=[
                (names.identifier(ghost.name), expr.text(ghost.capacity), writer.line(ghost.pos))
                for ghost in policy.ghosts
            ],
            scores=[_score(score, writer) for score in policy.scores],
            handlers=[_handler(event, policy, writer) for event in EVENTS if event in policy.handlers],
            manifest=[names.c_string(line) for line in manifest.lines(policy)],
            here=_HERE,
        )
    )
    return _number(text, names.path(policy.name) + ".c")


def _score(score: ir.ScoreDecl, writer: stmt.Writer) -> dict[str, str]:
    record = f", struct cpol_meta *{expr.record_name(score.folio)}" if stmt.score_uses_record(score) else ""
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
    if event not in ("init", "evict"):
        arguments.append(names.identifier(handler.folio) if handler.folio else "cpol_f")
    if event == "removed":
        arguments.append(names.identifier(handler.why) if handler.why else "cpol_why")
    return {
        "event": event,
        "head": f"CPOL_HANDLER_{event.upper()}({', '.join(arguments)})",
        "line": writer.line(handler.pos),
        "body": writer.handler(handler),
    }


def _number(text: str, name: str) -> str:
    """After lines of the policy, `#line here` goes back to the generated file's own."""
    lines = text.split("\n")
    numbered = (f'#line {n + 1} "{name}"' if line == _HERE else line for n, line in enumerate(lines, 1))
    return "\n".join(numbered)
