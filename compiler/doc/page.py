"""Builds the page of a policy from its source, for `cpolc doc`. html.py, man.py and markdown.py print it."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from cpol.compiler import ir
from cpol.compiler.analysis.upper_bound import Setting, period_text
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.doc.summary import summary_of
from cpol.compiler.ir import walk
from cpol.compiler.literals import show_value
from cpol.compiler.stages import Compilation
from cpol.compiler.syntax import ast

KEPT = (
    "Import",
    "ListDecl",
    "GhostDecl",
    "RecordDecl",
    "StateDecl",
    "TableDecl",
    "InputDecl",
    "EnumDecl",
    "FnDecl",
    "ScoreDecl",
)
"""Declarations of state and computation, besides the folio record."""


@dataclass(frozen=True)
class Paragraph:
    """Text with code in back quotes."""

    text: str


@dataclass(frozen=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Code:
    """`language` is empty unless the text is a whole policy."""

    text: str
    language: str = ""


Block = Paragraph | Table | Code


@dataclass(frozen=True)
class Section:
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """`summary` is the first sentence of the policy's doc comment."""

    name: str
    summary: str
    sections: tuple[Section, ...]


def page_of(compiled: Compilation, cost: tuple[str, ...] = ()) -> Page:
    """Build the page of a policy. `cost` has sentences about its cost."""
    policy = compiled.policy
    summary, rest = summary_of(policy.doc)
    made = [
        Section("Description", tuple(Paragraph(text) for text in rest)),
        Section("Parameters", _parameters(policy)),
        Section("What it keeps", _kept(compiled)),
        Section("When it acts", _handlers(policy)),
        Section("What always holds", _invariants(policy)),
        Section("Tests", _tests(policy)),
        Section("Cost", tuple(Paragraph(text) for text in cost)),
        Section("Source", (Code(compiled.source.text.rstrip("\n"), "cpol"),)),
    ]
    sections = tuple(section for section in made if section.blocks)
    return Page(policy.name, summary or f"The policy {policy.name}.", sections)


def _parameters(policy: ir.Policy) -> tuple[Block, ...]:
    rows = []
    for param in policy.params:
        unit = f" {param.unit}" if param.unit else ""
        least, most = (show_value(raw, param.type) for raw in (param.low, param.high))
        limits = "any" if isinstance(param.type, ir.BoolType | ir.EnumType) else f"{least} to {most}"
        when = "any time (`cpolc set`)" if param.live else "at attach"
        doc = " ".join(param.doc.split())
        default = show_value(param.default, param.type)
        rows.append((f"`{param.name}`", f"`{param.type}`", f"{default}{unit}", limits, when, doc))
    if not rows:
        return ()
    say = Paragraph("Set with `--set NAME=VALUE`, in `cpolc attach` and `cpolc sim`.")
    return (say, Table(("name", "type", "default", "range", "set", "meaning"), tuple(rows)))


def _kept(compiled: Compilation) -> tuple[Block, ...]:
    """Each declaration with the comment behind it, or else the doc comment above it."""
    rows = []
    for item in compiled.ast.items:
        kind = type(item).__name__
        if compiled.source.region(item.span.start) is not None:  # an import brought it
            continue
        if isinstance(item, ast.FolioDecl):
            for declared in item.fields:
                note = _about(compiled, declared.span) or _about(compiled, item.span)
                rows.append((f"`folio {{ {_written(compiled, declared.span).rstrip(',')} }}`", note))
        elif isinstance(item, ast.ActionDecl):
            rows.append((f"`{_written(compiled, item.head)}`", _about(compiled, item.span)))
        elif kind in KEPT:
            rows.append((f"`{_written(compiled, item.span)}`", _about(compiled, item.span)))
    return (Table(("declaration", "meaning"), tuple(rows)),) if rows else ()


def _written(compiled: Compilation, span: Span) -> str:
    """The source of a span on one line, without comments."""
    text = re.sub(r"//[^\n]*", "", compiled.source.slice(span))
    return " ".join(text.split())


def _about(compiled: Compilation, span: Span) -> str:
    """The comment behind a span, or else the lines of `///` above it."""
    return _behind(compiled, span) or _above(compiled, span)


def _above(compiled: Compilation, span: Span) -> str:
    lines = compiled.source.text[: span.start].split("\n")[:-1]
    doc: list[str] = []
    while lines and lines[-1].strip().startswith("///"):
        doc.insert(0, lines.pop().strip().removeprefix("///").strip())
    return " ".join(doc)


def _behind(compiled: Compilation, span: Span) -> str:
    """The comment behind a span, on the same line, unless it is for `cpolc lint`."""
    text = compiled.source.text
    found = re.compile(r"[ \t]*,?[ \t}]*///?[ \t]*+(?!lint:)([^\n]*)").match(text, span.end)
    return found[1].strip() if found else ""


def _handlers(policy: ir.Policy) -> tuple[Block, ...]:
    events = ", ".join(f"`{event}`" for event in policy.handlers)
    said = [Paragraph(f"It handles {events}.")]
    for every in policy.everies:
        period = _period(every.period, policy)
        said.append(Paragraph(f"Besides, it acts every {period} {every.unit}."))
    return tuple(said)


def _period(period: ir.Expr, policy: ir.Policy) -> str:
    """A period as a reader knows it: its number, the name of its param, or its formula."""
    if isinstance(period, ir.Const):
        return str(period.value)
    if any(isinstance(part, ir.Arith) for part in walk.walk(period)):
        return f"`{period_text(period, Setting.of(policy, 1))}`"
    return _param_name(period)


def _param_name(expr: ir.Expr) -> str:
    """The name of the param in a period, which is a constant or a param."""
    if isinstance(expr, ir.Param):
        return f"`{expr.name}`"
    inner = [getattr(expr, field.name) for field in fields(expr)]
    return next((_param_name(part) for part in inner if isinstance(part, ir.Param | ir.Convert)), "so many")


def _invariants(policy: ir.Policy) -> tuple[Block, ...]:
    text = "\n".join(invariant.text for invariant in policy.invariants)
    return (Code(text),) if text else ()


def _tests(policy: ir.Policy) -> tuple[Block, ...]:
    rows = []
    for test in policy.tests:
        expects = len({step.pos for step in test.steps if isinstance(step, ir.Expect)})
        doc = " ".join(test.doc.split()) or test.name.partition(".")[0].replace("_", " ")
        doc += f" (`{test.row}`)" if test.row else ""
        rows.append((f"`{test.name}`", doc, str(test.capacity), str(expects)))
    return (Table(("test", "about", "capacity", "expectations"), tuple(rows)),) if rows else ()
