"""Generated text of expressions, statements, layouts and the manifest."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from irs import FIFO, POS, with_body

from cpol.compiler import compile_source, ir
from cpol.compiler.backend import expr, host, manifest, stmt
from cpol.compiler.backend.c import generate
from cpol.compiler.ir import BOOL, FIX, REASON, S64, U64, IntType, layout
from cpol.compiler.toolchain import native

U8 = IntType(False, 8)
S8 = IntType(True, 8)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (ir.Const(7, U64), "7"),
        (ir.Const(2**64 - 1, U64), "18446744073709551615ULL"),
        (ir.Const(-5, S64), "(-5)"),
        (ir.Const(-(2**63), S64), "CPOL_S64_MIN"),
        (ir.Const(6554, FIX), "6554 /* 0.1 */"),
        (ir.Const(1, BOOL), "true"),
        (ir.Const(1, REASON), "CPOL_DELETED"),
        (ir.Const(0, ir.EnumType("list", ("none", "a"))), "LIST_none"),
        (ir.Const(1, ir.EnumType("mood", ("good", "*/bad"))), "1 /* * /bad */"),
        (ir.Convert(ir.Param("p", U8), U64), "(u64)cpol_params.my_p"),
        (ir.Convert(ir.Param("p", S8), FIX), "cpol_fix_from_s64(cpol_params.my_p)"),
        (ir.Convert(ir.State("s", FIX), U8, "ceil"), "cpol_clamp_u(cpol_u64_ceil_fix(cpol_state.my_s), 8)"),
        (ir.Convert(ir.State("s", U64), S8), "cpol_clamp_s(cpol_s64_from_u64(cpol_state.my_s), 8)"),
        (ir.Convert(ir.State("s", U64), U64), "cpol_state.my_s"),
        (ir.Not(ir.Compare("lt", ir.Const(1, U64), ir.EvictWanted())), "!(1 < cpol_evict_wanted(c))"),
    ],
)
def test_expressions(node: ir.Expr, text: str) -> None:
    assert expr.text(node) == text


def test_logic_has_necessary_parentheses() -> None:
    a, b, c = (ir.State(name, BOOL) for name in "xyz")
    assert (
        expr.text(ir.Logic("or", ir.Logic("and", a, b), c)) == "(cpol_state.my_x && cpol_state.my_y) || cpol_state.my_z"
    )
    assert (
        expr.text(ir.Logic("and", a, ir.Logic("or", b, c))) == "cpol_state.my_x && (cpol_state.my_y || cpol_state.my_z)"
    )
    assert (
        expr.text(ir.Logic("and", ir.Logic("and", a, b), c)) == "cpol_state.my_x && cpol_state.my_y && cpol_state.my_z"
    )


def test_operands_that_touch_ghosts_are_ordered() -> None:
    """C leaves the order of evaluation of == open."""
    text = expr.text(ir.Compare("eq", ir.GhostTake("g", "f"), ir.GhostHas("g", "f")))
    assert text.index("cpol_1 = cpol_ghost_take") < text.index("cpol_2 = cpol_ghost_has")


def test_constants_are_stored_without_a_clamp() -> None:
    policy = with_body({}, states=(ir.VarDecl("s", U8, 0, POS),))
    writer = stmt.Writer(policy, "x.cpol")
    assert writer.visit(ir.SetState("s", ir.Const(255, U8), POS)) == ["CPOL_STORE(cpol_state.my_s, 255);"]
    wide = ir.Convert(ir.CacheAttr("clock"), U8)
    assert writer.visit(ir.SetState("s", wide, POS)) == [
        "CPOL_STORE(cpol_state.my_s, cpol_clamp_u(cpol_cache_clock(c), 8));"
    ]


def test_unused_local_has_no_warning(tmp_path: Path) -> None:
    policy = with_body({"evict": (ir.Let("idle", ir.Const(1, U64), POS),)})
    assert "(void)my_idle;" in generate(policy)


@pytest.mark.parametrize("seed", range(12))
def test_record_sizes_match_clang(seed: int, tmp_path: Path) -> None:
    """Generated C asserts the record size that Python computes, here for random fields."""
    rng = random.Random(seed)
    fields: list[ir.VarDecl] = []
    while layout.record_size(layout.record(fields)) <= 48 and len(fields) < 14:
        kinds = [
            BOOL,
            FIX,
            REASON,
            IntType(rng.random() < 0.5, rng.choice((1, 2, 3, 7, 8, 9, 13, 16, 17, 31, 33, 40, 64))),
        ]
        fields.append(ir.VarDecl(f"f{len(fields)}", rng.choice(kinds), 0, POS))
    policy = with_body({}, fields=tuple(fields))
    source = tmp_path / "policy.c"
    source.write_text(generate(policy), encoding="utf-8")
    native.compile_c(source, tmp_path / "out", (*native.COMMON, "-fsyntax-only", f"-I{host.NATIVE}"))


def test_manifest() -> None:
    capacity = ir.Convert(
        ir.Arith("mul", ir.Param("share", FIX), ir.Convert(ir.CacheAttr("capacity"), FIX), FIX), U64, "ceil"
    )
    policy = with_body(
        {"accessed": ()},
        params=(ir.ParamDecl("on", BOOL, 1, 0, 1, "", POS), ir.ParamDecl("share", FIX, 6554, 0, 65536, "", POS)),
        ghosts=(ir.GhostDecl("old", capacity, POS),),
        fields=(ir.VarDecl("age", IntType(False, 40), 0, POS),),
    )
    assert manifest.lines(policy) == [
        "cpol 1 tiny",
        "param on bool 1 0 1 0 1",
        "param share fix 6554 0 65536 8 8",
        "ghost old param:share,capacity,to_fix,mul,ceil",
        "lists queue",
        "meta 8",
    ]
    assert manifest.lines(FIFO)[-1] == "meta 0"


def test_tick_of_a_fractional_period() -> None:
    """CPOL_TICK_MS is in milliseconds even if the param is a fix."""
    period = ir.Convert(ir.Param("pause", FIX), U64)
    policy = with_body(
        {},
        params=(ir.ParamDecl("pause", FIX, 5 << 15, 1 << 16, 9 << 16, "", POS),),
        everies=(ir.Every(period, "ms", (), POS),),
    )
    assert layout.tick_ms(policy) == 2


def test_the_kernel_selects_the_lowest_of_a_field_and_nothing_else() -> None:
    policy = compile_source(
        """policy select { list queue  folio { freq: u16 = 0 }  score rank(f) = f.freq
             on added(f) { place f at tail of queue }
             on accessed(f) { f.freq += 1 }
             on evict { evict lowest rank of up to 9 from head of queue
                        evict highest rank of up to 9 from head of queue } }""",
        "select.cpol",
    )
    lowest, _, highest = generate(policy).partition("CPOL_HANDLER_EVICT(c)")[2].partition("#line 5")
    assert "CPOL_ADD_CANDIDATES_BY(c, LIST_my_queue, false /* head */, 9, my_freq);" in lowest
    assert "CPOL_ADD_CANDIDATES_BY" not in highest
    assert "cpol_add_candidate(c, cpol_f, ~cpol_key_u64(cpol_score_my_rank(c, cpol_f, cpol_rec))," in highest
