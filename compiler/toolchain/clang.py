"""Finds clang and the LLVM tools."""

from __future__ import annotations

import os
import re
from pathlib import Path

from cpol.compiler.toolchain import process, trust
from cpol.compiler.toolchain.process import ToolError, not_installed

VERSION = 19
"""The preferred version of clang."""


LEAST, LEAST_FOR_BPF = 15, 18
"""The oldest versions that compile for this machine, and for BPF: the fourth instruction set."""


INSTEAD = f"install clang-{VERSION}, or name one in CPOL_CLANG"
"""What to do about a compiler that does not serve."""


def clang() -> str:
    """The path of the C compiler: $CPOL_CLANG, or else clang-19, or else clang.

    Raises:
        ToolError: there is no compiler, or another user can have written $CPOL_CLANG.
    """
    named = os.environ.get("CPOL_CLANG")
    if named:
        found = which(named)
        if found is None:
            raise ToolError(f"CPOL_CLANG names {named}, which is no program; name a clang, or unset it")
        return str(trust.own_file(Path(found), "name a clang in CPOL_CLANG that only you or root can write"))
    for name in (f"clang-{VERSION}", "clang"):
        if found := which(name):
            return found
    raise ToolError(f"{not_installed(f'clang-{VERSION}')}, or name a clang in CPOL_CLANG")


def which(name: str) -> str | None:
    """As shutil.which, which brings along modules that take longer to import than a short trace to run."""
    folders = [""] if os.sep in name else os.get_exec_path()
    paths = (Path(folder, name) for folder in folders)
    return next((str(path) for path in paths if os.access(path, os.X_OK) and path.is_file()), None)


def llvm(tool: str) -> str:
    """The path of an LLVM tool such as `llvm-strip`: the one beside clang(), or else one on PATH.

    Raises:
        ToolError: there is none.
    """
    beside = Path(clang()).resolve().with_name(tool)
    for name in (str(beside), f"{tool}-{VERSION}", tool):
        if found := which(name):
            return found
    raise ToolError(not_installed(f"{tool}-{VERSION}"))


def made(program: str, target: Path) -> None:
    """Raises ToolError if the compiler ended well and has not written what it was to write."""
    if target.exists() and target.stat().st_size > 0:
        return
    said = process.run([program, "--version"]).partition("\n")[0][:60] or "no version"
    raise ToolError(
        f"the compiler {program} (`{said}`) does not work: it reported no error and wrote nothing; {INSTEAD}"
    )


def unfit(program: str, least: int) -> str:
    """Why this compiler cannot compile what cpol makes: it does not run, is none, or is too old. Empty if it can."""
    try:
        said = process.run([program, "--version"])
    except process.ToolError as error:
        return f"the compiler {program} does not work: {error}; {INSTEAD}"
    found = re.search(r"clang version (\d+)", said)
    if found is None:
        return f"{program} is no clang: it calls itself `{said.partition(chr(10))[0][:60]}`; {INSTEAD}"
    if int(found[1]) < least:
        return f"{program} is clang {found[1]}, which is too old: {least} or later is needed; {INSTEAD}"
    return ""


def identity(program: str) -> str:
    """A text that identifies a build of a program (path, size, mtime), for cache keys.

    Raises:
        ToolError: the program cannot be read.
    """
    path = Path(program).resolve()
    try:
        status = path.stat()
    except OSError as error:
        raise ToolError(f"cannot read {path}: {error.strerror}") from None
    return f"{path} {status.st_size} {status.st_mtime_ns}"
