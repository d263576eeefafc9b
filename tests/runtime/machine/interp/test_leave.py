"""docs/semantics.md: folios that a policy leaves to the kernel."""

from __future__ import annotations

import pytest
from build_ir import (
    POS,
    arith,
    attr,
    compare,
    machine,
    number,
    order,
    place,
    policy,
    set_state,
    since,
    state,
    var,
    when,
)

from cpol.compiler import ir
from cpol.runtime.machine.interp import DELETED, EventError, Machine, PolicyError
from cpol.runtime.machine.interp.snapshot import describe, snapshot

LEAVE = ir.Leave("f", POS)


def bump(name: str) -> ir.SetState:
    return set_state(name, arith("add", state(name), number(1)))


def odd(name: str = "index") -> ir.Expr:
    return compare("eq", arith("mod", attr(name), number(2)), number(1))


class TestLeave:
    LEAVES_ODD = policy(
        added=[when(odd(), [LEAVE], [place()])],
        accessed=[bump("told")],
        removed=[bump("gone")],
        states=[var("told"), var("gone")],
    )

    def test_left_folio_is_cached_but_not_owned(self):
        m = Machine(self.LEAVES_ODD, 9)
        assert [m.request(0, 1), m.request(0, 1), m.request(0, 1)] == [False, True, True]
        assert (m.size, m.occupied, m.clock, m.state["told"]) == (0, 1, 1, 0)
        assert since(m, 0) == [("missed", 1, 0, 0), ("added", 1, 1, 0), ("leave", 1, 0, 0)]

    def test_left_folio_takes_room_and_is_evicted_first(self):
        m = Machine(self.LEAVES_ODD, 3)
        for index in (0, 1, 3):
            m.request(0, index)
        m.request(0, 4)  # the policy proposes 0
        assert (order(m), list(m.left)) == ([4], [(0, 1), (0, 3)])

    def test_fallback_evicts_oldest_left_folio_without_handler(self):
        m = Machine(
            policy(added=[when(odd(), [LEAVE], [place()])], evict=[], removed=[bump("gone")], states=[var("gone")]), 3
        )
        for index in (0, 3, 1, 2):
            m.request(0, index)
        assert (order(m), list(m.left), m.state["gone"], m.fallbacks) == ([0, 2], [(0, 1)], 0, 1)
        m.make_room(2)
        assert (order(m), list(m.left), m.state["gone"], m.fallbacks) == ([2], [], 1, 3)

    def test_deleting_a_left_folio_runs_no_handler(self):
        m = Machine(self.LEAVES_ODD, 3)
        m.request(0, 1)
        m.removed(0, 1, DELETED)
        assert (m.left, m.state["gone"], m.occupied) == ({}, 0, 0)

    @pytest.mark.parametrize("event", ["accessed", "first_accessed", "refused"])
    def test_impossible_events_of_a_left_folio(self, event):
        m = Machine(self.LEAVES_ODD, 3)
        m.added(0, 1)
        with pytest.raises(EventError, match=f"{event}: folio \\(0, 1\\) is left to the kernel"):
            getattr(m, event)(0, 1)
        with pytest.raises(EventError, match="in the cache already"):
            m.missed(0, 1)
        with pytest.raises(EventError, match="in the cache already"):
            m.added(0, 1)

    def test_place_and_leave_are_exclusive(self):
        for body in ([LEAVE, place()], [place(), LEAVE], [LEAVE, LEAVE]):
            with pytest.raises(PolicyError, match="placed or left before"):
                machine(policy(added=body), count=1)

    def test_snapshot_contains_left_folios(self):
        m = Machine(self.LEAVES_ODD, 9)
        m.added(7, 1, 2)
        assert snapshot(m)["left"] == [[7, 1, 2]]
        assert "left to the kernel: 7:1" in describe(m)
