"""Any text compiles to C, or raises a CompileError that can be rendered. For mutants see test_mutants.py."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from quick import examples

from .corpus import ROOT, WHOLE, WRONG, diagnostics_of
from .mutants import compile_anything

POLICIES = [(ROOT / "stdlib" / f"{name}.cpol").read_text(encoding="utf-8") for name in ("lfu", "mru", "s3fifo")]
POLICIES += [path.read_text(encoding="utf-8") for path in WHOLE]
PIECES = sorted({piece for text in POLICIES for piece in re.findall(r"\w+|\S", text)})
VOCABULARY = """
    policy const param list ghost folio state score on invariant let if else place move scan evict stop keep when
    otherwise lowest highest return at to of up from as in head tail true false and or not hand table input enum fn
    every admit test var match fault prefetch pin u8 s64 fix bool u1 cache size capacity wanted evicted deleted min max
    floor ceil signed unsigned random take has add pages index file 0 1 255 256 0.5 18446744073709551616 { } ( ) : ,
    .. . = += -= *= == != < <= > >= + - * / % ; && @ " for then expect refuse leave log2 exp2 hash random task
    thread process clock set map live events ms folios pages access tick remove forget_oldest generation hits i [ ]
    missed admit
"""
WORDS = VOCABULARY.split()

LEAVES = ["1", "0.5", "true", "x", "f.rank", "f.list", "queue", "queue.size", "g.has(f)", "k"]
LEAVES += [
    "hits[1, x]",
    "hits.size",
    "deep[f.rank].size",
    "cache.clock",
    "task.thread",
    "g.at(f)",
    "hash(f, 3)",
    "warm",
    "twice(2)",
]
BINARY = ["&", "|", "^", "<<", ">>", "+", "-", "*", "/", "%", "==", "<", "and", "or"]
PREFIX = ["-", "not ", "floor", "signed", "unsigned", "ceil", "log2", "exp2", "random", "twice"]
EXPRESSIONS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(BINARY), inner).map(lambda t: f"({' '.join(t)})"),
        st.tuples(st.sampled_from(PREFIX), inner).map(lambda t: f"({t[0]}({t[1]}))"),
        st.tuples(inner, inner).map(lambda t: f"max({t[0]}, {t[1]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"(if {t[0]} then {t[1]} else {t[2]})"),
        st.tuples(inner, inner).map(lambda t: f"hits[{t[0]}, {t[1]}]"),
    ),
    max_leaves=12,
)

quick = settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@quick
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    compile_anything(text)


@quick
@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_any_words(words: list[str]) -> None:
    compile_anything("policy p { list queue on added(f) { " + " ".join(words))


@pytest.mark.slow
@quick
@given(st.sampled_from(POLICIES), st.data())
def test_policy_with_replaced_words(text: str, data: st.DataObject) -> None:
    pieces = re.split(r"(\s+|\w+|[^\w\s])", text)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(pieces) - 1))
        pieces[place] = data.draw(st.sampled_from([*PIECES, *WORDS, "", " ", "\n"]))
    compile_anything("".join(pieces))


@quick
@given(st.sampled_from(POLICIES), st.data())
def test_policy_with_a_part_removed_or_doubled(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 80)))
    compile_anything(text[:start] + data.draw(st.sampled_from(["", text[start:end] * 2])) + text[end:])


@quick
@given(EXPRESSIONS)
def test_any_expression(expression: str) -> None:
    compile_anything(
        "policy p { list queue, deep[4] ghost g { capacity: 8 folio { at: u8 = 3 } } folio { rank: u8 = 1 }\n"
        "enum heat { cold, warm } table hits: s16[2, 3] = 0 fn twice(a: u64): u64 = 2 * a\n"
        "state x: s32 = 1 param k: u8 = 1 in 1..2\n"
        f"on accessed(f) {{ let y = {expression} if y {{ x += y }} }}\n"
        "on added(f) { place f at tail of queue } on evict { scan queue from head as f { evict f } } }"
    )


@pytest.mark.long
def test_every_prefix_of_a_policy() -> None:
    for text in POLICIES:
        for end in range(0, len(text), 53):
            compile_anything(text[:end])


def test_file_of_random_bytes(tmp_path: Path) -> None:
    generator = random.Random(1)
    path = tmp_path / "any.cpol"
    for _ in range(50):
        path.write_bytes(generator.randbytes(generator.randrange(200)))
        diagnostics_of(path)


@pytest.mark.slow
def test_truncated_wrong_policies() -> None:
    generator = random.Random(2)
    for path in WRONG:
        text = path.read_bytes().decode("utf-8", "replace")
        compile_anything(text[: generator.randrange(len(text) + 1)])


def test_loops_in_loops_are_quick() -> None:
    """A pass that goes over each body twice would take 2^45 steps."""
    names = [f"i{n}" for n in range(45)]
    loops = "".join(f"for {name} in 0..0 {{ " for name in names)
    text = (
        "policy deep { list queue, other state n: u64 = 0 on added(f) { place f at tail of queue }\n"
        f"on accessed(f) {{ {loops} n += 1 {'}' * len(names)} if n > 1 {{ move f to tail of other }} }}\n"
        f"on evict {{ scan queue from head as f {{ {loops} evict f stop {'}' * len(names)} }}\n"
        "scan other from head as f { evict f } } }"
    )
    assert compile_anything(text) is None  # `stop` ends only the innermost loop: f may be evicted twice
    assert compile_anything(text.replace("evict f stop", "n += 1")) is not None
