"""What is computed at attach: the loader's formulas give what the policy's expressions do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cpol.compiler import compile_source
from cpol.compiler.backend import manifest
from cpol.runtime import loader
from cpol.runtime.interp import Machine

SOURCES = Path(loader.__file__).parent
HERE = Path(__file__).parent

CAPACITIES = (
    "cache.capacity", "small", "wide * 3 / 2", "unsigned(below)", "floor(share * cache.capacity)",
    "ceil(cache.capacity * 0.3)", "max(min(cache.capacity, wide), 7) % 5", "unsigned(signed(small) - 5)",
    "unsigned(signed(small) - 5 + 4)", "unsigned(BELOW + 10 - 3)", "unsigned(ABOVE - 5 + 4)",
    "unsigned(signed(share - 2.5) + 4)", "unsigned(below - 3 + signed(wide))", "floor(share - 2.5) + 4",
    "unsigned(-below)", "cache.capacity - 1000000 + 3", "unsigned(max(below, signed(small)))",
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
    """The loader's own code."""
    program = tmp_path_factory.mktemp("formulas") / "evaluate"
    units = [HERE / "evaluate.c", *SOURCES.glob("manifest*.c"), SOURCES / "formula.c", SOURCES / "util.c"]
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1", "-fsanitize=address,undefined"]
    folders = [f"-I{SOURCES}", f"-I{SOURCES.parent / 'include'}"]
    subprocess.run(["clang-19", *flags, *folders, *map(str, units), "-lelf", "-o", str(program)], check=True)
    return program


@pytest.mark.parametrize("capacity", [1, 7, 4096])
def test_formulas_agree(evaluate: Path, capacity: int) -> None:
    for start in range(0, len(CAPACITIES), 8):
        chosen = CAPACITIES[start : start + 8]
        ghosts = "".join(f"  ghost g{n} {{ capacity: {text} }}\n" for n, text in enumerate(chosen))
        rest = "on added(f) { place f at tail of queue } on evict { scan queue from head as f { evict f } } }"
        policy = compile_source(POLICY + ghosts + rest, "formulas.cpol")
        text = "\n".join(manifest.lines(policy)) + "\n"
        done = subprocess.run([evaluate, str(capacity)], input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        machine = Machine(policy, capacity=capacity)
        wanted = {text: machine.ghosts[f"g{n}"].capacity for n, text in enumerate(chosen)}
        assert dict(zip(chosen, map(int, done.stdout.split()), strict=True)) == wanted
