"""Imports: what comes along, which names it has, where files may lie, and where errors point."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cpol.compiler import compile_file, compile_source
from cpol.compiler.analysis.cost.bounds import bounds_of
from cpol.compiler.analysis.cost.object import read_object
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.backend.bpf import build
from cpol.compiler.backend.c import generate
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.format.text import format_text
from cpol.compiler.stages import dump_ir, run_file
from cpol.runtime.explore.check.loop_rounds import typical
from cpol.runtime.explore.step import Session, of_test
from cpol.runtime.explore.step.text import lines_that_ran
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.native.library import SimulationError
from cpol.runtime.simulate.simulator import Simulator

from .examples import wrap

LIBRARY = """library tally {
  const STEP: u64 = 2
  enum mood { calm, wild }
  state total: u64 = 0
  state unused: u64 = 0
  table seen: u64[4] = 0
  fn twice(x: u64): u64 { let y = x * STEP  return y }
  action tally(x: u64) { let y = twice(x)  total += y  seen[x] += 1 }
  action reset() { total = 0 }
  score rank(g) = twice(g.index)
}
"""


@pytest.fixture
def write(tmp_path: Path):
    def written(policy: str, library: str = LIBRARY, name: str = "tally.cpol") -> Path:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(library)
        (tmp_path / "p.cpol").write_text(wrap(policy))
        return tmp_path / "p.cpol"

    return written


def errors(path: Path) -> list[tuple[str, str, str]]:
    """Return code, message and file:line of each error."""
    with pytest.raises(CompileError) as error:
        run_file(path)
    found = []
    for each in error.value.diagnostics:
        assert each.span is not None
        source, span, _ = each.source.place(each.span)
        found.append((each.code, each.message, f"{Path(source.path).name}:{source.pos(span.start).line}"))
    return found


def test_what_an_import_needs_comes_along(write) -> None:
    policy = compile_file(
        write('import tally, total from "tally.cpol"\nstate y: u64 = 1\non init { y = 5  do tally(y) }')
    )
    assert [state.name for state in policy.states] == ["total", "y"]
    assert [table.name for table in policy.tables] == ["tally_seen"]
    assert [fn.name for fn in policy.fns] == ["tally_twice"]
    machine = Machine(policy, capacity=4)
    assert machine.state == {"total": 10, "y": 5}


def test_two_imports_share_one_library(write) -> None:
    text = 'import tally from "tally.cpol"\nimport reset, total from "tally.cpol"\n'
    text += "on init { do tally(4) do reset() do tally(1) }"
    assert Machine(compile_file(write(text)), capacity=4).state == {"total": 2}


def test_an_enum_brings_its_members(write) -> None:
    text = 'import mood from "tally.cpol"\nstate m: mood = wild\ninvariant m != calm'
    assert compile_file(write(text)).states[0].init == 1
    assert errors(write('import wild from "tally.cpol"'))[0][:2] == ("E0107", "`wild` is a member of an enum")


def test_a_score(write) -> None:
    text = 'import rank from "tally.cpol"\non evict { evict lowest rank of up to 8 from head of queue }'
    assert compile_file(write(text)).scores[0].name == "rank"


def test_locals_of_a_library_hide_nothing(write) -> None:
    text = 'import twice, rank from "tally.cpol"\nstate x: u64 = 0\nstate y: u64 = 0\nstate g: u64 = 1\n'
    text += "on init { x = twice(3)  y = x + g }\non evict { evict lowest rank of up to 8 from head of queue }"
    assert Machine(compile_file(write(text)), capacity=4).state == {"x": 6, "y": 7, "g": 1}


def test_a_library_sees_nothing_of_the_policy(write) -> None:
    library = "library l {\n  fn f(x: u64): u64 = x + mine\n}"
    found = errors(write('import f from "l.cpol"\nstate mine: u64 = f(1)', library, "l.cpol"))
    assert ("E0101", "nothing in the library `l` is called `mine`", "l.cpol:2") in found


def test_names_that_meet(write) -> None:
    assert errors(write('import total from "tally.cpol"\nstate total: u64 = 1'))[0][0] == "E0102"
    assert errors(write('import tally from "tally.cpol"\nstate tally_seen: u64 = 1'))[0][0] == "E0102"
    assert errors(write('import tally, tally from "tally.cpol"'))[0][0] == "E0102"
    assert errors(write('import tale from "tally.cpol"'))[0][:2] == ("E0101", "the library `tally` has no `tale`")


def test_an_error_in_a_library_names_its_file_and_the_call(write) -> None:
    library = "library l {\n  state s: u64 = 0\n  action a(f: folio) {\n    f.nope = 1\n  }\n}"
    path = write('import a from "l.cpol"\non accessed(f) {\n  do a(f)\n}', library, "l.cpol")
    assert [(code, where) for code, _, where in errors(path)] == [("E0106", "l.cpol:4")]
    with pytest.raises(CompileError) as error:
        run_file(path)
    text = str(error.value)
    assert "l.cpol:4:7" in text and "::: " in text and "p.cpol:5:3" in text and "in this call" in text


def test_wrong_syntax_in_a_library(write) -> None:
    path = write('import a from "l.cpol"', "library l {\n  state s: u64\n}", "l.cpol")
    assert errors(path)[0][2] == "l.cpol:2"


@pytest.mark.parametrize(
    ("library", "code"),
    [
        ("policy p { list q }", "E0117"),
        ("library l { list q }", "E0118"),
        ("library l { import ewma from ewma }", "E0118"),
        ("library l { on init { } }", "E0118"),
        ("library l { test t(capacity: 4) { access 1 } }", "E0118"),
        ("", "E0005"),
        (" " * (1 << 20) + "1", "E0006"),
        ("library l { } policy p { }", "E0013"),
    ],
)
def test_not_a_library(write, library: str, code: str) -> None:
    with pytest.raises(CompileError) as error:
        run_file(write('import a from "l.cpol"', library, "l.cpol"))
    assert error.value.diagnostics[0].code == code


def test_a_library_alone() -> None:
    with pytest.raises(CompileError, match="E0119"):
        compile_source("library l { const A: u8 = 1 }", "l.cpol")
    assert format_text("library  l {const A : u8=1\nimport a,b from 'x'}".replace("'", '"'), "l.cpol") == (
        'library l {\n  const A: u8 = 1\n  import a, b from "x"\n}\n'
    )


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/etc/passwd", "cannot be the path"),
        ("../tally.cpol", "cannot be the path"),
        ("sub/../../tally.cpol", "cannot be the path"),
        ("tally", "cannot be the path"),
        ("nosuch.cpol", "cannot be read"),
        ("folder.cpol", "is no file"),
        ("pipe.cpol", "is no file"),
        ("out.cpol", "lies elsewhere"),
        ("loop.cpol", "cannot be read"),
    ],
)
def test_where_libraries_may_lie(tmp_path: Path, path: str, why: str) -> None:
    home = tmp_path / "home"
    (home / "folder.cpol").mkdir(parents=True)
    (tmp_path / "tally.cpol").write_text(LIBRARY)
    os.mkfifo(home / "pipe.cpol")
    (home / "out.cpol").symlink_to(tmp_path / "tally.cpol")
    (home / "loop.cpol").symlink_to(home / "loop.cpol")
    (home / "p.cpol").write_text(wrap(f'import tally from "{path}"'))
    [(code, message, _)] = errors(home / "p.cpol")
    assert code == "E0117" and why in message


def test_below_the_policy(write) -> None:
    path = write(
        'import twice from "lib/tally.cpol"\nstate s: u64 = 0\non init { s = twice(2) }', name="lib/tally.cpol"
    )
    assert Machine(compile_file(path), capacity=4).state == {"s": 4}


def test_a_file_of_another_user(write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write('import twice from "tally.cpol"\nstate s: u64 = 0\non init { s = twice(2) }')
    os.chown(path.parent / "tally.cpol", 4321, -1)
    assert "belongs to another user" in errors(path)[0][1]
    os.chown(path, 4321, -1)
    compile_file(path)


def test_too_many_libraries(tmp_path: Path) -> None:
    for n in range(17):
        (tmp_path / f"l{n}.cpol").write_text(f"library l{n} {{ const C{n}: u64 = 1 }}")
    lines = "\n".join(f'import C{n} from "l{n}.cpol"' for n in range(17))
    (tmp_path / "p.cpol").write_text(wrap(lines))
    assert errors(tmp_path / "p.cpol")[0][0] == "E0117"


def test_unknown_library_of_cpol() -> None:
    with pytest.raises(CompileError, match="did you mean `ewma`"):
        compile_source(wrap("import ewma from ewmaa"), "p.cpol")


def test_lines_of_a_library(write) -> None:
    path = write('import tally from "tally.cpol"\non init { do tally(1) }')
    compiled = run_file(path)
    assert not [w for w in compiled.warnings if w.code == "W0401"]
    assert any('#line 8 "lib/tally.cpol"' in line for line in generate(compiled.policy).splitlines())
    assert "@tally.cpol:8:" in dump_ir(compiled.policy)


def test_what_is_imported_and_not_used(write) -> None:
    compiled = run_file(write('import reset from "tally.cpol"'))
    [warning] = [w for w in compiled.warnings if w.code == "W0401"]
    assert compiled.source.slice(warning.span) == "reset" and compiled.source.region(warning.span.start) is None


def test_a_link_leads_to_the_same_library(write) -> None:
    path = write('import tally from "tally.cpol"\nimport total from "link.cpol"\non init { do tally(1) }')
    (path.parent / "link.cpol").symlink_to("tally.cpol")
    assert Machine(compile_file(path), capacity=4).state == {"total": 2}


def test_a_table_of_a_library_that_is_too_large(write) -> None:
    library = "library l {\n  param n: u32 = 9 in 1..4000000\n  table big: u8[n * 1000] = 0\n  fn get(): u8 = big[0]\n}"
    path = write('import get, n from "l.cpol"\nstate s: u8 = 0\non init { s = get() }', library, "l.cpol")
    policy = compile_file(path)
    for run in (lambda: Machine(policy, 4, {"n": 4_000_000}), lambda: Simulator(policy, 4, {"n": 4_000_000})):
        with pytest.raises((ParamError, SimulationError), match=r"/l\.cpol:3:9: table l_big has 4000000000 elements"):
            run()


def test_what_a_wrong_statement_of_a_library_says(write) -> None:
    library = "library l {\n  action put(f: folio, where: list) {\n    place f at tail of where\n  }\n}"
    policy = compile_file(write('import put from "l.cpol"\non added(f) { do put(f, queue) }', library, "l.cpol"))
    machine = Machine(policy, capacity=4)
    machine.added(0, 1)
    assert machine.here.endswith("/l.cpol:3")


def test_steps_through_a_library(write) -> None:
    test = "test t(capacity: 4) { access 1, 1 expect true }"
    path = write(f'import tally from "tally.cpol"\non accessed(f) {{\n  do tally(1)\n}}\n{test}')
    policy = compile_file(path)
    session = Session(of_test(policy, policy.tests[0]))
    steps = []
    while not session.over:
        steps.append(session.next())
    source = path.read_text().splitlines()
    said = [lines_that_ran(step.ran, source, session.statements) for step in steps]
    assert ["line 5: do tally(1)", "libraries: tally.cpol:8"] in said


LOOP = """library loop {
  state rounds: u64 = 0
  action turn(n: u64) {
    for i in 1..min(n, 40) { rounds += 1 }
  }
}
"""


@pytest.mark.slow
def test_costs_of_a_library(write, tmp_path_factory: pytest.TempPathFactory) -> None:
    handlers = "on added(f) { place f at tail of queue  do turn(3)  do turn(3) }\non init { for i in 1..9 { s += 1 } }"
    path = write(f'import turn from "loop.cpol"\nstate s: u64 = 0\n{handlers}\ninvariant s >= 0', LOOP, "loop.cpol")
    policy = compile_file(path)
    bounds = bounds_of(policy, Setting.of(policy, 64))
    assert bounds.at_line("4", "for") is None and bounds.at_line("loop.cpol:4", "for") == 3
    found = typical(policy, 64, {}, 8)
    assert found.handlers[list(policy.handlers).index("added")] == (0, 6)
    assert found.loops["for", "loop.cpol:4"] == 3
    built = read_object(build(policy, tmp_path_factory.mktemp("scratch")))
    assert "loop.cpol:4" in {insn.line for each in built.functions.values() for insn in each.insns.values()}
