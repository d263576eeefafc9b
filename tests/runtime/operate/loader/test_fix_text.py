"""Loader and compiler show a `fix` alike, and the loader reads it back as the same value."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from cpol.compiler.literals import show_fix
from cpol.compiler.toolchain.native import INCLUDE
from cpol.runtime.operate import loader

SOURCES = Path(loader.__file__).parent
HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("fix") / "fix"
    units = [HERE / "fix.c", *(SOURCES / f"{name}.c" for name in ("manifest/values", "system/util"))]
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1", f"-I{SOURCES}"]
    # --gc-sections drops unused functions, so that units that they call need not be linked.
    sections = ["-ffunction-sections", "-Wl,--gc-sections", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
    subprocess.run(["clang-19", *flags, f"-I{INCLUDE}", *sections, *map(str, units), "-o", str(out)], check=True)
    return out


@pytest.mark.long
def test_loader_and_compiler_show_fix_alike(program: Path) -> None:
    rng = random.Random(3)
    wide = [rng.randrange(-(2**63), 2**63) >> rng.randrange(64) for _ in range(20_000)]
    raws = [*range(-3 << 15, 3 << 15), *wide, 2**63 - 1, -(2**63), 2**47 << 15]
    given = "".join(f"{raw}\n" for raw in raws)
    done = subprocess.run([str(program)], input=given, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == [f"{show_fix(raw)} {raw}" for raw in raws]
