"""Worst path, verifier bound and stack of handmade control flow graphs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cpol.compiler.analysis.cost.bounds import Bounds, Loop, bounds_of
from cpol.compiler.analysis.cost.object import Function, read_object
from cpol.compiler.analysis.cost.paths import stack, worst
from cpol.compiler.analysis.cost.verifier import LIMIT, effort
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.backend.bpf import build
from cpol.compiler.ir import MAX_ROUNDS, Pos
from cpol.compiler.stages import run, run_file

from ...corpus import ROOT
from .graphs import function, objects

NONE = Bounds()


def longest(code: Function, *others: Function, bounds: Bounds = NONE) -> int:
    return worst(code, objects(code, *others), bounds).instructions.upper_bound


def seen(code: Function, *others: Function) -> int:
    return effort(code, objects(code, *others), NONE)


def test_straight_line() -> None:
    code = function("nop", "nop", "exit")
    assert longest(code) == seen(code) == 3


def test_branch_costs_its_longer_side_but_verifies_both() -> None:
    code = function("nop", ("if", 5), "nop", "nop", "nop", "exit")
    assert longest(code) == 6
    assert seen(code) == 6 + 1  # the verifier visits the exit twice


def test_paths_multiply_for_the_verifier() -> None:
    code = function(("if", 2), "nop", ("if", 4), "nop", ("if", 6), "nop", "exit")
    assert longest(code) == 7
    assert seen(code) == 1 + 1 + 2 + 2 + 4 + 4 + 8


def test_loop_with_a_counting_register() -> None:
    code = function(("mov", 10), "nop", "nop", ("add", -1), ("if_not", (0, 1)), "exit")
    assert longest(code) >= 1 + 10 * 4 + 1
    assert longest(code) <= 1 + 11 * 4 + 1
    assert 1 + 10 * 4 + 1 <= seen(code) <= 1 + 11 * 4 + 12


def test_unknown_loop_has_the_languages_bound() -> None:
    code = function("nop", ("if", 0), "exit")
    assert longest(code) == MAX_ROUNDS * 2 + 3
    assert seen(code) == LIMIT


def test_scan_has_the_policys_bound_and_formula() -> None:
    bounds = Bounds({}, {"evict": [Loop("scan", Pos(7, 3), 20, "min(n, capacity)")]})
    code = function("nop", ("call", ("bpf_iter_cache_ext_list_next", 7)), ("if", 5), "nop", ("goto", 1), "exit")
    found = worst(code, objects(code), bounds)
    assert found.instructions.upper_bound == 1 + 20 * 4 + 5 - 2
    assert found.instructions.formula == "4 + 4 * scan@7"
    assert found.kfuncs.upper_bound == 20 + 1 and found.kfuncs.formula == "1 + 1 * scan@7"
    assert seen(code) == LIMIT


def test_nested_scans() -> None:
    loops = [Loop("scan", Pos(1, 1), 10, ""), Loop("scan", Pos(2, 1), 5, "")]
    bounds = Bounds({}, {"evict": loops})
    outer, inner = ("call", ("bpf_iter_cache_ext_list_next", 1)), ("call", ("bpf_iter_cache_ext_scan_next", 2))
    code = function(outer, ("if", 6), inner, ("if", 0), "nop", ("goto", 2), "exit")
    found = worst(code, objects(code), bounds)
    round_of_outer = 2 + 2 + 5 * 4
    assert found.instructions.upper_bound == 10 * round_of_outer + 3
    assert found.instructions.terms[("scan@1", "scan@2")] == 4


def test_calls_cost_each_time_but_verify_once() -> None:
    called = function("nop", "nop", "exit", name="callee", section=".text")
    code = function(("call", ("callee", 0)), ("call", ("callee", 0)), ("call", ("bpf_kfunc", 0)), "exit")
    assert longest(code, called) == 4 + 2 * 3
    assert worst(code, objects(code, called), NONE).kfuncs.upper_bound == 1
    assert seen(code, called) == 4 + 3


def test_stack() -> None:
    called = function(("store", -8), "exit", name="callee", section=".text")
    code = function(("store", -72), ("call", ("callee", 0)), "exit")
    assert stack(code, objects(code, called)) == 80 + 16
    assert stack(function("exit"), objects()) == 16


def brute(code: Function, at: int = 0) -> tuple[int, int]:
    """Return the longest path from a slot, and the number of instructions of all paths together."""
    ways = [brute(code, after) for after in code.insns[at].next]
    return 1 + max((way[0] for way in ways), default=0), 1 + sum(way[1] for way in ways)


def test_random_loop_free_code_matches_brute_force() -> None:
    generator = random.Random(7)
    for _ in range(200):
        length = generator.randrange(2, 22)
        items: list[tuple[str, object] | str] = []
        for at in range(length):
            target = generator.randrange(at + 1, length + 1)
            items.append(generator.choice(["nop", ("goto", target), ("if", target), ("if", target), "exit"]))
        code = function(*items, "exit")
        assert (longest(code), seen(code)) == brute(code)


def test_loop_bound_depends_on_kind_and_line() -> None:
    """A scan's bound does not apply to a counting loop, even on the same line."""
    bounds = Bounds({}, {"evict": [Loop("scan", Pos(7, 3), 5, ""), Loop("for", Pos(8, 3), 9, "")]})
    for called, line, expected in (
        ("bpf_iter_cache_ext_scan_next", 7, 5),
        ("bpf_iter_num_next", 8, 9),
        ("bpf_iter_num_next", 7, MAX_ROUNDS),
        ("bpf_iter_cache_ext_list_next", 8, MAX_ROUNDS),
    ):
        code = function(("call", (called, line)), ("if", 3), ("goto", 0), "exit")
        assert worst(code, objects(code), bounds).kfuncs.upper_bound == expected + 1


def test_loop_over_array_sizes_is_bounded_by_lists() -> None:
    code = function(("call", ("bpf_iter_num_next", 7)), ("if", 3), ("goto", 0), "exit")
    bounds = Bounds({}, {"evict": [Loop("for", Pos(7, 3), 5, "")]}, array=100)
    found = worst(code, objects(code), bounds).kfuncs
    assert found.upper_bound == 101 and found.formula == "1 + 1 * lists"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "member", "products", "none"),
    [
        ("stdlib/lhd.cpol", "tick", ["for@58 * for@62"], "lists"),
        ("examples/literature/eelru.cpol", "tick", ["for@79 * for@82", "for@62", "for@134"], "lists"),
        (
            "examples/literature/lfuda.cpol",
            "evict_folios",
            ["for@57 * scan@62", "for@57 * scan@72"],
            "scan@62 * scan@72",
        ),
    ],
)
def test_nested_loops_multiply_and_others_add_up(
    name: str, member: str, products: list[str], none: str, tmp_path: Path
) -> None:
    """Where clang turns loops, the first step of an inner one is the outer one's: it was taken for the outer one's own.
    An array of lists whose size no program reads bounds no loop."""
    policy = run_file(ROOT / name).policy
    found = read_object(build(policy, tmp_path))
    program = next(each for each in found.functions.values() if each.member == member)
    formula = worst(program, found, bounds_of(policy, Setting.of(policy, 1000))).instructions.formula
    assert all(f" * {product}" in formula for product in products) and none not in formula, formula


def test_the_size_of_an_array_of_lists_is_a_loop_over_them() -> None:
    text = """policy p { list q[100]  state n: u64 = 0
  on added(f) { n = SIZE  place f at tail of q[0] }
  on evict { scan q[0] from head as f { evict f } }
  invariant q.size == cache.size }"""
    for size, lists in (("q.size", 100), ("q[3].size", 0)):
        policy = run(text.replace("SIZE", size), "p.cpol").policy
        assert bounds_of(policy, Setting.of(policy, 1000)).array == lists
