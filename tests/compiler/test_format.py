"""compiler/format: one layout, which keeps all words, comments and the meaning."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from antlr4 import InputStream
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cpol.compiler.diagnostics import CompileError
from cpol.compiler.format import layout as format_layout
from cpol.compiler.format.text import FormatError, format_text, same
from cpol.compiler.stages import parse_text, read_file
from cpol.grammar.generated.CpolLexer import CpolLexer

from .corpus import LANGUAGE, ROOT, STDLIB, WRONG
from .examples import wrap

POLICIES = [*STDLIB, *sorted((ROOT / "examples").rglob("*.cpol"))]
OTHERS = [path for path in sorted((ROOT / "tests").rglob("*.cpol")) if path.parent.name != "wrong"]
DOCUMENTED = [
    wrap(re.sub(r"^///.*\n(?=policy)", "", found))
    for found in re.findall(r"```cpol\n(.*?)```", LANGUAGE.read_text(encoding="utf-8"), re.DOTALL)
]


def parses(path: Path) -> bool:
    try:
        parse_text(read_file(path), path.name)
    except CompileError:
        return False
    return True


TEXTS = [path.read_text(encoding="utf-8") for path in [*POLICIES, *OTHERS]] + DOCUMENTED


@cache
def all_texts() -> list[str]:
    """Those and the wrong policies with correct syntax: to parse them takes seconds, so not while pytest collects."""
    return TEXTS + [path.read_text(encoding="utf-8") for path in WRONG if parses(path)]


def movable() -> list[str]:
    """Those that parse with any line breaks. An unknown note of a param does not: on its own line, it is an error."""
    return [text for text in all_texts() if not re.search("policy (word_param_notes|name_soft_words)", text)]


def check(text: str) -> str:
    """Format and check the result; format_text itself checks words, comments and meaning."""
    new = format_text(text, "a.cpol")
    assert new == text or format_text(new, "a.cpol") == new
    assert "\n\n\n" not in new and not re.search(r"[ \t\r]\n", new) and not new.startswith("\n")
    return new


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_stdlib_and_examples_are_formatted(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert check(text) == text, f"run: cpolc fmt {path}"


@pytest.mark.parametrize("text", TEXTS[len(POLICIES) :], ids=range(len(POLICIES), len(TEXTS)))
def test_format_every_other_policy(text: str) -> None:
    check(text)


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_format_wrong_policy(path: Path) -> None:
    """With correct syntax it is formatted; with wrong syntax it is refused."""
    if parses(path):
        check(read_file(path))
    else:
        with pytest.raises(CompileError):
            format_text(read_file(path), path.name)


def test_corpus_has_enough_policies_that_parse() -> None:
    assert len(list(islice(filter(parses, WRONG), 31))) > 30


@pytest.mark.long
@pytest.mark.parametrize("text", TEXTS[:16:2], ids=range(8))
def test_format_of_joined_and_split_lines(text: str) -> None:
    tokens = words(text)
    for gap in (
        " ",
        "\n",
        "\n\n\n",
        "\t",
        "\r\n",
        " // c\n",
        "\n// c\n",
        "\n\n/// d\n\n",
        " /// d\r\n",
    ):
        check(gap.join(tokens))


def words(text: str) -> list[str]:
    """Return the tokens without comments."""
    return [token.text for token in CpolLexer(InputStream(text)).getAllTokens() if token.channel == 0]


GAPS = st.sampled_from([
    "", " ", " ", " ", "   ", "\t", "\n", "\n", "\n  ", "\n\n", "\n \n\n", "\r\n", " // c\n", "\n// c\n",
    "\n\n  //c \n\n", "// \tcomment, long " + "enough " * 20 + "\n", " /// doc\n", "\n/// doc\n", "\n///\n/// b\n\n",
    " " * 70 + "// far\n",
])  # fmt: skip


def joined(left: str, gap: str, right: str) -> str:
    """Join `left` and `right`, with a space where they would form one token."""
    if not gap and re.fullmatch(r"\w\w|[.\d][.\d]|[-+*/%=<>!|&.:]{2}|\w\.|\.\w", left[-1] + right[0]):
        return " " + right
    return gap + right if not (gap.startswith("/") and left[-1] in "/*") else " " + gap + right


@pytest.mark.long
@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)  # fmt: skip
@given(st.deferred(lambda: st.sampled_from(movable())), st.data())
def test_format_of_random_layouts(text: str, data: st.DataObject) -> None:
    tokens = words(text)
    start = data.draw(GAPS)
    gaps = data.draw(st.lists(GAPS, min_size=len(tokens) - 1, max_size=len(tokens) - 1))
    pieces = [start, tokens[0]]
    for left, gap, right in zip(tokens, gaps, tokens[1:], strict=False):
        pieces.append(joined(left, gap, right))
    check("".join(pieces) + data.draw(GAPS))


CASES = {
    "what the language has besides": (
        "policy p { enum heat{cold,warm}param n:u32=5 in 1..9 folios live list q,gen [ n ]\n"
        "ghost g{capacity:cache . capacity folio{at:u64=0}}table t:u8[heat . size,4]=0 input w:map of file to u8=1\n"
        "fn age(f:folio,k:u64):u64=if f.at>k then cache.clock-f.at else hash(f,k)\n"
        "on missed(f){for i in 0..n-1{t[i , 2]+=1}}on admit(f){if w.of(f.file)>1{refuse f}else{leave f}}\n"
        "on removed(f){g.add(f,at:cache.clock)}every 100 ms{g.forget_oldest()}\n"
        "test one(capacity:4,seed:1){access 1,2:5 .. 8 as 7 w.add( 3,4 )"
        "expect gen[0].has( 1,2:3 )and not cache.has(4)}}",
        """\
policy p {
  enum heat { cold, warm }
  param n: u32 = 5 in 1..9 folios live
  list q, gen[n]
  ghost g { capacity: cache.capacity  folio { at: u64 = 0 } }
  table t: u8[heat.size, 4] = 0
  input w: map of file to u8 = 1
  fn age(f: folio, k: u64): u64 = if f.at > k then cache.clock - f.at else hash(f, k)
  on missed(f)  { for i in 0..n - 1 { t[i, 2] += 1 } }
  on admit(f)   { if w.of(f.file) > 1 { refuse f } else { leave f } }
  on removed(f) { g.add(f, at: cache.clock) }
  every 100 ms { g.forget_oldest() }
  test one(capacity: 4, seed: 1) {
    access 1, 2:5..8 as 7
    w.add(3, 4)
    expect gen[0].has(1, 2:3) and not cache.has(4)
  }
}
""",
    ),
    "a short block stays on its line, a long one does not": (
        "policy p{list q on added(f){place f at tail of q}\non evict{\nscan q from head as f{evict f}}}",
        """\
policy p {
  list q
  on added(f) { place f at tail of q }
  on evict {
    scan q from head as f { evict f }
  }
}
""",
    ),
    "chains": (
        "policy p { on evict {\nif a{x=1}else{x=2}\nif a{x=1}\nelse if b{x=2}\nelse{x=3}\nif a{x=1}else{\nx=2}}}",
        """\
policy p {
  on evict {
    if a { x = 1 } else { x = 2 }
    if a { x = 1 }
    else if b { x = 2 }
    else { x = 3 }
    if a {
      x = 1
    } else {
      x = 2
    }
  }
}
""",
    ),
    "comments": (
        "// one\n\n\n/// two\npolicy p {// three\n// four\n\nlist q  // five\nlist r  // six\n// seven\n}// eight"
        "\n// nine",
        """\
// one

/// two
policy p {  // three
  // four

  list q  // five
  list r  // six
  // seven
}  // eight
// nine
""",
    ),
    "comments in one column stay in one": (
        "policy p {\nlist q         // a\nlist   longer  // b\nlist third,t  // c\nlist u,v,w,x  // d\n"
        "list y    // e\n}",
        """\
policy p {
  list q         // a
  list longer    // b
  list third, t    // c
  list u, v, w, x  // d
  list y    // e
}
""",
    ),
    "comments inside a line": (
        "policy p { invariant a // why\n== b }",
        """\
policy p {
  invariant a  // why
      == b
}
""",
    ),
    "signs, signatures and ranges": (
        "policy p { param a:s8=- 1 in - 2 .. 3 param b:u8=1 in 1..2 "
        "invariant - - a<-  (a+b)*max ( a ,b )and not(a==b) }",
        """\
policy p {
  param a: s8 = -1 in -2..3
  param b: u8 = 1 in 1..2
  invariant - -a < -(a + b) * max(a, b) and not (a == b)
}
""",
    ),
    "a line that is too long is broken at its outermost operators": (
        f"policy p {{ invariant {'a' * 40} + {'b' * 40} == {'c' * 40} "
        f"or max({'d' * 40}, {'e' * 40}, {'f' * 40}) > 1 }}",
        f"""\
policy p {{
  invariant {"a" * 40} + {"b" * 40}
      == {"c" * 40}
      or max({"d" * 40}, {"e" * 40},
      {"f" * 40}) > 1
}}
""",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_layout(case: str) -> None:
    text, expected = CASES[case]
    assert check(text) == expected


def test_faults_of_the_layout_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """format_text detects every fault of the layout."""
    text = next(path for path in STDLIB if path.name == "clock.cpol").read_text(encoding="utf-8")
    for wrong in (text.replace("again", "once more", 1), text.replace("tail", "head"), text.replace("///", "//", 1)):
        assert wrong != text
        with monkeypatch.context() as patch, pytest.raises(FormatError, match=r"a\.cpol: the layout would"):
            patch.setattr("cpol.compiler.format.text.layout", lambda *_, wrong=wrong: wrong)
            format_text(text, "a.cpol")
    detached = "/// of the policy\n\n" + text.partition("\n")[2]
    assert not same(parse_text(text, "a").ast, parse_text(detached, "a").ast), "doc comments are part of the meaning"


@pytest.mark.long
def test_code_fits_the_width() -> None:
    for text in all_texts():
        for line in format_text(text, "a.cpol").splitlines():
            code = line.partition("//")[0].rstrip()
            assert len(code) <= format_layout.WIDTH or " " not in code.strip(), line
