"""Stepping: what a step shows, forward and back, and that it is the machine's own state."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.compiler import ir
from cpol.compiler.stages import run, run_file
from cpol.runtime.explore.step import Session, StepError, of_log, of_test, session, views
from cpol.runtime.explore.step.changes import shorten
from cpol.runtime.machine.events import parse
from cpol.runtime.machine.interp.snapshot import snapshot

ROOT = Path(__file__).parents[4]
STDLIB = sorted((ROOT / "stdlib").glob("*.cpol"))
MOST_EVENTS = 400
"""Of a test, so that the shortest test of each policy is stepped through whole."""

COUNTER = """policy counter {
  list queue, seen
  ghost gone { capacity: 2  folio { was: u8 = 0 } }
  folio { reads: u8 = 0 }
  state added_so_far: u8 = 3
  table files: u16[4] = 0
  input hot: set of file
  on init { added_so_far = 0 }
  on added(f) {
    added_so_far += 1  files[f.file] += 1
    if hot.has(f.file) { place f at head of seen } else { place f at tail of queue }
  }
  on accessed(f) { f.reads += 1  move f to tail of seen }
  on removed(f, why) { gone.add(f, was: f.reads) }
  on evict {
    scan queue from head as f { evict f }
    scan seen from head as f { evict f }
  }
  invariant queue.size + seen.size == cache.size
  test goes(capacity: 2) {
    access 1, 1
    hot.add(2)
    access 2:5
    access 3
    remove 3
    expect cache.has(1)
  }
  test fails(capacity: 2) {
    access 1
    expect cache.has(2)
    access 2
  }
  test impossible(capacity: 2) {
    access 1
    remove 2
    expect cache.has(1)
  }
}
"""


def policy_of(text: str = COUNTER) -> ir.Policy:
    return run(text, "counter.cpol").policy


def session_of(name: str) -> Session:
    policy = policy_of()
    return Session(of_test(policy, next(test for test in policy.tests if test.name == name)))


def test_attach_shows_what_init_did() -> None:
    step = session_of("goes").here()
    assert (step.number, step.event) == (0, "attached")
    assert step.changes == ["added_so_far: 3 -> 0"]
    assert [pos.line for pos in step.ran] == [8]


def test_steps_show_lines_decisions_and_changes() -> None:
    there = session_of("goes")
    added = there.go(2)
    assert added.event == "added 1 (line 21)"
    assert added.decisions == ["place 1 at tail of queue"]
    assert added.changes == [
        "queue: empty -> 1", "folio 1 came: reads 0", "added_so_far: 0 -> 1", "files[0]: 0 -> 1"
    ]  # fmt: skip
    assert [(pos.line, pos.column) for pos in added.ran] == [(10, 5), (10, 24), (11, 5), (11, 59)]
    assert there.next().event == "first access to 1 (line 21)"
    accessed = there.next()
    assert accessed.changes == ["queue: 1 -> empty", "seen: empty -> 1", "folio 1: reads 0 -> 1"]
    assert there.next().event == "input hot gets 2 (line 22)"
    assert there.go(7).decisions == ["place 2:5 at head of seen"]
    evict = there.go(10)
    assert evict.event == "evict request for 1 page (line 24)"
    assert evict.changes == ["seen: 2:5 1 -> 1", "proposed: empty -> 2:5"]
    assert there.next().changes == [
        "proposed: 2:5 -> empty",
        "folio 2:5 gone: reads 0",
        "ghost gone: empty -> 2:5(was 0)",
    ]


def test_whole_test_runs_to_its_end() -> None:
    there = session_of("goes")
    step = there.run(())
    assert (step.number, step.problem, there.over) == (there.last, None, True)
    assert step.event == "expect cache.has(1) (line 26)"


def test_false_expect_ends_the_script() -> None:
    there = session_of("fails")
    step = there.run(())
    assert step.problem == "counter.cpol:30: expect cache.has(2): it is false"
    assert (step.impossible, there.over, there.position < there.last) == (False, True, True)
    assert there.go(there.last) == step
    assert there.go(1).problem is None


def test_impossible_event_of_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "KEPT_EVERY", 1)
    there = session_of("impossible")
    step = there.run(())
    assert step.problem == "counter.cpol:35: removed: folio (0, 2) is not in the cache"
    assert step.impossible
    assert not there.go(there.position - 1).impossible


def test_run_stops_at_each_breakpoint() -> None:
    there = session_of("goes")
    assert [there.run({11}).event for _ in range(3)] == [
        "added 1 (line 21)",
        "added 2:5 (line 23)",
        "added 3 (line 24)",
    ]
    assert there.run({11}).number == there.last
    with pytest.raises(StepError, match="no statement begins on line 9 of counter; the nearest is on line 8"):
        there.check_line(9)
    assert there.check_line(11) == 11


def test_there_is_no_event_behind_the_last() -> None:
    there = session_of("goes")
    with pytest.raises(StepError, match=f"there is no event 99; the last is {there.last}"):
        there.go(99)


def log_of(*rows: str) -> bytes:
    header = "cpol-events 1|policy counter|lists queue seen|ghosts gone|capacity 2|batch 1|decisions yes"
    return "\n".join([*header.replace(" ", "\t").split("|"), *rows, ""]).encode()


def test_other_decisions_of_a_log_are_told() -> None:
    text = log_of("added\t0\t7\t1", "\tplace\t0\t7\tseen\thead", "first_accessed\t0\t7", "accessed\t0\t8")
    there = Session(of_log(policy_of(), parse(text.splitlines(keepends=True)), "log"))
    assert there.go(1).differs == ["place 7 at head of seen"]
    assert there.go(2).differs is None
    step = there.go(3)
    assert (step.problem, step.impossible) == ("log:11: accessed: folio (0, 8) is not in the cache", True)


def test_views_of_lists_folios_and_states() -> None:
    there = session_of("goes")
    there.go(10)
    machine = there.machine
    assert views.lists(machine) == ["queue (0 pages): empty", "seen (1 page): 1", "proposed: 2:5"]
    assert views.folio(machine, "1") == ["folio 1: number 1 of 1 on seen, from the head", "reads = 1"]
    assert views.folio(machine, "2:5") == ["folio 2:5: proposed for eviction, last on seen", "reads = 0"]
    there.next()
    assert views.folio(there.machine, "2:5") == ["folio 2:5: not in the cache", "remembered by gone: 2:5(was 0)"]
    assert views.states(there.machine) == [
        "cache: 1 of 2 pages, clock 3, time 0 ms, thread 0 of process 0",
        "added_so_far = 2",
        "table files: [0] 1, [2] 1, else 0",
        "input hot: 2",
        "ghost gone (1 of 2): 2:5(was 0)",
    ]
    with pytest.raises(StepError, match="no list middle; it has queue, seen"):
        views.one_list(machine, "middle")
    with pytest.raises(StepError, match="'x' is not a folio"):
        views.folio(machine, "x")


def test_long_rows_show_their_ends() -> None:
    assert shorten([]) == "empty"
    assert shorten([str(n) for n in range(12)]) == "0 1 2 3 4 5 6 7 8 9 10 11"
    assert shorten([str(n) for n in range(13)]) == "0 1 2 3 4 … 3 more … 8 9 10 11 12"


@pytest.mark.long
@pytest.mark.parametrize("path", STDLIB, ids=lambda path: path.stem)
def test_stdlib_forward_and_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "KEPT_EVERY", 1)
    policy = run_file(path).policy
    script = min((of_test(policy, test) for test in policy.tests), key=lambda script: len(script.items))
    assert 0 < len(script.items) <= MOST_EVENTS
    there = Session(script)
    states, steps = [snapshot(there.machine)], [there.here()]
    while not there.over:
        steps.append(there.next())
        states.append(snapshot(there.machine))
    assert len(steps) == there.last + 1
    assert [step.problem for step in steps] == [None] * len(steps)
    for number in range(there.last, -1, -max(1, there.last // 12)):
        assert there.go(number) == steps[number]
        assert snapshot(there.machine) == states[number]


def test_back_starts_from_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "KEPT_EVERY", 4)
    there = session_of("goes")
    there.run(())
    assert [position for position, _ in there.kept] == [4, 8, 12]
    copies = [snapshot(machine) for _, machine in there.kept]
    begun: list[None] = []
    monkeypatch.setattr(there, "restart", lambda: begun.append(None))
    assert there.go(11).event == "removed 2:5, evicted (line 24)"
    assert there.go(5).event == "input hot gets 2 (line 22)"
    assert not begun
    there.run(())
    assert [snapshot(machine) for _, machine in there.kept] == copies
