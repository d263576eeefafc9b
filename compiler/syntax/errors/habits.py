"""Suggestions for syntax errors that come from habits of other languages."""

from __future__ import annotations

from cpol.compiler.syntax.durations import OTHER_UNITS
from cpol.compiler.syntax.errors.place import Place
from cpol.grammar.generated.CpolParser import CpolParser as P

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

FOREIGN_STATEMENTS = {
    "elif": "write `else if`",
    "elseif": "write `else if`",
    "elsif": "write `else if`",
    "foreach": "write `scan LIST from head as f { … }`",
    "while": "every loop has a bound: write `scan LIST from head as f { … }`",
    "break": "write `stop`",
    "call": "write `do NAME(f, x)` to call an action",
    "continue": "write `keep`, or put the rest into `if … { … }`",
    "return": "a handler has no result: put the rest into `else { … }`",
}

FORMS = {
    "importDecl": 'import NAME from LIBRARY`, or `import NAME from "FILE.cpol"',
    "constDecl": "const NAME: TYPE = VALUE",
    "paramDecl": "param NAME: TYPE = VALUE in LOWEST..HIGHEST",
    "enumDecl": "enum NAME { cold, hot }",
    "listName": "list NAME`, or of an array `list NAME[LENGTH]",
    "ghostDecl": "ghost NAME { capacity: VALUE }",
    "fieldDecl": "folio { NAME: TYPE = VALUE }",
    "recordDecl": "file up to 4096 { NAME: TYPE = VALUE }",
    "stateDecl": "state NAME: TYPE = VALUE",
    "tableDecl": "table NAME: TYPE[SIZE] = VALUE",
    "inputDecl": "input NAME: set of KEY`, or `input NAME: map of KEY to TYPE = VALUE",
    "fnDecl": "fn NAME(x: u64): u64 = VALUE",
    "fnParam": "fn NAME(x: u64): u64 = VALUE",
    "actionDecl": "action NAME(f: folio, x: u64) { … }",
    "doStmt": "do NAME(f, x)",
    "fnBody": "fn NAME(x: u64): u64 { let y = VALUE  return VALUE }",
    "scoreDecl": "score NAME(f) = VALUE",
    "everyDecl": "every 1000 events { … }",
    "note": "every 1000 events { … }",
    "testDecl": "test NAME(capacity: 8) { … }",
    "setting": "test NAME(capacity: 8) { … }",
    "testCase": "case NAME(NAME: VALUE, …)",
    "cell": "case NAME(NAME: VALUE, …)",
    "varStmt": "var NAME: TYPE = VALUE",
    "matchStmt": "match NAME { MEMBER { … } otherwise { … } }",
    "matchArm": "match NAME { MEMBER { … } otherwise { … } }",
    "forStmt": "for i in FIRST..LAST { … }",
    "placeStmt": "place f at tail of LIST",
    "moveStmt": "move f to tail of LIST",
    "end": "head of LIST` or `tail of LIST",
    "scanStmt": "scan LIST from head as f { … }",
}
"""The form of each construct, by grammar rule."""


def habit(place: Place) -> str:
    """A suggestion for the error at `place`; empty if there is none."""
    token, rule, before = place.token, place.rule, place.before
    member = place.after is not None and place.after.type == P.DOT
    if rule == "letStmt" and token.type == P.COLON:
        return f"a `let` has the type of its value: write `let {before.text} = …`"
    if rule == "end" and token.type == P.IDENT and member:
        return f"write `head of {token.text}` or `tail of {token.text}`"
    if token.type == P.DOT and place.second is not None and place.second.type == P.EVICT:
        return f"write `scan {before.text} from head up to 1 as f {{ evict f }}`"
    if rule == "forStmt" and token.type == P.LBRACE:
        return "`for i in FIRST..LAST { … }` counts; `scan LIST from head as f { … }` visits folios"
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
    if token.type == P.IDENT and before is not None and before.type == P.INT and token.text.lower() in OTHER_UNITS:
        return f"write `{before.text} {OTHER_UNITS[token.text.lower()]}`"
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


def form(place: Place) -> str:
    """The form of the declaration or statement at `place`, as a suggestion; empty if there is none."""
    if place.rule not in FORMS or P.EXPECT in place.expected:
        return ""
    return f"write `{FORMS[place.rule]}`"
