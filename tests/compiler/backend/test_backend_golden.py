"""Golden C of some stdlib policies and of policies that use every construct.

`make generate` regenerates it; review the difference before you commit it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.compiler.backend.c import generate

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SOURCES = [
    *(f"stdlib/{name}.cpol" for name in ("fifo", "lfu", "mru", "s3fifo")),
    "tests/compiler/backend/everything.cpol",
    "tests/compiler/backend/whole.cpol",
]


@pytest.mark.parametrize("source", SOURCES)
def test_generated_c_matches_the_golden_file(source: str) -> None:
    policy = compile_file(ROOT / source)
    text = generate(replace(policy, path=source))
    golden = HERE / "golden" / f"{policy.name}.c"
    if os.environ.get("CPOL_WRITE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_generation_is_deterministic() -> None:
    policy = compile_file(ROOT / "stdlib/s3fifo.cpol")
    assert generate(policy) == generate(policy)
