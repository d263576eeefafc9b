"""The state of a session's machine as lines, with what the last step changed."""

from __future__ import annotations

from cpol.compiler.stages import run
from cpol.runtime.explore.step import Session, of_test
from cpol.runtime.explore.step.board import Line, board

POLICY = """policy counter {
  list queue
  list pairs[4]
  ghost gone { capacity: 2  folio { was: u8 = 0 } }
  folio { reads: u8 = 0 }
  state added_so_far: u8 = 3
  table files: u16[4] = 0
  input hot: set of file
  on init { added_so_far = 0 }
  on added(f) { added_so_far += 1  files[f.file] += 1  place f at tail of queue }
  on accessed(f) { f.reads += 1 }
  on removed(f, why) { gone.add(f, was: f.reads) }
  on evict { scan queue from head as f { evict f } }
  test goes(capacity: 30) {
    hot.add(2)
    access 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 1
    remove 1
    expect cache.has(2)
  }
}
"""


def texts(session: Session, changed: bool) -> list[str]:
    return [line.text for line in board(session) if line.changed == changed]


def test_states_records_ghosts_tables_and_inputs() -> None:
    policy = run(POLICY, "counter.cpol").policy
    session = Session(of_test(policy, policy.tests[0]))
    assert texts(session, True) == ["added_so_far = 3 -> 0"]
    session.go(session.last - 2)
    assert texts(session, True) == ["  1: reads 0 -> 1"]
    rest = texts(session, False)
    assert rest[0] == "cache: 20 of 30 pages, clock 21, 0 ms, thread 0 of process 0"
    assert rest[1:4] == ["added_so_far = 20", "queue (20 pages):", "  2: reads 0"]
    assert "  … 10 more …" in rest and "input hot: 2" in rest and "table files: [0] 20, else 0" in rest
    session.next()
    assert "ghost gone (1 of 2): 1(was 1)" in texts(session, True)
    assert Line("  2: reads 0", False, (0, 2)) in board(session)
    session.go(session.position - 1)
    assert texts(session, True) == ["  1: reads 0 -> 1"]
