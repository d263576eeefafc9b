"""docs/semantics.md: arrays of lists, nested scans, `for`."""

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
)

from cpol.compiler import ir
from cpol.runtime.machine.interp import Machine, ParamError

U8 = ir.IntType(False, 8)
TRUE = number(1, ir.BOOL)


def generation(index: int) -> ir.ListRef:
    return ir.ListRef("generation", number(index))


def to_generation(index: ir.Expr, end: ir.End = TAIL) -> ir.Place:
    return ir.Place("f", end, ir.ListRef("generation", index), POS)


class TestArrayOfLists:
    BY_INDEX = policy(added=[to_generation(attr("index"))], array=number(3), evict=[])

    def test_index_beyond_the_end_is_the_last_list(self):
        m = machine(self.BY_INDEX, count=5)
        assert [order(m, f"generation.{n}") for n in range(3)] == [[0], [1], [2, 3, 4]]

    def test_array_lists_are_numbered_last(self):
        m = machine(self.BY_INDEX, count=4)
        places = [row for row in since(m, 0) if row[0] == "place"]
        assert places == [("place", 0, 2, 1), ("place", 1, 3, 1), ("place", 2, 4, 1), ("place", 3, 4, 1)]

    def test_size_of_one_list_and_of_the_array(self):
        sizes = [
            set_state("one", ir.ListSize(ir.ListRef("generation", number(9)))),
            set_state("all", ir.ListSize(ir.ListRef("generation"))),
        ]
        made = policy(
            added=[to_generation(attr("index")), *sizes], array=number(3), states=[var("one"), var("all")], evict=[]
        )
        m = Machine(made, 99)
        for index in range(5):
            m.added(0, index, 2)
        assert m.state == {"one": 6, "all": 10}

    def test_list_of_a_folio_is_the_array(self):
        kind = ir.EnumType("list", ("none", "queue", "generation"))
        body = [to_generation(attr("index")), set_state("list", ir.FolioAttr("f", "list", kind))]
        m = machine(policy(added=body, array=number(3), states=[var("list")], evict=[]), count=2)
        assert m.state["list"] == 2

    def test_scan_move_and_lowest_take_an_index(self):
        body = [
            ir.Scan(generation(0), HEAD, number(1), "f", (ir.Move("f", TAIL, generation(2), POS),), POS),
            ir.EvictByScore("score", number(9), HEAD, generation(1), POS),
        ]
        made = policy(
            added=[to_generation(arith("mod", attr("index"), number(2)))],
            array=number(3),
            evict=body,
            scores={"score": attr("index")},
        )
        m = machine(made, count=6)
        assert evict(m, 2) == [1, 3]
        assert [order(m, f"generation.{n}") for n in range(3)] == [[2, 4], [5], [0]]

    def test_fallback_takes_array_lists_last(self):
        added = [
            when(
                compare("eq", attr("index"), number(3)),
                [place()],
                [to_generation(arith("sub", number(2), attr("index")))],
            )
        ]
        m = machine(policy(added=added, array=number(3), evict=[]), count=4)
        start = len(m.records)
        m.make_room(4)
        assert [row[1] for row in since(m, start) if row[0] == "fallback"] == [3, 2, 1, 0]

    @pytest.mark.parametrize("length", [0, 16385, 2**64 - 1])
    def test_array_length_out_of_range_is_refused(self, length):
        with pytest.raises(ParamError, match=rf"made\.cpol:1:1: generation has 1 to 16384 lists, not {length}"):
            Machine(policy(array=number(length)), 1)

    def test_refused_folio_returns_to_its_array_list(self):
        body = [ir.Scan(generation(1), HEAD, None, "f", (propose(),), POS)]
        m = machine(policy(added=[to_generation(number(1))], array=number(3), evict=body), count=3)
        m.evict(1)
        m.refused(0, 0)
        assert order(m, "generation.1") == [1, 2, 0]


class TestScanInAScan:
    def inner(self, *body: ir.Stmt, bound: int = 9) -> ir.Scan:
        return ir.Scan(ir.ListRef("queue"), HEAD, number(bound), "g", body, POS)

    def test_outer_scan_ends_if_its_next_folio_is_evicted(self):
        away = self.inner(when(compare("eq", attr("index", "g"), number(1)), [move("b", folio="g")]))
        count = set_state("visits", arith("add", state("visits"), number(1)))
        made = policy(lists=["queue", "b"], evict=[scan([count, away])], states=[var("visits")])
        m = machine(made, count=4)
        m.evict(1)
        assert m.state["visits"] == 1 + 7 * 3  # 0, then 1 is evicted; the seven other rounds visit 0, 2, 3

    def test_outer_scan_continues_at_its_moved_next_folio(self):
        back = self.inner(when(compare("eq", attr("index", "g"), number(1)), [move(folio="g")]))
        seen = set_state("seen", arith("add", arith("mul", state("seen"), number(10)), attr("index")))
        once = when(
            compare("eq", state("seen"), number(0)),
            [scan([seen, when(compare("eq", attr("index"), number(4)), [back])], bound=None)],
        )
        added = [ir.Place("f", HEAD, ir.ListRef("queue"), POS)]
        m = machine(policy(added=added, evict=[once], states=[var("seen")]), count=5)
        # 4 3 2 1 0: 1 moves behind 0 during the visit of 4, whose successor 3 stays
        m.evict(1)
        assert m.state["seen"] == 43201

    def test_inner_scan_may_evict_the_outer_folio(self):
        body = ir.Scan(ir.ListRef("b"), HEAD, number(1), "g", (propose("f"),), POS)
        added = [when(compare("eq", attr("index"), number(0)), [place("b")], [place()])]
        m = machine(policy(lists=["queue", "b"], added=added, evict=[scan([body])]), count=4)
        assert evict(m, 2) == [1, 2]


class TestLoops:
    def total(self, low: int, high: int, *inside: ir.Stmt) -> int:
        add = set_state("out", arith("add", state("out"), ir.Local("i", ir.U64)))
        loop = ir.For("i", number(low), number(high), (*inside, add), POS)
        return Machine(policy(init=[loop], states=[var("out")]), 1).state["out"]

    def test_both_ends_are_included(self):
        assert self.total(3, 5) == 12

    def test_no_rounds_if_first_is_greater(self):
        assert self.total(5, 4) == 0

    def test_at_most_65536_rounds(self):
        assert self.total(1, 2**64 - 1) == 65536 * 65537 // 2

    def test_loop_up_to_the_largest_u64(self):
        assert self.total(2**64 - 1, 2**64 - 1) == 2**64 - 1

    def test_stop_ends_the_inner_loop(self):
        inner = ir.For("j", number(1), number(9), (ir.Stop(POS),), POS)
        assert self.total(1, 3, inner) == 6
        stop = when(compare("eq", ir.Local("i", ir.U64), number(3)), [ir.Stop(POS)])
        assert self.total(1, 9, stop) == 3

    def test_stop_in_a_loop_keeps_the_enclosing_scan(self):
        m = machine(policy(evict=[scan([ir.For("i", number(0), number(3), (ir.Stop(POS),), POS), propose()])]), count=3)
        assert evict(m, 3) == [0, 1, 2]

    def test_ends_are_evaluated_once(self):
        grow = set_state("out", arith("add", state("out"), number(1)))
        loop = ir.For("i", number(1), state("out"), (grow,), POS)
        assert Machine(policy(init=[set_state("out", number(3)), loop], states=[var("out")]), 1).state["out"] == 6
