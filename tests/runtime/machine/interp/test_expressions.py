"""docs/semantics.md: conditional expressions, functions, random numbers; expressions as text."""

from __future__ import annotations

import pytest
from build_ir import (
    POS,
    arith,
    compare,
    field,
    machine,
    number,
    place,
    policy,
    set_state,
    state,
    var,
)

from cpol.compiler import ir
from cpol.runtime.machine.interp import Machine, ParamError, functions
from cpol.runtime.machine.interp.explain import text

U8 = ir.IntType(False, 8)
TRUE = number(1, ir.BOOL)


def value(expr: ir.Expr, **given: object) -> int:
    made = policy(init=[set_state("out", expr)], states=[var("out", expr.type)], **given)  # type: ignore[arg-type]  # by name
    return Machine(made, 8).state["out"]


class TestExpressions:
    def test_only_the_taken_branch_is_evaluated(self):
        fails = arith("div", number(1), number(0))
        assert value(ir.Select(TRUE, number(3), fails, ir.U64)) == 3
        assert value(ir.Select(number(0, ir.BOOL), fails, number(4), ir.U64)) == 4

    def test_random_draws_only_when_evaluated(self):
        draw = compare("lt", ir.Random(number(5)), number(9))
        passed = Machine(policy(init=[set_state("out", ir.Logic("or", TRUE, draw))], states=[var("out", ir.BOOL)]), 1)
        reached = Machine(policy(init=[set_state("out", ir.Logic("and", TRUE, draw))], states=[var("out", ir.BOOL)]), 1)
        assert (passed.random, reached.random) == (1, 1 + functions.STEP)

    def test_the_bound_of_random_draws_first(self):
        made = policy(init=[set_state("out", ir.Random(ir.Random(number(2**32))))], states=[var("out")])
        machine = Machine(made, 1)
        after, bound = functions.random(1, 2**32)
        assert (machine.random, machine.state["out"]) == functions.random(after, bound)

    def test_seed_selects_random_numbers(self):
        made = policy(init=[set_state("out", ir.Random(number(2**64 - 1)))], states=[var("out")])
        assert Machine(made, 1, seed=1234567).state["out"] == 6457827717110365317 >> 32
        with pytest.raises(ParamError, match="seed is 0 to 18446744073709551615, not -1"):
            Machine(made, 1, seed=-1)

    def test_hash_depends_on_the_name(self):
        m = Machine(policy(added=[set_state("out", ir.Hash("f", number(3))), place()], states=[var("out")]), 9)
        m.added(17, 5)
        assert m.state["out"] == functions.hash_name(17, 5, 3)

    def test_log2_and_exp2(self):
        assert value(ir.Math("log2", (number(8 << 16, ir.FIX),), ir.FIX)) == 3 << 16
        assert value(ir.Math("exp2", (number(-(1 << 16), ir.FIX),), ir.FIX)) == 1 << 15

    def test_conversions_of_arguments_and_result_saturate(self):
        u9 = ir.IntType(False, 9)
        twice = arith("mul", ir.Convert(ir.Local("x", U8), ir.U64), number(2))

        def call(given: int, type: ir.IntType) -> int:
            double = ir.FnDecl("double", (("x", U8),), ir.Convert(twice, type), type, POS)
            called = ir.FnCall("double", (ir.Convert(number(given), U8),), type)
            return value(ir.Convert(called, ir.U64), fns=[double])

        assert (call(100, u9), call(999, u9), call(999, U8)) == (200, 510, 255)

    def test_function_of_a_folio_calls_another(self):
        age = ir.FnDecl("age", (("f", None),), arith("sub", ir.CacheAttr("clock"), field("at")), ir.U64, POS)
        twice = ir.FnDecl(
            "twice",
            (("g", None), ("n", ir.U64)),
            arith("mul", ir.FnCall("age", (ir.FolioArg("g"),), ir.U64), ir.Local("n", ir.U64)),
            ir.U64,
            POS,
        )
        read = set_state("out", ir.FnCall("twice", (ir.FolioArg("f"), number(2)), ir.U64))
        body = [ir.SetField("f", "at", ir.CacheAttr("clock"), POS), place()]
        m = machine(
            policy(added=body, accessed=[read], fields=[var("at")], fns=[age, twice], states=[var("out")]), count=3
        )
        m.accessed(0, 0)
        assert m.state["out"] == 6

    def test_expressions_as_text(self):
        call = ir.FnCall("age", (ir.FolioArg("f"), number(2)), ir.U64)
        either = ir.Select(TRUE, call, ir.TableGet("t", (number(1), state("x")), ir.U64), ir.U64)
        assert text(arith("add", number(1), either)) == "1 + (if true then age(f, 2) else t[1, x])"
        assert text(ir.ListSize(ir.ListRef("generation", state("x")))) == "generation[x].size"
        assert text(ir.InputHas("scanners", ir.TaskAttr("thread"), None)) == "scanners.has(task.thread)"
        assert text(ir.InputGet("pages", None, "f", ir.U64)) == "pages.of(f)"
        assert text(ir.GhostField("gone", "f", "at", ir.U64)) == "gone.at(f)"
        assert text(ir.Hash("f", number(2))) == "hash(f, 2)"
        assert text(ir.Math("log2", (number(1, ir.FIX),), ir.FIX)) == "log2(0.00002)"
        assert text(ir.Random(ir.GhostSize("gone"))) == "random(gone.size)"
        assert text(ir.ContainsAll(ir.ListRef("main"), ((0, 1), (2, 3)))) == "main.has(1, 2:3)"
