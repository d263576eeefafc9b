"""The selftests' policies (tests/kernel): those that the verifier must take, and those that it must refuse, and why."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE

KERNEL_TESTS = Path(__file__).resolve().parents[1] / "kernel"
FOLDERS = ("accepted", "refused", "prefetch/accepted", "prefetch/refused")
FLAGS = ("-g", "-O2", "-target", "bpf", "-mcpu=v3", "-Wall", "-Werror", f"-I{INCLUDE}")
EXPECT = re.compile(r"/\* EXPECT: (.*) \*/")
NO_EXCEPTIONS = "not support calling kfunc bpf_throw"
"""What the patched kernel says of bpf_throw: exceptions need the ORC unwinder, without which it is built."""

AT_ATTACH = ("no_program.bpf.c", "percent.bpf.c")
"""They load; their values are refused later."""


@dataclass(frozen=True)
class Selftest:
    source: Path
    expect: str | None
    """A part of the verifier's reason against it; empty: any reason. None: the verifier must take it."""

    @property
    def name(self) -> str:
        return str(self.source.relative_to(KERNEL_TESTS)).removesuffix(".bpf.c")

    def build(self, folder: Path) -> Path:
        target = folder / f"{self.name.replace('/', '-')}.bpf.o"
        subprocess.run([clang(), *FLAGS, "-c", self.source, "-o", target], check=True)
        return target


def selftests() -> Iterator[Selftest]:
    for folder in FOLDERS:
        for source in sorted((KERNEL_TESTS / folder).glob("*.bpf.c")):
            yield Selftest(source, _expect(source))


def _expect(source: Path) -> str | None:
    if source.name == "throws.bpf.c":
        return NO_EXCEPTIONS
    if source.parent.name == "accepted" or source.name in AT_ATTACH:
        return None
    said = EXPECT.search(source.read_text())
    return said[1] if said else ""


def build_cxrun(folder: Path) -> Path:
    """The program that loads them: `cxrun --load OBJECT`."""
    target = folder / "cxrun"
    source = KERNEL_TESTS / "cxrun.c"
    subprocess.run(["gcc", "-O2", "-Wall", "-o", target, source, "-lbpf", "-lelf", "-lz"], check=True)
    return target
