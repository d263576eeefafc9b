"""Syntax errors in plain words."""

from __future__ import annotations

from typing import Any

from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.diagnostics.words import suggest
from cpol.compiler.syntax.build.expr import not_yet
from cpol.compiler.syntax.errors.habits import FOREIGN_DECLARATIONS, form, habit
from cpol.compiler.syntax.errors.place import ITEM, LAST_WORD, LATER, STATEMENT, Place, literal
from cpol.grammar.generated.CpolParser import CpolParser as P

VERBS = ("access", "remove", "tick")
"""Steps of a test that name folios, or a time."""

FOREIGN = {
    "&&": "write `and`",
    "||": "write `or`",
    "!": "write `not`",
    ";": "leave it out: statements need nothing between them",
    "++": "write `x += 1`",
    "--": "write `x -= 1`, or a space between the two",
    "/=": "write `x = x / y`",
    "%=": "write `x = x % y`",
    "?": "write `if CONDITION then A else B`",
    "#": "comments start with `//`",
    "/*": "comments start with `//` and end with the line",
    "->": "write `.`, or of a fn `fn NAME(x: u64): u64 = VALUE`",
}
FOREIGN_WORDS = {
    "elif": "write `else if`",
    "elseif": "write `else if`",
    "elsif": "write `else if`",
    "var": "write `let`",
    "foreach": "write `scan LIST from head as f { … }`",
    "while": "every loop has a bound: write `scan LIST from head as f { … }`",
    "break": "write `stop`",
    "continue": "write `keep`, or put the rest into `if … { … }`",
    "return": "a handler has no result: put the rest into `else { … }`",
}


def span(token: Any) -> Span:
    """Of a token; of the end of the text, the empty span there."""
    return Span(token.start, max(token.start, token.stop + 1))


def is_word(token: Any) -> bool:
    """Whether `token` is a keyword."""
    return bool(P.POLICY <= token.type <= LAST_WORD)


def quoted(token: Any) -> str:
    text: str = token.text
    return f"`{text if len(text) <= 30 else text[:27] + '...'}`"


def say_not_a_name(token: Any, report: Report) -> None:
    """A keyword where a name has to be."""
    later = token.type in LATER
    report.error(
        "E0011",
        span(token),
        f"`{token.text}` cannot be a name",
        label="a word of the language",
        why="it is kept for a later version" if later else "",
        help="choose another name",
    )


def say_no_type(token: Any, report: Report) -> None:
    """`folio` where the type of a value has to be."""
    why = "only a parameter of a fn can be a folio"
    report.error(
        "E0104", span(token), "a value cannot be a `folio`", why=why, help="write the type of a value, such as `u64`"
    )


def say_no_input(token: Any, report: Report) -> None:
    """A keyword where an input says what it is."""
    helps = "write `set of thread`, or `map of file to u8 = 1`"
    report.error("E0114", span(token), f"an input is a `set` or a `map`, not a `{token.text}`", help=helps)


def say(place: Place, report: Report) -> None:
    """Report the error at `place`."""
    token = place.token
    kind = token.type
    if kind == P.FOREIGN:
        helps = FOREIGN.get(token.text, "there are no operations on bits")
        report.error("E0009", span(token), f"`{token.text}` is not part of the language", help=helps)
    elif kind == P.UNKNOWN:
        _say_character(token, report)
    elif kind == P.BAD_NUMBER:
        _say_number(token, report)
    elif kind == P.EOF:
        _say_end(place, report)
    elif kind == P.DOT and (_is_int(place.before) or _is_int(place.after)):
        why = "a fraction has a digit on each side of the point"
        report.error("E0008", span(token), "half a number", why=why, help="write `0.5` or `5.0`")
    elif place.rule == "file":
        _say_outside(place, report)
    elif (place.rule == "folioDecl" and is_word(token) and place.after is not None and place.after.type == P.COLON) or (
        is_word(token) and place.after is not None and place.after.type in (P.ASSIGN, P.ADD_ASSIGN, P.SUB_ASSIGN, P.DOT)
    ):
        say_not_a_name(token, report)
    elif kind in LATER:
        not_yet(report, token)
    elif kind in ITEM and place.starts_line and P.RBRACE in place.expected and place.rule != "policy":
        _say_unclosed(place, report)
    else:
        _say_expected(place, report)


def _is_int(token: Any) -> bool:
    return token is not None and bool(token.type == P.INT)


def _say_character(token: Any, report: Report) -> None:
    text = token.text
    shown = f"`{text}`" if text.isprintable() else f"U+{ord(text):04X}"
    helps = "there is no text in the language" if text in "\"'`" else ""
    if text == "\ufeff":
        helps = "remove this byte order mark"
    report.error("E0009", span(token), f"the character {shown} is not part of the language", help=helps)


def _say_number(token: Any, report: Report) -> None:
    text = token.text
    if text[:2].lower() in ("0x", "0b", "0o"):
        why, help = "numbers are decimal", ""
        digits = text[2:].replace("_", "")
        base = {"x": 16, "b": 2, "o": 8}[text[1].lower()]
        if 0 < len(digits) <= 16 and digits.isalnum():
            try:
                help = f"write `{int(digits, base)}`"
            except ValueError:
                help = ""
    elif "_" in text and text.replace("_", "").replace(".", "").isdigit():
        why, help = "an underscore stands between two digits", f"write `{text.replace('_', '')}`"
    else:
        why, help = "a number consists of digits, with `_` between them and a fraction as in `0.5`", ""
    report.error("E0008", span(token), f"{quoted(token)} is not a number", why=why, help=help)


def _say_end(place: Place, report: Report) -> None:
    brace = place.unclosed_brace()
    if brace is not None:
        report.error("E0012", span(brace), "this `{` is never closed", label="the file ends before its `}`")
    else:
        report.error("E0012", span(place.token), "the file ends too early", help=f"expected {place.wanted()}")


def _say_unclosed(place: Place, report: Report) -> None:
    brace = place.open_brace()
    others = (Label(span(brace), "this `{` is not closed"),) if brace is not None else ()
    report.error(
        "E0012",
        span(place.token),
        f"a `}}` is missing before `{place.token.text}`",
        label="the next declaration",
        others=others,
    )


def _say_outside(place: Place, report: Report) -> None:
    token = place.token
    if place.before is None or P.POLICY in place.expected:
        _say_expected(place, report)
    elif token.type == P.POLICY:
        report.error("E0013", span(token), "there is one policy in a file", label="a second one")
    else:
        report.error(
            "E0013",
            span(token),
            "nothing can follow the policy",
            label=f"{quoted(token)} stands outside of it",
            others=(Label(span(place.before), "the policy ends here"),),
        )


def _say_expected(place: Place, report: Report) -> None:
    token, before = place.token, place.before
    if place.rule == "policy" and before is None:
        helps = suggest(token.text, ["policy"]) or "write `policy NAME { … }` around everything"
        report.error("E0001", span(token), f"a file starts with `policy`, not with {quoted(token)}", help=helps)
        return
    if place.rule == "step" and before.type == P.IDENT and before.text not in VERBS:
        why = "the steps are `access`, `remove`, `tick`, `expect`, and what fills an input: `INPUT.add(KEY)`"
        helps = suggest(before.text, (*VERBS, "expect"))
        report.error("E0116", span(before), f"a test has no step `{before.text}`", why=why, help=helps)
        return
    if place.rule == "policy" and _say_no_declaration(place, report):
        return
    helps = habit(place)
    if helps:
        pass
    elif token.type in (P.WHEN, P.OTHERWISE):
        helps = f"`{token.text}` belongs into a `scan`"
    elif token.type == P.ELSE:
        helps = "`else` belongs right after the `}` of an `if`"
    elif token.type == P.IDENT:
        words = [literal(type) for type in place.expected if P.POLICY <= type <= LAST_WORD and type not in LATER]
        helps = FOREIGN_WORDS.get(token.text) or suggest(token.text, words)
    if before is not None and place.rule in ("path", "pathStmt", "statement", "scanItem", "block", "laterStmt"):
        if before.type == P.IDENT and place.rule in ("path", "pathStmt") and not place.is_member:
            words = [literal(type) for type in sorted(STATEMENT | {P.WHEN, P.OTHERWISE, P.ELSE}) if type not in LATER]
            better = FOREIGN_WORDS.get(before.text) or suggest(before.text, [word for word in words if word])
            if better:
                report.error("E0001", span(before), f"`{before.text}` is no statement of the language", help=better)
                return
        if before.type in LATER:
            not_yet(report, before)
            return
    wanted = place.wanted()
    outside = "a declaration" in wanted or "a statement" in wanted
    if before is not None and place.starts_line and not helps and not outside:
        after = Span(before.stop + 1, before.stop + 1)  # what is missing belongs to the line above
        report.error("E0001", after, f"expected {wanted} after {quoted(before)}", help=form(place))
        return
    label = f"after {quoted(before)}" if before is not None and not place.starts_line else ""
    report.error(
        "E0001", span(token), f"expected {wanted}, found {quoted(token)}", label=label, help=helps or form(place)
    )


def _say_no_declaration(place: Place, report: Report) -> bool:
    """Whether a line starts with a word that starts no declaration, and was taken for one that ends the line above."""
    first = next(t for t in place.tokens if t.line == place.token.line and t.channel == 0)
    if first.type != P.IDENT or first is place.token:
        return False
    words = [literal(type) for type in ITEM - LATER]
    better = FOREIGN_DECLARATIONS.get(first.text) or suggest(first.text, words)
    report.error("E0001", span(first), f"expected a declaration or `}}`, found {quoted(first)}", help=better)
    return True
