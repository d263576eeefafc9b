"""Checks soft words in declarations: notes of params, kinds and keys of inputs.

They are not keywords, so the grammar accepts any word there.
"""

from __future__ import annotations

from cpol.compiler.check.symbols import InputSym
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.types import UNITS, parse_type

KEYS = ("thread", "process", "comm", "file", "page", "device", "cgroup")


def param_notes(decl: ast.ParamDecl, report: Report) -> tuple[str, bool]:
    """The unit of a param (or an empty text), and whether it is live."""
    unit, live = "", False
    for note in decl.notes:
        text = note.text
        if text == "live" and not live:
            live = True
        elif text in UNITS and not unit and not live:
            unit = text
        else:
            _wrong_note(note, unit, live, report)
            break
    return unit, live


def _wrong_note(note: ast.Name, unit: str, live: bool, report: Report) -> None:
    text = note.text
    if (text == "live" and live) or text == unit:
        message, help = f"`{text}` is written twice", "remove one of them"
    elif text in UNITS and unit:
        message, help = f"a param has one unit, here `{unit}`", f"remove `{text}`"
    elif text in UNITS:
        message, help = "the unit stands before `live`", f"write `{text} live`"
    else:
        message = f"`{text}` is no unit"
        help = suggest(text, (*UNITS, "live"))
    why = f"after its range a param may have one unit, of {listing(UNITS)}, and then `live`"
    report.error("E0113", note.span, message, why=why, help=help)


def declare_input(decl: ast.InputDecl, report: Report) -> InputSym:
    """The symbol of an input. It reports wrong words."""
    kind, key = decl.kind, decl.key
    symbol = InputSym(decl.name.text, decl.name.span, decl, map=decl.type is not None)
    if kind.text not in ("set", "map"):
        report.error(
            "E0114",
            kind.span,
            f"an input is a `set` or a `map`, not a `{kind.text}`",
            help=suggest(kind.text, ("set", "map")) or "write `set of thread`, or `map of file to u8 = 1`",
        )
    elif (kind.text == "map") != symbol.map:
        report.error(
            "E0114",
            decl.span if decl.type is None else decl.type.span,
            "a `map` needs the type of its values" if decl.type is None else "a `set` has no values",
            help=f"write `map of {key.text} to u8 = 1`" if decl.type is None else f"write `map of {key.text} to …`",
        )
    if key.text not in KEYS:
        report.error(
            "E0114",
            key.span,
            f"the key of an input cannot be `{key.text}`",
            why=f"the keys are {listing(KEYS)}",
            help=suggest(key.text, KEYS),
        )
    if decl.type is not None:
        symbol.type = parse_type(decl.type.text)
        if symbol.type is None:
            report.error(
                "E0104",
                decl.type.span,
                f"an input cannot map to `{decl.type.text}`",
                why="user space writes numbers or `bool`s",
                help=suggest(decl.type.text, ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "fix", "bool")),
            )
    return symbol
