"""editors/tree-sitter-cpol has the trees of the compiler's grammar, and refuses what that refuses."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from correspondence import GRAMMAR, INSIDE, INTERNAL, NODES, OPERATORS, REFUSED, SEVERAL, of_compiler, of_tree_sitter
from sources.source import source
from tree_sitter import Node, Parser, Query, QueryCursor

from cpol.compiler.diagnostics import CompileError
from cpol.compiler.stages import parse_text
from cpol.compiler.syntax.errors.words import VERBS
from cpol.compiler.syntax.marks import HOW
from cpol.compiler.types import UNIT_MS
from cpol.grammar.generated.CpolParser import CpolParser
from tests.compiler.mutants import mutant

ROOT = Path(__file__).resolve().parents[2]
POLICIES = [path for path in sorted(ROOT.glob("*/**/*.cpol")) if not {"build", ".venv"} & set(path.parts)]
RANDOM = 60
MUTANTS = 300
CHANGES = 150
AGREE = 0.98
"""Of mutants, those on which both grammars agree. The others have what the compiler refuses after it has parsed: a
number that is too large, a step that does not exist, a name that a case lacks."""

pytestmark = pytest.mark.slow


def accepted(text: str) -> bool:
    try:
        parse_text(text, "text.cpol")
    except CompileError:
        return False
    return True


def wrong_place(node: Node) -> str:
    """The first error in a tree, for a message."""
    while node.has_error and not node.is_error and not node.is_missing:
        node = next(child for child in node.children if child.has_error or child.is_error or child.is_missing)
    return f"{node.start_point}: {node.type} {(node.text or b'')[:60]!r}"


def same_trees(parser: Parser, text: str, name: str) -> None:
    root = parser.parse(text.encode()).root_node
    assert not root.has_error, f"{name}: {wrong_place(root)}"
    here, there = of_tree_sitter(root), of_compiler(text)
    assert here == there, f"{name}: only here {sorted(here - there)[:5]}, only there {sorted(there - here)[:5]}"


def test_every_policy_of_the_tree(parser: Parser) -> None:
    """Those of tests/compiler/wrong, too, where the compiler parses them."""
    right = 0
    for path in POLICIES:
        text = path.read_bytes().decode("utf-8", "replace")
        if accepted(text):
            same_trees(parser, text, str(path))
            right += 1
    assert right > 300, "and they are there"


def test_random_policies(parser: Parser) -> None:
    for number in range(RANDOM):
        same_trees(parser, source(number, 0)[0], f"source({number}, 0)")


@pytest.mark.long
def test_mutants(parser: Parser) -> None:
    """It takes all that the compiler takes, with the same tree, and hardly more."""
    taken_here = refused = 0
    for number in range(MUTANTS):
        text = mutant(number, 42)
        if accepted(text):
            same_trees(parser, text, f"mutant({number}, 42)")
            continue
        refused += 1
        taken_here += not parser.parse(text.encode()).root_node.has_error
    assert MUTANTS // 3 < refused < MUTANTS * 2 // 3
    print(f"{MUTANTS} mutants: {refused} refused by the compiler, {taken_here} of these taken here")
    assert 1 - taken_here / MUTANTS >= AGREE


RIGHT = [
    "on fault(p) { prefetch x by (3) }",
    "on fault(p) { prefetch x  by(3)  by = 4 }",
    "on fault(p) { prefetch slot (3)  prefetch page  prefetch page -3 }",
    "on opened(r) { readahead (3)  readahead = 4  readahead -1 }",
    "on swap(p) { keep  drop = 3  keep  default }",
    "every 5 s { reclaim (3)  reclaim = 4  reclaim cache.size }",
    "param p: u8 = 1 in 0..2 cache cache up to 9 pages cache up to 8 state s: u8 = 0",
    "on swap(p) { keep drop  keep x }",
    "on written(r) { flush flush and wait  flush = 3  drop drop }",
    "param p: u8 = 1 in 0..2 file task up_ file up to 9 { a: u8 = 0 }",
    "on added(f) { x = 5  s = 3  x = 5 s  y = 5 min == 3  z = 5 }",
    "table t: u8[5] = 5 s  input s: array[9] of u8",
    "test t(case: 4, by: 5 s) { access 1 access 2 fault 1 slot 3 cached fault 2 cached prefetched }",
    "test t() { case one(n: [1, slot 2]) case two(n: 3:4) request 1 of 4 pages mapped mapped 3 }",
    'test t() { request 3..4 mapped mapped request 2 sequential marker mapped as 3 of "a" }',
    "test t() { request 1 mapped mapped case request 1 mapped expect case.size == 0 }",
    "test t() { swap 1 shared workingset shared tick 3 s tick 3 repeat 3 { access 1 } weight.add(3) }",
    "on added(f) { x = a.head + evict.wanted - -b.list[3].of(at: 3)[4] }",
    "on added(f) { x = if a then b else if c then d else not not e and -~-f == 0 }",
    "on added(f) { x = a & b & -c  x = (a << 2) >> 1  x = a and b or c and d }",
    "on added(f) { x = a - - b - c * d * e }",
    "on added(f) { x = 0x1_f  y = 007 + 0_1.50  for i in 1..2 { } }",
    "on evict { scan q from head as f { when a { } when b { } otherwise { } } match x { a, b { } otherwise { } } }",
    "on evict { if a { } else if b { } else if c { } else { } evict lowest s of up to 3 from head of q[1] }",
    "//// no doc\n/// doc\n//\n///\non added(f) { x = 3 / 4 // 5 }\n }",
    'on added(f) { x = "// no comment" }  // Gr\u00f6\u00dfe \U0001f600\n on evict { y = 1 }',
]
WRONG = [
    "on added(f) { x = 5 s .. 3 }",
    "on added(f) { x = 5 ms // a\n : 3 }",
    "on added(f) { x = a -- b }",
    "on added(f) { x = 12k }",
    "on added(f) { x = 0x }",
    "on added(f) { x = 0x1.5 }",
    "on added(f) { x = 1__0 }",
    "on added(f) { x = 1.5e3 }",
    "on added(f) { x = 1.5.2 }",
    "on added(f) { x = 1..2 }",
    "on added(f) { x = a == b == c }",
    "on added(f) { x = a & b | c }",
    "on added(f) { x = a << b << c }",
    "on added(f) { let y = x = 3 }",
    "on added(f) { list = 3 }",
    "on evict { scan q from head as f { otherwise { } when a { } } }",
    "on evict { scan q from head as f { when a { } evict f } }",
    "on evict { if a { } else { } else { } }",
    "on evict { match x { otherwise { } a { } } }",
    "test t() { expect request 1 cached }",
    "hand x { }",
    "list let",
]


@pytest.mark.parametrize("body", RIGHT)
def test_soft_words_and_signs(parser: Parser, body: str) -> None:
    same_trees(parser, f"policy p {{ {body} }}\n", body)


@pytest.mark.parametrize("body", WRONG)
def test_what_both_refuse(parser: Parser, body: str) -> None:
    text = f"policy p {{ {body} }}\n"
    assert not accepted(text)
    assert parser.parse(text.encode()).root_node.has_error


def test_every_rule_and_every_node_has_its_counterpart() -> None:
    known = NODES.keys() | OPERATORS | SEVERAL | INSIDE | REFUSED
    assert known == set(CpolParser.ruleNames)
    nodes = {each["type"] for each in json.loads((GRAMMAR / "src/node-types.json").read_text()) if each["named"]}
    ours = set(NODES.values()) | {"integer", "fixed", "string", "true", "false", "unit", "how", "arm"}
    ours |= {"binary_expression", "not_expression", "unary_expression", "if_expression"}
    ours |= {"call", "parenthesized", "duration", "comment", "doc_comment"}
    assert nodes == ours | INTERNAL


def test_words_are_those_of_the_compiler() -> None:
    scanner = (GRAMMAR / "src" / "scanner.c").read_text(encoding="utf-8")
    found = {
        name: tuple(re.findall(r'"(\w+)"', words))
        for name, words in re.findall(r"char \*const (\w+)\[\] = \{([^}]*)\}", scanner)
    }
    assert found["units"] == tuple(UNIT_MS)
    assert found["verbs"] == VERBS
    assert {step: found[f"how_{step}"] for step in HOW} == HOW
    grammar = (GRAMMAR / "grammar.js").read_text(encoding="utf-8")
    words = {
        name: re.findall(r"'(\w+)'", found)
        for name, found in re.findall(r"^const (\w+) = \[(.*?)\];", grammar, re.M | re.S)
    }
    tokens = dict(zip(CpolParser.symbolicNames, CpolParser.literalNames, strict=False))
    reserved = {literal.strip("'") for literal in tokens.values() if re.fullmatch(r"'[a-z]+'", literal)}
    soft = {"file", "task", "area", "slot", "page"}
    soft |= {
        tokens[name].strip("'")
        for name in ("BY", "DEFAULT", "DROP", "FLUSH", "WAIT", "AHEAD", "CASE", "CACHE", "RECLAIM")
    }
    assert set(words["WORDS"]) | set(words["SMALL"]) == reserved - soft
    assert set(words["SOFT"]) == soft and set(words["WITH_HOW"]) == HOW.keys()


def test_parser_is_made_from_the_grammar() -> None:
    made = (GRAMMAR / "src" / "made-from.sha256").read_text(encoding="utf-8").split()[0]
    now = hashlib.sha256((GRAMMAR / "grammar.js").read_bytes()).hexdigest()
    assert made == now, "run editors/tree-sitter-cpol/generate"


def test_a_change_is_parsed_as_the_whole_text_is(parser: Parser) -> None:
    """An editor tells what changed, and the parser reads only around it: the scanner must keep nothing."""
    rng = random.Random(0)
    text = (ROOT / "stdlib" / "s3fifo.cpol").read_bytes()
    right = 0
    for _ in range(CHANGES):
        start = rng.randrange(len(text))
        end = min(start + rng.choice((0, 0, 1, 3)), len(text))
        put = rng.choice((b"", b" ", b"\n", b"3", b"s", b"x = 5 s ", b"-", b"// "))
        new = text[:start] + put + text[end:]
        tree = parser.parse(text)
        places = [_point(each, at) for each, at in ((text, start), (text, end), (new, start + len(put)))]
        tree.edit(start, end, start + len(put), *places)
        changed, whole = parser.parse(new, tree).root_node, parser.parse(new).root_node
        assert changed.has_error == whole.has_error, (start, end, put)
        if not whole.has_error:
            right += 1
            assert of_tree_sitter(changed) == of_tree_sitter(whole), (start, end, put)
    assert right > CHANGES // 5


def _point(text: bytes, at: int) -> tuple[int, int]:
    """Row and column of a byte."""
    return text.count(b"\n", 0, at), at - text.rfind(b"\n", 0, at) - 1


QUERIES = sorted(GRAMMAR.glob("queries/*.scm"))


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_queries_fit_the_grammar(parser: Parser, path: Path) -> None:
    assert parser.language is not None
    Query(parser.language, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["stdlib/s3fifo.cpol", "stdlib/leap.cpol", "tests/compiler/whole/cases.cpol"])
def test_every_word_has_a_colour(parser: Parser, name: str) -> None:
    assert parser.language is not None
    root = parser.parse((ROOT / name).read_bytes()).root_node
    query = Query(parser.language, (GRAMMAR / "queries" / "highlights.scm").read_text(encoding="utf-8"))
    captures = QueryCursor(query).captures(root)
    coloured = {byte for nodes in captures.values() for node in nodes for byte in range(node.start_byte, node.end_byte)}
    leaves = [node for node in every_node(root) if not node.children and node.text]
    assert len(leaves) > 100
    assert not [(node.start_point, node.text) for node in leaves if node.start_byte not in coloured]
    words = {capture: {(node.text or b"").decode() for node in nodes} for capture, nodes in captures.items()}
    assert {"policy", "test", "expect"} <= words["keyword"]
    assert {"access", "fault"} & words["function.builtin"]


def test_what_is_coloured_how(parser: Parser) -> None:
    """The innermost node counts, and of its patterns the last: as Neovim, Zed, and Helix from 25.07 on have it."""
    assert parser.language is not None
    text = "policy p { param n: u8 = 1 in 0..2 pages list q enum e { a } state s: e = a on evict, added(f) { } "
    text += "on accessed(f) { f.at = cache.size move f to tail of q q.add(f) drop = 3 drop f }"
    text += " test t(n: 1) { access 1 s } }"
    query = Query(parser.language, (GRAMMAR / "queries" / "highlights.scm").read_text(encoding="utf-8"))
    best = dict[str, tuple[int, int, str]]()
    for pattern, captures in QueryCursor(query).matches(parser.parse(text.encode()).root_node):
        for capture, nodes in captures.items():
            for node in nodes:
                inner = node
                while len(inner.children) == 1:
                    inner = inner.children[0]
                if not inner.children:
                    word, depth = (node.text or b"").decode(), -sum(1 for _ in every_node(node))
                    best[word] = max(best.get(word, (-99, -1, "")), (depth, pattern, capture))
    colours = {word: capture for word, (_, _, capture) in best.items()}
    expected = {
        "u8": "type.builtin",
        "e": "type",
        "pages": "attribute",
        "evict": "function.builtin",
        "accessed": "function.builtin",
        "at": "property",
        "cache": "variable.builtin",
        "tail": "constant.builtin",
        "add": "function.method.call",
        "move": "keyword",
        "access": "function.builtin",
        "p": "type.definition",
    }
    assert {word: colours[word] for word in expected} == expected


def every_node(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from every_node(child)


def test_folds_and_locals(parser: Parser) -> None:
    assert parser.language is not None
    text = "policy p {\n  list q\n  on added(f) {\n    let x = 1\n    place f at tail of q\n  }\n}\n"
    root = parser.parse(text.encode()).root_node
    found = {}
    for name in ("folds", "locals"):
        query = Query(parser.language, (GRAMMAR / "queries" / f"{name}.scm").read_text(encoding="utf-8"))
        found |= QueryCursor(query).captures(root)
    assert [node.start_point[0] for node in found["fold"]] == [0, 2]
    assert {node.text for node in found["local.definition.var"]} == {b"q", b"x"}
    assert [node.text for node in found["local.definition.parameter"]] == [b"f"]
    assert [node.text for node in found["local.reference"]] == [b"f", b"q"]
