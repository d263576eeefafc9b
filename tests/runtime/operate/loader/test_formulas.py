"""Formulas that the loader evaluates at attach match the policy's expressions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cpol.compiler import compile_source, ir
from cpol.compiler.backend import manifest
from cpol.compiler.contract import MAX_GHOSTS, MAX_INPUTS, MAX_MEMBERS, MAX_PARAMS, MAX_TABLES
from cpol.compiler.toolchain.native import INCLUDE
from cpol.runtime.machine.interp import Machine
from cpol.runtime.operate import loader

pytestmark = pytest.mark.slow

SOURCES = Path(loader.__file__).parent
HERE = Path(__file__).parent

CAPACITIES = (
    "cache.capacity", "small", "wide * 3 / 2", "unsigned(below)", "floor(share * cache.capacity)",
    "ceil(cache.capacity * 0.3)", "max(min(cache.capacity, wide), 7) % 5", "unsigned(signed(small) - 5)",
    "unsigned(signed(small) - 5 + 4)", "unsigned(BELOW + 10 - 3)", "unsigned(ABOVE - 5 + 4)",
    "unsigned(signed(share - 2.5) + 4)", "unsigned(below - 3 + signed(wide))", "floor(share - 2.5) + 4",
    "unsigned(-below)", "cache.capacity - 1000000 + 3", "unsigned(max(below, signed(small)))",
    "cache.capacity + (if ABOVE > 2 then 7 else 9)", "floor(cache.capacity * log2(8) * exp2(-1.5))",
)  # fmt: skip
POLICY = """
policy formulas {
  list queue
  const BELOW: s8 = -9
  const ABOVE: s8 = 3
  param small: u8 = 2 in 0..200
  param wide: u64 = 18446744073709551615 in 0..18446744073709551615
  param below: s16 = -3 in -100..100
  param share: fix = 0.75 in 0.0..2.0
"""


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program with the loader's evaluator."""
    program = tmp_path_factory.mktemp("formulas") / "evaluate"
    units = [HERE / "evaluate.c", *(SOURCES / "manifest").glob("[fm]*.c"), SOURCES / "system" / "util.c"]
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1", "-fsanitize=address,undefined"]
    folders = [f"-I{SOURCES}", f"-I{INCLUDE}"]
    subprocess.run(["clang-19", *flags, *folders, *map(str, units), "-lelf", "-o", str(program)], check=True)
    return program


def run(evaluate: Path, policy: ir.Policy, capacity: int) -> list[int]:
    """Return the capacities of the policy's ghosts, which the loader computes from the manifest."""
    text = "\n".join(manifest.lines(policy)) + "\n"
    done = subprocess.run([evaluate, str(capacity)], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


def test_loader_and_compiler_limits_agree(evaluate: Path) -> None:
    """The compiler refuses one more of each (tests/compiler/wrong/rule-too-many.cpol)."""
    policy = compile_source(
        "policy most { list queue, l2, l3, l4, l5, l6, l7, l8, part[16384] param n: u32 = 1 in 1..8\n"
        + f"enum wide {{ {' '.join(f'm{n}' for n in range(MAX_MEMBERS))} }} param which: wide = m0\n"
        + "".join(f"param p{n}: bool = false\n" for n in range(MAX_PARAMS - 2))
        + "".join(f"ghost g{n} {{ capacity: {' + '.join(['n'] * 64)} }}\n" for n in range(MAX_GHOSTS))
        + "".join(f"input i{n}: set of thread\n" for n in range(MAX_INPUTS))
        + "".join(f"table t{n}: u8[n] = 0\n" for n in range(MAX_TABLES))
        + "every n ms { }\n" * 64
        + "on added(f) { place f at tail of queue } on evict { scan queue from head as f { evict f } } }",
        "most.cpol",
    )
    assert run(evaluate, policy, 1) == [64] * MAX_GHOSTS


@pytest.mark.parametrize("capacity", [1, 7, 4096])
def test_formulas_agree(evaluate: Path, capacity: int) -> None:
    for start in range(0, len(CAPACITIES), 8):
        chosen = CAPACITIES[start : start + 8]
        ghosts = "".join(f"  ghost g{n} {{ capacity: {text} }}\n" for n, text in enumerate(chosen))
        rest = "on added(f) { place f at tail of queue } on evict { scan queue from head as f { evict f } } }"
        policy = compile_source(POLICY + ghosts + rest, "formulas.cpol")
        machine = Machine(policy, capacity=capacity)
        wanted = {text: machine.ghosts[f"g{n}"].capacity for n, text in enumerate(chosen)}
        assert dict(zip(chosen, run(evaluate, policy, capacity), strict=True)) == wanted
