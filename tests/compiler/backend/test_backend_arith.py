"""arith.h matches the interpreter at the boundaries of all types, and compiles for BPF."""

from __future__ import annotations

import ctypes
import itertools
import random
import subprocess
from pathlib import Path

import pytest

from cpol.compiler import arithmetic
from cpol.compiler.ir import FIX, S64, U64, IntType, Type
from cpol.compiler.toolchain import native
from cpol.compiler.toolchain.clang import clang
from cpol.compiler.types import raw_range

TYPES = {"u64": U64, "s64": S64, "fix": FIX}
OPERATIONS = ("add", "sub", "mul", "div", "mod", "min", "max")
BITS = tuple(arithmetic.BITS.values())
CTYPE = {"u64": ctypes.c_uint64, "s64": ctypes.c_int64, "fix": ctypes.c_int64}


def build(wide: int) -> ctypes.CDLL:
    """The functions, in the form of the host or in that of BPF."""
    lines = ['#include "cpol/arith.h"', '#define EXPORT __attribute__((visibility("default")))']
    for kind, op in itertools.product(TYPES, OPERATIONS):
        ctype = "u64" if kind == "u64" else "s64"
        signature = f"{ctype} {op}_{kind}({ctype} a, {ctype} b)"
        lines.append(f"EXPORT {signature};\nEXPORT {signature} {{ return cpol_{op}_{kind}(a, b); }}")
    for op in BITS:
        lines.append(f"EXPORT u64 {op}_bits(u64 a, u64 b);")
        lines.append(f"EXPORT u64 {op}_bits(u64 a, u64 b) {{ return cpol_{op}_u64(a, b); }}")
    for name, target, source in conversions():
        signature = f"{target} {name}({source} a)"
        lines.append(f"EXPORT {signature};\nEXPORT {signature} {{ return cpol_{name}(a); }}")
    lines += [
        "EXPORT u64 clamp_u(u64 a, u32 bits);\nEXPORT u64 clamp_u(u64 a, u32 bits) { return cpol_clamp_u(a, bits); }"
    ]
    lines += [
        "EXPORT s64 clamp_s(s64 a, u32 bits);\nEXPORT s64 clamp_s(s64 a, u32 bits) { return cpol_clamp_s(a, bits); }"
    ]
    checked = ("-fsanitize=undefined", "-fsanitize-trap=all", f"-DCPOL_WIDE={wide}")
    flags = (*native.COMMON, *native.OPTIMISED, *native.SHARED, *checked)
    return ctypes.CDLL(str(native.compile_cached("\n".join(lines), "arith", flags, (native.INCLUDE / "cpol",))))


def conversions() -> list[tuple[str, str, str]]:
    pairs = [("u64_from_s64", "u64", "s64"), ("s64_from_u64", "s64", "u64"), ("fix_from_u64", "s64", "u64")]
    pairs += [
        ("fix_from_s64", "s64", "s64"),
        *((f"{t}_{r}_fix", t, "s64") for t in ("u64", "s64") for r in ("floor", "ceil")),
    ]
    return pairs


@pytest.fixture(scope="module", params=[1, 0], ids=["host", "bpf"])
def library(request: pytest.FixtureRequest) -> ctypes.CDLL:
    return build(request.param)


def samples(type_: Type) -> list[int]:
    low, high = raw_range(type_)
    rng = random.Random(1)
    edges = {0, 1, 2, 3, -1, -2, 5, -5, low, low + 1, low + 2, high, high - 1, high // 2, low // 2}
    for bits in (8, 15, 16, 17, 31, 32, 33, 46, 47, 48, 49, 62, 63):
        edges |= {sign * ((1 << bits) + d) for sign in (1, -1) for d in (-1, 0, 1)}
    edges |= {rng.randint(low, high) >> rng.randint(0, 62) for _ in range(40)}
    return sorted(value for value in edges if low <= value <= high)


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("kind", TYPES)
def test_operations(library: ctypes.CDLL, kind: str, op: str) -> None:
    function = getattr(library, f"{op}_{kind}")
    function.argtypes = [CTYPE[kind]] * 2
    function.restype = CTYPE[kind]
    for a, b in itertools.product(samples(TYPES[kind]), repeat=2):
        if b == 0 and op in ("div", "mod"):
            assert function(a, b) == (0 if op == "div" else a)
        else:
            assert function(a, b) == arithmetic.arith(op, a, b, TYPES[kind]), (a, b)


@pytest.mark.parametrize("op", BITS)
def test_bits(library: ctypes.CDLL, op: str) -> None:
    function = getattr(library, f"{op}_bits")
    function.argtypes, function.restype = [ctypes.c_uint64] * 2, ctypes.c_uint64
    for a, b in itertools.product([*samples(U64), 62, 63, 64, 65, 66], repeat=2):
        assert function(a, b) == arithmetic.bits(op, a, b), (a, b)


@pytest.mark.parametrize(("name", "target", "source"), conversions())
def test_conversions(library: ctypes.CDLL, name: str, target: str, source: str) -> None:
    function = getattr(library, name)
    function.argtypes = [CTYPE[source]]
    function.restype = CTYPE[target]
    from_type = FIX if name.endswith("fix") else TYPES[name[-3:]]
    to_type = TYPES[name[:3]]
    for value in samples(from_type):
        rounding = "ceil" if "ceil" in name else "floor"
        assert function(value) == arithmetic.convert(value, from_type, to_type, rounding), value


@pytest.mark.parametrize("bits", range(1, 64))
def test_clamps(library: ctypes.CDLL, bits: int) -> None:
    for signed, function in ((False, library.clamp_u), (True, library.clamp_s)):
        wide = ctypes.c_int64 if signed else ctypes.c_uint64
        function.argtypes, function.restype = [wide, ctypes.c_uint32], wide
        for value in samples(S64 if signed else U64):
            assert function(value, bits) == arithmetic.saturate(value, IntType(signed, bits))


@pytest.mark.parametrize("cpu", ["v3"])
def test_bpf_compiles_arithmetic(cpu: str, tmp_path: Path) -> None:
    """BPF has no 128-bit numbers, no signed division and no library calls."""
    source = tmp_path / "all.c"
    calls = [f"r += (u64)cpol_{op}_{kind}((u64)a, (u64)b);" for kind, op in itertools.product(TYPES, OPERATIONS)]
    calls += [f"r += cpol_{op}_u64(a, b);" for op in BITS]
    source.write_text(
        '#include "cpol/arith.h"\n'
        f"u64 use(u64 a, u64 b);\nu64 use(u64 a, u64 b)\n{{\n\tu64 r = 0;\n\t{' '.join(calls)}\n\treturn r;\n}}\n",
        encoding="utf-8",
    )
    plain = tmp_path / "include" / "cpol"
    plain.mkdir(parents=True)
    for name in ("types.h", "arith.h", "contract.h"):  # these need no kernel types
        (plain / name).write_text((native.INCLUDE / "cpol" / name).read_text(encoding="utf-8"), encoding="utf-8")
    target = tmp_path / "all.o"
    flags = ["-std=gnu11", "-O2", *native.WARNINGS, "-target", "bpf", f"-mcpu={cpu}", "-c", f"-I{plain.parent}"]
    subprocess.run([clang(), *flags, str(source), "-o", str(target)], check=True)
    assert b"__multi3" not in target.read_bytes()
