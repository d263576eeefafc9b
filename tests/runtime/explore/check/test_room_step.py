"""The step `room` of tests, in the interpreter, in native code, in the search and in `cpolc step`."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source
from cpol.compiler.diagnostics import CompileError
from cpol.runtime.explore.check import check
from cpol.runtime.explore.check.policy_test import run_test
from cpol.runtime.explore.step.script import Event, of_test
from cpol.runtime.machine.events import Op

POLICY = """policy p {
  list q
  folio { big: bool = false }
  state room: u64 = 0
  on added(f) { room = cache.capacity  place f at tail of q }
  on evict { scan q from head as f { evict f } }
  test falls_and_rises(capacity: 8) {
    access 1..8
    room 3
    expect cache.has(6, 7, 8) and cache.size == 3
    access 9
    expect room == 3 and cache.size == 3
    room 20
    access 10..26
    expect room == 20 and cache.size == 20 and cache.has(8)
  }
}
"""


def test_the_room_falls_and_rises() -> None:
    policy = compile_source(POLICY, "p.cpol")
    assert run_test(policy, policy.tests[0], True) is None
    wrong = compile_source(POLICY.replace("cache.size == 20", "cache.size == 8"), "p.cpol")
    failure = run_test(wrong, wrong.tests[0], True)
    assert failure is not None and failure.expected and "cache.size" in failure.message


def test_what_only_another_room_breaks_is_found() -> None:
    """The search has the rooms of the tests: with the capacity of the attach, this invariant holds."""
    fixed = POLICY.replace("  on added", "  state held: u64 = 0\n  on init { held = cache.capacity }\n  on added")
    fixed = fixed.replace("  test falls", "  invariant q.size <= held\n  test falls")
    found = check(compile_source(fixed, "p.cpol"), max_examples=5, native=False).counterexample
    assert found is not None and found.property == "invariants"
    assert any(row.op == Op.ROOM for row in found.machine.records)


def test_step_shows_it() -> None:
    policy = compile_source(POLICY, "p.cpol")
    rows = [item.row for item in of_test(policy, policy.tests[0]).items if isinstance(item, Event)]
    assert [row.a for row in rows if row.op == Op.ROOM] == [3, 20]


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("room 0", "the room cannot be 0 pages"),
        ("room 2000000", "a cache holds 1 to 1048576 pages in a test"),
        ("room 1, 2", "`room` takes one number"),
        ("room 1..2", "it is how many pages the cache may hold from here on"),
    ],
)
def test_what_is_no_room(step: str, said: str) -> None:
    with pytest.raises(CompileError) as error:
        compile_source(POLICY.replace("room 3", step), "p.cpol")
    assert said in str(error.value)
