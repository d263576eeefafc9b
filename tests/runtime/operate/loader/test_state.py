"""What `stat --state` shows of a policy's memory, without a kernel."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from loader_types import Build

from cpol.compiler import compile_file
from cpol.compiler.backend import manifest
from cpol.compiler.ir import layout
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.snapshot import describe_values

HOLDING = Path(__file__).resolve().parents[3] / "vm" / "objects" / "holding.cpol"
LINE = "cgroup=1 name=holding owned=60 lists=10,20,30"
CAPACITY = 40


@pytest.fixture(scope="module")
def program(build: Build) -> Path:
    return build("show_state")


def pinned() -> str:
    """The manifest of the policy as the loader pins it: numbers in place of formulas."""
    text = "\n".join(manifest.lines(compile_file(HOLDING))) + "\nstates bss 16\n"
    return text.replace(" capacity", f" int:{CAPACITY}").replace("old[int:3]", "old[int:2]")


def show(program: Path, folder: Path, how: str, states: bytes, tables: list[bytes], line: str = LINE) -> str:
    (folder / "manifest").write_text(pinned())
    files = [folder / "states", *(folder / f"table{n}" for n in range(len(tables)))]
    for path, memory in zip(files, [states, *tables], strict=True):
        path.write_bytes(memory)
    words = [program, how, folder / "manifest", line, *files]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def memory(*, counted: int) -> tuple[bytes, list[bytes]]:
    """Memory in which so many elements of each table differ from the initial value."""
    states = struct.pack("<H6xqBb?", 65535, -3 << 14, 1, -128, False)
    grid = [(-98304 ^ 32768) if n < counted else 0 for n in range(6)]
    return states, [
        bytes((9 ^ 1) if n < counted else 0 for n in range(8)),
        struct.pack(f"<{CAPACITY}I", *((2**32 - 1) ^ 7 if n < counted else 0 for n in range(CAPACITY))),
        struct.pack("<6q", *grid),
    ]


def test_text_is_that_of_the_interpreter(program: Path, tmp_path: Path) -> None:
    """Names and values are those of `cpolc step`."""
    machine = Machine(compile_file(HOLDING), capacity=CAPACITY)
    machine.state.update(linux=65535, share=-3 << 14, kind=1, deep=-128, even=0)
    for counted in (0, 2, 20):
        for table, value in (("barrier", 9), ("added", 2**32 - 1), ("grid", -98304)):
            held = machine.tables[table]
            held.changed = dict.fromkeys(range(min(counted, len(held))), value)
        told = show(program, tmp_path, "text", *memory(counted=counted)).splitlines()
        values = [line.split(None, 1) for line in told]
        lines = [
            f"table {name[6:]}: {value}" if name.startswith("table.") else f"{name[6:]} = {value}"
            for name, value in values
            if name.startswith(("state.", "table."))
        ]
        assert lines == describe_values(machine)
    assert [line.split(None, 1) for line in told[:7]] == [
        ["path", "/cg"],
        ["name", "holding"],
        ["cache", "60"],
        ["list.young", "10"],
        ["list.old", "50"],
        ["ghost.likely", f"3 of {CAPACITY}"],
        ["ghost.none", "3 of 8"],
    ]


def test_json(program: Path, tmp_path: Path) -> None:
    told: dict[str, Any] = json.loads(show(program, tmp_path, "json", *memory(counted=2)))
    assert told["states"] == {"linux": 65535, "share": -0.75, "kind": "warm", "deep": -128, "even": False}
    assert told["lists"] == {"young": 10, "old": 50} and told["cache"] == 60
    assert told["ghosts"] == {"likely": 3, "none": 3} and told["capacities"] == {"likely": CAPACITY, "none": 8}
    assert told["tables"]["barrier"] == [9, 9, *[1] * 6]
    assert told["tables"]["added"] == [2**32 - 1] * 2 + [7] * (CAPACITY - 2)
    assert told["tables"]["grid"] == [[-1.5, -1.5, 0.5], [0.5, 0.5, 0.5]]


@pytest.mark.parametrize("line", ["cgroup=1 state=ended", "lists= owned=x", "lists=10,20", "lists=,,"])
def test_unknown_sizes(program: Path, tmp_path: Path, line: str) -> None:
    """The kernel tells the sizes of the first 16 lists, and none of a policy that has ended."""
    told = json.loads(show(program, tmp_path, "json", *memory(counted=0), line=line))
    assert told["cache"] is None and told["lists"]["old"] is None
    assert "\nlist.old           n/a\n" in show(program, tmp_path, "text", *memory(counted=0), line=line)


def test_several_arrays_of_lists(program: Path, tmp_path: Path) -> None:
    states, tables = memory(counted=0)
    show(program, tmp_path, "json", states, tables)  # writes the files
    files = [tmp_path / "states", *(tmp_path / f"table{n}" for n in range(len(tables)))]
    for lists, wanted in (
        ("young[int:1],old[int:2]", {"young": 10, "old": 50}),
        ("young[int:2],old[int:1]", {"young": 30, "old": 30}),
        ("new,young[int:1],old[int:1]", {"new": 10, "young": 20, "old": 30}),
        ("new,young[int:1],old[int:2]", {"new": 10, "young": 20, "old": None}),
    ):
        (tmp_path / "manifest").write_text(pinned().replace("young,old[int:2]", lists))
        words = [program, "json", tmp_path / "manifest", LINE, *files]
        told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert json.loads(told)["lists"] == wanted


@pytest.mark.parametrize(("members", "wanted"), [(64, "enum:cold:warm:m2:"), (65, "u7"), (256, "u8")])
def test_type_of_a_large_enum(tmp_path: Path, members: int, wanted: str) -> None:
    """The loader has room for 64 names; a state of a larger enum is shown as its number."""
    text = HOLDING.read_text().replace(
        "{ cold, warm }", f"{{ cold, warm, {', '.join(f'm{n}' for n in range(2, members))} }}"
    )
    path = tmp_path / "large.cpol"
    path.write_text(text.replace("m0", "cold"))
    (line,) = (line for line in manifest.lines(compile_file(path)) if line.startswith("state kind "))
    assert line.split()[2].startswith(wanted.replace("m0", "cold"))


def test_offsets_are_those_of_c(tmp_path: Path) -> None:
    """Generated C asserts the same (policy.c.j2)."""
    placed = layout.states(compile_file(HOLDING).states)
    assert [(each.decl.name, each.offset) for each in placed] == [
        *(("linux", 0), ("share", 8), ("kind", 16), ("deep", 17), ("even", 18)),
    ]
