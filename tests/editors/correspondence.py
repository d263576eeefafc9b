"""What the trees of both grammars have in common: rules of Cpol.g4, and nodes of tree-sitter, by kind and span.

Each rule of Cpol.g4 is in NODES, or in a set below that says why it has no node of its own.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from tree_sitter import Language, Node, Parser

from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.syntax.parse import deep_stack, parse
from cpol.grammar.generated.CpolLexer import CpolLexer
from cpol.grammar.generated.CpolParser import CpolParser

GRAMMAR = Path(__file__).resolve().parents[2] / "editors" / "tree-sitter-cpol"

NODES = {
    "policy": "policy",
    "library": "library",
    "importDecl": "import_declaration",
    "constDecl": "const_declaration",
    "paramDecl": "param_declaration",
    "note": "note",
    "enumDecl": "enum_declaration",
    "listDecl": "list_declaration",
    "listName": "list_name",
    "ghostDecl": "ghost_declaration",
    "ghostItem": "ghost_item",
    "folioDecl": "folio_declaration",
    "fieldDecl": "field_declaration",
    "recordDecl": "record_declaration",
    "stateDecl": "state_declaration",
    "pinDecl": "pin_declaration",
    "keepDecl": "keep_declaration",
    "cacheDecl": "cache_declaration",
    "tableDecl": "table_declaration",
    "inputDecl": "input_declaration",
    "fnDecl": "fn_declaration",
    "fnBody": "fn_body",
    "fnResult": "return",
    "fnParam": "parameter",
    "actionDecl": "action_declaration",
    "scoreDecl": "score_declaration",
    "invariant": "invariant",
    "everyDecl": "every_declaration",
    "handler": "handler",
    "event": "event",
    "handlerParams": "handler_parameters",
    "testDecl": "test_declaration",
    "setting": "setting",
    "testCase": "test_case",
    "cell": "cell",
    "step": "step",
    "inSpace": "in_space",
    "stepBlock": "step_block",
    "folioSize": "folio_size",
    "folioRange": "folio_range",
    "block": "block",
    "letStmt": "let_statement",
    "varStmt": "var_statement",
    "ifStmt": "if_statement",
    "elsePart": "else_part",
    "matchStmt": "match_statement",
    "matchArm": "match_arm",
    "forStmt": "for_statement",
    "whileStmt": "while_statement",
    "placeStmt": "place_statement",
    "leaveStmt": "leave_statement",
    "refuseStmt": "refuse_statement",
    "moveStmt": "move_statement",
    "scanStmt": "scan_statement",
    "bound": "bound",
    "evictStmt": "evict_statement",
    "listRef": "list_reference",
    "stopStmt": "stop_statement",
    "keepStmt": "keep_statement",
    "holdStmt": "hold_statement",
    "pinStmt": "pin_statement",
    "unpinStmt": "unpin_statement",
    "prefetchStmt": "prefetch_statement",
    "stride": "stride",
    "defaultStmt": "default_statement",
    "dropStmt": "drop_statement",
    "flushStmt": "flush_statement",
    "aheadStmt": "readahead_statement",
    "reclaimStmt": "reclaim_statement",
    "doStmt": "do_statement",
    "pathStmt": "path_statement",
    "assignOp": "assignment_operator",
    "end": "end",
    "evictAttr": "program_attribute",
    "path": "path",
    "index": "index",
    "arguments": "arguments",
    "argument": "argument",
    "member": "name",
    "word": "name",
    "smallWord": "name",
    "name": "name",
    "typeName": "type",
}
"""The node of each rule that has one."""

OPERATORS = {"orExpr", "andExpr", "comparison", "bits", "sum", "term"}
"""Rules that hold all operands of a row: tree-sitter has a node for each operator."""

SEVERAL = {"expr", "notExpr", "unary", "primary", "scanItem"}
"""Rules whose node depends on the alternative."""

INSIDE = {"file", "item", "enumItem", "statement", "number", "compareOp", "bitOp"}
"""Rules whose content says all."""

REFUSED = {"laterDecl", "later", "inner"}
"""What a later version of the language may have."""

TOKENS = {
    CpolLexer.INT: "integer",
    CpolLexer.FIXED: "fixed",
    CpolLexer.STRING: "string",
    CpolLexer.TRUE: "true",
    CpolLexer.FALSE: "false",
    CpolParser.UNIT: "unit",
    CpolParser.HOW: "how",
}

INTERNAL = {"source_file", "policy_body", "parameters", "identifier"}
"""Nodes that have no rule: lists in brackets, and the word in a name."""

Parts = Counter[tuple[str, int, int]]


def build(folder: Path) -> Parser:
    """Compile the generated parser into `folder`, and load it."""
    units, made = [], folder / "parser.so"
    for unit, warnings in (("parser", ["-w"]), ("scanner", ["-Wall", "-Wextra", "-Werror"])):
        units.append(folder / f"{unit}.o")
        source = GRAMMAR / "src" / f"{unit}.c"
        command = ["clang-19", "-c", "-O1", "-fPIC", *warnings, "-I", GRAMMAR / "src", "-o", units[-1], source]
        subprocess.run(command, check=True, timeout=300)
    subprocess.run(["clang-19", "-shared", "-o", made, *units], check=True, timeout=60)
    entry = ctypes.CDLL(str(made)).tree_sitter_cpol
    entry.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return Parser(Language(capsule(entry(), b"tree_sitter.Language", None)))


def of_tree_sitter(node: Node) -> Parts:
    """The named nodes, by kind and bytes, without comments."""
    found = Parts()
    todo = [node]
    while todo:
        each = todo.pop()
        todo += each.children
        if each.is_named and each.type not in INTERNAL and not each.is_extra:
            found[each.type, each.start_byte, each.end_byte] += 1
    return found


def of_compiler(text: str) -> Parts:
    """The same of the compiler's parse tree. Raises CompileError."""
    with deep_stack():
        tree, tokens = parse(Report(Source("text.cpol", text)))
        at = [0, *accumulate(len(sign.encode()) for sign in text)]
        spans = [(kind, at[first], at[last + 1]) for kind, first, last in _parts(tree)]
    spans += [(TOKENS[each.type], at[each.start], at[each.stop + 1]) for each in tokens if each.type in TOKENS]
    return Counter(set(spans))


def _parts(rule: Any) -> Iterator[tuple[str, int, int]]:
    """The nodes of a parse tree as kind, first and last character."""
    children = rule.children or []
    name = CpolParser.ruleNames[rule.getRuleIndex()]
    first, last = rule.start.start, rule.stop.stop
    if name in NODES:
        yield NODES[name], first, last
    elif name in OPERATORS:
        for operand in children[2::2]:
            yield "binary_expression", first, operand.stop.stop
    elif name in ("notExpr", "unary"):
        for sign in children[:-1]:
            start = sign.symbol.start if hasattr(sign, "symbol") else sign.start.start
            yield f"{'not' if name == 'notExpr' else 'unary'}_expression", start, last
    elif (kind := _kind(name, rule, children)) is not None:
        yield kind, first, last
    for child in children:
        if hasattr(child, "getRuleIndex"):
            yield from _parts(child)


def _kind(name: str, rule: Any, children: list[Any]) -> str | None:
    """The node of a rule whose alternative decides."""
    if name == "expr" and len(children) > 1:
        return "if_expression"
    if name == "primary" and len(children) > 1:
        return "call" if rule.path() else "parenthesized" if rule.expr() else "duration"
    if name == "scanItem" and not rule.statement():
        return "arm"
    return None
