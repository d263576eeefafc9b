"""Build the handwritten object with live params and inputs (objects/live.c)."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from cpol.compiler.backend import bpf
from cpol.compiler.toolchain.clang import clang, llvm
from cpol.compiler.toolchain.native import INCLUDE

BY_HAND = Path(__file__).parent / "objects" / "live.c"


def make_by_hand(out: Path, names: Mapping[str, str] | None = None) -> None:
    """Compile it as the compiler does; `names` renames its declarations."""
    scratch = out.parent / f"{out.name}.by-hand"
    scratch.mkdir()
    (scratch / "cpol").symlink_to(INCLUDE / "cpol")
    text = BY_HAND.read_text()
    for old, new in (names or {}).items():
        text = text.replace(old, new)
    (scratch / "live.c").write_text(text)
    subprocess.run([clang(), *bpf.FLAGS, "-I.", "-c", "live.c", "-o", "live.o"], cwd=scratch, check=True)
    subprocess.run([llvm("llvm-strip"), "-g", "live.o"], cwd=scratch, check=True)
    (scratch / "live.o").replace(out)
