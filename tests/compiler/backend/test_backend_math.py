"""math.h matches the reference vectors (tests/runtime/machine/interp/function_vectors.json)."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path

import pytest

from cpol.compiler.toolchain import native

ROOT = Path(__file__).parents[3]
VECTORS = json.loads((ROOT / "tests/runtime/machine/interp/function_vectors.json").read_text(encoding="utf-8"))
SOURCE = """#include "cpol/math.h"
#define EXPORT __attribute__((visibility("default")))
EXPORT u64 mix64(u64 x);
EXPORT s64 log2_fix(s64 x);
EXPORT s64 exp2_fix(s64 x);
EXPORT u64 hash_name(u64 file, u64 index, u64 salt);
EXPORT u64 random_below(u64 *state, u64 bound);
EXPORT u64 rounds(u64 low, u64 high);
u64 mix64(u64 x) { return cpol_mix64(x); }
s64 log2_fix(s64 x) { return cpol_log2_fix(x); }
s64 exp2_fix(s64 x) { return cpol_exp2_fix(x); }
u64 hash_name(u64 file, u64 index, u64 salt) { return cpol_hash_name(file, index, salt); }
u64 random_below(u64 *state, u64 bound) { return cpol_random_below(*state += CPOL_RANDOM_STEP, bound); }
u64 rounds(u64 low, u64 high) { return cpol_range(low, high).rounds; }
"""


def build(wide: int) -> ctypes.CDLL:
    """The functions, in the form of the host or in that of BPF."""
    checked = ("-fsanitize=undefined", "-fsanitize-trap=all", f"-DCPOL_WIDE={wide}")
    flags = (*native.COMMON, *native.OPTIMISED, *native.SHARED, *checked)
    built = ctypes.CDLL(str(native.compile_cached(SOURCE, "math", flags, (native.INCLUDE / "cpol",))))
    number = ctypes.c_uint64
    for name, count in (("mix64", 1), ("hash_name", 3), ("rounds", 2)):
        getattr(built, name).argtypes = [number] * count
        getattr(built, name).restype = number
    for name in ("log2_fix", "exp2_fix"):
        getattr(built, name).argtypes = [ctypes.c_int64]
        getattr(built, name).restype = ctypes.c_int64
    built.random_below.argtypes = [ctypes.c_void_p, number]
    built.random_below.restype = number
    return built


@pytest.fixture(scope="module", params=[1, 0], ids=["host", "bpf"])
def library(request: pytest.FixtureRequest) -> ctypes.CDLL:
    return build(request.param)


def test_functions_of_one_number(library: ctypes.CDLL) -> None:
    for name, function in (("mix64", "mix64"), ("log2", "log2_fix"), ("exp2", "exp2_fix")):
        assert [[x, getattr(library, function)(x)] for x, _ in VECTORS[name]] == VECTORS[name]


def test_random(library: ctypes.CDLL) -> None:
    for vector in VECTORS["random"]:
        state = ctypes.c_uint64(vector["seed"])
        assert [library.random_below(ctypes.byref(state), bound) for bound in vector["bounds"]] == vector["drawn"]


def test_hash(library: ctypes.CDLL) -> None:
    for vector in VECTORS["hash"]:
        assert library.hash_name(vector["file"], vector["index"], vector["salt"]) == vector["hash"]


def test_number_of_rounds_of_a_loop(library: ctypes.CDLL) -> None:
    most = 2**64 - 1
    cases = {(0, 0): 1, (1, 0): 0, (5, 9): 5, (0, 65534): 65535, (0, 65535): 65536, (0, 65536): 65536}
    cases |= {(0, most): 65536, (most, most): 1, (most, 0): 0, (most - 3, most): 4}
    assert {case: library.rounds(*case) for case in cases} == cases
