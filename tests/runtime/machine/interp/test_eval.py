"""docs/semantics.md: scans, evict lowest, expressions and stores."""

from __future__ import annotations

import pytest
from build_ir import (
    HEAD,
    POS,
    TAIL,
    arith,
    attr,
    compare,
    evict,
    field,
    machine,
    move,
    number,
    order,
    place,
    policy,
    propose,
    scan,
    set_state,
    since,
    state,
    var,
    when,
)  # fmt: skip

from cpol.compiler import ir
from cpol.compiler.ir import End
from cpol.runtime.machine.interp import Machine, PolicyError


def visit() -> list[ir.Stmt]:
    """Append the visited folio's index plus 1 as a decimal digit."""
    digit = arith("add", attr("index"), number(1))
    return [set_state("seen", arith("add", arith("mul", state("seen"), number(10)), digit))]


class TestScan:
    @pytest.mark.parametrize(("end", "seen"), [(HEAD, 1234), (TAIL, 4321)])
    def test_visits_start_at_the_end(self, end, seen):
        m = machine(policy(evict=[scan(visit(), end=end), scan([propose()])], states=[var("seen")]), count=4)
        evict(m, 1)
        assert m.state["seen"] == seen

    @pytest.mark.parametrize(("bound", "seen"), [(0, 0), (1, 1), (3, 123), (4, 1234), (99, 1234), (2**64 - 1, 1234)])
    def test_visits_at_most_bound_and_list_length(self, bound, seen):
        body = [scan(visit(), bound=number(bound)), scan([propose()])]
        m = machine(policy(evict=body, states=[var("seen")]), count=4)
        evict(m, 1)
        assert m.state["seen"] == seen

    @pytest.mark.parametrize("to", [HEAD, TAIL])
    @pytest.mark.parametrize("end", [HEAD, TAIL])
    def test_visits_a_moved_folio_once(self, end, to):
        body = [scan([*visit(), move(end=to)], end=end), scan([propose()])]
        m = machine(policy(evict=body, states=[var("seen")]), count=4)
        evict(m, 1)
        assert m.state["seen"] == (1234 if end is HEAD else 4321)

    def test_number_of_visits_is_fixed_at_the_start(self):
        # The body changes the bound, without effect.
        body = [scan([*visit(), set_state("n", number(0))], bound=state("n")), scan([propose()])]
        m = machine(policy(evict=body, states=[var("seen"), var("n", init=3)]), count=4)
        evict(m, 1)
        assert m.state["seen"] == 123

    def test_folios_added_during_a_scan_are_not_visited(self):
        move_in = scan([move("a", TAIL, folio="g")], of="b", folio="g")
        made = policy(
            lists=["a", "b"],
            added=[when(compare("lt", attr("index"), number(2)), [place("a")], [place("b")])],
            evict=[scan([move_in, *visit()], of="a"), scan([propose()], of="a")],
            states=[var("seen")],
        )
        m = machine(made, count=4)
        evict(m, 1)
        assert m.state["seen"] == 12
        assert order(m, "a") == [1, 2, 3]

    def test_body_without_effect_keeps_the_folio(self):
        body = [scan([when(compare("eq", attr("index"), number(2)), [propose()])])]
        m = machine(policy(evict=body), count=4)
        assert evict(m, 1) == [2]
        assert order(m) == [0, 1, 3]

    def test_stop_ends_the_inner_scan(self):
        inner = scan([ir.Stop(POS)], of="b", folio="g")
        made = policy(
            lists=["a", "b"],
            added=[when(compare("lt", attr("index"), number(3)), [place("a")], [place("b")])],
            evict=[
                scan([inner, *visit(), when(compare("eq", attr("index"), number(1)), [ir.Stop(POS)])], of="a"),
                scan([propose()], of="a"),
            ],
            states=[var("seen")],
        )
        m = machine(made, count=5)
        evict(m, 1)
        assert m.state["seen"] == 12

    def test_empty_list_has_no_visits(self):
        m = Machine(policy(lists=["a", "b"], evict=[scan(visit(), of="b")], states=[var("seen")]), 3)
        assert m.evict(1) == []


def lowest(bound: int = 99, end: End = HEAD, highest: bool = False) -> ir.EvictByScore:
    return ir.EvictByScore("score", number(bound), end, ir.ListRef("queue"), POS, highest)


def scored(*statements: ir.Stmt, scores: list[int], type: ir.Type = ir.U64) -> Machine:
    """Make a machine whose folios 0, 1, … have these scores."""
    made = policy(evict=statements, fields=[var("value", type)], scores={"score": field("value", type)})
    m = machine(made, count=len(scores))
    for index, score in enumerate(scores):
        m.cache[0, index].fields["value"] = score
    return m


class TestEvictLowest:
    def test_evicts_lowest_first_and_moves_others_to_the_far_end(self):
        m = scored(lowest(), scores=[5, 1, 4, 2, 3])
        start = len(m.records)
        assert evict(m, 2) == [1, 3]
        # 5 and 1 are candidates; 4 displaces 5; 2 displaces 4; 3 does not become one
        assert [row[:2] for row in since(m, start)] == [
            ("evict", 0), ("move", 0), ("move", 2), ("move", 4), ("propose", 1), ("propose", 3), ("removed", 1),
            ("removed", 3),
        ]  # fmt: skip
        assert order(m) == [0, 2, 4]

    def test_far_end_of_the_tail_is_the_head(self):
        m = scored(lowest(end=TAIL), scores=[5, 1, 4, 2, 3])
        assert evict(m, 2) == [1, 3]
        # 3 and 2 are candidates; 4 goes; 1 displaces 3 (folio 4); 5 goes
        assert order(m) == [0, 4, 2]

    def test_tie_evicts_the_first_candidate_first(self):
        m = scored(lowest(), scores=[7, 7, 7, 7])
        assert evict(m, 2) == [0, 1]
        assert order(m) == [2, 3]

    def test_tie_displaces_the_last_candidate_first(self):
        m = scored(lowest(), scores=[7, 7, 3, 7])
        assert evict(m, 2) == [2, 0]
        assert order(m) == [1, 3]

    def test_considers_at_most_bound_folios(self):
        m = scored(lowest(bound=3), scores=[5, 4, 3, 2, 1])
        assert evict(m, 1) == [2]
        assert order(m) == [3, 4, 0, 1]

    def test_evicts_all_if_fewer_than_wanted(self):
        m = scored(lowest(), scores=[3, 1, 2])
        assert evict(m, 5) == [1, 2, 0]
        assert order(m) == []

    def test_number_of_candidates_is_pages_still_wanted(self):
        m = scored(scan([propose()], bound=number(2)), lowest(), scores=[9, 9, 5, 4, 3])
        assert evict(m, 3) == [0, 1, 4]
        assert order(m) == [2, 3]

    def test_ends_the_handler_when_wanted_is_reached(self):
        m = scored(lowest(bound=1), lowest(bound=1), scores=[1, 2, 3])
        assert evict(m, 2) == [0, 1]
        assert evict(m, 2) == [2]

    def test_bound_0_has_no_effect(self):
        m = scored(lowest(bound=0), scores=[1, 2])
        assert m.evict(1) == []
        assert order(m) == [0, 1]

    @pytest.mark.parametrize("type", [ir.S64, ir.FIX])
    def test_signed_scores_compare_signed(self, type):
        m = scored(lowest(), scores=[1, -(2**63), 0, 2**63 - 1, -1], type=type)
        assert evict(m, 3) == [1, 4, 2]

    def test_highest_exchanges_lower_and_higher(self):
        m = scored(lowest(highest=True), scores=[1, 5, 2, 4, 3])
        assert evict(m, 2) == [1, 3]
        # 1 and 5 are candidates; 2 displaces 1; 4 displaces 2; 3 does not become one
        assert order(m) == [0, 2, 4]

    def test_highest_treats_equal_scores_as_lowest_does(self):
        m = scored(lowest(highest=True), scores=[3, 3, 7, 3])
        assert evict(m, 2) == [2, 0]
        assert order(m) == [1, 3]

    @pytest.mark.parametrize("type", [ir.S64, ir.FIX])
    def test_highest_of_signed_scores(self, type):
        m = scored(lowest(highest=True), scores=[1, -(2**63), 0, 2**63 - 1, -1], type=type)
        assert evict(m, 4) == [3, 0, 2, 4]

    def test_score_sees_the_folio_on_its_list(self):
        made = policy(evict=[lowest()], scores={"score": ir.ListSize(ir.ListRef("queue"))})
        m = machine(made, count=3)
        # 0 counts 3; 1 counts 2 (0 is a candidate) and displaces it; 2 counts 2 again (0 is back), no less
        assert evict(m, 1) == [1]

    def test_large_folio_is_one_candidate(self):
        made = policy(evict=[lowest()], scores={"score": attr("index")})
        m = Machine(made, 100)
        for index in range(4):
            m.added(0, index, 4)
        assert evict(m, 2) == [0, 1]


def result(expr: ir.Expr, **given: object) -> int:
    """Return the value of `expr` in an evict handler."""
    made = policy(init=[set_state("out", expr)], states=[var("out", expr.type)], **given)
    return machine(made).state["out"]


TRUE, FALSE = number(1, ir.BOOL), number(0, ir.BOOL)
FAILS = compare("eq", arith("div", number(1), number(0)), number(0))


class TestExpressions:
    @pytest.mark.parametrize(
        ("op", "left", "right", "expected"),
        [
            ("and", FALSE, FAILS, 0),
            ("or", TRUE, FAILS, 1),
            ("and", TRUE, FALSE, 0),
            ("and", TRUE, TRUE, 1),
            ("or", FALSE, FALSE, 0),
            ("or", FALSE, TRUE, 1),
        ],
    )
    def test_logic_short_circuits(self, op, left, right, expected):
        assert result(ir.Logic(op, left, right)) == expected

    @pytest.mark.parametrize(
        ("op", "expected"),
        [
            ("eq", (0, 1, 0)),
            ("ne", (1, 0, 1)),
            ("lt", (1, 0, 0)),
            ("le", (1, 1, 0)),
            ("gt", (0, 0, 1)),
            ("ge", (0, 1, 1)),
        ],
    )
    def test_comparisons(self, op, expected):
        values = [number(value, ir.S64) for value in (-5, 0, 5)]
        assert tuple(result(compare(op, value, values[1])) for value in values) == expected

    def test_not(self):
        assert (result(ir.Not(TRUE)), result(ir.Not(FALSE))) == (0, 1)

    def test_operands_are_evaluated_left_to_right(self):
        # `take` then `has` of the same folio: only in this order is the outcome (true, false).
        taken = ir.GhostTake("ghost", "f")
        known = ir.GhostHas("ghost", "f")
        added = [set_state("out", compare("gt", ir.Convert(taken, ir.U64), ir.Convert(known, ir.U64))), place()]
        made = policy(
            added=added, removed=[ir.GhostAdd("ghost", "f", POS)], ghosts={"ghost": 4}, states=[var("out", ir.BOOL)]
        )
        m = machine(made, count=1)
        evict(m, 1)
        m.added(0, 0)
        assert m.state["out"] == 1

    def test_division_by_zero_names_the_line(self):
        with pytest.raises(PolicyError, match=r"made\.cpol:1: division by zero"):
            result(FAILS)

    def test_folio_attributes(self):
        body = [place("b"), *(set_state(name, attr(name)) for name in ("list", "pages", "index", "file"))]
        states = [var(name) for name in ("list", "pages", "index", "file")]
        m = Machine(policy(lists=["a", "b"], added=body, states=states), 9)
        m.added(2**64 - 1, 7, 3)
        assert m.state == {"list": 2, "pages": 3, "index": 7, "file": 2**64 - 1}


class TestStores:
    @pytest.mark.parametrize(
        ("type", "value", "stored"),
        [
            (ir.IntType(False, 2), number(9), 3),
            (ir.IntType(True, 4), number(-100, ir.S64), -8),
            (ir.IntType(True, 4), number(100, ir.S64), 7),
            (ir.IntType(False, 64), number(2**64 - 1), 2**64 - 1),
            (ir.FIX, number(-1, ir.FIX), -1),
            (ir.BOOL, TRUE, 1),
        ],
    )
    def test_conversions_to_states_and_fields_saturate(self, type, value, stored):
        value = value if value.type == type else ir.Convert(value, type)
        made = policy(
            added=[place(), ir.SetField("f", "x", value, POS), set_state("x", value)],
            states=[var("x", type)],
            fields=[var("x", type)],
        )
        m = machine(made, count=1)
        assert (m.state["x"], m.cache[0, 0].fields["x"]) == (stored, stored)

    def test_name_is_scoped_to_its_block(self):
        def let(value: int) -> ir.Let:
            return ir.Let("n", number(value), POS)

        made = policy(init=[let(1), when(TRUE, [let(2)]), set_state("x", ir.Local("n", ir.U64))], states=[var("x")])
        assert machine(made).state["x"] == 1

    def test_if_and_else(self):
        made = policy(init=[when(FALSE, [set_state("x", number(1))], [set_state("x", number(2))])], states=[var("x")])
        assert machine(made).state["x"] == 2
