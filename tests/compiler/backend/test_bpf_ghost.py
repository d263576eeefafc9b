"""Ghosts as they are in BPF, against the interpreter's: the same header, compiled for the host."""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cpol.compiler.backend import bpf
from cpol.runtime.interp.ghost import Ghost

HAS, TAKE, ADD, LOAD, FORGET = range(5)
OPERATIONS = st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 12))


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("ghost") / "ghost.so"
    source = Path(__file__).parent / "bpf_ghost.c"
    flags = ["-O1", "-g", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare"]
    flags += ["-fsanitize=undefined", "-fsanitize-trap=undefined"]
    subprocess.run([bpf.CLANG, *flags, f"-I{bpf.INCLUDE}", str(source), "-o", str(out)], check=True)
    library = ctypes.CDLL(str(out))
    library.ghost_new.restype = ctypes.c_void_p
    library.ghost_new.argtypes = [ctypes.c_uint64]
    library.ghost_free.argtypes = [ctypes.c_void_p]
    library.ghost_do.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int, ctypes.c_void_p]
    library.ghost_do.restype = ctypes.c_bool
    library.ghost_check.argtypes = [ctypes.c_void_p]
    return library


def replay(native: ctypes.CDLL, capacity: int, operations: Sequence[tuple[int, int, int]], check_each: bool) -> None:
    """Both ghosts do the same; what they answer, and the links, must be right."""
    model, ghost = Ghost(capacity), native.ghost_new(capacity)
    try:
        for number, (operation, file, index) in enumerate(operations):
            known = bool(model.entries) if operation == FORGET else model.has((file, index))
            record = {"first": number, "last": ~number % 2**64}
            words = (ctypes.c_uint64 * 2)(*record.values())
            assert native.ghost_do(ghost, file, index, operation, words) == known
            if operation == TAKE:
                model.take((file, index))
            elif operation == ADD:
                model.add((file, index), record)
            elif operation == FORGET:
                model.forget()
            elif operation == LOAD:  # what is not found leaves the words alone
                assert list(words) == list(model.entries.get((file, index), record).values())
            if check_each:
                assert native.ghost_check(ghost) == 0
        assert native.ghost_check(ghost) == 0
        for file, index in model.entries:
            assert native.ghost_do(ghost, file, index, HAS, (ctypes.c_uint64 * 2)())
    finally:
        native.ghost_free(ghost)


@settings(max_examples=200, deadline=None)
@given(capacity=st.integers(0, 8), operations=st.lists(OPERATIONS, max_size=60))
def test_small_ghosts(native: ctypes.CDLL, capacity: int, operations: list[tuple[int, int, int]]) -> None:
    replay(native, capacity, operations, check_each=True)


@pytest.mark.parametrize("capacity", [1, 100, 5000])
def test_large_ghosts(native: ctypes.CDLL, capacity: int) -> None:
    source = random.Random(capacity)
    names = [(source.getrandbits(64), source.getrandbits(40)) for _ in range(2 * capacity)]
    operations = [(source.randrange(5), *source.choice(names)) for _ in range(40 * min(capacity, 1000))]
    replay(native, capacity, operations, check_each=False)


def test_keys_that_differ_in_few_bits_spread(native: ctypes.CDLL) -> None:
    """The pages of few files, one after the other: chains stay far below what a search follows."""
    replay(native, 4096, [(ADD, file, index) for index in range(1024) for file in (1, 2, 3, 4)], check_each=False)
