"""The loader's sources have no dependency cycle and no global symbol that only one unit uses."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from c_units import Unit, calls, read_symbols

from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE
from cpol.runtime.operate import loader

SOURCES = Path(loader.__file__).parent
LOCAL_INCLUDE = re.compile(r'^#include "(\w+)\.h"$', re.MULTILINE)


def compile_units(sources: Iterable[Path], folder: Path) -> dict[str, Unit]:
    """Compile the sources without optimisation, so that no call is inlined, and read their symbols."""
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-O0", f"-I{INCLUDE}", "-c"]
    subprocess.run([clang(), *flags, *map(str, sources)], cwd=folder, check=True)
    return {path.stem: read_symbols(path) for path in folder.glob("*.o")}


def includes(folder: Path) -> dict[str, set[str]]:
    """Map the stem of each source and header to the stems of the headers that it includes."""
    found: dict[str, set[str]] = {}
    for path in (*folder.glob("*.c"), *folder.glob("*.h")):
        found.setdefault(path.stem, set()).update(LOCAL_INCLUDE.findall(path.read_text(encoding="utf-8")))
    return {stem: others - {stem} for stem, others in found.items()}


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Unit]:
    return compile_units(sorted(SOURCES.glob("*.c")), tmp_path_factory.mktemp("units"))


def check_order(*graphs: dict[str, set[str]]) -> None:
    """Raise CycleError, which names the cycle, if the graphs together have one."""
    joined = {node: set().union(*(graph.get(node, set()) for graph in graphs)) for graph in graphs for node in graph}
    TopologicalSorter(joined).prepare()


def test_no_cycle_of_includes_and_calls(units: dict[str, Unit]) -> None:
    assert {"main", "attach", "manifest_read"} <= units.keys()
    check_order(includes(SOURCES), calls(units))


def test_every_global_symbol_is_used_by_another_unit(units: dict[str, Unit]) -> None:
    needed = frozenset().union(*(unit.needs for unit in units.values()))
    own = {name: unit for name, unit in units.items() if name != "app"}  # the rest of that is for applications
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
    check_order(includes(tmp_path))
    with pytest.raises(CycleError):
        check_order(includes(tmp_path), {"b": {"a"}})
