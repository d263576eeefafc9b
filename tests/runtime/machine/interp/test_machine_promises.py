"""docs/semantics.md: invariants and params."""

from __future__ import annotations

import pytest
from build_ir import POS, arith, compare, machine, number, order, policy

from cpol.compiler import ir
from cpol.runtime.machine.interp import (
    EVICTED,
    EventError,
    InvariantError,
    Machine,
    MachineError,
    ParamError,
    PolicyError,
)

SIZE = ir.CacheAttr("size")


class TestInvariant:
    OFF_BY_ONE = compare("lt", arith("add", ir.ListSize(ir.ListRef("queue")), number(1)), ir.CacheAttr("capacity"))

    def test_invariant_is_checked_after_each_event(self):
        m = Machine(policy(invariants=[self.OFF_BY_ONE]), capacity=3)
        m.added(0, 0)
        with pytest.raises(InvariantError) as error:
            m.added(0, 1)
        assert str(error.value).splitlines() == [
            "made.cpol:7: invariant does not hold: as made",
            "    queue.size = 2",
            "    queue.size + 1 = 3",
            "    cache.capacity = 3",
        ]

    def test_invariant_is_checked_at_the_start(self):
        with pytest.raises(InvariantError):
            Machine(policy(invariants=[compare("gt", SIZE, number(0))]), capacity=3)

    def test_invariant_is_not_checked_while_folios_are_proposed(self):
        m = machine(policy(invariants=[compare("eq", ir.ListSize(ir.ListRef("queue")), SIZE)]), count=3)
        m.evict(2)
        m.added(0, 7)
        m.refused(0, 0)
        m.removed(0, 1, EVICTED)
        assert order(m) == [2, 7, 0]

    def test_guarded_part_is_shown_as_undefined(self):
        guard = ir.Logic(
            "and",
            compare("ne", SIZE, number(0)),
            compare("gt", arith("div", number(1), SIZE), number(0)),
        )
        with pytest.raises(InvariantError) as error:
            Machine(policy(invariants=[guard]), capacity=3)
        assert ("1 / cache.size", "undefined") in error.value.values

    def test_division_by_zero_names_the_line(self):
        made = policy(invariants=[compare("gt", arith("div", number(1), SIZE), number(0))])
        with pytest.raises(PolicyError, match=r"made\.cpol:7: division by zero"):
            Machine(made, capacity=3)


class TestParams:
    SHARE = ir.ParamDecl("share", ir.FIX, 6554, 655, 32768, "", POS)
    COUNT = ir.ParamDecl("count", ir.IntType(False, 8), 2, 1, 3, "", POS)
    MADE = policy(params=[SHARE, COUNT])

    def test_defaults_raw_values_and_text(self):
        assert Machine(self.MADE, 1).params == {"share": 6554, "count": 2}
        assert Machine(self.MADE, 1, {"share": "0.25", "count": 3}).params == {"share": 16384, "count": 3}

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"count": 4}, "param count: 4 is out of range; it is u8 in 1..3"),
            ({"count": "-1"}, "param count: -1 is out of range; it is u8 in 1..3"),
            ({"count": "two"}, "param count: 'two' is not a whole number; it is u8 in 1..3"),
            ({"share": "0.75"}, "param share: 0.75 is out of range; it is fix in 0.01..0.5"),
            ({"size": 1}, "policy made has no param 'size'; it has share, count"),
        ],
    )
    def test_wrong_param_names_its_range(self, given, message):
        with pytest.raises(ParamError) as error:
            Machine(self.MADE, 1, given)
        assert str(error.value) == message

    def test_capacity_and_batch_have_ranges(self):
        with pytest.raises(ParamError, match="capacity is at least 1 page, not 0"):
            Machine(self.MADE, 0)
        for batch in (0, 33):
            with pytest.raises(ParamError, match=f"batch is 1 to 32 pages, not {batch}"):
                Machine(self.MADE, 1, batch=batch)

    def test_param_errors_are_machine_errors(self):
        assert all(issubclass(kind, MachineError) for kind in (EventError, InvariantError, ParamError, PolicyError))
