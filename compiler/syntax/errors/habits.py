"""Suggestions for syntax errors that come from habits of other languages."""

from __future__ import annotations

import re
from itertools import pairwise, takewhile
from typing import Any

from cpol.compiler.diagnostics.edit import instead
from cpol.compiler.syntax.durations import OTHER_UNITS, in_ms
from cpol.compiler.syntax.errors.forms import FORMS
from cpol.compiler.syntax.errors.place import DECLARATION, NAMES, Place
from cpol.compiler.types import UNIT_MS, UNITS, parse_type
from cpol.compiler.vocabulary.event import EVENTS
from cpol.grammar.generated.CpolParser import CpolParser as P

ANY_UNIT = frozenset((*UNITS, *UNIT_MS, "MiB", "GiB"))

IMPORTS = dict.fromkeys(("include", "use", "using", "require"), "write `import NAME from LIBRARY`")

FOREIGN_DECLARATIONS = {
    **IMPORTS,
    "let": "write `state NAME: TYPE = VALUE`",
    "var": "write `state NAME: TYPE = VALUE`",
    "array": "write `table NAME: TYPE[SIZE] = VALUE`",
    "map": "write `input NAME: map of KEY to TYPE = VALUE`",
    "file": "write `file up to 4096 { NAME: TYPE = VALUE }`",
    "task": "write `task up to 1024 { NAME: TYPE = VALUE }`",
    "set": "write `input NAME: set of KEY`",
    "procedure": "write `action NAME(f: folio) { … }`",
    "macro": "write `action NAME(f: folio) { … }`",
    "def": "write `fn NAME(x: u64): u64 = VALUE`",
    "func": "write `fn NAME(x: u64): u64 = VALUE`",
    "function": "write `fn NAME(x: u64): u64 = VALUE`",
}

TYPES = re.compile(
    r"[ius]\d+|u?int(\d+)?(_t)?|(un)?signed|long|short|char|byte|bool(ean)?|fix|float|double|size_t|auto"
)
"""Words in front of what other languages declare."""

FOREIGN_STATEMENTS = {
    "elif": instead("elif", "else if"),
    "elseif": instead("elseif", "else if"),
    "elsif": instead("elsif", "else if"),
    "foreach": "write `scan LIST from head as f { … }`",
    **dict.fromkeys(("delete", "discard", "free", "remove"), "write `evict f`, in `on evict`"),
    **dict.fromkeys(
        ("insert", "push", "enqueue", "append"),
        "write `place f at tail of LIST` in `on added`, and `move f to tail of LIST` elsewhere",
    ),
    "break": instead("break", "stop"),
    "call": "write `do NAME(f, x)` to call an action",
    "continue": "write `keep`, or put the rest into `if … { … }`",
    "switch": "write `match NAME { MEMBER { … } otherwise { … } }`",
    "print": "a policy cannot print: `cpolc step` shows what it does",
}


def habit(place: Place) -> str:
    """A suggestion for the error at `place`; empty if there is none."""
    return of_a_name(place) or of_a_param(place) or of_a_handler(place) or of_a_statement(place)


def of_a_name(place: Place) -> str:
    """A suggestion for a name that is missing, in quotes or written with a `-`; empty if this is no such error."""
    token, before, after = place.token, place.before, place.after
    if before is None:
        return ""
    if token.type == P.LBRACE and before.type in (P.POLICY, P.LIBRARY):
        return f"write `{before.text} NAME {{ … }}`"
    if token.type == P.COLON and place.second is not None and place.second.type in (P.POLICY, P.LIBRARY):
        return f"write `{place.second.text} {before.text} {{ … }}`"
    if token.type == P.STRING and P.IDENT in place.expected and before.type in DECLARATION | {P.POLICY, P.LIBRARY}:
        name = re.sub(r"\W+", "_", token.text.strip('"'), flags=re.ASCII).strip("_")
        return "a name has no quotes" + (f": write `{name}`" if name and not name[0].isdigit() else "")
    if before.type == P.SCAN and token.type in (P.FROM, P.HEAD, P.TAIL):
        return f"the list comes first: write `{FORMS['scanStmt']}`"
    joined = before.stop + 1 == token.start and after is not None and token.stop + 1 == after.start
    if token.type == P.ASSIGN and place.second is not None and place.second.type == P.OF:
        return f"write `input NAME: map of {before.text} to TYPE = VALUE`"
    if token.type == P.MINUS and before.type in NAMES and joined and P.INT not in place.expected:
        return f"a name has letters, digits and `_`: write `{before.text}_{after.text}`"
    return ""


def of_a_param(place: Place) -> str:
    """A suggestion for the range of a param; empty if this is no such error."""
    token, before, second = place.token, place.before, place.second
    line = [t for t in place.tokens if t.line == token.line and t.channel == 0 and t.start < token.start]
    if not line or line[0].type != P.PARAM or (P.IN in [t.type for t in line] and before.type != P.IN):
        return ""
    if before.type in NAMES and second is not None and second.type in (P.INT, P.FIXED):
        unit = OTHER_UNITS.get(before.text.lower(), before.text)
        if helps := whole_time(second, before):
            return helps
        if unit != before.text:
            return f"write `{second.text} {unit}`"
    return "write `param NAME: TYPE = VALUE in LOWEST..HIGHEST`"


def of_a_handler(place: Place) -> str:
    """A suggestion for the parameters of a handler; empty if this is no such error."""
    if not place.inside(P.RULE_handlerParams):
        return ""
    event, inside = place.handler_head()
    if place.token.type == P.RPAREN and place.before.type == P.LPAREN:
        return f"write `{handler(event)}`"
    if place.token.type == P.COLON:
        names = [t.text for comma, t in pairwise(inside) if t.type in NAMES and comma.type in (P.LPAREN, P.COMMA)]
        return f"a handler's parameters have no types: write `on {event}({', '.join(names)})`"
    return ""


def handler(event: str) -> str:
    """The form of a handler of `event`."""
    names = EVENTS[event].parameters[0] if event in EVENTS else ("f",)
    return f"on {event}{f'({names[0]})' if names else ''} {{ … }}"


def of_a_time(place: Place) -> str:
    """A suggestion for `0.5 s`. The error is at the unit, or behind it if the unit begins like a statement."""
    return whole_time(place.before, place.token) or whole_time(place.second, place.before)


def whole_time(number: Any, unit: Any) -> str:
    """A suggestion if these tokens are a fraction and a unit of time; otherwise empty."""
    if number is None or number.type != P.FIXED or unit is None or unit.type not in NAMES:
        return ""
    found = OTHER_UNITS.get(unit.text.lower(), unit.text)
    if found not in UNIT_MS:
        return ""
    return f"a time is a whole number: write `{in_ms(number.text.replace('_', ''), found)} ms`"


def of_a_statement(place: Place) -> str:
    """A suggestion for a habit in statements, handlers and tests; empty if there is none."""
    token, rule, before = place.token, place.rule, place.before
    member = place.after is not None and place.after.type == P.DOT
    if rule == "letStmt" and token.type in NAMES and before.text == "mut":
        return f"write `var {token.text}: TYPE = VALUE` for what can change"
    if rule == "stateDecl" and token.type == P.LBRACK and place.after is not None:
        return f"write `table NAME: {before.text}[{place.after.text}] = VALUE`"
    if P.UP in place.expected and place.inside(P.RULE_whileStmt):
        return f"every loop has a bound: write `{FORMS['whileStmt']}`"
    if token.type == P.LPAREN and before is not None and before.type == P.FOR:
        return f"write `{FORMS['forStmt']}`: both ends are included"
    if token.type == P.LT and before is not None and before.type == P.DOTDOT:
        return half_open(place)
    if token.type == P.STAR and before is not None and before.type == P.STAR:
        return "there is no power: write `x * x`, `1 << n` for a power of two, or `exp2(x)`"
    if rule == "letStmt" and token.type == P.COLON:
        return f"a `let` has the type of its value: write `let {before.text} = …`"
    if rule == "end" and token.type in NAMES and member:
        return f"write `head of {token.text}` or `tail of {token.text}`"
    if rule == "handler" and token.type in NAMES and before.type in NAMES and P.LPAREN in place.expected:
        return f"write `on {before.text}({token.text}) {{ … }}`"
    if token.type == P.IN and P.LBRACE in place.expected and place.after is not None and place.after.type in NAMES:
        return of_membership(place, place.after.text)
    if rule == "evictStmt" and before is not None and before.type in NAMES:
        return f"write `evict lowest {before.text} of up to 64 from head of LIST`"
    if token.type == P.OF and place.second is not None and place.second.type == P.EVICT:
        return f"write `evict lowest {before.text} of …`, or `evict highest {before.text} of …`"
    if token.type == P.DOT and place.second is not None and place.second.type == P.EVICT:
        return f"write `scan {before.text} from head up to 1 as f {{ evict f }}`"
    if token.type == P.DOT and place.second is not None and place.second.type == P.OF and before.type in NAMES:
        end = place.parser.getTokenStream().LT(-3).text
        where = f"move {before.text} to {end} of LIST"
        return f"a list is named here: write `if {before.text}.list == LIST {{ {where} }}`, for each of the lists"
    if rule == "forStmt" and token.type == P.LBRACE:
        return "`for i in FIRST..LAST { … }` counts; `scan LIST from head as f { … }` visits folios"
    if before is not None and before.type == P.EVICT and P.DOT in place.expected:
        return "the reason why a folio was removed is `evicted`; `evict.wanted` is a number of pages"
    if rule == "fnBody" and token.type == P.IF:
        return "write `return if CONDITION then A else B`"
    if rule in ("handler", "event") and token.type == P.EVERY:
        return "write `every 1000 events { … }`, without `on`"
    if rule == "expr" and P.ELSE in place.expected:
        return "an `if` with a value needs an `else`: write `if CONDITION then A else B`"
    if token.type == P.IF and P.INT in place.expected:
        return "put `if … then … else …` in parentheses here"
    if token.type == P.LBRACE and P.THEN in place.expected:
        return "write `if CONDITION then A else B` to choose a value"
    if token.type == P.THEN and P.LBRACE in place.expected:
        return "write `if CONDITION { … }` for statements, and `if CONDITION then A else B` for a value"
    if helps := of_a_time(place):
        return helps
    if token.type in NAMES and before is not None and before.type == P.INT and token.text.lower() in OTHER_UNITS:
        return f"write `{before.text} {OTHER_UNITS[token.text.lower()]}`"
    number = place.second
    if number is not None and number.type == P.INT and before.text in ANY_UNIT and not place.starts_line:
        return f"a number has one unit: write `{number.text} {before.text}`" if token.type in NAMES else ""
    if before is not None and before.type == P.INT and token.type == P.COMMA and _touches(before, token, place.after):
        return f"write `{before.text}_{place.after.text}`, without a comma"
    if before is not None and before.type == P.PERCENT and place.second and place.second.type in (P.INT, P.FIXED):
        return f"a share is written `{place.second.text} * cache.capacity / 100`"
    if before is not None and before.type in NAMES and token.type == P.COLON and rule in ("path", "pathStmt"):
        return f"write `var {before.text}: TYPE = VALUE`, or `let {before.text} = VALUE`"
    if rule in ("block", "statement") and token.type == P.STATE:
        return "write `var NAME: TYPE = VALUE` for this call, or move the `state` out of the handler"
    if rule == "matchStmt" and token.type == P.ELSE:
        return "write `otherwise { … }`"
    if rule in ("step", "folioRange", "number", "testDecl", "stepBlock") and (helps := of_a_step(place)):
        return helps
    if token.type == P.CASE:
        return "a `case` stands in a `test`, in front of its steps"
    if token.type == P.EXPECT:
        return "`expect` belongs in a `test`"
    if token.type == P.LBRACK and rule not in FORMS:
        return "only tables and arrays take an index, right after the name"
    if token.type == P.EVERY and rule not in ("policy", "library"):
        return "move the `every` out of the handler"
    if rule in ("block", "ifStmt", "elsePart") and P.LBRACE in place.expected:
        return "statements stand in braces: write `{ … }` around them"
    return ""


def half_open(place: Place) -> str:
    """A suggestion for the range `0..<3`."""
    first, last = place.second, place.after
    if first is None or last is None or last.type not in (P.INT, *NAMES):
        return "both ends are included: write `FIRST..LAST - 1`"
    end = str(int(last.text) - 1) if last.text.isdigit() and int(last.text) else f"{last.text} - 1"
    return f"both ends are included: write `{first.text}..{end}`"


def of_membership(place: Place, where: str) -> str:
    """A suggestion for `f in WHERE`, a list or an input."""
    if not place.names_a_list(where):
        return f"write `{where}.has(…)` to ask whether it is in that input"
    folio = place.before.text if place.before.type in NAMES and not place.is_member else "f"
    return f"write `{folio}.list == {where}`"


def of_return(place: Place) -> str:
    """A suggestion for a `return` that cannot stand where it does."""
    if place.inside(P.RULE_fnDecl):
        return f"a fn ends with its one `return`: write `{FORMS['fnBody']}`"
    what = "an action" if place.inside(P.RULE_actionDecl) else "a handler"
    return f"{what} has no result: put the rest into `else {{ … }}`"


def of_a_type(place: Place) -> str:
    """A suggestion for the statement `TYPE x = VALUE`, with the error behind its first word."""
    name = name_behind_type(place.tokens, place.before)
    return f"write `let {name} = VALUE`, or `var {name}: {type_of(place.before)} = VALUE`" if name else ""


def name_behind_type(tokens: list[Any], first: Any) -> str:
    """The `x` of `TYPE x = VALUE`, if such a line begins at the token `first`; otherwise empty."""
    if not TYPES.fullmatch(first.text):
        return ""
    words = [token for token in tokens[first.tokenIndex :] if not token.channel]
    names = list(takewhile(lambda token: bool(token.type in NAMES), words))
    return str(names[-1].text) if len(names) > 1 and words[len(names)].type == P.ASSIGN else ""


def type_of(word: Any) -> str:
    """What stands for the type in a suggestion: `word`, if it is one here."""
    return word.text if parse_type(word.text) is not None else "TYPE"


def of_a_step(place: Place) -> str:
    """A suggestion for the steps of a test; empty if there is none."""
    token, before = place.token, place.before
    if token.type == P.EXPECT and before is not None and before.type == P.COMMA:
        return "remove the comma: `access 1, 2` names folios, and steps need nothing between them"
    if token.type == P.MINUS and before is not None and before.type == P.INT:
        return f"write `{before.text}..{place.after.text}` for folios in turn"
    if token.type in (P.LBRACK, P.LPAREN):
        return "write folios without brackets: `1, 2`, or `1..5`"
    if token.type == P.STRING and before is not None and before.type == P.INT:
        return f"write `as {token.text}` for the name of a command"
    if token.type == P.STRING:
        return "files are numbers in a test: `3:0..8` is pages 0 to 8 of the file 3"
    if token.type == P.SLASH and before is not None and before.text == "device":
        return "write `device MAJOR:MINOR`, such as `device 8:1`"
    helps = {
        P.FOR: "write `repeat 3 { … }`, or name folios in turn: `access 1..3`",
        P.EVICT: "write `reclaim 1`: the policy says which",
        P.LET: "a test has no variables: write the numbers, or a `case` for each row of them",
        P.VAR: "a test has no variables: write the numbers, or a `case` for each row of them",
    }
    return helps.get(token.type, "")


def _touches(before: Any, token: Any, after: Any) -> bool:
    """Whether three tokens stand without space between them, and the last is three digits."""
    joined = before.stop + 1 == token.start and after is not None and token.stop + 1 == after.start
    return bool(joined and after.type == P.INT and len(after.text) == 3)
