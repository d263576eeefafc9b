"""docs/semantics.md: missed, admit, clock, every, ticks, tasks."""

from __future__ import annotations

import pytest
from build_ir import (
    POS,
    arith,
    attr,
    compare,
    evict,
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
from cpol.runtime.machine.interp import EventError, Given, InvariantError, Machine, run_trace

CLOCK = ir.CacheAttr("clock")
TIME = ir.CacheAttr("time")
REFUSE = ir.Refuse("f", POS)


def bump(name: str) -> ir.SetState:
    return set_state(name, arith("add", state(name), number(1)))


def odd(name: str = "index") -> ir.Expr:
    return compare("eq", arith("mod", attr(name), number(2)), number(1))


class TestMissed:
    COUNTS = policy(
        missed=[bump("misses"), set_state("at", CLOCK), set_state("index", attr("index"))],
        states=[var("misses"), var("at"), var("index")],
    )

    def test_missed_runs_before_eviction(self):
        made = policy(missed=[set_state("size", ir.CacheAttr("size"))], states=[var("size")])
        m = Machine(made, 1)
        m.request(0, 0)
        m.request(0, 1)
        assert m.state["size"] == 1

    def test_missed_runs_once_per_miss(self):
        m = Machine(self.COUNTS, 2)
        for index in (1, 2, 1, 3):
            m.request(0, index)
        assert m.state == {"misses": 3, "at": 3, "index": 3}

    def test_added_runs_missed_if_no_event_did(self):
        m = Machine(self.COUNTS, 9)
        m.added(0, 1)
        assert m.state == {"misses": 1, "at": 1, "index": 1}
        m.missed(0, 2)
        m.added(0, 2)
        assert m.state["misses"] == 2

    def test_only_the_last_miss_is_kept(self):
        m = Machine(self.COUNTS, 9)
        m.missed(0, 1)
        m.missed(0, 2)
        m.added(0, 1)
        m.added(0, 2)
        assert m.state["misses"] == 4

    def test_repeated_miss_event_runs_missed_again(self):
        m = Machine(self.COUNTS, 9)
        m.missed(0, 1)
        m.missed(0, 1)
        assert m.state["misses"] == 2

    def test_missed_sees_the_held_entry(self):
        made = policy(
            missed=[set_state("had", ir.Convert(ir.GhostHas("ghost", "f"), ir.U64))],
            removed=[ir.GhostAdd("ghost", "f", POS)],
            ghosts={"ghost": 1},
            states=[var("had")],
        )
        m = Machine(made, 1)
        m.request(0, 1)
        m.request(0, 2)
        m.request(0, 1)
        assert m.state["had"] == 1


class TestAdmit:
    PICKY = policy(admit=[when(odd(), [REFUSE]), bump("yes")], states=[var("yes")])

    def test_refused_folio_is_not_added_and_evicts_nothing(self):
        m = Machine(self.PICKY, 1)
        m.request(0, 0)
        start = len(m.records)
        assert m.request(0, 1) is False
        assert since(m, start) == [("missed", 1, 0, 0), ("admit", 1, 0, 0), ("refuse", 1, 0, 0)]
        assert (m.misses, m.refused_admission, order(m), m.state["yes"]) == (2, 1, [0], 1)

    def test_admitted_folio_is_added(self):
        m = Machine(self.PICKY, 1)
        m.request(0, 0)
        m.request(0, 2)
        assert [row[0] for row in since(m, 4)] == [
            "first_accessed",
            "missed",
            "admit",
            "evict",
            "propose",
            "removed",
            "added",
            "place",
            "first_accessed",
        ]

    def test_refusal_releases_the_held_entry(self):
        made = policy(admit=[when(odd(), [REFUSE])], removed=[ir.GhostAdd("ghost", "f", POS)], ghosts={"ghost": 2})
        m = Machine(made, 9)
        for index in (1, 3, 5):
            m.added(0, index)
        evict(m, 2)
        m.missed(0, 1)
        evict(m, 1)
        assert list(m.ghosts["ghost"].entries) == [(0, 1), (0, 3), (0, 5)]
        assert m.admit(0, 1) is False
        assert list(m.ghosts["ghost"].entries) == [(0, 3), (0, 5)]

    def test_admit_runs_missed_first_if_no_event_did(self):
        made = policy(
            admit=[set_state("seen", state("misses"))], missed=[bump("misses")], states=[var("misses"), var("seen")]
        )
        m = Machine(made, 9)
        m.admit(0, 1)
        m.added(0, 1)
        assert m.state == {"misses": 1, "seen": 1}

    def test_impossible_admit_events_are_refused(self):
        m = Machine(self.PICKY, 9)
        m.added(0, 0)
        with pytest.raises(EventError, match="admit: folio \\(0, 0\\) is in the cache already"):
            m.admit(0, 0)
        with pytest.raises(EventError, match="admit: the policy has no handler of admit"):
            Machine(policy(), 1).admit(0, 0)


class TestClockAndEvery:
    def every(self, period: int, unit: str, *body: ir.Stmt) -> ir.Every:
        return ir.Every(number(period), unit, body, POS)  # type: ignore[arg-type]  # tests name units by str

    def test_clock_advances_before_added_and_accessed(self):
        seen = policy(
            added=[set_state("added", CLOCK), place()],
            first_accessed=[set_state("first", CLOCK)],
            accessed=[set_state("hit", CLOCK)],
            states=[var("added"), var("first"), var("hit")],
        )
        m = Machine(seen, 9)
        m.request(0, 0)
        assert m.state == {"added": 1, "first": 1, "hit": 0}
        m.request(0, 0)
        m.evict(1)
        m.missed(0, 1)
        assert (m.state["hit"], m.clock) == (2, 2)

    def test_every_n_events_runs_after_the_handler(self):
        body = set_state("size", ir.CacheAttr("size"))
        m = Machine(policy(everies=[self.every(2, "events", bump("runs"), body)], states=[var("runs"), var("size")]), 9)
        for index in range(5):
            m.request(0, index)
        assert m.state == {"runs": 2, "size": 4}
        m.request(0, 0)
        assert m.state["runs"] == 3

    def test_everies_run_in_order_before_invariants(self):
        double = set_state("x", arith("mul", state("x"), number(2)))
        invariant = compare("eq", arith("mod", state("x"), number(2)), number(0))
        blocks = [self.every(1, "events", bump("x")), self.every(1, "events", double)]
        m = Machine(policy(everies=blocks, states=[var("x")], invariants=[invariant]), 9)
        m.added(0, 0)
        m.added(0, 1)
        assert m.state["x"] == 6

    def test_forget_in_every_is_logged_with_the_event(self):
        made = policy(
            everies=[self.every(2, "events", ir.GhostForget("ghost", POS))],
            removed=[ir.GhostAdd("ghost", "f", POS)],
            ghosts={"ghost": 9},
        )
        m = Machine(made, 9)
        m.added(0, 1)
        evict(m, 1)
        start = len(m.records)
        m.added(0, 2)
        assert [row[0] for row in since(m, start)] == ["added", "place", "ghost_forget"]

    def test_ticks(self):
        m = Machine(policy(everies=[self.every(100, "ms", bump("runs"))], states=[var("runs")]), 9)
        runs = []
        for ms in (0, 99, 100, 100, 199, 450, 499, 500):
            m.tick(ms)
            runs.append(m.state["runs"])
        assert runs == [0, 0, 1, 1, 1, 2, 2, 3]

    def test_time_is_that_of_the_last_tick(self):
        m = Machine(policy(added=[set_state("at", TIME), place()], states=[var("at")]), 9)
        m.added(0, 1)
        assert m.state["at"] == 0
        m.tick(7)
        m.added(0, 2)
        assert m.state["at"] == 7

    def test_trace_makes_ticks_for_policies_that_read_the_time(self):
        m = Machine(policy(added=[set_state("at", TIME), place()], states=[var("at")]), 9)
        run_trace(m, Given([1, 2, 3], times=[0, 7, 9]))
        assert (m.ms, m.state["at"]) == (9, 9)

    def test_time_must_not_go_back(self):
        m = Machine(policy(), 9)
        m.tick(5)
        with pytest.raises(EventError, match="time does not go back: 4 ms comes after 5 ms"):
            m.tick(4)

    def test_tick_checks_invariants(self):
        made = policy(
            everies=[self.every(1, "ms", bump("x"))],
            states=[var("x")],
            invariants=[compare("lt", state("x"), number(2))],
        )
        m = Machine(made, 9)
        m.tick(1)
        with pytest.raises(InvariantError):
            m.tick(2)

    def test_trace_makes_ticks_only_for_every_ms(self):
        timed = policy(everies=[self.every(1, "ms", bump("runs"))], states=[var("runs")])
        m = Machine(timed, 9)
        run_trace(m, Given([0] * 301))
        assert (m.ms, m.state["runs"]) == (3, 3)
        run_trace(m, Given([0] * 100), first=301)
        assert m.ms == 4
        m = Machine(timed, 9)
        run_trace(m, Given([0, 0, 0, 0], times=[0, 7, 7, 9]))
        assert [row[2] for row in since(m, 0) if row[0] == "tick"] == [7, 9]
        m = Machine(policy(), 9)
        run_trace(m, Given([0] * 301))
        assert m.ms == 0


class TestTask:
    def test_task_holds_for_following_events(self):
        body = [set_state("thread", ir.TaskAttr("thread")), set_state("process", ir.TaskAttr("process")), place()]
        m = Machine(policy(added=body, states=[var("thread"), var("process")]), 9)
        m.added(0, 0)
        assert m.state == {"thread": 0, "process": 0}
        m.set_task(7, 5)
        m.added(0, 1)
        assert m.state == {"thread": 7, "process": 5}
        assert since(m, 2)[0] == ("task", 0, 7, 5)
