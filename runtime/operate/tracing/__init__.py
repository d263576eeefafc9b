"""Tracing programs: how the object of NAME.bpf.c is found or built, in the folder of what uses it."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

from cpol.compiler.toolchain import cache
from cpol.compiler.toolchain.clang import clang, llvm
from cpol.compiler.toolchain.native import INCLUDE
from cpol.compiler.toolchain.process import ToolError, ToolFailedError, run

HERE = Path(__file__).resolve().parent
OPERATE = HERE.parent
"""Headers of this folder are named from there."""

FLAGS = (
    "-target", "bpf", "-mcpu=v3", "-std=gnu11", "-g", "-O2", "-Wall", "-Wextra", "-Werror",
    "-ffreestanding", "-nostdlibinc", "-fno-stack-protector", "-fdebug-compilation-dir=.",
)  # fmt: skip


class TracingError(Exception):
    """An object or the loader is missing; the message says why."""


@dataclass(frozen=True)
class Program:
    """The programs of `folder`/`name`.bpf.c."""

    name: str
    folder: Path
    called: str
    """As messages call it: `the recorder`."""

    @property
    def source(self) -> Path:
        return self.folder / f"{self.name}.bpf.c"

    @property
    def installed(self) -> Path:
        """A distribution's package puts the object here."""
        return self.folder / f"{self.name}.bpf.o"

    def headers(self) -> list[Path]:
        ours = [INCLUDE / "cpol" / "traced.h", INCLUDE / "cpol" / f"{self.name}.h"]
        return [*ours, *sorted(HERE.glob("*.h")), *sorted(self.folder.glob("*.h"))]

    def find(self) -> Path:
        """The path of the object: the installed one, else the cache's, else one that is built now.

        Raises:
            TracingError: it is missing and cannot be built, or another user could have written it.
        """
        if self.installed.exists():
            return self.installed
        texts = (file.read_text() for file in (self.source, *self.headers()))
        digest = hashlib.sha256("\0".join((*FLAGS, *texts)).encode())
        try:
            return cache.find_or_make("loader", f"{self.name}-{digest.hexdigest()[:32]}.bpf.o", self.build)
        except ToolFailedError as error:
            raise TracingError(f"{self.called} cannot be built: {error.tool} failed. It said:\n{error.said}") from None
        except ToolError as error:
            raise TracingError(f"{self.called} has to be built first, and cannot be: {error}") from None

    def build(self, target: Path) -> None:
        """Build the object from its source.

        Raises:
            ToolError: there is no compiler, or it refused the source.
        """
        run([clang(), *FLAGS, f"-I{INCLUDE}", f"-I{OPERATE}", "-c", self.source, "-o", target])
        run([llvm("llvm-strip"), "-g", target])  # keeps the BTF

    def main(self, words: list[str]) -> int:
        """Build the object for a distribution's package, as `--output FILE` says. Returns the exit code."""
        if len(words) != 2 or words[0] != "--output":
            print(f"usage: {self.name} --output FILE", file=sys.stderr)
            return 2
        try:
            self.build(Path(words[1]))
        except ToolError as error:
            print(error, file=sys.stderr)
            return 1
        return 0
