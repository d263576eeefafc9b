"""The compiler's interface for the rest of cpol."""

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
def test_stdlib_compiles_without_warnings(path: Path) -> None:
    compiled = stages.run_file(path)
    assert compiled.warnings == ()
    assert compiled.policy == compile_file(path) == compile_source(path.read_text(), str(path))
    assert compiled.policy.name == path.stem


def test_ast_of_an_incorrect_policy() -> None:
    parsed = stages.parse_text("policy p { on nothing(f) { x = y } }", "p.cpol")
    assert stages.dump_ast(parsed) == (
        "Policy p  @1:1\n"
        "  Handler [nothing] [f]  @1:12\n"
        "    block: Block  @1:26\n"
        "      Assign =  @1:28\n"
        "        target: Path x  @1:28\n"
        "        value: Path y  @1:32\n"
    )


def test_warnings_of_a_correct_policy() -> None:
    compiled = stages.run(wrap("state x: u8 = 0"), "p.cpol")
    (warning,) = compiled.warnings
    assert (warning.code, warning.severity) == ("W0401", Severity.WARNING)


def test_errors_are_in_text_order_without_warnings() -> None:
    with pytest.raises(CompileError) as caught:
        compile_source(wrap("on accessed(f) { let x = 1 nothing = 2 }\nstate a: u8 = 300\nstate b: u8 = -1"), "p.cpol")
    lines = [d.source.pos(d.span.start).line for d in caught.value.diagnostics if d.span is not None]
    assert lines == [3, 4, 5]
    assert {d.severity for d in caught.value.diagnostics} == {Severity.ERROR}


def test_ir_imports_without_the_parser() -> None:
    program = "import sys, cpol.compiler.ir; sys.exit(any(name.startswith('antlr4') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": str(Path(ir.__file__).parents[3])})


def test_compilations_are_independent() -> None:
    with pytest.raises(CompileError):
        compile_source("policy p {", "p.cpol")
    first = compile_source(wrap(""), "p.cpol")
    assert compile_source(wrap(""), "p.cpol") == first
