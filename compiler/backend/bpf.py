"""Compiles generated C to a BPF object, `OUT.bpf.o`, which runtime/operate/loader attaches.

The build is reproducible: clang runs in a scratch folder with short relative names, so the object
contains no paths and no times. The object keeps BTF, with the policy's lines, but no DWARF.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

from cpol.compiler import ir
from cpol.compiler.backend import c
from cpol.compiler.contract import MAX_RECORD
from cpol.compiler.diagnostics import Diagnostic
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.ir import c_names as names
from cpol.compiler.ir import layout, walk
from cpol.compiler.toolchain import process
from cpol.compiler.toolchain.clang import LEAST_FOR_BPF, clang, llvm, made, unfit
from cpol.compiler.toolchain.files import write_atomically
from cpol.compiler.toolchain.native import INCLUDE
from cpol.compiler.toolchain.process import ToolError, ToolFailedError, ToolSlowError
from cpol.compiler.toolchain.target import CACHE_EXT_TARGET, Target
from cpol.compiler.vocabulary.event import EVENTS

FLAGS = (
    "-target", "bpf", "-mcpu=v4", "-std=gnu11", "-g", "-O2", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror",
    "-ffreestanding", "-nostdlibinc", "-fno-stack-protector", "-fdebug-compilation-dir=.",
)  # fmt: skip


STACK = "BPF stack limit"
"""The name of the exceeded limit in clang's message."""
STACK_BYTES = 512
"""MAX_BPF_STACK: stack bytes of a program and what it calls."""


class BpfError(ToolError):
    """The policy cannot become a BPF object. The message says why."""


class StackError(BpfError):
    """A handler needs more stack than a BPF program has. `diagnostic` names the handler."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(f"{diagnostic.source.path}: {diagnostic.message}")
        self.diagnostic = diagnostic


def compile_policy(policy: ir.Policy, out: Path, target: Target = CACHE_EXT_TARGET) -> None:
    """Write the BPF object of `policy` to `out`, atomically.

    Raises:
        StackError: a handler needs more stack than a BPF program has.
        BpfError: the policy exceeds a kernel limit, or clang rejects the generated C.
        ToolError: a tool is missing.
        OSError: `out` cannot be written.
    """
    check_limits(policy, target)
    with tempfile.TemporaryDirectory(prefix="cpol-bpf-") as scratch:
        built = build(policy, Path(scratch), target)
        write_atomically(out, built.read_bytes())


def check_limits(policy: ir.Policy, target: Target) -> None:
    """Check limits that otherwise only the kernel would check.

    Raises:
        BpfError: a folio's record is too large.
    """
    size = layout.record_size(layout.kernel_record(policy, every_access=target.every_access))
    if size > MAX_RECORD:
        raise BpfError(
            f"{policy.path}: a folio's record takes {size} bytes in the kernel, which has {MAX_RECORD}; "
            "use fewer or narrower fields in `folio { … }`"
        )


def build(policy: ir.Policy, scratch: Path, target: Target = CACHE_EXT_TARGET) -> Path:
    """Compile in the empty folder `scratch` and return the path of the object there.

    Raises:
        StackError, BpfError, ToolError: as compile_policy().
    """
    source = Path(policy.path)
    name = names.path(source.name)
    (scratch / "cpol").symlink_to(INCLUDE / "cpol")
    if source.is_file() and name not in ("cpol", "lib") and "/" not in name:
        (scratch / name).symlink_to(source.resolve())  # clang copies the policy's lines into BTF
    (scratch / "lib").mkdir()
    for pos in {names.line_file(pos, name): pos for pos in walk.places(policy) if pos.file}.values():
        (scratch / names.line_file(pos, name)).symlink_to(Path(pos.file).resolve())
    generated = scratch / "cpol-policy.c"
    generated.write_text(c.generate(replace(policy, path=name), target), encoding="utf-8")
    built = scratch / "cpol-policy.o"
    map_name = f"policy_{policy.name}"
    flags = (*FLAGS, *target.flags, "-I.", f"-DCPOL_MAP_NAME={map_name}")
    if policy.evicts and policy.prefetches:
        flags = (*flags, f"-DCPOL_PREFETCH_MAP_NAME=prefetch_{policy.name}")
    run([clang(), *flags, "-c", generated.name, "-o", built.name], scratch, policy)
    made(clang(), built)
    run([llvm("llvm-strip"), "-g", built.name], scratch, policy)
    return built


def _handlers(policy: ir.Policy, program: str) -> list[ir.Pos]:
    """Where the handlers begin that a program, such as `folio_added`, runs."""
    found = [handler.pos for event, handler in policy.handlers.items() if program in EVENTS[event].programs]
    return found + [every.pos for every in policy.everies if program == "tick"]


def _sizes(policy: ir.Policy) -> dict[ir.Pos, int]:
    """How many parts the expressions of each handler and period have."""
    parts = [(handler.pos, handler.body) for handler in policy.handlers.values()]
    parts += [(every.pos, every.body) for every in policy.everies]
    return {
        pos: sum(len(walk.walk(root)) for inner in walk.statements(body) for root in walk.expressions(inner))
        for pos, body in parts
    }


def _stack_error_of_clang(policy: ir.Policy, said: str) -> StackError:
    """The error at the handler that clang's message of the stack limit is about.

    Clang names a line of the policy, or the program, or only a line of our headers. Then it is most likely the largest
    handler.
    """
    place = re.search(rf"{re.escape(names.path(Path(policy.path).name))}:([1-9]\d*):", said)
    program = re.search(r"^ *\d+ \| CPOL_PROGRAM\((\w+)\)$", said, re.MULTILINE)
    return stack_error(policy, int(place[1]) if place is not None else 0, program[1] if program is not None else "")


def stack_error(policy: ir.Policy, line: int, program: str, with_calls: int = 0) -> StackError:
    """The error at the handler that `line` belongs to, or if that is 0, of a program such as `folio_added`.

    With `with_calls`, its own values fit, but with what it calls it needs so many bytes.
    """
    path = Path(policy.path)
    source = Source(policy.path, path.read_text(encoding="utf-8", errors="replace") if path.is_file() else "")
    sizes = _sizes(policy)
    above = [pos for pos in sizes if pos.line <= line]
    where = max(above, key=lambda pos: (pos.line, pos.column), default=None)
    of = [] if where is not None else _handlers(policy, program)
    label = "this one" if where is not None or len(of) == 1 else "most likely this one, the largest"
    if where is None:
        where = max(of or sizes, key=lambda pos: sizes[pos])
    if with_calls:
        what = f"a handler of `{policy.name}` and what it calls keep too many values at a time"
        why = (
            f"together they need {with_calls} bytes, and a BPF program has {STACK_BYTES} for what it is computing with"
        )
    else:
        what = f"a handler of `{policy.name}` keeps too many values at a time"
        why = f"a BPF program has {STACK_BYTES} bytes for values that it is computing with"
    return StackError(
        Diagnostic(
            "E0512",
            what,
            source,
            source.word(where),
            label=label,
            why=why,
            help="use fewer `let`s, shorter expressions or fewer scans inside each other; "
            "keep values in states or tables",
        )
    )


def run(command: list[str], folder: Path, policy: ir.Policy) -> None:
    """Run a tool in `folder`.

    Raises:
        StackError: a program exceeds the BPF stack limit.
        BpfError: the tool failed; the message includes its output.
        ToolError: the tool cannot be run.
    """
    try:
        process.run(command, folder)
    except ToolSlowError as error:
        raise BpfError(
            f"{policy.path}: {error}: the policy is too large. An action stands in a handler once for each call, "
            "so call large ones less often, or move what they share behind one call"
        ) from None
    except ToolFailedError as error:
        if STACK in error.said:
            raise _stack_error_of_clang(policy, error.said) from None
        if command[0] == clang() and (why := unfit(clang(), LEAST_FOR_BPF)):
            raise BpfError(why) from None
        words = f"{error.tool} cannot compile the C generated from {policy.path} (`--emit c` shows it)"
        raise BpfError(f"{words}:\n{error.said}") from None
