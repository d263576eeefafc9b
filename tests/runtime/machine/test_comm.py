"""Names of commands: the same numbers in Python, in C and in the loader."""

from __future__ import annotations

import re

import pytest

from cpol.compiler import comm, stages
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.native import EventSimulator

POLICY = """policy p {
  list queue
  input backups: set of comm
  input weight: map of comm to u16 = 5
  state number: u64 = 0
  state given: u64 = 0
  state member: bool = false
  on added(f) {
    number = task.comm  given = weight.of(task.comm)  member = backups.has(task.comm)
    place f at tail of queue
  }
  on evict { scan queue from head as f { evict f } }
}
"""


@pytest.mark.parametrize("name", [b"", b"a", b"rsync", b"12345678", b"123456789012345", b"\xff \\=", "\u00e9".encode()])
def test_names_and_their_text(name: bytes) -> None:
    packed = comm.pack(name)
    assert comm.unpack(packed) == name
    assert re.fullmatch(r"[!-~]*", comm.show(packed))
    if name:
        assert comm.parse(comm.show(packed)) == packed


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "has a name"), ("a" * 16, "write `aaaaaaaaaaaaaaa`"), (r"\x00", "zero"), ("a\\", "x5c"), (r"\xFF", "x5c")],
)
def test_what_no_command_is_called(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        comm.parse(text)


def test_known_numbers() -> None:
    """Programs in the kernel and the loader compute these, too. 0 is no name, and is absent from inputs."""
    assert comm.number(comm.UNKNOWN) == 0
    assert comm.number(comm.pack(b"rsync")) == 12788687222492670851
    assert comm.pack(b"a" * 40) == comm.pack(b"a" * 15)


def test_executors_read_the_command_alike() -> None:
    policy = stages.run(POLICY, "p.cpol").policy
    settings = [
        ("backups", "rsync", "true"),
        ("weight", r"a\x20b", "9"),
        ("weight", "rsync", "7"),
        ("backups", "tar", "true"),
    ]
    machine, simulator = Machine(policy, 8, inputs=settings), EventSimulator(policy, 8, inputs=settings)
    for executor in (machine, simulator):
        executor.fill("backups", comm.parse("tar"), 1)
        executor.fill("backups", comm.parse("tar"), None)
    expected = {b"rsync": (7, 1), b"a b": (9, 0), b"tar": (5, 0), b"": (5, 0)}
    for index, (name, (weight, member)) in enumerate(expected.items()):
        packed = comm.pack(name)
        machine.set_task(3, 4, packed)
        simulator.event(Row(Op.TASK, *packed, 3, 4))
        machine.request(0, index)
        simulator.request(0, index)
        assert machine.state == simulator.dump().state
        assert machine.state == {"number": comm.number(packed), "given": weight, "member": member}
    assert machine.records == simulator.take_log()


def test_settings_are_shown_as_they_are_written() -> None:
    settings = [("backups", "rsync", "true"), ("weight", r"a\x20b", "9")]
    assert Machine(stages.run(POLICY, "p.cpol").policy, 8, inputs=settings).settings == settings
    with pytest.raises(ParamError, match="no command is called 'systemd-journald'"):
        Machine(stages.run(POLICY, "p.cpol").policy, 8, inputs=[("backups", "systemd-journald", "true")])
