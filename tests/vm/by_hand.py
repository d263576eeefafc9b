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


def make_newer(out: Path) -> None:
    """Compile it with a kfunc that no kernel has, as a later version of cpol might."""
    kfunc = "bpf_cache_ext_of_a_later_version"
    declared = f"extern s32 {kfunc}(struct folio *folio, s32 list) CPOL_KSYM;\n"
    make_by_hand(
        out,
        {"bpf_cache_ext_list_add_tail(f, 0)": f"{kfunc}(f, 0)", "INPUT(scanners);": f"INPUT(scanners);\n{declared}"},
    )
