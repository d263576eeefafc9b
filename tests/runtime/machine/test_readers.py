"""`f.file.readers`, `r.file.readers`: how often a file is open for reading, in all executors and the event log."""

from __future__ import annotations

from array import array

import pytest

from cpol.compiler import compile_source, stages
from cpol.compiler.analysis.profile import refusals
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.diagnostics import CompileError
from cpol.kernel import profiles
from cpol.runtime.explore.check.policy_test import run_test
from cpol.runtime.machine.events import LogError, Op, Row, format_header, format_row, parse
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.native import EventSimulator
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Names, Requests

TEXT = """policy p {
  list queue, done
  folio { reads: u8 = 0 }
  fn all(f: folio): bool = f.reads >= f.file.readers and f.file.readers > 0
  on added(f) { place f at tail of queue }
  on first_accessed, accessed(f) {
    f.reads += 1
    if all(f) { move f to tail of done }
  }
  on evict {
    scan done from head as f { evict f }
    scan queue from head as f { evict f }
  }
  on read(r) { if r.file.readers == 1 { drop r } }
  test as_many_reads(capacity: 5) {
    readers 1
    readers 3:2
    access 1, 3:1, 3:1, 3:2, 4:1
    expect done.is(1, 3:1)
    readers 3:1
    access 3:2
    expect done.has(3:2) and not done.has(4:1)
    read 0:7
    expect dropped
    read 4:7
    expect not dropped
  }
}
"""


@pytest.mark.slow
def test_executors() -> None:
    policy = compile_source(TEXT, "readers.cpol")
    assert run_test(policy, policy.tests[0]) is None
    machine = Machine(policy, 5)
    events = [
        Row(Op.READERS, 3, 0, 2),
        Row(Op.ADDED, 3, 1, 1),
        Row(Op.FIRST_ACCESSED, 3, 1),
        Row(Op.ACCESSED, 3, 1),
        Row(Op.READERS, 2**64 - 1, 0, 2**64 - 1),
    ]
    machine.set_readers(3, 2)
    machine.added(3, 1, 1)
    machine.first_accessed(3, 1)
    machine.accessed(3, 1)
    machine.set_readers(2**64 - 1, 2**64 - 1)
    native = EventSimulator(policy, 5)
    for row in events:
        native.event(row)
    assert native.log == machine.records
    text = format_header(machine.header) + "".join(format_row(row, machine.header) + "\n" for row in machine.records)
    assert "readers\t3\t2\n" in text
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    assert parse(lines).rows == machine.records
    with pytest.raises(LogError, match="'readers' takes FILE READERS"):
        parse([*lines, b"readers\t3\n"])


@pytest.mark.slow
def test_trace() -> None:
    """A simulator is told by whoever has the trace."""
    text = TEXT.replace("on read(r) { if r.file.readers == 1 { drop r } }", "").partition("  test ")[0] + "}"
    policy = compile_source(text, "readers.cpol")
    names = Names(array("Q", [3, 3, 3]), array("Q", [1, 2, 3]))
    trace = Requests(array("Q", [0, 1, 1, 0, 2, 0]), names=names)
    hits = []
    for readers in ({}, {3: 2}):
        simulator = Simulator(policy, 2, named=True)
        simulator.readers(readers)
        hits.append(simulator.run(trace).hits)
    assert hits == [2, 3]  # of pages 0 and 1, either the older one goes, or that which was read twice


def test_what_a_kernel_does_not_tell() -> None:
    policy = compile_source(TEXT, "readers.cpol")
    found = refusals(policy, profiles.load("upstream-2026"), Setting.of(policy, 1000))
    assert {each.what for each in found if each.code == "E0513"} == {"this reads `f.file.readers`"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("on missed(f) { n = f.file.readers }", "E0316"),
        ("on accessed(f) { f.file.readers = 3 }", "E0210"),
        ("on accessed(f) { n = f.readers }", "E0106"),
        ("on accessed(f) { n = f.file.writers }", "E0106"),
        ("on accessed(f) { n = 8 / f.file.readers }", "E0209"),
    ],
)
def test_wrong(body: str, code: str) -> None:
    rest = "on added(f) { place f at tail of q } on evict { scan q from head as f { when f.index > n { evict f } } }"
    text = f"policy p {{ list q state n: u64 = 0 {rest} {body} }}"
    with pytest.raises(CompileError) as error:
        stages.run(text, "p.cpol")
    assert [each.code for each in error.value.diagnostics] == [code]


def test_a_field_of_the_name_is_the_field() -> None:
    policy = compile_source(
        "policy p { list q file up to 10 { readers: u8 = 1 } on added(f) { f.file.readers += 1 place f at tail of q } "
        "on evict { scan q from head as f { when f.file.readers > 2 { evict f } otherwise { evict f } } } }",
        "p.cpol",
    )
    assert [field.name for field in policy.ghosts[0].fields] == ["readers"]
