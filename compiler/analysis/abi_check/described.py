"""A kernel's interface, from the header of its profile. clang compiles the header to BTF."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path

from cpol.compiler.analysis.abi_check.btf import Btf, InterfaceError, read_btf, run
from cpol.compiler.toolchain.clang import clang


def kfunc_variable(name: str) -> str:
    """The name of a pointer variable for a kfunc. BTF contains a declaration only if something uses it."""
    return f"cpol_kfunc__{name}"


@cache
def describe(header: Path, kfuncs: tuple[str, ...], struct: str) -> Btf:
    """The BTF of a header, with the given kfuncs and all its structs, including the struct_ops
    `struct`.

    Raises:
        InterfaceError: the header cannot be compiled, or a kfunc is missing.
        ToolError: a tool is missing.
    """
    names = sorted(set(kfuncs))
    try:
        structs = {struct, *re.findall(r"^struct (\w+) \{", header.read_text(encoding="utf-8"), re.MULTILINE)}
    except (OSError, UnicodeDecodeError) as error:
        raise InterfaceError(f"cannot read the description of an interface: {error}") from None
    lines = [f'#include "{header.name}"', *(f"struct {name} cpol_struct__{name};" for name in sorted(structs))]
    lines += [f"__typeof__({name}) *{kfunc_variable(name)};" for name in names]
    with tempfile.TemporaryDirectory(prefix="cpol-interface-") as scratch:
        source, built = Path(scratch) / "described.c", Path(scratch) / "described.o"
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        try:
            run(clang(), "-target", "bpf", "-g", "-O2", "-I", str(header.parent), "-c", "-o", str(built), str(source))
        except InterfaceError as error:
            raise InterfaceError(f"{header} does not describe an interface: {error}") from None
        return read_btf(built)
