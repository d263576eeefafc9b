"""What changes are told: tables of two dimensions, folios left to the kernel, and many changes at once."""

from __future__ import annotations

from cpol.compiler.stages import run
from cpol.runtime.explore.step import Session, of_log, of_test, views
from cpol.runtime.explore.step.text import MOST_DECISIONS, as_text
from cpol.runtime.machine.events import parse

WIDE = """policy wide {
  list level[4]
  folio { marks: u8 = 0 }
  table pairs: s16[2, 3] = -1
  table many: u8[64] = 0
  input weight: map of file to u8 = 1
  on init { for i in 0..63 { many[i] = 1 } }
  on added(f) {
    pairs[f.file, f.index] += 5
    if weight.of(f.file) == 9 { leave f } else { place f at tail of level[f.file] }
  }
  on evict {
    for i in 0..3 { scan level[i] from head as f {
      when f.marks == 0 { f.marks = 7  move f to tail of level[i] }
      otherwise { evict f }
    } }
  }
  test marks_all(capacity: 40) {
    weight.add(3, 9)
    weight.add(4, 2)
    access 3:1
    weight.remove(3)
    access 0..39
    expect cache.size == 39
  }
}
"""


def opened() -> Session:
    policy = run(WIDE, "wide.cpol").policy
    return Session(of_test(policy, policy.tests[0]))


def found(session: Session, event: str) -> int:
    """The number of the event with these words."""
    return next(number for number in range(session.last + 1) if session.go(number).event.startswith(event))


def test_many_elements_are_counted() -> None:
    changes = opened().here().changes
    assert changes[:2] == ["many[0]: 0 -> 1", "many[1]: 0 -> 1"]
    assert changes[-1] == "and 48 more elements of many"
    assert len(changes) == 17


def test_inputs_tables_and_folios_that_are_left() -> None:
    session = opened()
    assert session.go(1).event == "input weight gets 3 = 9 (line 19)"
    added = session.go(found(session, "added 3:1"))
    assert added.decisions == ["leave 3:1"]
    assert added.changes == ["left to the kernel: empty -> 3:1", "pairs[1, 1]: -1 -> 4"]
    assert views.folio(session.machine, "3:1") == ["folio 3:1: left to the kernel"]
    assert views.lists(session.machine) == ["level: all 4 empty", "left to the kernel: 3:1"]
    assert session.next().event == "input weight loses 3 (line 22)"
    assert views.states(session.machine)[-1] == "input weight: 4 = 2"


def test_many_folios_and_decisions_are_counted() -> None:
    session = opened()
    number = found(session, "evict request")
    step = session.go(number)
    moved = [change for change in step.changes if "marks 0 -> 7" in change]
    assert len(moved) == 16
    assert "and 23 more folios" in step.changes
    assert step.changes[0] == ("level.0: 0 1 2 3 4 … 29 more … 34 35 36 37 38 -> 1 2 3 4 5 … 28 more … 34 35 36 37 38")
    assert len(step.decisions) > MOST_DECISIONS
    text = as_text(step, WIDE.split("\n"), session.statements)
    hidden = len(step.decisions) - MOST_DECISIONS
    assert f"… {hidden} more …," in text.replace("\n          ", " ")
    assert max(len(line) for line in text.splitlines()) <= 110


def test_folios_of_several_pages() -> None:
    rows = "added 0 7 4|first_accessed 0 7|tick 250|task 5 6".replace(" ", "\t").split("|")
    head = "cpol-events 1|policy wide|lists level[4]|ghosts|capacity 40|batch 1|decisions no".replace(" ", "\t")
    log = parse("".join(f"{line}\n" for line in [*head.split("|"), *rows]).encode().splitlines(keepends=True))
    session = Session(of_log(run(WIDE, "wide.cpol").policy, log, "log"))
    assert session.go(1).event == "added 7 of 4 pages"
    assert (
        views.folio(session.machine, "7")[0]
        == "folio 7: number 1 of 1 on level.0, from the head, 4 pages, not read yet"
    )
    assert [session.go(number).event for number in (3, 4)] == ["250 ms have passed", "thread 5 of process 6 runs"]
    assert views.states(session.machine)[0] == "cache: 4 of 40 pages, clock 1, time 250 ms, thread 5 of process 6"
    assert views.one_list(session.machine, "level.0") == ["level.0 (4 pages): 7"]


def test_a_busy_folio_is_refused() -> None:
    busy = WIDE.replace("access 0..39", "access 0..3  busy 1  reclaim 2").replace("cache.size == 39", "cache.size == 3")
    policy = run(busy, "wide.cpol").policy
    session = Session(of_test(policy, policy.tests[0]))
    end = session.go(session.last)
    assert (end.event, end.problem) == ("expect cache.size == 3 (line 24)", None)
    removed, refused = session.go(session.last - 2), session.go(session.last - 1)
    assert (removed.event, removed.changes[0]) == ("removed 0, evicted (line 23)", "proposed: 0 1 -> 1")
    assert (refused.event, refused.decisions) == ("refused 1 (line 23)", ["move 1 to tail of level.0"])
    assert refused.changes == ["level.0: 2 3 -> 2 3 1", "proposed: 1 -> empty"]
