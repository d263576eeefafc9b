"""Replay of event logs: recorded decisions are compared with the interpreter's."""

from __future__ import annotations

from dataclasses import replace

import pytest
from build_ir import POS, TAIL, attr, compare, machine, number, order, policy, propose, scan, set_state, var, when

from cpol.compiler import ir
from cpol.runtime.machine.events import Op, Row, read, save
from cpol.runtime.machine.interp import EVICTED, InvariantError, Machine, MachineError
from cpol.runtime.machine.interp.replay import ReplayError, replay
from cpol.runtime.machine.interp.snapshot import snapshot

MADE = policy(removed=[ir.GhostAdd("ghost", "f", POS)], ghosts={"ghost": 2})


def recorded() -> Machine:
    m = Machine(MADE, capacity=3, batch=2)
    for index in [1, 2, 3, 1, 4, 2, 5]:
        m.request(9, index)
    m.evict(2)
    m.refused(9, m.proposed[0].index)
    m.removed(9, m.proposed[0].index, EVICTED)
    return m


def test_log_replays_to_the_same_state(tmp_path):
    m = recorded()
    save(tmp_path / "log", m.header, m.records)
    again = replay(read(tmp_path / "log"), MADE)
    assert again.records == m.records
    assert order(again) == order(m)
    assert again.ghosts["ghost"].entries == m.ghosts["ghost"].entries


def test_fallbacks_replay(tmp_path):
    made = policy(evict=[])
    m = Machine(made, capacity=2)
    for index in range(5):
        m.request(0, index)
    save(tmp_path / "log", m.header, m.records)
    assert replay(read(tmp_path / "log"), made).fallbacks == m.fallbacks == 3


def test_log_without_decisions_replays(tmp_path):
    m = recorded()
    save(tmp_path / "log", replace(m.header, decisions=False), m.records)
    assert replay(read(tmp_path / "log"), MADE).records == m.records


def altered(tmp_path, alter) -> str:
    m = recorded()
    rows = list(m.records)
    alter(rows)
    path = tmp_path / "log"
    save(path, m.header, rows)
    with pytest.raises(ReplayError) as error:
        replay(read(path), MADE, path)
    return str(error.value).removeprefix(f"{tmp_path}/")


def test_different_decision_is_reported_with_its_line(tmp_path):
    def alter(rows):
        position = rows.index(Row(Op.PROPOSE, 9, 1))
        rows[position] = Row(Op.PROPOSE, 9, 3)

    message = altered(tmp_path, alter)
    assert message == (
        "log:23: after event 'evict 2', decision 1 differs: the log has 'propose 9 3', the interpreter 'propose 9 1'"
    )


def test_missing_and_extra_decisions_are_reported(tmp_path):
    assert "the log has 'nothing more', the interpreter 'propose 9 2'" in altered(
        tmp_path, lambda rows: rows.remove(Row(Op.PROPOSE, 9, 2))
    )
    assert "the log has 'move 9 3 queue tail', the interpreter 'nothing more'" in altered(
        tmp_path, lambda rows: rows.append(Row(Op.MOVE, 9, 3, 1, 1))
    )


def test_impossible_event_is_reported_with_its_line(tmp_path):
    m = recorded()
    save(tmp_path / "log", m.header, [*m.records, Row(Op.ACCESSED, 9, 77)])
    with pytest.raises(MachineError, match="accessed: folio \\(9, 77\\) is not in the cache") as error:
        replay(read(tmp_path / "log"), MADE, "log")
    assert error.value.__notes__ == [f"replaying log:{8 + len(m.records) + 1}"]


def test_log_of_another_policy_is_refused(tmp_path):
    m = recorded()
    save(tmp_path / "log", m.header, m.records)
    with pytest.raises(ReplayError, match="not with the given policy made \\(lists a; ghosts none\\)"):
        replay(read(tmp_path / "log"), policy(lists=["a"]))


def test_replay_checks_invariants(tmp_path):
    m = recorded()
    save(tmp_path / "log", m.header, m.records)
    strict = replace(
        MADE, invariants=(ir.Invariant(compare("lt", ir.ListSize(ir.ListRef("queue")), number(2)), "small", POS),)
    )
    with pytest.raises(InvariantError):
        replay(read(tmp_path / "log"), strict)


def test_machine_of_a_log_has_its_settings():
    m = machine(policy(evict=[scan([propose()])]), capacity=4, batch=3, count=2)
    assert (m.header.capacity, m.header.batch, m.header.lists, m.header.ghosts) == (4, 3, ("queue",), ())


def test_log_contains_all_settings(tmp_path):
    draw = set_state("drawn", ir.Random(number(1000)))
    scans = set_state("scans", ir.Convert(ir.InputHas("scanners", ir.TaskAttr("thread"), None), ir.U64))
    to = ir.Place("f", TAIL, ir.ListRef("generation", ir.Random(number(9))), POS)
    made = policy(
        added=[draw, scans, to],
        admit=[when(compare("eq", attr("index"), number(2)), [ir.Refuse("f", POS)])],
        evict=[],
        array=number(4),
        states=[var("drawn"), var("scans"), var("ticks")],
        inputs=[ir.InputDecl("scanners", "thread", None, 0, "", POS)],
        everies=[ir.Every(number(1), "ms", (set_state("ticks", number(1)),), POS)],
    )
    m = Machine(made, 3, seed=99, inputs=[("scanners", "7", "true")])
    for index in range(6):
        m.set_task(7 if index % 2 else 0, 1)
        m.tick(index)
        m.request(3, index)
    save(tmp_path / "log", m.header, m.records)
    again = replay(read(tmp_path / "log"), made)
    assert (again.records, snapshot(again)) == (m.records, snapshot(m))
    other = replay(replace(read(tmp_path / "log"), header=replace(m.header, seed=98, decisions=False)), made)
    assert snapshot(other) != snapshot(m)
    with pytest.raises(ReplayError, match="recorded with 5 lists in the array, but with these params the policy has 4"):
        replay(replace(read(tmp_path / "log"), header=replace(m.header, array_lengths=(5,))), made)
