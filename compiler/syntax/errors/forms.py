"""The forms of declarations and statements, as suggestions."""

from __future__ import annotations

from cpol.compiler.syntax.errors.place import Place
from cpol.grammar.generated.CpolParser import CpolParser as P

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
    "inputDecl": "input NAME: set of KEY`, `input NAME: map of KEY to TYPE = VALUE`, or `input NAME: array[N] of TYPE",
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
    "prefetchStmt": "prefetch slot VALUE`, `prefetch page VALUE` or `prefetch VALUE up to N",
    "stride": "prefetch VALUE up to N by STRIDE",
    "dropStmt": "drop r",
    "holdStmt": "keep p",
    "flushStmt": "flush r`, or `flush r and wait",
    "aheadStmt": "readahead 0",
    "reclaimStmt": "reclaim 32",
    "inSpace": "fault PAGE slot SLOT",
    "matchArm": "match NAME { MEMBER { … } otherwise { … } }",
    "forStmt": "for i in FIRST..LAST { … }",
    "whileStmt": "while CONDITION up to N { … }",
    "placeStmt": "place f at tail of LIST",
    "moveStmt": "move f to tail of LIST",
    "end": "head of LIST` or `tail of LIST",
    "scanStmt": "scan LIST from head as f { … }",
}
"""The form of each construct, by grammar rule."""


DECLARED = {
    **{form.split()[0].strip("`"): form for rule, form in FORMS.items() if rule.endswith("Decl")},
    "list": FORMS["listName"],
    "on": "on accessed(f) { … }",
    "invariant": "invariant queue.size == cache.size",
    "pin": "pin up to 64 pages",
    "keep": "keep up to 64 pages",
    "cache": "cache up to 200 MiB",
}
"""The form of each declaration, by its first word."""


def form(place: Place) -> str:
    """The form of the declaration or statement at `place`, as a suggestion; empty if there is none."""
    if place.rule not in FORMS or P.EXPECT in place.expected:
        return ""
    rule = "actionDecl" if place.rule == "fnParam" and place.inside(P.RULE_actionDecl) else place.rule
    return f"write `{FORMS[rule]}`"
