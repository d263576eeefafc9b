"""docs/semantics.md: records of files and threads."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source
from cpol.compiler.diagnostics import CompileError
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.snapshot import describe

POLICY = """
policy records {
  list queue
  file up to LIMIT { uses: u8 = 250, seen: bool = false }
  task up to 3 { run: s8 = -7, page: u64 = 0 }
  state read: u64 = 0
  on missed(f) { if f.file.seen { read = 1000 } }
  on added(f) { read = f.file.uses  place f at tail of queue }
  on first_accessed(f) { f.file.uses += f.pages }
  on accessed(f) { f.file.seen = true  task.run -= 100  task.page = f.index }
  on removed(f) { f.file.uses = 0 }
  on evict { scan queue from head as f { f.file.uses = 9  evict f } }
}
"""


def machine(limit: object = 2) -> Machine:
    return Machine(compile_source(POLICY.replace("LIMIT", str(limit)), "records.cpol"), 100)


def read(m: Machine, *names: tuple[int, int]) -> None:
    for file, index in names:
        m.request(file, index)


def files(m: Machine) -> dict[int, int]:
    return {file: record["uses"] for (file, _), record in m.ghosts["file"].entries.items()}


def test_a_read_gives_the_initial_value_and_makes_no_record():
    m = machine()
    m.added(5, 0)
    assert m.state["read"] == 250 and not m.ghosts["file"].entries


def test_folios_of_a_file_share_its_record_and_stores_saturate():
    m = machine()
    read(m, (5, 0), (5, 1), (7, 0))
    assert files(m) == {5: 252, 7: 251}
    read(m, *((5, index) for index in range(2, 9)))
    assert files(m)[5] == 255


def test_a_store_keeps_the_other_fields_and_makes_the_record_the_newest():
    m = machine()
    read(m, (5, 0), (7, 0), (5, 0))
    assert list(files(m)) == [7, 5] and m.ghosts["file"].entries[5, 0] == {"uses": 251, "seen": 1}


def test_the_record_that_was_not_written_for_longest_is_forgotten():
    m = machine()
    read(m, (5, 0), (7, 0))
    m.added(5, 9)  # reads the record, and leaves its age
    read(m, (9, 0))
    assert list(files(m)) == [7, 9]
    read(m, (5, 1))
    assert files(m) == {9: 251, 5: 251}


def test_no_record_is_held_for_a_folio_that_comes():
    """A ghost would hold the entry of file 5, index 0."""
    m = machine(1)
    read(m, (5, 0))
    m.removed(5, 0, 1)
    m.missed(5, 0)
    assert m.ghosts["file"].held is None and m.ghosts["file"].count == 1


def test_each_thread_has_a_record_and_no_task_is_thread_0():
    m = machine()
    read(m, (0, 1), (0, 1))
    for thread in (7, 8, 7, 9):
        m.set_task(thread, 1)
        read(m, (0, 1))
    runs = {thread: record["run"] for (thread, _), record in m.ghosts["task"].entries.items()}
    assert runs == {8: -107, 7: -128, 9: -107}


def test_scans_and_removals_write():
    m = machine()
    read(m, (5, 0), (7, 0))
    m.evict(2)
    assert files(m) == {5: 9, 7: 9}
    m.removed(5, 0, 0)
    assert files(m) == {7: 9, 5: 0}


@pytest.mark.parametrize(("limit", "most"), [("cache.capacity / 10", 10), ("cache.capacity * 1_000_000", 2**20)])
def test_attach_computes_the_number(limit: str, most: int):
    assert machine(limit).ghosts["file"].capacity == most


def test_a_computed_number_may_be_0():
    m = machine("cache.capacity / 1000")
    read(m, (5, 0), (5, 0))
    assert not files(m)


def test_the_state_is_shown():
    m = machine()
    read(m, (5, 0))
    assert "records of files: 5 (uses 251, seen false) (capacity 2)" in describe(m)
    assert "records of threads: empty (capacity 3)" in describe(m)


def test_file_stays_a_name_where_no_record_is_declared():
    rest = "on added(f) { place f at tail of file }  on evict { scan file from head as f { evict f } }"
    compile_source(f"policy p {{ list file  {rest} }}", "p.cpol")
    with pytest.raises(CompileError, match="declared twice"):
        compile_source(f"policy p {{ list file  file up to 3 {{ a: u8 = 0 }}  {rest} }}", "p.cpol")
