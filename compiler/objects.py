"""BPF objects of policies: compiled and checked, or taken from the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from cpol.compiler import ir
from cpol.compiler.analysis.abi_check import find_violations
from cpol.compiler.analysis.cost.object import read_object
from cpol.compiler.analysis.cost.stack import deepest_call, stack
from cpol.compiler.analysis.profile import Profile
from cpol.compiler.backend import bpf
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.toolchain import cache
from cpol.compiler.toolchain.clang import clang, identity, llvm
from cpol.compiler.toolchain.native import INCLUDE
from cpol.compiler.toolchain.process import ToolError
from cpol.compiler.toolchain.target import CACHE_EXT_TARGET, Target
from cpol.errors import UserError

SUFFIX = ".bpf.o"
KIND = "bpf"
"""The kind of entry in the cache."""


def write(policy: ir.Policy, out: Path, profile: Profile | None = None) -> None:
    """Compile `policy` to the file `out`, for the interface in `profile`.

    Raises:
        UserError: it cannot be compiled or violates the interface; `out` is then invalid.
        CompileError: it needs too much stack.
    """
    try:
        bpf.compile_policy(policy, out, target_of(profile))
        check_stack(policy, out)
    except bpf.StackError as error:
        raise CompileError([error.diagnostic]) from None
    except ToolError as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror}") from None
    if profile is not None and profile.interface is not None:
        verify_abi(out, profile)


def check_stack(policy: ir.Policy, path: Path) -> None:
    """Check the stack of each program together with what it calls. Clang checks each function alone.

    Raises:
        StackError: it exceeds what a BPF program has.
        OSError: the object at `path` cannot be read.
    """
    found = read_object(path)
    for function in found.functions.values():
        needed = stack(function, found) if function.member else 0
        if needed > bpf.STACK_BYTES:
            raise bpf.stack_error(policy, deepest_call(function, found), function.member, needed)


def verify_abi(path: Path, profile: Profile) -> None:
    """Check an object against the interface in `profile`.

    Raises:
        UserError: the object violates the interface, or cannot be read; the message names each place.
    """
    try:
        found = find_violations(path, profile)
    except ToolError as error:
        raise UserError(str(error)) from None
    if found:
        raise UserError("\n".join(f"{path}: {violation}" for violation in found))


@contextmanager
def object_for(policy: ir.Policy, profile: Profile | None = None) -> Iterator[Path]:
    """The object of a policy, from the cache or compiled now. The profile must be able to carry it.

    Raises:
        UserError: it cannot be compiled.
        CompileError: it needs too much stack.
    """
    try:
        name = f"{key(policy, target_of(profile))}{SUFFIX}"
        cached = cache.find(KIND, name)
    except ToolError as error:
        raise UserError(str(error)) from None
    if cached is not None:
        if profile is not None and profile.interface is not None:
            verify_abi(cached, profile)
        yield cached
        return
    with TemporaryDirectory(prefix="cpol-") as scratch:
        path = Path(scratch) / f"{policy.name}{SUFFIX}"
        write(policy, path, profile)
        with suppress(ToolError):  # an unwritable cache only means that the next run compiles again
            cache.make(KIND, name, lambda target: target.write_bytes(path.read_bytes()))
        yield path


def target_of(profile: Profile | None) -> Target:
    return CACHE_EXT_TARGET if profile is None else profile.target


def key(policy: ir.Policy, target: Target = CACHE_EXT_TARGET) -> str:
    """A hash of all inputs of an object: the policy, cpol's own files, the interface and the
    compiler.

    Raises:
        ToolError: there is no compiler.
    """
    parts = [Path(policy.path).read_bytes() if Path(policy.path).is_file() else b"", repr(policy).encode()]
    parts.append(repr(target).encode())
    parts += [path.read_bytes() for path in sorted((INCLUDE / "cpol").glob("*.h"))]
    parts += [
        path.read_bytes() for path in sorted(Path(bpf.__file__).parent.rglob("*")) if path.suffix in {".py", ".j2"}
    ]
    parts += [identity(tool).encode() for tool in (clang(), llvm("llvm-strip"))]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:32]
