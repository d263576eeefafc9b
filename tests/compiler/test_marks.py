"""Words of prefetching are names wherever they do not mean something."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source, ir
from cpol.compiler.format.text import format_text
from cpol.compiler.ir.walk import statements
from cpol.compiler.stages import parse_text
from cpol.compiler.syntax import ast


def compiled(items: str) -> ir.Policy:
    return compile_source(f"policy p {{ {items} }}", "p.cpol")


def body(text: str, before: str = "") -> list[ir.Stmt]:
    policy = compiled(f"{before} on readahead(r) {{ {text} }}")
    return list(statements(policy.handlers["readahead"].body))


NAMES = """
  state default: u64 = 1  state by: u64 = 2  state slot: u64 = 3  state page: u64 = 4  state fault: u64 = 5
  state area: u64 = 6  state request: u64 = 7  state cached: u64 = 8  state mapped: u64 = 9
"""


def test_all_of_them_can_be_names() -> None:
    found = body(
        """
        default = by  by = default + slot  slot += page  page = fault * by  fault = area
        area = request  request = cached  cached = mapped  mapped = default
        if default > by { by = 1 } else { default = 2 }
        prefetch (slot) up to by by by  by = 3
        prefetch by  default = 4
        prefetch default up to slot
        prefetch area up to slot
        prefetch r.file up to 2
        while area > 3 or default < area up to 2 { area = 3 }
        """,
        NAMES,
    )
    assert [type(each).__name__ for each in found].count("SetState") == 14
    first, second, third, *_ = (each for each in found if isinstance(each, ir.Prefetch))
    assert first.stride == ir.Convert(ir.State("by", ir.U64), ir.S64)
    assert second.stride == third.stride == ir.Const(1, ir.S64)
    assert not any(isinstance(each, ir.Default) for each in found)


def test_a_time_may_stand_in_front_of_a_word() -> None:
    policy = compiled(
        """param life: u32 = 5 s in 1 s..9 s
        file up to 33 { z: u16 = 0 }  const y: u64 = 5 s  task up to 33 { z: u16 = 0 }
        on written(r) { task.z = y  r.file.z = life + r.file.z  let x = 5 s drop r  task.z = x + task.z }"""
    )
    assert any(isinstance(each, ir.Drop) for each in policy.handlers["written"].body)


@pytest.mark.parametrize(
    "text",
    [
        "default",
        "n = 1 default",
        "n = t[0] default",
        "n = min(1, 2) default n = 3",
        "if n > 1 { default } default",
        "prefetch r.index up to 2 by -1 default",
        "prefetch 7 default prefetch 8",
        "default default",
    ],
)
def test_a_statement_default_may_stand_anywhere(text: str) -> None:
    found = body(text, "state n: u64 = 0  table t: u8[2] = 0")
    assert sum(isinstance(each, ir.Default) for each in found) == text.count("default")


def test_slot_and_page_are_names_where_no_value_can_begin() -> None:
    found = body(
        """
        prefetch page up to 8
        prefetch slot + 1 up to 4 by 3
        prefetch page * 2 up to page
        """,
        NAMES,
    )
    assert [each.space for each in found if isinstance(each, ir.Prefetch)] == ["index"] * 3


def test_a_member_called_default_is_an_arm() -> None:
    policy = compiled("""
      enum mode { default, fast }
      list queue
      folio { mode: mode = default }
      on added(f) {
        place f at tail of queue
        match f.mode { default { f.mode = fast } fast { f.mode = default } }
      }
      on evict { scan queue from head as f { evict f } }
    """)
    assert not any(isinstance(each, ir.Default) for each in statements(policy.handlers["added"].body))


def test_lists_and_fields_may_be_called_so() -> None:
    policy = compiled("""
      list default, by
      folio { slot: u8 = 0, page: u8 = 1 }
      on added(f) { f.slot = f.page  place f at tail of default }
      on accessed(f) { if f.list == default { move f to head of by } }
      on evict { scan default from head as f { evict f } scan by from head up to by.size as f { evict f } }
      test runs(capacity: 2) { access 1, 2, 3  expect default.has(2, 3) and cache.slot(3) == 1 }
    """)
    assert policy.lists == ("default", "by")


def test_slot_and_page_may_start_a_step() -> None:
    """No step has these names. The error is to be about the word itself."""
    for name in ("slot", "page"):
        text = f"policy p {{ test runs(capacity: 4) {{ access 1, 2\n{name} 2\naccess 3 }} }}"
        (test,) = parse_text(text, "p.cpol").ast.items
        assert isinstance(test, ast.Test)
        assert len(test.steps) == 3


def test_words_of_steps_are_told_from_the_next_step() -> None:
    policy = compiled("""
      list queue
      on added(f) { place f at tail of queue }
      on evict { scan queue from head as f { evict f } }
      on readahead(r) { default }
      test runs(capacity: 4) {
        case one(v: 1)
        access 1, 2
        request 1 mapped  mapped 1
        request 2 of 3 pages sequential mapped  access v
        request v  mapped v
        request v mapped marker as 7  unmapped v
        expect defaulted
      }
    """)
    steps = policy.tests[0].steps
    assert [type(step).__name__ for step in steps] == [
        "Access", "Request", "Mark", "Request", "Access", "Request", "Mark", "Request", "Mark", "Expect",
    ]  # fmt: skip
    asked = [step for step in steps if isinstance(step, ir.Request)]
    assert [(step.sequential, step.marker, step.mapped) for step in asked] == [
        (False, False, True), (True, False, True), (False, False, False), (False, True, True),
    ]  # fmt: skip


def test_the_formatter_keeps_them() -> None:
    text = "policy p { state by: u64 = 2 on readahead(r) { prefetch (by) up to by by 2 default by = 1 } }"
    assert format_text(format_text(text, "p.cpol"), "p.cpol") == format_text(text, "p.cpol")


def test_statements_about_ranges_are_told_from_names() -> None:
    policy = compiled("""
      state drop: u64 = 0
      state flush: u64 = 1
      state wait: bool = false
      state readahead: u64 = 2
      on opened(r) { readahead readahead  readahead (readahead + 1) * 2  readahead = drop  readahead += 3 }
      on read(r) { drop = flush drop r drop += readahead if wait and drop > flush { drop r } wait = wait and not wait }
      on written(flush_me) { flush flush_me and wait flush flush_me flush = 3 drop flush_me wait = true }
    """)
    said = (ir.Drop, ir.Flush, ir.Ahead)
    found = {event: [each for each in statements(handler.body) if isinstance(each, said)]
             for event, handler in policy.handlers.items()}  # fmt: skip
    assert [type(each).__name__ for each in found["opened"]] == ["Ahead", "Ahead"]
    assert [type(each).__name__ for each in found["read"]] == ["Drop", "Drop"]
    waits = [each.wait if isinstance(each, ir.Flush) else None for each in found["written"]]
    assert waits == [True, False, None]
