"""The loader's rooms have an order, its sources no dependency cycle and no global symbol that only one unit uses."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from c_units import Unit, calls, read_symbols

from cpol.compiler.toolchain.clang import clang
from cpol.runtime.operate.loader import program

ROOMS = ("command", "user", "object", "pins", "inputs", "manifest", "system")
"""Each takes from itself and from those behind it."""
MAP = Path(__file__).resolve().parents[4] / "docs" / "architecture.md"
INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)
OUTSIDE = {"command/app.h": ["../../app/internal.h"]}
"""Who includes what is in no room, other than the headers of generated code (`cpol/`)."""


def compile_units(sources: Iterable[Path], folder: Path) -> dict[str, Unit]:
    """Compile the sources without optimisation, so that no call is inlined, and read their symbols."""
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-O0", *program.INCLUDES, "-c"]
    subprocess.run([clang(), *flags, *map(str, sources)], cwd=folder, check=True)
    return {path.stem: read_symbols(path) for path in folder.glob("*.o")}


def sources(folder: Path) -> dict[str, str]:
    """The text of each source and header, by room and name."""
    paths = [path for path in folder.rglob("*") if path.suffix in (".c", ".h")]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def includes(texts: dict[str, str]) -> dict[str, set[str]]:
    """Map the stem of each source and header to the stems of the headers that it includes."""
    found: dict[str, set[str]] = {}
    for name, text in texts.items():
        headers = {Path(header).stem for header in INCLUDED.findall(text) if not header.startswith("cpol/")}
        found.setdefault(Path(name).stem, set()).update(headers)
    return {stem: others - {stem} for stem, others in found.items()}


def misplaced(texts: dict[str, str]) -> list[str]:
    """The files in no room, and the includes from a room of one before it."""
    faults = [f"{name}: in no room" for name in texts if name.partition("/")[0] not in ROOMS]
    for name, text in texts.items():
        own = name.partition("/")[0]
        behind = ROOMS[ROOMS.index(own) :] if own in ROOMS else ()
        for header in INCLUDED.findall(text):
            is_theirs = header.startswith("cpol/") or header in OUTSIDE.get(name, ())
            if not is_theirs and (header not in texts or header.partition("/")[0] not in behind):
                faults.append(f"{name}: includes {header}")
    return faults


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Unit]:
    return compile_units(program.sources(), tmp_path_factory.mktemp("units"))


def check_order(*graphs: dict[str, set[str]]) -> None:
    """Raise CycleError, which names the cycle, if the graphs together have one."""
    joined = {node: set().union(*(graph.get(node, set()) for graph in graphs)) for graph in graphs for node in graph}
    TopologicalSorter(joined).prepare()


@pytest.mark.slow
def test_no_cycle_of_includes_and_calls(units: dict[str, Unit]) -> None:
    assert {"main", "attach", "manifest_read"} <= units.keys()
    check_order(includes(sources(program.HERE)), calls(units))


def test_rooms_take_from_those_behind_them() -> None:
    texts = sources(program.HERE)
    assert {name.partition("/")[0] for name in texts} == set(ROOMS)
    units = [path.stem for path in program.sources()]
    assert len(units) == len(set(units))  # by which the other tests here name them
    assert misplaced(texts) == []


@pytest.mark.slow
def test_rooms_call_those_behind_them(units: dict[str, Unit]) -> None:
    number = {Path(name).stem: ROOMS.index(name.partition("/")[0]) for name in sources(program.HERE)}
    number |= dict.fromkeys(program.SHARED, len(ROOMS))
    backward = {(name, other) for name, others in calls(units).items() for other in others}
    assert {(name, other) for name, other in backward if number[name] > number[other]} == set()


def test_the_map_has_the_rooms_in_their_order() -> None:
    rows = re.findall(
        r"^\| `(\w+)/` \|", MAP.read_text(encoding="utf-8").partition("## The rooms of the loader")[2], re.MULTILINE
    )
    assert tuple(rows[: len(ROOMS)]) == ROOMS


def test_misplaced_is_detected() -> None:
    texts = {
        "pins/a.h": '#include "system/b.h"\n#include "pins/c.h"\n#include "cpol/array.h"\n',
        "pins/c.h": '#include "command/d.h"\n',
        "system/b.h": '#include "b2.h"\n#include "../../app/internal.h"\n',
        "command/d.h": '#include "pins/a.h"\n',
        "attic/e.c": '#include "system/b.h"\n',
    }
    assert misplaced(texts) == [
        "attic/e.c: in no room",
        "pins/c.h: includes command/d.h",
        "system/b.h: includes b2.h",
        "system/b.h: includes ../../app/internal.h",
        "attic/e.c: includes system/b.h",
    ]


@pytest.mark.slow
def test_every_global_symbol_is_used_by_another_unit(units: dict[str, Unit]) -> None:
    needed = frozenset().union(*(unit.needs for unit in units.values()))
    own = {name: unit for name, unit in units.items() if name not in program.SHARED}
    unused = {name: sorted(unit.defines - needed - {"main"}) for name, unit in own.items()}
    assert {name: symbols for name, symbols in unused.items() if symbols} == {}


def test_cycle_is_detected(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text('#include "b.h"\nint a(void) { return b(); }\n')
    (tmp_path / "b.h").write_text("int b(void);\n")
    (tmp_path / "b.c").write_text("int a(void); int b(void) { return a(); }\n")
    made = compile_units(sorted(tmp_path.glob("*.c")), tmp_path)
    assert calls(made) == {"a": {"b"}, "b": {"a"}}
    with pytest.raises(CycleError):
        check_order(calls(made))
    texts = sources(tmp_path)
    check_order(includes(texts))
    with pytest.raises(CycleError):
        check_order(includes(texts), {"b": {"a"}})
