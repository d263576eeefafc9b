"""The IR of statements and declarations of the whole language."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source, ir
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.ir.evaluate import evaluate
from cpol.compiler.stages import dump_ir

from .examples import wrap


def policy(snippet: str) -> ir.Policy:
    return compile_source(wrap(snippet), "p.cpol")


def test_statements_of_the_whole_language() -> None:
    text = """
    param n: u16 = 4 in 1..9
    list deep[n + 1]
    table hits: u8[n, 4] = 0
    state s: u8 = 0
    ghost g { capacity: 8 folio { at: u16 = 7 heat: fix = 0.5 } }
    on admit(f) { refuse f }
    on added(f) { if f.pages > 1 { leave f } else { place f at head of deep[n] } }
    on accessed(f) { scan deep[3] from tail up to 1 as h { move h to head of queue } move f to tail of deep[f.index] }
    on removed(f) { g.add(f) g.add(f, heat: 1) g.take(f) g.forget_oldest() hits[1, 2] += 3 hits[0, s] = 4 }
    on evict { for i in 0..n { scan deep[i] from head up to 4 as f { evict f } }
               evict lowest r of up to 3 from tail of deep[1] }
    score r(f) = f.index
    every 2 * 50 events { for i in 1..3 { if s > 3 { stop } s += 1 } }
    every n ms { s = 0 }
    """
    rows = [row.strip().rpartition("  @")[0] or row.strip() for row in dump_ir(policy(text)).splitlines()]
    for row in [
        "list queue = 1",
        "list deep = 2 length (add:u64 (to:u64 (param n:u16)) 1:u64)",
        "table hits: u8[(to:u64 (param n:u16)), 4:u64] = 0",
        "refuse f",
        "leave f",
        "place f head deep[(to:u64 (param n:u16))]",
        "scan deep[3:u64] tail up-to 1:u64 as h",
        "move f tail deep[(attr f.index:u64)]",
        "ghost-add g f 7:u16 0.5:fix",
        "ghost-add g f 7:u16 1:fix",
        "ghost-drop g f",
        "ghost-forget g",
        "set hits[1:u64 2:u64] = (to:u8 (add:u64 (to:u64 (element hits 1:u64 2:u64:u8)) 3:u64))",
        "set hits[0:u64 (to:u64 (state s:u8))] = 4:u8",
        "for i 0:u64 to (to:u64 (param n:u16))",
        "evict-lowest r up-to 3:u64 tail deep[1:u64]",
        "every 100:u64 events",
        "every (to:u64 (param n:u16)) ms",
    ]:
        assert row in rows, row


def test_params_of_the_whole_language() -> None:
    text = """
    enum mode { off, on_, both }
    param m: mode = both
    param h: mode = on_ in off..on_ live
    param c: u32 = 3 in 1..9 lists
    param t: u32 = 3 in 1..9 ms live   /// doc"""
    params = policy(text).params
    assert [(p.name, str(p.type), p.default, p.low, p.high, p.unit, p.live, p.doc) for p in params] == [
        ("m", "mode", 2, 0, 2, "", False, ""),
        ("h", "mode", 1, 0, 1, "", True, ""),
        ("c", "u32", 3, 1, 9, "lists", False, ""),
        ("t", "u32", 3, 1, 9, "ms", True, "doc"),
    ]


def test_ir_of_inputs() -> None:
    inputs = policy("/// who\ninput a: set of thread\ninput b: map of page to fix = -0.5   /// how much").inputs
    assert [(i.name, i.key, i.value, i.default, i.doc) for i in inputs] == [
        ("a", "thread", None, 0, "who"),
        ("b", "page", ir.FIX, -1 << 15, "how much"),
    ]


def test_ir_of_tests() -> None:
    text = """
    param share: fix = 0.5 in 0.0..1.0
    list deep[4]
    input keys: set of page
    input weight: map of file to s8 = 1
    /// it does
    test one(capacity: 2 * 4, batch: 3, seed: 9, share: 0.25) {
      access 1, 3..5, 2:7, 2:8..9 as 7
      remove 1
      tick 100
      keys.add(1, 2, 3)  keys.remove(1, 2, 3)
      weight.add(1, -5)
      expect deep[1].has(1, 2:3) or cache.has(1..2) and share < 1
    }
    test two(capacity: 1) { expect true }"""
    one, two = policy(text).tests
    assert (one.name, one.doc, one.capacity, one.batch, one.seed, one.params) == (
        "one",
        "it does",
        8,
        3,
        9,
        (("share", 1 << 14),),
    )
    assert (two.batch, two.seed, two.params) == (1, 1, ())
    access, remove, tick, add, gone, weight, expect = one.steps
    assert isinstance(access, ir.Access)
    assert access.folios == ((0, 1), (0, 3), (0, 4), (0, 5), (2, 7), (2, 8), (2, 9))
    assert access.task == 7
    assert isinstance(remove, ir.Remove)
    assert remove.folios == ((0, 1),)
    assert isinstance(tick, ir.Tick)
    assert tick.ms == 100
    assert isinstance(add, ir.Fill)
    assert (add.input, add.key, add.value) == ("keys", (1, 2, 3), 1)
    assert isinstance(gone, ir.Fill)
    assert gone.value is None
    assert isinstance(weight, ir.Fill)
    assert (weight.key, weight.value) == ((1,), -5)
    assert isinstance(expect, ir.Expect)
    assert expect.text == "deep[1].has(1, 2:3) or cache.has(1..2) and share < 1"
    assert "(contains-all deep[1:u64] 0:1 2:3)" in dump_ir(policy(text))


def test_soft_keywords_are_names() -> None:
    words = "live set map events ms pages folios thread process page file access remove tick add add_ read"
    text = "".join(f"state {word}: u8 = 1\n" for word in words.split())
    used = " ".join(f"{word} += 1" for word in words.split())
    assert len(policy(f"{text}on accessed(f) {{ {used} }}").states) == 17
    fields = "at to of from up as in head tail lowest highest"
    record = " ".join(f"{word}: u2 = 0" for word in fields.split())
    sums = " ".join(f"f.{word} += f.{word}" for word in fields.split())
    assert len(policy(f"folio {{ {record} }}\non accessed(f) {{ {sums} }}").fields) == 11


def test_inner_scan_of_one_may_evict_the_outer_folio() -> None:
    text = """list second
    on accessed(f) { move f to tail of second }
    on evict {
      scan queue from head as f {
        scan second from head up to 1 as g { if g.index > f.index { evict g } else { evict f } }
      }
      scan second from head as f { evict f }
    }"""
    assert policy(text).handlers
    with pytest.raises(CompileError) as caught:
        policy(text.replace("up to 1 ", "up to 2 "))
    assert {d.code for d in caught.value.diagnostics} == {"E0307", "E0308"}
    with pytest.raises(CompileError) as caught:
        policy(text.replace("evict f } }\n      }", "evict f } } evict f }"))
    assert [d.code for d in caught.value.diagnostics] == ["E0308"]


def test_constant_sizes_are_folded_for_every_operator() -> None:
    """Remainders and conditional expressions of constants are folded, so the array's length is known to be in range."""
    arrays = ["N % 64", "if N > 64 then 36 else 0"]
    lengths = [policy(f"const N: u64 = 100\nlist other[{text}]").list_arrays for text in arrays]
    assert [[evaluate(array.length, {}) for array in each] for each in lengths] == [[36], [36]]
