"""C to a BPF object: `OUT.bpf.o`, which runtime/loader attaches.

The object is a function of the policy's text and of the headers only: clang runs in a folder of its own in which
everything has a short relative name, so neither paths nor times get into it. DWARF is dropped; BTF stays, and in it the
policy's lines.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from cpol.compiler import ir
from cpol.compiler.backend import c
from cpol.compiler.contract import MAX_RECORD
from cpol.compiler.ir import c_names as names
from cpol.compiler.ir import layout
from cpol.compiler.toolchain.target import CACHE_EXT_TARGET, Target

CLANG = "clang-19"
STRIP = "llvm-strip-19"
INCLUDE = Path(__file__).resolve().parents[2] / "runtime" / "include"

FLAGS = (
    "-target", "bpf", "-mcpu=v4", "-std=gnu11", "-g", "-O2", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror",
    "-ffreestanding", "-nostdlibinc", "-fno-stack-protector", "-fdebug-compilation-dir=.",
)  # fmt: skip


class BpfError(Exception):
    """The policy cannot become a BPF object; the message says why."""


def compile_policy(policy: ir.Policy, out: Path, target: Target = CACHE_EXT_TARGET) -> None:
    """Write the BPF object of `policy` to `out`, which appears complete or not at all.

    Raises:
        BpfError: a tool is missing or failed, or the policy asks for more than the kernel has.
        OSError: `out` cannot be written.
    """
    check_limits(policy)
    with tempfile.TemporaryDirectory(prefix="cpol-bpf-") as scratch:
        built = build(policy, Path(scratch), target)
        write_atomically(out, built.read_bytes())


def check_limits(policy: ir.Policy) -> None:
    """Refuse what would only fail in the kernel."""
    size = layout.record_size(layout.kernel_record(policy))
    if size > MAX_RECORD:
        raise BpfError(
            f"{policy.path}: a folio's record takes {size} bytes in the kernel, which has {MAX_RECORD}; "
            "use fewer or narrower fields in `folio { … }`"
        )


def build(policy: ir.Policy, scratch: Path, target: Target = CACHE_EXT_TARGET) -> Path:
    """Compile in the empty folder `scratch`; returns the object there."""
    source = Path(policy.path)
    name = names.path(source.name)
    (scratch / "cpol").symlink_to(INCLUDE / "cpol")
    if source.is_file() and name != "cpol" and "/" not in name:
        (scratch / name).symlink_to(source.resolve())  # clang copies its lines into BTF
    generated = scratch / "cpol-policy.c"
    generated.write_text(c.generate(replace(policy, path=name), target), encoding="utf-8")
    built = scratch / "cpol-policy.o"
    map_name = f"policy_{names.identifier(policy.name)}"
    flags = (*FLAGS, *target.flags, "-I.", f"-DCPOL_MAP_NAME={map_name}")
    run([CLANG, *flags, "-c", generated.name, "-o", built.name], scratch, policy)
    run([STRIP, "-g", built.name], scratch, policy)
    return built


def run(command: list[str], folder: Path, policy: ir.Policy) -> None:
    """Run a tool; raise what it says."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    except FileNotFoundError:
        raise BpfError(
            f"{command[0]} is not installed, and BPF objects need it: install its package (`make setup` in a checkout)"
        ) from None
    if done.returncode != 0:
        said = done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
        raise BpfError(f"{command[0]} cannot compile the C generated from {policy.path} (`--emit c` shows it):\n{said}")


def write_atomically(out: Path, content: bytes) -> None:
    """Replace the file `out` by `content` in one step."""
    handle, temporary = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            umask = os.umask(0)
            os.umask(umask)
            os.fchmod(file.fileno(), 0o666 & ~umask)
        Path(temporary).replace(out)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def missing_tools() -> list[str]:
    """The tools that this needs and that are not installed."""
    return [tool for tool in (CLANG, STRIP) if shutil.which(tool) is None]
