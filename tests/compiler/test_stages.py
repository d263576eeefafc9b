"""What the rest of cpol calls."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cpol.compiler import compile_file, compile_source, ir, stages
from cpol.compiler.diagnostics import CompileError, Severity

from .corpus import STDLIB
from .examples import wrap


@pytest.mark.parametrize("path", STDLIB, ids=lambda path: path.stem)
def test_the_standard_library_compiles_without_a_warning(path: Path) -> None:
    compiled = stages.run_file(path)
    assert compiled.warnings == ()
    assert compiled.policy == compile_file(path) == compile_source(path.read_text(), str(path))
    assert compiled.policy.name == path.stem


def test_the_ast_of_what_means_nothing() -> None:
    parsed = stages.parse_text("policy p { on nothing(f) { x = y } }", "p.cpol")
    assert stages.dump_ast(parsed) == (
        "Policy p  @1:1\n"
        "  Handler [nothing] [f]  @1:12\n"
        "    block: Block  @1:26\n"
        "      Assign =  @1:28\n"
        "        target: Path x  @1:28\n"
        "        value: Path y  @1:32\n"
    )


def test_warnings_are_there_when_it_compiles() -> None:
    compiled = stages.run(wrap("state x: u8 = 0"), "p.cpol")
    (warning,) = compiled.warnings
    assert (warning.code, warning.severity) == ("W0401", Severity.WARNING)


def test_errors_come_in_the_order_of_the_text_and_without_warnings() -> None:
    with pytest.raises(CompileError) as caught:
        compile_source(wrap("on accessed(f) { let x = 1 nothing = 2 }\nstate a: u8 = 300\nstate b: u8 = -1"), "p.cpol")
    lines = [d.source.pos(d.span.start).line for d in caught.value.diagnostics if d.span is not None]
    assert lines == [3, 4, 5]
    assert {d.severity for d in caught.value.diagnostics} == {Severity.ERROR}


def test_the_ir_can_be_imported_without_the_parser() -> None:
    program = "import sys, cpol.compiler.ir; sys.exit(any(name.startswith('antlr4') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": str(Path(ir.__file__).parents[3])})


def test_nothing_is_kept_from_one_compilation_to_the_next() -> None:
    with pytest.raises(CompileError):
        compile_source("policy p {", "p.cpol")
    first = compile_source(wrap(""), "p.cpol")
    assert compile_source(wrap(""), "p.cpol") == first
