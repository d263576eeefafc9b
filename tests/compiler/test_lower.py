"""The IR of expressions, statements and declarations."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source, ir
from cpol.compiler.stages import dump_ir

from .examples import wrap


def policy(snippet: str) -> ir.Policy:
    return compile_source(wrap(snippet), "p.cpol")


def line(snippet: str, starting: str) -> str:
    """Return the first line of the IR's dump with this start, without its position."""
    text = dump_ir(policy(snippet))
    found = next(row.strip() for row in text.splitlines() if row.strip().startswith(starting))
    return found.rpartition("  @")[0]


def expression(text: str) -> str:
    """Return the IR of an expression in `on accessed(f)`."""
    declarations = """
        param k: u8 = 1 in 1..9
        param share: fix = 0.5 in 0.0..1.0
        const C: s16 = -3
        state s: s32 = 0
        state flag: bool = false
        folio { rank: u2 = 0 }
        ghost g { capacity: 8 folio { at: u16 = 7 rank: s8 = -1 } }
        list deep[k]
        enum heat { cold, warm }
        state now: heat = warm
        table hits: s16[k, 3] = -2
        table plain: fix[8] = 0.5
        input threads: set of thread
        input hot: set of page
        input weight: map of file to u8 = 3
        fn who(x: u64): u64 = task.thread + x
        fn half(x: s64): s16 = x / 2
        fn size_of(f: folio, n: fix): fix = f.pages * n
    """
    return line(f"{declarations}\non accessed(f) {{ let y = {text} }}", "let y").partition(" = ")[2]


@pytest.mark.parametrize(
    ("text", "lowered"),
    [
        # a literal takes the type of the other side
        ("f.pages + 1", "(add:u64 (attr f.pages:u64) 1:u64)"),
        ("1 + s", "(add:s64 1:s64 (to:s64 (state s:s32)))"),
        ("s > -1", "(gt (to:s64 (state s:s32)) -1:s64)"),
        ("share * 2", "(mul:fix (param share:fix) 2:fix)"),
        ("1 + 2", "(add:u64 1:u64 2:u64)"),
        ("(1 - 2) + s", "(add:s64 (sub:s64 1:s64 2:s64) (to:s64 (state s:s32)))"),
        ("min(1, s, 3)", "(min:s64 (min:s64 1:s64 (to:s64 (state s:s32))) 3:s64)"),
        ("signed(1)", "1:s64"),
        ("-1", "-1:s64"),
        ("-1 < 2", "(lt -1:s64 2:s64)"),
        ("unsigned(-3)", "(to:u64 -3:s64)"),
        ("max(-1, 2)", "(max:s64 -1:s64 2:s64)"),
        # reads of names are widened
        ("f.rank + k", "(add:u64 (to:u64 (field f.rank:u2)) (to:u64 (param k:u8)))"),
        ("C + s", "(add:s64 -3:s64 (to:s64 (state s:s32)))"),
        ("flag", "(state flag:bool)"),
        # an integer operand beside a fix becomes a fix
        ("share * cache.capacity", "(mul:fix (param share:fix) (to:fix (cache capacity)))"),
        ("share < f.rank", "(lt (param share:fix) (to:fix (to:u64 (field f.rank:u2))))"),
        ("floor(share * 3)", "(to:u64 floor (mul:fix (param share:fix) 3:fix))"),
        ("ceil(share)", "(to:u64 ceil (param share:fix))"),
        ("signed(share)", "(to:s64 floor (param share:fix))"),
        ("unsigned(s)", "(to:u64 (to:s64 (state s:s32)))"),
        ("signed(f.pages)", "(to:s64 (attr f.pages:u64))"),
        ("-s", "(sub:s64 0:s64 (to:s64 (state s:s32)))"),
        ("-share", "(sub:fix 0:fix (param share:fix))"),
        ("- -3 + s", "(add:s64 (sub:s64 0:s64 -3:s64) (to:s64 (state s:s32)))"),
        # precedence and grouping
        ("1 + 2 * f.pages", "(add:u64 1:u64 (mul:u64 2:u64 (attr f.pages:u64)))"),
        ("8 - 4 - f.pages", "(sub:u64 (sub:u64 8:u64 4:u64) (attr f.pages:u64))"),
        ("not flag and flag or flag", "(or (and (not (state flag:bool)) (state flag:bool)) (state flag:bool))"),
        ("not s == 3", "(not (eq (to:s64 (state s:s32)) 3:s64))"),
        ("f.pages / 2 % 3", "(mod:u64 (div:u64 (attr f.pages:u64) 2:u64) 3:u64)"),
        # enums and ghosts
        ("f.list == queue", "(eq (attr f.list:list) queue:list)"),
        ("g.take(f) or g.has(f)", "(or (take g f) (has g f))"),
        ("now == cold", "(eq (state now:heat) cold:heat)"),
        # the whole language
        ("g.size", "(ghost-size g)"),
        ("g.at(f) + 1", "(add:u64 (to:u64 (ghost-field g f at:u16)) 1:u64)"),
        ("g.rank(f)", "(to:s64 (ghost-field g f rank:s8))"),
        ("hits[1, f.rank]", "(to:s64 (element hits 1:u64 (to:u64 (field f.rank:u2)):s16))"),
        ("hits[now, cold] > 3", "(gt (to:s64 (element hits (to:u64 (state now:heat)) (to:u64 cold:heat):s16)) 3:s64)"),
        ("plain[0] * 2", "(mul:fix (element plain 0:u64:fix) 2:fix)"),
        ("hits.size", "(table-size hits)"),
        ("deep[k].size", "(size deep[(to:u64 (param k:u8))])"),
        ("deep.size + queue.size", "(add:u64 (size deep) (size queue))"),
        ("f.list == deep", "(eq (attr f.list:list) deep:list)"),
        ("threads.has(task.process)", "(input-has threads (task process))"),
        ("hot.has(f)", "(input-has hot f)"),
        ("weight.of(f.file)", "(to:u64 (input-get weight (attr f.file:u64):u8))"),
        ("weight.has(3)", "(input-has weight 3:u64)"),
        ("half(2) - 1", "(sub:s64 (to:s64 (call half 2:s64:s16)) 1:s64)"),
        ("size_of(f, 3)", "(call size_of f 3:fix:fix)"),
        ("who(2)", "(call who 2:u64:u64)"),
        ("random(k)", "(random (to:u64 (param k:u8)))"),
        ("hash(f, 2)", "(hash f 2:u64)"),
        ("log2(f.pages)", "(log2 (to:fix (attr f.pages:u64)))"),
        ("exp2(3)", "(exp2 3:fix)"),
        ("cache.clock % 2", "(mod:u64 (cache clock) 2:u64)"),
        # both values of a conditional expression get one type, as operands of `+` do
        ("if flag then 1 else s", "(if:s64 (state flag:bool) 1:s64 (to:s64 (state s:s32)))"),
        ("if flag then 1 else 0.5", "(if:fix (state flag:bool) 1:fix 0.5:fix)"),
        ("if flag then 1 else 2", "(if:u64 (state flag:bool) 1:u64 2:u64)"),
        ("if flag then 1 else -2", "(if:s64 (state flag:bool) 1:s64 -2:s64)"),
        ("(if flag then 1 else 2) + s", "(add:s64 (if:s64 (state flag:bool) 1:s64 2:s64) (to:s64 (state s:s32)))"),
        ("if flag then cold else now", "(if:heat (state flag:bool) cold:heat (state now:heat))"),
        (
            "if flag then 1 else if k > 2 then 2 else 3 + f.pages",
            "(if:u64 (state flag:bool) 1:u64 (if:u64 (gt (to:u64 (param k:u8)) 2:u64) "
            "2:u64 (add:u64 3:u64 (attr f.pages:u64))))",
        ),
        ("0.1", "0.1:fix"),
        ("0.00000762939453125", "0:fix"),  # half of the smallest step, rounded to even
        ("0.00002288818359375", "0.00003:fix"),  # one and a half steps, rounded to even
    ],
)
def test_expressions(text: str, lowered: str) -> None:
    assert expression(text) == lowered


@pytest.mark.parametrize(
    ("type", "value", "raw"),
    [
        ("u8", "2 * 3 + 4", 10),
        ("u64", "18446744073709551615 + 1", (1 << 64) - 1),
        ("u64", "1 - 2", 0),
        ("s64", "0 - 7 / 2", -3),
        ("s64", "(0 - 7) / 2", -4),
        ("s64", "(0 - 7) % 2", 1),
        ("s64", "7 % (0 - 2)", -1),
        ("u64", "7 / 2", 3),
        ("u64", "floor(2.5) + ceil(2.5)", 5),
        ("u64", "floor(-2.5)", 0),
        ("s64", "signed(-2.5)", -3),
        ("fix", "3", 3 << 16),
        ("fix", "1.0 / 3", (1 << 16) // 3),
        ("fix", "-1.0 / 3", -((1 << 16) // 3) - 1),
        ("fix", "0.5 * 0.5", 1 << 14),
        ("bool", "1 < 2 and not (2.5 <= 2)", 1),
        ("bool", "false or false", 0),
        ("u64", "max(1, 5, 3) - min(2, 4)", 3),
        ("u64", "unsigned(-3)", 0),
        ("bool", "-1 < 0", 1),
        ("u64", "if 1 < 2 then 3 else 4", 3),
        ("fix", "log2(8)", 3 << 16),
        ("fix", "log2(0)", -16 << 16),
        ("fix", "log2(-1.5)", -16 << 16),
        ("fix", "log2(0.5)", -1 << 16),
        ("fix", "exp2(-1)", 1 << 15),
        ("fix", "exp2(0.5)", 92681),
        ("fix", "exp2(60)", (1 << 63) - 1),
        ("fix", "exp2(-20)", 0),
    ],
)
def test_constants(type: str, value: str, raw: int) -> None:
    (state,) = policy(f"state x: {type} = {value}\non accessed(f) {{ if x == x {{ move f to head of queue }} }}").states
    assert state.init == raw


def test_values_are_converted_to_where_they_go() -> None:
    assert line("folio { rank: u2 = 0 }\non accessed(f) { f.rank += 1 }", "set") == (
        "set f.rank = (to:u2 (add:u64 (to:u64 (field f.rank:u2)) 1:u64))"
    )
    assert line("state x: fix = 0.0\non accessed(f) { x = f.pages }", "set") == "set x = (to:fix (attr f.pages:u64))"
    assert line("state x: s8 = 0\non accessed(f) { x *= 3 }", "set") == (
        "set x = (to:s8 (mul:s64 (to:s64 (state x:s8)) 3:s64))"
    )
    assert line("state x: u8 = 0\nstate y: u8 = 0\non accessed(f) { x = y }", "set") == "set x = (state y:u8)"
    assert line("const C: u16 = 300\nstate x: u16 = 0\non accessed(f) { x = C }", "set") == "set x = 300:u16"


def test_arguments_and_results_of_fns_are_converted() -> None:
    text = "fn half(v: u4): u3 = v / 2\nstate n: u64 = 0\non accessed(f) { n = half(n) }"
    assert line(text, "set") == "set n = (to:u64 (call half (to:u4 (state n:u64)):u3))"
    assert line(text, "fn half").endswith("(to:u3 (div:u64 (to:u64 (local v:u4)) 2:u64))")


def test_counts_of_type_fix_are_rounded_down() -> None:
    share = "param share: fix = 0.5 in 0.0..1.0\n"
    assert line(share + "ghost g { capacity: share * 10 }", "ghost").endswith(
        "(to:u64 floor (mul:fix (param share:fix) 10:fix))"
    )
    scan = share + "on evict { scan queue from tail up to share * queue.size as f { evict f } }"
    assert line(scan, "scan") == (
        "scan queue tail up-to (to:u64 floor (mul:fix (param share:fix) (to:fix (size queue)))) as f"
    )


def test_else_if_is_nested() -> None:
    handler = policy("on accessed(f) { if f.pages == 1 { } else if f.pages == 2 { } else { move f to head of queue } }")
    (outer,) = handler.handlers["accessed"].body
    assert isinstance(outer, ir.If)
    (inner,) = outer.orelse
    assert isinstance(inner, ir.If)
    assert [type(stmt) for stmt in inner.orelse] == [ir.Move]


def test_arms_are_nested_ifs_after_plain_statements() -> None:
    snippet = """on evict {
      scan queue from head up to 8 as f {
        let old = f.index
        when old == 1 { keep }
        when old == 2 { stop }
        otherwise { evict f }
      }
    }"""
    (scan,) = policy(snippet).handlers["evict"].body
    assert isinstance(scan, ir.Scan)
    let, first = scan.body
    assert isinstance(let, ir.Let)
    assert isinstance(first, ir.If)
    assert first.then == ()
    (second,) = first.orelse
    assert isinstance(second, ir.If)
    assert [type(stmt) for stmt in (*second.then, *second.orelse)] == [ir.Stop, ir.Evict]


def test_evict_has_the_far_end_of_its_folios_scan() -> None:
    snippet = """on evict {
      scan queue from tail as f {
        scan other from head up to 1 as g { if g.pages > f.pages { evict f } else { evict g } }
      }
    }"""
    text = dump_ir(policy("list other\n" + snippet))
    assert "evict f far head" in text
    assert "evict g far tail" in text


def test_one_handler_for_several_events() -> None:
    handlers = policy("on first_accessed, accessed(g) { move g to head of queue }").handlers
    assert handlers["accessed"].body == handlers["first_accessed"].body
    assert (handlers["accessed"].event, handlers["accessed"].folio) == ("accessed", "g")


def test_lists_are_numbered_in_order() -> None:
    compiled = compile_source(
        "policy p { list a, b\nlist c\n"
        "on added(f) { if f.list == c { place f at head of b } else { place f at tail of a } }"
        "on evict { scan a from head as f { move f to head of c } scan b from head as f { evict f }"
        "scan c from head as f { evict f } } }",
        "p.cpol",
    )
    assert compiled.lists == ("a", "b", "c")
    assert "(eq (attr f.list:list) c:list)" in dump_ir(compiled)


def test_params() -> None:
    text = """
/// how many
/// to look at
param n: u32 = 8 in 1..9   /// not this
param on_: bool = true  /// whether
param s: s8 = -1 in -3..0"""
    params = policy(text).params
    assert [(p.name, p.default, p.low, p.high, p.doc) for p in params] == [
        ("n", 8, 1, 9, "how many\nto look at"),
        ("on_", 1, 0, 1, "whether"),
        ("s", -1, -3, 0, ""),
    ]


def test_consts_are_folded() -> None:
    text = dump_ir(policy("const A: u8 = 3\nconst B: u8 = A + 1\nparam p: u8 = B in A..9"))
    assert "param p: u8 = 4 in 3..9" in text
    assert "const" not in text


def test_positions_and_text() -> None:
    compiled = policy("invariant queue.size\n  == cache.size")
    (invariant,) = compiled.invariants
    assert invariant.text == "queue.size == cache.size"
    assert (invariant.pos.line, invariant.pos.column) == (3, 1)
    assert compiled.path == "p.cpol"
