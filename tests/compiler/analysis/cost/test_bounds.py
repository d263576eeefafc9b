"""Bounds of visited folios and rounds of loops, with formulas, for each construct; exact memory."""

from __future__ import annotations

import pytest

from cpol.compiler import ir
from cpol.compiler.analysis.cost.bounds import Bounds, bounds_of
from cpol.compiler.analysis.cost.memory import ghost_bytes, memory_of
from cpol.compiler.analysis.upper_bound import Setting, upper_bound
from cpol.compiler.stages import run

CAPACITY = 1000


def policy(evict: str, before: str = "") -> ir.Policy:
    text = f"""policy p {{ param n: u32 = 5 in 1..70000  param share: fix = 0.25 in 0.0..1.0  list a, b  {before}
      on added(f) {{ place f at tail of a }} on evict {{ {evict} scan b from head as last {{ evict last }} }} }}"""
    return run(text, "p.cpol").policy


def bounds(evict: str, capacity: int = CAPACITY, before: str = "", **params: int) -> Bounds:
    found = policy(evict, before)
    return bounds_of(found, Setting.of(found, capacity, params))


TABLE = """table t: u8[2 * cache.capacity, 3] = 0  ghost g { capacity: 3 * cache.capacity }
  on accessed(f) { t[1, 1] += 1  if g.take(f) { t[1, 2] = t[1, 1] } }  on removed(f) { g.add(f) }"""
LAST = CAPACITY  # bound of the scan of `b`


@pytest.mark.parametrize(
    ("evict", "steps", "formula"),
    [
        ("scan a from head as f { evict f }", 1000, "min(capacity, 65,536)"),
        ("scan a from head up to 7 as f { evict f }", 7, "min(7, capacity, 65,536)"),
        ("scan a from head up to n as f { evict f }", 5, "min(n, capacity, 65,536)"),
        ("scan a from head up to n * 2 + 1 as f { evict f }", 11, "min((n * 2) + 1, capacity, 65,536)"),
        ("scan a from head up to share * cache.capacity as f { evict f }", 250, None),
        ("scan a from head up to a.size - 10 as f { evict f }", 990, "min(capacity - 10, capacity, 65,536)"),
        (
            "let m = min(a.size, 9) scan a from head up to m as f { evict f }",
            9,
            "min(min(capacity, 9), capacity, 65,536)",
        ),
        ("evict lowest rank of up to n from head of a", 5, "min(n, capacity, 65,536)"),
    ],
)
def test_bound_of_a_scan(evict: str, steps: int, formula: str | None) -> None:
    found = bounds(evict, before="score rank(f) = f.index" if "lowest" in evict else "")
    assert found.efforts["evict"].steps == steps + LAST
    if formula is not None:
        assert found.loops["evict"][0].formula == formula


def test_nested_scans_multiply_and_branches_take_the_maximum() -> None:
    nested = "scan a from head up to 3 as f { scan b from head up to 4 as g { evict g } move f to tail of a }"
    assert bounds(nested).efforts["evict"].steps == 3 + 3 * 4 + LAST
    either = (
        "if a.size > 1 { scan a from head up to 3 as f { evict f } } else { scan a from tail up to 8 as f { evict f } }"
    )
    assert bounds(either).efforts["evict"].steps == 8 + LAST


def test_scan_is_bounded_by_the_kernels_limit() -> None:
    assert bounds("", capacity=1 << 30).efforts["evict"].steps == 65536
    assert (
        bounds("scan a from head up to n as f { evict f }", capacity=1 << 30, n=70000).efforts["evict"].steps
        == 2 * 65536
    )


@pytest.mark.parametrize(
    ("loop", "rounds"),
    [
        ("for i in 1..n { x += i }", 5),
        ("for i in 0..n { x += i }", 6),
        ("for i in 3..9 { for j in 1..i { x += j } }", 7 + 7 * 9),
        ("for i in 1..99999999 { x += i }", 65536),
        ("for i in 9..3 { x += i }", 0),
        ("for i in x..4 { x += i }", 5),
        ("for i in 0..t.size - 1 { x += i }", 2000),
        ("for i in 1..g.size { x += i }", 3000),
    ],
)
def test_bound_of_a_for(loop: str, rounds: int) -> None:
    assert bounds(loop, before=f"state x: u64 = 0 {TABLE}").efforts["evict"].rounds == rounds


def test_bounds_of_every_name_the_period() -> None:
    found = bounds("", before="state x: u64 = 0 every n events { for i in 1..3 { x += 1 } } every 100 ms { x = 0 }")
    assert found.efforts["every n events"].rounds == 3 and found.efforts["every 100 ms"].rounds == 0


@pytest.mark.parametrize(
    ("capacity", "params", "entries"),
    [(1000, {}, 302), (1000, {"k": 50}, 502), (3, {}, 2), (0, {}, 2), (1 << 62, {"k": 400}, (1 << 64) - 1)],
)
def test_memory_of_ghosts_is_exact(capacity: int, params: dict[str, int], entries: int) -> None:
    text = """policy p { param k: u64 = 30 in 0..400  list q
      ghost g { capacity: min(k * (cache.capacity / 100) + max(k, 50) / 50 * 2, cache.capacity * 4 + 2) - k % 1 }
      on added(f) { if g.take(f) { place f at head of q } else { place f at tail of q } }
      on removed(f) { g.add(f) } on evict { scan q from head as f { evict f } } }"""
    found = run(text, "p.cpol").policy
    setting = Setting.of(found, capacity, params)
    kept = memory_of(found, setting, {"g": 24}, 0).kept[0]
    k = setting.params["k"]
    exact = min(k * (capacity // 100) + max(k, 50) // 50 * 2, capacity * 4 + 2, (1 << 64) - 1)
    assert exact == entries
    assert (kept.entries, kept.bytes) == (exact, ghost_bytes(exact, 24))


def test_memory_of_tables_and_arrays() -> None:
    text = """policy p { param n: u32 = 100 in 1..16000  list q, gen[n]  table t: u16[4, 2 * cache.capacity] = 0
      folio { a: u8 = 0  b: u32 = 1 }  state x: u64 = 0
      on added(f) { t[1, f.index] += 1  f.b = x  place f at tail of gen[f.index] }
      on accessed(f) { f.a += 1  x = t[0, 0] + f.a + f.b  move f to tail of q }
      on evict { scan q from head as f { evict f } for i in 0..n { scan gen[i] from head as f { evict f } } } }"""
    found = run(text, "p.cpol").policy
    memory = memory_of(found, Setting.of(found, CAPACITY), {}, 48)
    assert [(kept.name, kept.entries, kept.each) for kept in memory.kept] == [("t", 8000, 2), ("gen", 100, 48)]
    assert memory.fixed == 16000 + 4800 and memory.record == 8


def test_possibly_negative_factors_do_not_bound_a_product() -> None:
    found = policy("scan a from head up to unsigned(s * s) as f { evict f }", "state s: s32 = 0")
    scan = found.handlers["evict"].body[0]
    assert isinstance(scan, ir.Scan) and scan.bound is not None
    assert upper_bound(scan.bound, Setting.of(found, CAPACITY), {}).raw >= (1 << 31) ** 2


def test_what_bounds_nothing_is_left_out() -> None:
    found = bounds(
        "for i in 0..x + 1 { scan a from head up to min(x * 2, 7 + x) as f { evict f } }",
        before="state x: u64 = 0 on accessed(f) { x += 1 }",
    )
    assert [loop.formula for loop in found.loops["evict"]][:2] == ["65,536", "min(capacity, 65,536)"]
