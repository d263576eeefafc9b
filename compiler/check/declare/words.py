"""Checks soft words in declarations: notes of params, kinds and keys of inputs.

They are not keywords, so the grammar accepts any word there.
"""

from __future__ import annotations

from cpol.compiler.check.habits import OTHER_KEYS
from cpol.compiler.check.symbols import InputSym
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.types import UNITS, Type, parse_type

KINDS = ("set", "map", "array")
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
    if kind.text == "array":
        return _declare_array(decl, report)
    symbol = InputSym(decl.name.text, decl.name.span, decl, map=decl.type is not None or kind.text == "map")
    if kind.text not in KINDS:
        report.error(
            "E0114",
            kind.span,
            f"an input is a `set`, a `map` or an `array`, not a `{kind.text}`",
            help=suggest(kind.text, KINDS)
            or "write `set of thread`, `map of file to u8 = 1`, or `array[cache.capacity] of u8`",
        )
        if decl.sizes:
            return symbol
    elif decl.sizes:
        report.error(
            "E0114",
            decl.sizes[0].span,
            f"a `{kind.text}` has no size",
            why="it holds what user space puts into it; an array has a size",
            help=f"remove the size, or write `input {decl.name.text}: array[N] of u8`",
        )
    elif (kind.text == "map") != (decl.type is not None):
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
            help=f"write `{OTHER_KEYS[key.text]}`" if key.text in OTHER_KEYS else suggest(key.text, KEYS),
        )
    if decl.type is not None:
        symbol.type = _value_type(decl.type, f"an input cannot map to `{decl.type.text}`", report)
    return symbol


def _declare_array(decl: ast.InputDecl, report: Report) -> InputSym:
    """The symbol of an array. It reports wrong words."""
    symbol = InputSym(decl.name.text, decl.name.span, decl, array=True)
    name = decl.name.text
    if decl.default is not None or decl.type is None:
        span = decl.span if decl.default is None else decl.default.span
        why = "each index has an entry, which is 0 at first"
        helps = f"write `input {name}: array[N] of u8`, or a `map`"
        report.error("E0114", span, "an `array` has neither keys nor a default", why=why, help=helps)
        return symbol
    if not decl.sizes:
        why = "the kernel makes room for all entries at attach"
        helps = f"write `array[N] of {decl.type.text}`, where N is computed from numbers, params and `cache.capacity`"
        report.error("E0114", decl.kind.span, "an `array` needs the number of its entries", why=why, help=helps)
    elif len(decl.sizes) > 1:
        extra = decl.sizes[1].span.to(decl.sizes[-1].span)
        why = "an array has one dimension"
        report.error(
            "E0216",
            extra,
            f"the array `{name}` has {len(decl.sizes)} sizes",
            why=why,
            help=f"write one size: `input {name}: array[N] of {decl.type.text}`",
        )
    symbol.type = _value_type(decl.type, f"an array cannot hold `{decl.type.text}`", report)
    return symbol


def _value_type(type: ast.Name, message: str, report: Report) -> Type | None:
    """The type of values that user space writes. None after an error."""
    found = parse_type(type.text)
    if found is None:
        numbers = ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "fix", "bool")
        why = "user space writes numbers or `bool`s"
        report.error("E0104", type.span, message, why=why, help=suggest(type.text, numbers))
    return found
