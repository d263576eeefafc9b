"""docs/semantics.md: tables, ghost records, inputs, live params."""

from __future__ import annotations

from dataclasses import replace

import pytest
from build_ir import (
    POS,
    arith,
    attr,
    evict,
    machine,
    number,
    place,
    policy,
    set_state,
    since,
    var,
    when,
)

from cpol.compiler import ir
from cpol.runtime.machine.interp import Machine, ParamError, functions
from cpol.runtime.machine.interp.table import Table

U8 = ir.IntType(False, 8)
TRUE = number(1, ir.BOOL)


class TestTables:
    TWO = ir.TableDecl("t", U8, (number(2), number(3)), 5, POS)

    def made(self, *body: ir.Stmt, table: ir.TableDecl = TWO) -> Machine:
        return Machine(policy(init=body, tables=[table], states=[var("out")]), 8)

    def test_elements_start_with_the_initial_value(self):
        assert self.made().tables["t"].elements == [5] * 6

    def test_index_beyond_the_end_is_the_last_element(self):
        m = self.made(
            ir.SetTable("t", (number(9), number(1)), number(7), POS),
            ir.SetTable("t", (number(0), number(2**64 - 1)), number(8), POS),
        )
        assert m.tables["t"].elements == [5, 5, 8, 5, 7, 5]

    def test_converted_values_saturate(self):
        m = self.made(ir.SetTable("t", (number(0), number(0)), ir.Convert(number(999), U8), POS))
        assert m.tables["t"].elements[0] == 255

    def test_indices_are_evaluated_left_to_right_before_the_value(self):
        indices = (ir.Random(number(2)), ir.Random(number(3)))
        m = self.made(ir.SetTable("t", indices, ir.Random(number(200)), POS))
        source, drawn = 1, []
        for bound in (2, 3, 200):
            source, one = functions.random(source, bound)
            drawn.append(one)
        assert m.tables["t"].elements[drawn[0] * 3 + drawn[1]] == drawn[2]

    def test_reading_and_size(self):
        read = ir.TableGet("t", (number(7), number(7)), U8)
        m = self.made(ir.SetTable("t", (number(1), number(2)), number(9), POS), set_state("out", read))
        assert m.state["out"] == 9
        assert self.made(set_state("out", ir.TableSize("t"))).state["out"] == 2

    def test_size_0_counts_as_1(self):
        table = ir.TableDecl("t", U8, (number(0),), 5, POS)
        assert self.made(table=table).tables["t"].elements == [5]

    def test_sizes_may_use_the_capacity(self):
        assert len(self.made(table=replace(self.TWO, sizes=(ir.CacheAttr("capacity"),))).tables["t"].elements) == 8

    def test_too_many_elements_are_refused(self):
        table = ir.TableDecl("t", U8, (number(2**12), number(2**12 + 1)), 5, POS)
        with pytest.raises(ParamError, match=r"made\.cpol:1:1: table t has 4096 \* 4097 elements, more than 16777216"):
            self.made(table=table)


class TestGhostRecords:
    FIELDS = (var("at", U8, 7), var("hot", ir.BOOL))

    def made(self, *added: ir.Stmt, capacity: int = 2) -> ir.Policy:
        at = ir.Convert(arith("mul", attr("index"), number(100)), U8)
        remember = ir.GhostAdd("ghost", "f", POS, (at, TRUE))
        given = policy(added=[*added, place()], removed=[remember], states=[var("out", init=99)])
        return replace(given, ghosts=(ir.GhostDecl("ghost", number(capacity), POS, self.FIELDS),))

    def test_ghost_record_is_kept_and_saturates(self):
        m = machine(self.made(), count=4)
        evict(m, 4)
        assert m.ghosts["ghost"].entries == {(0, 2): {"at": 200, "hot": 1}, (0, 3): {"at": 255, "hot": 1}}

    def test_field_of_an_absent_entry_is_its_initial_value(self):
        read = set_state("out", ir.GhostField("ghost", "f", "at", U8))
        m = machine(self.made(read), count=1)
        assert m.state["out"] == 7
        m.added(0, 1)
        evict(m, 2)
        m.added(0, 1)
        assert m.state["out"] == 100

    def test_existing_entry_is_replaced_and_becomes_the_newest(self):
        again = ir.GhostAdd("ghost", "f", POS, (number(1), number(0, ir.BOOL)))
        m = machine(self.made(when(ir.GhostHas("ghost", "f"), [again])), count=2)
        evict(m, 2)
        m.added(0, 0)
        assert list(m.ghosts["ghost"].entries.items()) == [
            ((0, 1), {"at": 100, "hot": 1}),
            ((0, 0), {"at": 1, "hot": 0}),
        ]

    def test_ghost_size_leaves_out_the_held_entry(self):
        m = machine(
            policy(
                removed=[ir.GhostAdd("ghost", "f", POS)],
                ghosts={"ghost": 3},
                missed=[set_state("out", ir.GhostSize("ghost"))],
                states=[var("out")],
            ),
            count=2,
        )
        evict(m, 2)
        m.missed(0, 0)
        assert m.state["out"] == 1
        m.missed(0, 7)
        assert m.state["out"] == 2

    def test_forget_drops_the_oldest_entry_not_held(self):
        m = machine(
            policy(
                removed=[ir.GhostAdd("ghost", "f", POS)], ghosts={"ghost": 3}, missed=[ir.GhostForget("ghost", POS)]
            ),
            count=3,
        )
        evict(m, 3)
        start = len(m.records)
        m.missed(0, 0)
        m.missed(0, 0)
        m.missed(0, 0)
        assert since(m, start) == [
            ("missed", 0, 0, 0),
            ("ghost_forget", 1, 0, 0),
            ("missed", 0, 0, 0),
            ("ghost_forget", 2, 0, 0),
            ("missed", 0, 0, 0),
        ]
        assert list(m.ghosts["ghost"].entries) == [(0, 0)]

    def test_take_as_a_statement(self):
        m = machine(
            policy(
                added=[ir.GhostDrop("ghost", "f", POS), place()],
                removed=[ir.GhostAdd("ghost", "f", POS)],
                ghosts={"ghost": 3},
            ),
            count=2,
        )
        evict(m, 2)
        start = len(m.records)
        m.added(0, 1)
        assert [row[0] for row in since(m, start)] == ["added", "ghost_take", "place"]
        assert list(m.ghosts["ghost"].entries) == [(0, 0)]


class TestInputs:
    SCANNERS = ir.InputDecl("scanners", "thread", None, 0, "", POS)
    WEIGHT = ir.InputDecl("weight", "file", U8, 1, "", POS)
    PAGES = ir.InputDecl("pages", "page", U8, 3, "", POS)

    def machine(self, **given: object) -> Machine:
        reads = [
            set_state("scans", ir.Convert(ir.InputHas("scanners", ir.TaskAttr("thread"), None), ir.U64)),
            set_state("weight", ir.InputGet("weight", attr("file"), None, U8)),
            set_state("page", ir.InputGet("pages", None, "f", U8)),
            set_state("has", ir.Convert(ir.InputHas("pages", None, "f"), ir.U64)),
            place(),
        ]
        states = [var(name) for name in ("scans", "weight", "page", "has")]
        made = policy(added=reads, states=states, inputs=[self.SCANNERS, self.WEIGHT, self.PAGES])
        return Machine(made, 9, **given)  # type: ignore[arg-type]  # by name

    def test_absent_key_has_the_default(self):
        m = self.machine()
        m.added(5, 0)
        assert m.state == {"scans": 0, "weight": 1, "page": 3, "has": 0}

    def test_inputs_are_set_at_attach_and_later(self):
        m = self.machine(inputs=[("scanners", "7", "true"), ("weight", "5", "20"), ("pages", "5:2..4", "9")])
        m.set_task(7, 7)
        m.added(5, 4)
        assert m.state == {"scans": 1, "weight": 20, "page": 9, "has": 1}
        m.fill("scanners", (7,), None)
        m.fill("weight", (5,), 255)
        m.added(5, 5)
        assert m.state == {"scans": 0, "weight": 255, "page": 3, "has": 0}

    def test_later_page_range_replaces_earlier(self):
        m = self.machine()
        for key, value in (((5, 0, 9), 1), ((5, 3, 4), 2), ((5, 6, 7), None), ((5, 9, 20), 4), ((6, 0, 99), 8)):
            m.fill("pages", key, value)
        seen = []
        for index in range(11):
            m.added(5, index)
            seen.append(m.state["page"])
        assert seen == [1, 1, 1, 2, 2, 1, 3, 3, 1, 4, 4]

    def test_header_records_initial_inputs(self):
        m = self.machine(inputs=[("pages", "5:0..9", "9"), ("scanners", "7", "true")])
        m.fill("pages", (5, 4, 4), None)
        m.added(0, 0)
        m.fill("scanners", (8,), 1)
        assert m.header.inputs == (("scanners", "7", "true"), ("pages", "5:0..3", "9"), ("pages", "5:5..9", "9"))

    @pytest.mark.parametrize(
        ("setting", "message"),
        [
            (("other", "1", "1"), "policy made has no input 'other'; it has scanners, weight, pages"),
            (("weight", "a", "1"), "input weight: 'a' is not a key of kind file; write a whole number"),
            (("pages", "1", "1"), "input pages: '1' is not a key of kind page; write FILE:FIRST..LAST"),
            (("pages", "1:5..4", "1"), "input pages: the range 5..4 ends before it begins"),
            (("weight", "1", "256"), "input weight: 256 is not a value of type u8"),
            (("weight", "1", "x"), "input weight: 'x' is not a whole number; its values are u8"),
            (("weight", str(2**64), "1"), f"input weight: {2**64} is no number of a file: those are 0 to {2**64 - 1}"),
            (
                ("scanners", "1", "false"),
                "input scanners: it is a set, so a key has the value 'true', not 'false'",
            ),
        ],
    )
    def test_wrong_inputs_are_refused(self, setting, message):
        with pytest.raises(ParamError) as error:
            self.machine(inputs=[setting])
        assert str(error.value) == message


class TestLiveParams:
    LIVE = ir.ParamDecl("share", U8, 1, 1, 3, "", POS, live=True)
    FIXED = ir.ParamDecl("count", U8, 1, 1, 3, "", POS)

    def test_only_live_params_can_change(self):
        m = Machine(policy(params=[self.LIVE, self.FIXED]), 1)
        m.set_param("share", "3")
        assert m.params == {"share": 3, "count": 1}
        with pytest.raises(ParamError, match="no live param 'count'; it has share"):
            m.set_param("count", 2)
        with pytest.raises(ParamError, match="param share: 4 is out of range"):
            m.set_param("share", 4)


def test_indices_of_a_position_name_its_element() -> None:
    for sizes in ((6,), (2, 3), (3, 2)):
        table = Table(sizes, 0)
        for position in range(6):
            table.set(table.indices(position), position)
        assert table.elements == list(range(6))
    assert Table((2, 3), 0).indices(4) == (1, 1)
