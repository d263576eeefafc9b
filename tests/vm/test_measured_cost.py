"""Compare the verifier bounds of `cpolc cost` with the kernel's verifier. This command updates
docs/measured/verifier.md:

PYTHONPATH=src:tests/vm:tests/verifier python -m test_measured_cost
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import pytest
import um
import um_objects
from vm_types import CHECKOUT

from cpol.cli.cost import cost
from cpol.compiler import compile_file
from cpol.compiler.analysis.cost.report import Program, Report
from cpol.compiler.analysis.cost.verifier import LIMIT
from cpol.compiler.backend import bpf
from cpol.compiler.policies import stdlib_names
from cpol.kernel import profiles
from cpol.kernel.vm import Machine, run
from cpol.runtime.operate import loader

pytestmark = [pytest.mark.vm, pytest.mark.long]

SCRIPT = Path(__file__).parent / "cost_checks.py"
PAGE = CHECKOUT / "docs" / "measured" / "verifier.md"
MARK = "<!-- measured"
CAPACITY = 1 << 18
SHORT = 15
"""Number of characters of a program's name that the kernel keeps."""

Measured = dict[str, dict[str, int]]


def measure(kernel: Path, folder: Path) -> Measured:
    """Return the instructions that the verifier processed, by policy and program."""
    for name in stdlib_names():
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    machine = Machine(kernel=kernel, memory="1G", exchange=folder)
    stdout, stderr = bytearray(), bytearray()
    command = (sys.executable, "-I", str(SCRIPT), str(loader.find()), str(folder))
    code = run(command, machine, stdout=stdout.extend, stderr=stderr.extend, directory=CHECKOUT, timeout=1200)
    lines = [json.loads(line) for line in stdout.decode().splitlines()]
    assert code == 0 and lines and lines[-1] == {"name": "done"}, (code, stdout.decode(), stderr.decode())
    assert not [line for line in lines if "failure" in line], lines
    return {line["name"]: line["verified"] for line in lines[:-1]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cost")


@pytest.fixture(scope="module")
def measured(kernel: Path, folder: Path) -> Measured:
    return measure(kernel, folder)


def reports() -> dict[str, Report]:
    profile = profiles.load(profiles.DEFAULT)
    return {name: cost(name, CAPACITY, profile) for name in stdlib_names()}


def of_program(program: Program, found: dict[str, int]) -> int:
    return found[f"cpol_{program.member}"[:SHORT]]


@pytest.mark.parametrize("name", stdlib_names())
def test_verifier_stays_within_the_bound(measured: Measured, name: str) -> None:
    report = cost(name, CAPACITY, profiles.load(profiles.DEFAULT))
    assert len(report.programs) == len(measured[name])
    for program in report.programs:
        seen = of_program(program, measured[name])
        assert 0 < seen <= program.verifier <= LIMIT, (program.member, seen)


def test_the_kernel_as_a_process_processes_the_same(measured: Measured, folder: Path) -> None:
    """It follows the same paths (tests/verifier), so what it says of other policies counts."""
    verdicts = um_objects.verify(um.kernel(), [folder / f"{name}.bpf.o" for name in measured])
    assert not [verdict.refusal for verdict in verdicts if verdict.refusal]
    assert [verdict.instructions for verdict in verdicts] == [sum(found.values()) for found in measured.values()]


def test_some_bounds_are_below_the_limit() -> None:
    """Otherwise the test above checks nothing."""
    below = [program for report in reports().values() for program in report.programs if program.verifier < LIMIT]
    assert len(below) >= 2 * len(stdlib_names())


def table(measured: Measured) -> str:
    """Return the table of bounds and measurements for docs/measured/verifier.md."""
    head = "| policy | program | size | worst path | kernel calls | stack | verifier, bound | verifier, measured |"
    rows = [head, "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, report in reports().items():
        for program in report.programs:
            worst = program.worst
            bound = f"{program.verifier:,}" if program.verifier < LIMIT else "limit"
            cells = [name, program.member, program.size, worst.instructions.formula, worst.kfuncs.formula, worst.stack]
            rows.append("| " + " | ".join(map(str, [*cells, bound, f"{of_program(program, measured[name]):,}"])) + " |")
    return "\n".join(rows)


def measure_on_host(folder: Path) -> Measured:
    """As measure(), in the kernel as a process of the host, which processes the same."""
    for name in stdlib_names():
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    verdicts = um_objects.verify(um.kernel(), [folder / f"{name}.bpf.o" for name in stdlib_names()])
    return {
        name: {program[:SHORT]: seen for program, seen in verdict.programs.items()}
        for name, verdict in zip(stdlib_names(), verdicts, strict=True)
    }


def main() -> None:
    """Measure, and update the table in docs/measured/verifier.md."""
    with tempfile.TemporaryDirectory(prefix="cpol-cost-") as folder:
        found = measure_on_host(Path(folder))
    text, mark, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
    assert mark, f"{PAGE} has no {MARK} line"
    PAGE.write_text(f"{text}{mark}{rest.partition(chr(10))[0]}\n\n{table(found)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
