"""Record what happens to the memory of a cgroup: the object of record.bpf.c, and the loader that runs it."""

from __future__ import annotations

import hashlib
import signal
import subprocess
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from cpol.compiler.toolchain import cache
from cpol.compiler.toolchain.clang import clang, llvm
from cpol.compiler.toolchain.native import INCLUDE
from cpol.compiler.toolchain.process import ToolError, ToolFailedError, run
from cpol.runtime import loader

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "record.bpf.c"
HEADERS = (INCLUDE / "cpol" / "record.h", *sorted(HERE.glob("*.h")))
INSTALLED = HERE / "record.bpf.o"
"""A distribution's package puts the object here."""

FLAGS = (
    "-target", "bpf", "-mcpu=v3", "-std=gnu11", "-g", "-O2", "-Wall", "-Wextra", "-Werror",
    "-ffreestanding", "-nostdlibinc", "-fno-stack-protector", "-fdebug-compilation-dir=.",
)  # fmt: skip


class RecordError(Exception):
    """The recorder's object or the loader is missing; the message says why."""


def find() -> Path:
    """The path of the object: the installed one, else the cache's, else one that is built now.

    Raises:
        RecordError: it is missing and cannot be built, or another user could have written it.
    """
    if INSTALLED.exists():
        return INSTALLED
    texts = (file.read_text() for file in (SOURCE, *HEADERS))
    digest = hashlib.sha256("\0".join((*FLAGS, *texts)).encode())
    try:
        return cache.find_or_make("loader", f"record-{digest.hexdigest()[:32]}.bpf.o", _build)
    except ToolFailedError as error:
        raise RecordError(f"the recorder cannot be built: {error.tool} failed. It said:\n{error.said}") from None
    except ToolError as error:
        raise RecordError(f"the recorder has to be built first, and cannot be: {error}") from None


def _build(target: Path) -> None:
    run([clang(), *FLAGS, f"-I{INCLUDE}", "-c", SOURCE, "-o", target])
    run([llvm("llvm-strip"), "-g", target])  # keeps the BTF


def record(cgroup: str, out: BinaryIO, seconds: int | None = None, *, comm: bool = True, names: bool = True) -> int:
    """Record into `out` until the time is over, the cgroup is removed, or SIGINT, SIGTERM or SIGHUP comes.

    Returns:
        The exit code of the loader, which prints its own messages; negative: the signal that killed it.

    Raises:
        RecordError: the object or the loader is missing.
    """
    try:
        command = [str(loader.find()), "record"]
    except loader.LoaderError as error:
        raise RecordError(str(error)) from None
    command += [*(["--seconds", str(seconds)] if seconds else []), *([] if comm else ["--no-comm"])]
    command += [] if names else ["--no-names"]
    command += ["--", str(find()), cgroup]
    told: list[int] = []
    running: list[subprocess.Popen[bytes]] = []

    def tell(number: int, _frame: FrameType | None) -> None:
        told.append(number)
        for process in running:
            process.terminate()

    before = {number: signal.signal(number, tell) for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}
    try:
        with subprocess.Popen(command, stdout=out) as process:
            running.append(process)
            if told:
                process.terminate()
            return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
