"""Messages about words, and the choice of a message for a syntax error."""

from __future__ import annotations

from typing import Any

from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.diagnostics.edit import Instead
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.diagnostics.words import suggest
from cpol.compiler.syntax.errors.declarations import WHOLE, say_unknown_line
from cpol.compiler.syntax.errors.forms import form
from cpol.compiler.syntax.errors.habits import FOREIGN_STATEMENTS, habit, of_a_type, of_return, whole_time
from cpol.compiler.syntax.errors.missing import closed, written
from cpol.compiler.syntax.errors.place import ITEM, LAST_WORD, LATER, NAMES, STATEMENT, Place, literal
from cpol.compiler.syntax.errors.signs import quoted, say_sign, span
from cpol.compiler.vocabulary.event import EVENTS
from cpol.grammar.generated.CpolParser import CpolParser as P

MARKS = ("dirty", "writeback", "clean", "mapped", "executable", "unmapped")
"""Steps of a test that say what folios are from here on."""

SETTLES = ("device", "cgroup")
"""Steps of a test that say where folios come from, from here on."""

OF_FILES = tuple(event.step for event in EVENTS.values() if event.step)
"""Steps of a test that open a file, or have read or written a range of it."""

VERBS = (
    "access",
    "write",
    "readahead",
    "fault",
    "request",
    *OF_FILES,
    "swap",
    "remove",
    "reclaim",
    "room",
    "busy",
    "idle",
    *MARKS,
    *SETTLES,
    "readers",
    "tick",
    "repeat",
)
"""Steps of a test with folios or a number."""

STEPS = f"{', '.join(f'`{verb}`' for verb in VERBS)}, `expect`, `INPUT.add(KEY)` and `INPUT.remove(KEY)`"


STEPS_OF_TESTS = ("step", "folioRange")
"""Rules of the grammar for steps."""

NOT_YET = {
    "hand": "a hand is the seam of two lists: see stdlib/sieve.cpol; several hands: examples/clock-pro",
}
"""What to write instead of words that are reserved for a later version."""


NEWER_WORDS = frozenset({"action", "do", "highest", "import", "library", "match", "return", "unpin", "var", "while"})
"""Keywords that were names before: `cpolc fmt --upgrade` renames them."""


def is_word(token: Any) -> bool:
    """Whether `token` is a keyword."""
    return bool(P.POLICY <= token.type <= LAST_WORD)


def say_not_a_name(token: Any, report: Report) -> None:
    """Report a keyword in place of a name, once."""
    if said(token, report):
        return
    later = token.type in LATER
    report.error(
        "E0011",
        span(token),
        f"`{token.text}` cannot be a name",
        label="a word of the language",
        why="it is reserved for a later version" if later else "",
        help=f"choose another name, such as `{token.text}_`"
        + ("; `cpolc fmt --upgrade FILE` does" if token.text in NEWER_WORDS else ""),
    )


def said(token: Any, report: Report) -> bool:
    """Whether this keyword was reported in place of a name, such as where it is declared."""
    if token.type == P.EXPECT:  # something is missing in front of it, in each test anew
        return False
    return any(d.code == "E0011" and d.message.startswith(f"`{token.text}` ") for d in report.diagnostics)


def say_not_yet(token: Any, report: Report) -> None:
    """Report a use of a reserved construct."""
    report.error(
        "E0010",
        span(token),
        f"`{token.text}` is not in this version of cpol",
        label="reserved for a later version",
        help=NOT_YET[token.text],
    )


def say_no_type(token: Any, report: Report) -> None:
    """Report `folio` in place of the type of a value."""
    why = "only a parameter of a fn can be a folio"
    report.error(
        "E0104", span(token), "a value cannot be a `folio`", why=why, help="write the type of a value, such as `u64`"
    )


def say_no_input(token: Any, report: Report) -> None:
    """Report a keyword in place of the kind of an input."""
    helps = "write `set of thread`, or `map of file to u8 = 1`"
    report.error("E0114", span(token), f"an input is a `set`, a `map` or an `array`, not a `{token.text}`", help=helps)


def say(place: Place, report: Report) -> None:
    """Report the error at `place`."""
    token = place.token
    kind = token.type
    if say_sign(place, report):
        return
    if kind == P.EOF:
        _say_end(place, report)
    elif place.rule == "file":
        _say_outside(place, report)
    elif is_word(token) and _stands_for_a_name(place):
        say_not_a_name(token, report)
    elif is_word(token) and P.IDENT in place.expected and not place.starts_line and said(token, report):
        pass  # a use of a name that is one error already
    elif kind in LATER:
        say_not_yet(token, report)
    elif kind in ITEM and place.starts_line and P.RBRACE in place.expected and place.rule not in WHOLE:
        _say_unclosed(place, report)
    else:
        _say_expected(place, report)


def _stands_for_a_name(place: Place) -> bool:
    """Whether the keyword at `place` is meant as a name, by what stands beside it."""
    before = place.before.type if place.before is not None else None
    after = place.after.type if place.after is not None else None
    if after in (P.ASSIGN, P.ADD_ASSIGN, P.SUB_ASSIGN, P.DOT):
        return True
    if P.IDENT not in place.expected:
        return place.rule == "folioDecl" and after == P.COLON
    listed = place.rule == "enumDecl" and after in (P.COMMA, P.RBRACE)
    return not place.starts_line and (after == P.COLON or before == P.DOT or listed)


def _say_end(place: Place, report: Report) -> None:
    brace = place.unclosed_brace()
    if brace is not None:
        report.error(
            "E0012",
            span(brace),
            "this `{` is never closed",
            label="the file ends before its `}`",
            help="write the `}` that is missing",
            fix=closed(brace, place, report.source),
        )
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
        help="write the `}`, or remove what should not be inside",
        fix=closed(brace, place, report.source) if brace is not None else None,
    )


def _say_outside(place: Place, report: Report) -> None:
    token = place.token
    if place.before is None or P.POLICY in place.expected:
        _say_expected(place, report)
    elif token.type in (P.POLICY, P.LIBRARY):
        report.error(
            "E0013",
            span(token),
            "a file holds one policy or one library",
            label="a second one",
            help="move it to a file of its own",
        )
    else:
        report.error(
            "E0013",
            span(token),
            "nothing can follow the policy",
            label=f"{quoted(token)} stands outside of it",
            why="the braces of a policy hold all that a file declares",
            help="remove it" if token.type == P.RBRACE else "write it in front of the `}` that ends the policy",
            others=(Label(span(place.before), "the policy ends here"),),
        )


def _say_expected(place: Place, report: Report) -> None:
    token, before = place.token, place.before
    if before is None:
        helps = "write it in the policy" if token.type == P.IMPORT else suggest(token.text, ["policy", "library"])
        helps = helps or "write `policy NAME { … }` around everything"
        report.error("E0001", span(token), f"a file starts with `policy`, not with {quoted(token)}", help=helps)
        return
    if place.rule in STEPS_OF_TESTS and _say_no_step(place, report):
        return
    if place.rule in WHOLE and say_unknown_line(place, report):
        return
    if place.score is not None and place.score.text not in ("lowest", "highest"):
        word, score = place.score, place.before
        report.error(
            "E0001",
            span(word),
            f"expected `lowest` or `highest`, found {quoted(word)}",
            why="it says which scores go first",
            help=f"write `evict lowest {score.text} of …`, or `evict highest {score.text} of …`",
        )
        return
    helps = habit(place)
    if helps:
        pass
    elif token.type in (P.WHEN, P.OTHERWISE):
        helps = f"`{token.text}` belongs in a `scan`"
    elif token.type == P.ELSE:
        helps = "`else` belongs right after the `}` of an `if`"
    elif token.type == P.RETURN:
        helps = of_return(place)
    elif token.type in NAMES:
        words = [literal(type) for type in place.expected if P.POLICY <= type <= LAST_WORD and type not in LATER]
        foreign = "" if place.rule in STEPS_OF_TESTS else FOREIGN_STATEMENTS.get(token.text, "")
        helps = foreign or suggest(token.text, words)
    if before is not None and place.rule in ("path", "pathStmt", "statement", "scanItem", "block"):
        later = next((t for t in (before, place.second) if t is not None and t.type in LATER), None)
        if later is not None:
            say_not_yet(later, report)
            return
        if helps_time := whole_time(place.second, before):
            time = Span(place.second.start, before.stop + 1)
            report.error("E0001", time, f"`{place.second.text} {before.text}` is no time", help=helps_time)
            return
        if before.type in NAMES and place.rule in ("path", "pathStmt") and not place.is_member:
            words = [literal(type) for type in sorted(STATEMENT | {P.WHEN, P.OTHERWISE, P.ELSE}) if type not in LATER]
            better = (
                of_a_type(place) or FOREIGN_STATEMENTS.get(before.text) or suggest(before.text, filter(None, words))
            )
            if better:
                report.error("E0001", span(before), f"`{before.text}` is no statement of the language", help=better)
                return
    wanted = place.wanted()
    fix = None if isinstance(helps, Instead) else written(place, report.source)
    outside = "a declaration" in wanted or "a statement" in wanted
    above = not helps or (before is not None and before.type == P.PERCENT)
    if before is not None and place.starts_line and above and not outside:
        after = Span(before.stop + 1, before.stop + 1)  # the missing part belongs to the line above
        report.error("E0001", after, f"expected {wanted} after {quoted(before)}", help=helps or form(place), fix=fix)
        return
    label = f"after {quoted(before)}" if before is not None and not place.starts_line else ""
    report.error(
        "E0001",
        span(token),
        f"expected {wanted}, found {quoted(token)}",
        label=label,
        help=helps or form(place),
        fix=fix,
    )


def _say_no_step(place: Place, report: Report) -> bool:
    """Report an unknown word where a step starts. A name may follow it. Returns whether it reported an error."""
    words = [word for word in (place.second, place.before) if word is not None and word.type in NAMES]
    word = words[0] if len(words) == 2 and words[1] is place.before else place.before
    if word.type not in NAMES or word.text in VERBS:
        return False
    why, helps = f"the steps are {STEPS}", suggest(word.text, (*VERBS, "expect"))
    if word.type == P.CASE:
        helps = "a `case` stands in a `test`, in front of its steps"
    report.error("E0116", span(word), f"a test has no step `{word.text}`", why=why, help=helps)
    return True
