"""docs/semantics.md: ghosts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from build_ir import POS, evict, machine, number, order, place, policy, propose, scan, set_state, since, var, when

from cpol.compiler import ir
from cpol.compiler.types import U64
from cpol.runtime.machine.interp import Machine


def take(ghost: str = "ghost") -> ir.GhostTake:
    return ir.GhostTake(ghost, "f")


def remember(ghost: str = "ghost") -> ir.GhostAdd:
    return ir.GhostAdd(ghost, "f", POS)


REMEMBERS: dict[str, Any] = {"removed": [remember()], "ghosts": {"ghost": 2}}


class TestGhost:
    def remembered(self, m: Machine) -> list[int]:
        return [index for _, index in m.ghosts["ghost"].entries]

    def test_ghost_forgets_the_oldest(self):
        m = machine(policy(**REMEMBERS), count=3)
        evict(m, 3)
        assert self.remembered(m) == [1, 2]

    def test_entry_added_again_becomes_the_newest(self):
        m = machine(policy(**REMEMBERS), count=2)
        evict(m, 2)
        m.added(0, 0)
        evict(m, 1)
        assert self.remembered(m) == [1, 0]

    def test_has_keeps_and_take_forgets(self):
        added = [
            set_state("had", ir.Convert(ir.GhostHas("ghost", "f"), ir.U64)),
            when(take(), [place("b")], [place("a")]),
        ]
        made = policy(
            lists=["a", "b"], added=added, evict=[scan([propose()], of="a")], states=[var("had")], **REMEMBERS
        )
        m = machine(made, count=1)
        assert m.state["had"] == 0
        evict(m, 1)
        start = len(m.records)
        m.added(0, 0)
        assert (m.state["had"], order(m, "b"), self.remembered(m)) == (1, [0], [])
        assert since(m, start) == [("added", 0, 1, 0), ("ghost_take", 0, 0, 0), ("place", 0, 2, 1)]

    def test_entry_of_the_missed_folio_survives_eviction(self):
        made = policy(lists=["a", "b"], added=[when(take(), [place("b")], [place("a")])],
                      evict=[scan([propose()], of="a")], removed=[remember()], ghosts={"ghost": 1})  # fmt: skip
        m = Machine(made, capacity=1)
        m.request(0, 0)
        m.request(0, 1)  # 0 enters the ghost, which is then full
        m.request(0, 0)  # 1 enters it, and 0 is still remembered
        assert order(m, "b") == [0]
        assert self.remembered(m) == [1]

    def test_held_entry_counts_after_release(self):
        m = machine(policy(**REMEMBERS), count=5)
        evict(m, 2)
        assert self.remembered(m) == [0, 1]
        m.missed(0, 0)
        evict(m, 1)
        assert self.remembered(m) == [0, 1, 2]  # two entries that count, and the held one
        evict(m, 1)
        assert self.remembered(m) == [0, 2, 3]
        m.added(0, 0)  # this added does not take it: released, it is the oldest entry beyond the capacity
        assert self.remembered(m) == [2, 3]

    def test_later_miss_releases_the_held_entry(self):
        m = machine(policy(**REMEMBERS), count=4)
        evict(m, 2)
        m.missed(0, 0)
        evict(m, 1)
        assert self.remembered(m) == [0, 1, 2]
        m.missed(0, 1)
        assert self.remembered(m) == [1, 2]
        evict(m, 1)
        assert self.remembered(m) == [1, 2, 3]

    def test_added_of_another_folio_releases_nothing(self):
        m = machine(policy(**REMEMBERS), count=3)
        evict(m, 2)
        m.missed(0, 0)
        evict(m, 1)
        m.added(0, 7)
        assert self.remembered(m) == [0, 1, 2]

    def test_ghost_of_capacity_0_remembers_nothing(self):
        m = machine(policy(removed=[remember()], ghosts={"ghost": 0}), count=2)
        evict(m, 2)
        assert self.remembered(m) == []

    def test_ghost_capacity_is_evaluated_at_attach(self):
        share = ir.ParamDecl("share", ir.FIX, 32768, 0, 65536, "", POS)
        capacity = ir.Convert(
            ir.Arith("mul", ir.Param("share", ir.FIX), ir.Convert(ir.CacheAttr("capacity"), ir.FIX), ir.FIX), ir.U64
        )
        made = policy(params=[share])
        made = ir.Policy(**{**vars(made), "ghosts": (ir.GhostDecl("ghost", capacity, POS),)})
        assert Machine(made, 9).ghosts["ghost"].capacity == 4
        assert Machine(made, 9, {"share": "1"}).ghosts["ghost"].capacity == 9


class TestOldest:
    """`g.full` and `g.oldest.FIELD`."""

    FIELD = ir.VarDecl("at", U64, 9, POS)
    MADE = policy(
        removed=[ir.GhostAdd("ghost", "f", POS, (ir.CacheAttr("clock"),))],
        missed=[
            set_state("full", ir.Select(ir.GhostFull("ghost"), number(1), number(0), U64)),
            set_state("at", ir.GhostOldest("ghost", "at", U64)),
        ],
        ghosts={"ghost": 2},
        states=[var("full"), var("at")],
    )

    def machine(self) -> Machine:
        ghosts = tuple(replace(ghost, fields=(self.FIELD,)) for ghost in self.MADE.ghosts)
        return Machine(replace(self.MADE, ghosts=ghosts), 2)

    def test_the_oldest_is_that_which_goes_next(self):
        m = self.machine()
        found = []
        for index in range(7):
            m.request(0, index)
            found.append((m.state["full"], m.state["at"]))
        # the third request evicts at clock 2, so the fourth finds that entry; there are two before the fifth
        assert found == [(0, 9), (0, 9), (0, 9), (0, 2), (1, 2), (1, 3), (1, 4)]

    def test_a_held_entry_is_not_the_oldest(self):
        m = self.machine()
        for index in range(4):
            m.request(0, index)
        assert list(m.ghosts["ghost"].entries) == [(0, 0), (0, 1)]
        m.request(0, 0)  # which is held: one entry counts, that of the second folio
        assert (m.state["full"], m.state["at"]) == (0, 3)
