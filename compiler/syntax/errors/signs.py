"""Messages about characters, operators and numbers outside of the language."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.edit import replaced
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax.errors.place import NAMES, Place
from cpol.grammar.generated.CpolParser import CpolParser as P

ASSIGNING = ("/", "%", "&", "|", "^", "<<", ">>")
"""Operators that do not assign: the language has `+=`, `-=` and `*=`."""

OPERATORS = {
    "&&": "write `and`",
    "||": "write `or`",
    "!": "write `not`",
    ";": "leave it out: statements need nothing between them",
    "++": "write `x += 1`",
    "--": "write `x -= 1`, or a space between the two signs",
    **{f"{sign}=": f"write `x = x {sign} y`" for sign in ASSIGNING},
    "?": "write `if CONDITION then A else B`",
    "#": "comments start with `//`",
    "/*": "comments start with `//` and end with the line",
    "->": "write `.`; a fn is written `fn NAME(x: u64): u64 = VALUE`",
}
PLAIN_OPERATORS = {"&&": "and", "||": "or", "!": "not", ";": ""}
"""What stands in the place of an operator, wherever that stands."""

NO_TEXT = 'text is the name of a command, or the file of an `import`, between two `"` on one line: `"rsync"`'
CHARACTERS = {
    "@": "write `NAME[INDEX]` for an element of a table, and `f.NAME` for what each folio has of its own",
    **dict.fromkeys("\"'`“”„‘’‚«»", NO_TEXT),
    **dict.fromkeys("–—−‐‑", "write `-`"),
    "×": "write `*`",
    "÷": "write `/`",
    "≤": "write `<=`",
    "≥": "write `>=`",
    "≠": "write `!=`",
    "…": "write `..`",
    "\N{NO-BREAK SPACE}": "write a plain space",
    "\N{ZERO WIDTH NO-BREAK SPACE}": "remove this byte order mark",
}
"""What to write instead of a character. Text editors insert some of these."""
PLAIN_CHARACTERS = {
    **dict.fromkeys("–—−‐‑", "-"), "×": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=", "…": "..",
    "\N{NO-BREAK SPACE}": " ", "\N{ZERO WIDTH NO-BREAK SPACE}": "",
}  # fmt: skip
"""What stands in the place of a character."""


def span(token: Any) -> Span:
    """The span of a token. At the end of the text it is empty."""
    return Span(token.start, max(token.start, token.stop + 1))


def quoted(token: Any) -> str:
    text: str = token.text
    return f"`{text if len(text) <= 30 else text[:27] + '...'}`"


def say_sign(place: Place, report: Report) -> bool:
    """Whether the error is a character, operator or number outside of the language. It reports the error if so."""
    token = place.token
    if token.type == P.FOREIGN:
        _say_operator(place, report)
    elif token.type == P.STRING and place.before is not None and place.before.type == P.IMPORT:
        helps = f"write `import NAME from {token.text}`"
        report.error("E0009", span(token), f"{quoted(token)} is not a name to import", help=helps)
    elif token.type == P.UNKNOWN:
        _say_character(token, report)
    elif token.type == P.BAD_NUMBER:
        _say_number(token, report)
    elif token.type == P.DOT and place.before is not None and place.before.type == P.DOTDOT:
        dots = Span(place.before.start, token.stop + 1)
        fix = replaced(report.source, dots, "..")
        helps = "write `..`: both ends are included"
        report.error("E0009", dots, "`...` is not part of the language", help=helps, fix=fix)
    elif token.type == P.DOT and (_is_int(place.before) or _is_int(place.after)):
        why = "a fraction has a digit on each side of the point"
        report.error("E0008", span(token), "half a number", why=why, help="write `0.5` or `5.0`")
    else:
        return False
    return True


def _is_int(token: Any) -> bool:
    return token is not None and bool(token.type == P.INT)


def _say_operator(place: Place, report: Report) -> None:
    token, before, after = place.token, place.before, place.after
    help = OPERATORS[token.text]
    apart = before is None or before.stop + 1 < token.start
    if token.text == "--" and apart and after is not None and token.stop + 1 < after.start:
        help = "comments start with `//`"
    if token.text.removesuffix("=") in ASSIGNING:
        help = _assignment(place)
    plain = PLAIN_OPERATORS.get(token.text)
    fix = None if plain is None else replaced(report.source, span(token), plain)
    report.error("E0009", span(token), f"`{token.text}` is not part of the language", help=help, fix=fix)


def _assignment(place: Place) -> str:
    """What to write for `x /= 2`: with the name and the number at hand, where they are simple."""
    tokens = [token for token in place.tokens if token.channel == 0]
    at = next(number for number, token in enumerate(tokens) if token.start >= place.token.start)
    start = at - 1
    while start >= 2 and tokens[start - 1].type == P.DOT:
        start -= 2
    target = "".join(token.text for token in tokens[max(start, 0) : at])
    if at + 2 >= len(tokens) or not re.fullmatch(r"\w+(\.\w+)*", target, re.ASCII):
        return OPERATORS[place.token.text]
    right, behind = tokens[at + 1 : at + 3]
    ends = behind.line > right.line or behind.type in (P.RBRACE, *NAMES)
    divisor = right.text if right.type in (*NAMES, P.INT, P.FIXED) and ends else "(…)"
    return f"write `{target} = {target} {place.token.text.removesuffix('=')} {divisor}`"


def _say_character(token: Any, report: Report) -> None:
    text = token.text
    shown = f"`{text}`" if text.isprintable() else f"U+{ord(text):04X}"
    help = CHARACTERS.get(text, "")
    rest = token.getInputStream().strdata[token.start :].partition("\n")[0]
    if text == '"' and '"' not in rest[1:]:
        word = re.match(r'"([^\s(){}"]*)', rest)
        why, help = 'text ends with a second `"` on the same line', f'write `"{word[1] if word else ""}"`'
        report.error("E0009", span(token), 'the text after this `"` is never closed', why=why, help=help)
        return
    plain = PLAIN_CHARACTERS.get(text)
    fix = None if plain is None else replaced(report.source, span(token), plain, title=_title(plain))
    report.error("E0009", span(token), f"the character {shown} is not part of the language", help=help, fix=fix)


def _title(plain: str) -> str:
    """Of a fix of a character, which may be one that nobody sees."""
    return {"": "Remove the byte order mark", " ": "Write a plain space"}.get(plain, "")


def _say_number(token: Any, report: Report) -> None:
    text, number, help = token.text, "", ""
    if text[:2].lower() in ("0x", "0b", "0o"):
        why = "numbers are decimal, or hexadecimal with `0x`"
        digits = text[2:].replace("_", "")
        base = {"x": 16, "b": 2, "o": 8}[text[1].lower()]
        if 0 < len(digits) <= 16 and digits.isalnum():
            with suppress(ValueError):
                number = f"0x{int(digits, base):x}"
    elif "_" in text and text.replace("_", "").replace(".", "").isdigit():
        why, number = "an underscore stands between two digits", text.replace("_", "")
    elif unit := re.fullmatch(r"(\d+)(ms|s|min|h)", text):
        why, number = "a space stands before the unit of a time", f"{unit[1]} {unit[2]}"
    elif unit := re.fullmatch(r"(\d+)([kKMGT])(i?B?)", text):
        pages = int(unit[1]) * {"k": 1, "K": 1, "M": 1 << 10, "G": 1 << 20, "T": 1 << 30}[unit[2]] // 4
        why = "memory is counted in pages of 4 KiB; only `cache up to` takes a size, with a space before its unit"
        help = f"write `{int(unit[1]) * 1000}`" if text[-1] == "k" else f"write `{pages}` for {text} in pages"
    elif power := re.fullmatch(r"(\d+)[eE](\d{1,2})", text):
        why, number = "numbers have no exponent", str(int(power[1]) * 10 ** int(power[2]))
    else:
        why = "a number consists of digits, with `_` between them and a fraction as in `0.5`"
    help = help or (f"write `{number}`" if number else "")
    fix = replaced(report.source, span(token), number) if number else None
    report.error("E0008", span(token), f"{quoted(token)} is not a number", why=why, help=help, fix=fix)
