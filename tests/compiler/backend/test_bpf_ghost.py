"""BPF ghosts match the interpreter's; the header is compiled for the host."""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick import examples

from cpol.compiler.analysis.cost.memory import ghost_bytes
from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE
from cpol.runtime.machine.interp.ghost import Ghost

HAS, TAKE, ADD, LOAD, FORGET = range(5)
WALK = 32
"""Most entries of a chain (CPOL_GHOST_WALK)."""
OPERATIONS = st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 12))


FOLDER = Path(__file__).parent
FLAGS = ["-g", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare", f"-I{INCLUDE}"]


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("ghost") / "ghost.so"
    flags = ["-O1", "-shared", "-fPIC", "-fsanitize=undefined", "-fsanitize-trap=undefined", *FLAGS]
    subprocess.run([clang(), *flags, str(FOLDER / "bpf_ghost.c"), "-o", str(out)], check=True)
    library = ctypes.CDLL(str(out))
    u64, ghost = ctypes.c_uint64, ctypes.c_void_p
    for name, result, *arguments in (
        ("new", ghost, u64),
        ("free", None, ghost),
        ("do", ctypes.c_bool, ghost, u64, u64, ctypes.c_int, ctypes.c_void_p),
        ("set", ctypes.c_bool, ghost, u64, u64, u64, u64, ctypes.c_void_p),
        ("check", ctypes.c_int, ghost),
        ("tag", ctypes.c_uint32, u64, u64),
        ("bucket", ctypes.c_uint32, ghost, u64, u64),
        ("count", ctypes.c_uint32, ghost),
        ("late", u64, ghost),
        ("hold_passes", None, ghost, ctypes.c_bool),
        ("bytes_of", u64, u64, u64),
        ("most", u64, u64, u64),
    ):
        function = getattr(library, f"ghost_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def ask(native: ctypes.CDLL, ghost: int, operation: int, file: int, index: int) -> bool:
    return bool(native.ghost_do(ghost, file, index, operation, (ctypes.c_uint64 * 2)()))


def replay(native: ctypes.CDLL, capacity: int, operations: Sequence[tuple[int, int, int]], check_each: bool) -> None:
    """Run operations on both ghosts, and compare results and check links."""
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
            elif operation == LOAD:  # a missing entry leaves the words unchanged
                assert list(words) == list(model.entries.get((file, index), record).values())
            if check_each:
                assert native.ghost_check(ghost) == 0
        assert native.ghost_check(ghost) == 0
        for file, index in model.entries:
            assert native.ghost_do(ghost, file, index, HAS, (ctypes.c_uint64 * 2)())
    finally:
        native.ghost_free(ghost)


@settings(max_examples=examples(200))
@given(capacity=st.integers(0, 8), operations=st.lists(OPERATIONS, max_size=60))
def test_small_ghosts(native: ctypes.CDLL, capacity: int, operations: list[tuple[int, int, int]]) -> None:
    replay(native, capacity, operations, check_each=True)


@pytest.mark.parametrize("capacity", [1, 100, 5000])
def test_large_ghosts(native: ctypes.CDLL, capacity: int) -> None:
    source = random.Random(capacity)
    names = [(source.getrandbits(64), source.getrandbits(40)) for _ in range(2 * capacity)]
    operations = [(source.randrange(5), *source.choice(names)) for _ in range(40 * min(capacity, 1000))]
    replay(native, capacity, operations, check_each=False)


@pytest.mark.parametrize("capacity", [0, 1, 2, 5, 30, 200])
def test_records_keep_their_other_bits_and_become_the_newest(native: ctypes.CDLL, capacity: int) -> None:
    """Store fields of records, as of files, and compare the records and their order with a plain dict."""
    source, initial = random.Random(capacity), (7, 9)
    records: dict[int, list[int]] = {}
    ghost = native.ghost_new(capacity)
    try:
        for step in range(2000):
            # Often the newest again, which does not move.
            file = list(records)[-1] if records and source.random() < 0.3 else source.randrange(capacity * 2 + 2)
            word, shift = source.randrange(2), source.randrange(0, 64, 8)
            mask, bits = 0xFF << shift, source.randrange(256) << shift
            words = (ctypes.c_uint64 * 2)(*initial)
            assert native.ghost_set(ghost, file, word, mask, bits, words) == (file in records)
            record = records.pop(file, list(initial))
            record[word] = record[word] & ~mask | bits
            records[file] = record
            if len(records) > capacity:
                records.pop(next(iter(records)))
            assert native.ghost_count(ghost) == len(records)
            if step % 50 == 0:
                assert native.ghost_check(ghost) == 0
        for file, record in records.items():
            words = (ctypes.c_uint64 * 2)()
            assert native.ghost_do(ghost, file, 0, LOAD, words) and list(words) == record
        for oldest in list(records):
            assert native.ghost_do(ghost, oldest, 0, HAS, (ctypes.c_uint64 * 2)())
            assert ask(native, ghost, FORGET, 0, 0) and not ask(native, ghost, HAS, oldest, 0)
    finally:
        native.ghost_free(ghost)


def test_similar_keys_spread_over_chains(native: ctypes.CDLL) -> None:
    """Consecutive pages of a few files: chains stay far below the limit of a search."""
    replay(native, 4096, [(ADD, file, index) for index in range(1024) for file in (1, 2, 3, 4)], check_each=False)


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program, since a library in Python's process cannot have sanitizers."""
    out = tmp_path_factory.mktemp("ghost") / "trial"
    flags = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", *FLAGS]
    subprocess.run([clang(), *flags, str(FOLDER / "bpf_ghost_trial.c"), "-o", str(out)], check=True)
    return out


@pytest.mark.parametrize("capacity", [0, 1, 2, 3, 4, 7, 28, 29, 57, 100, 300, 1000])
def test_order_of_entries_matches_a_plain_list(trial: Path, capacity: int) -> None:
    """Removals anywhere, repeated adds and passes that remove holes, for many turns of the ring.

    Links, runs of holes and the order are checked after each operation (with 50 entries and more, less often). No entry
    leaves too early.
    """
    for seed in range(5):
        command = [str(trial), str(capacity), str(seed), "20000"]
        done = subprocess.run(command, capture_output=True, text=True)
        print(" ".join(command), done.stdout, done.stderr)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        if capacity in (57, 100, 300):
            assert int(done.stdout.split("passes=")[1]) > 10, done.stdout


def test_full_chain_forgets_its_oldest(native: ctypes.CDLL) -> None:
    """All names share one chain."""
    ghost = native.ghost_new(400)
    try:
        names = [i for i in range(100000) if native.ghost_bucket(ghost, 1, i) == 7][: 2 * WALK]
        assert len(names) == 2 * WALK
        for number, name in enumerate(names):
            assert not ask(native, ghost, ADD, 1, name)
            assert native.ghost_check(ghost) == 0 and native.ghost_count(ghost) == min(number + 1, WALK)
        assert [ask(native, ghost, HAS, 1, name) for name in names] == [False] * WALK + [True] * WALK
        assert ask(native, ghost, ADD, 1, names[-1]) and native.ghost_count(ghost) == WALK
        assert ask(native, ghost, TAKE, 1, names[WALK]) and native.ghost_count(ghost) == WALK - 1
        assert not ask(native, ghost, ADD, 1, names[0]) and native.ghost_count(ghost) == WALK
        assert ask(native, ghost, HAS, 1, names[WALK + 1]) and native.ghost_check(ghost) == 0
    finally:
        native.ghost_free(ghost)


def test_names_with_equal_tags_are_confused(native: ctypes.CDLL) -> None:
    """As docs/semantics.md says of ghosts in the kernel; the number of such pairs is as expected by chance."""
    seen: dict[int, int] = {}
    pairs = []
    for index in range(1 << 18):
        tag = native.ghost_tag(index % 5 * 0x9E3779B97F4A7C15 % 2**64, index)
        assert tag != 0
        if tag in seen:
            pairs.append((seen[tag], index))
        seen[tag] = index
    assert 0 < len(pairs) < 32, len(pairs)  # 2^36 / 2 pairs of 2^32 tags: 8
    ghost = native.ghost_new(10)
    try:
        (first, second) = ((index % 5 * 0x9E3779B97F4A7C15 % 2**64, index) for index in pairs[0])
        assert not ask(native, ghost, ADD, *first) and ask(native, ghost, TAKE, *second)
        assert not ask(native, ghost, HAS, *first) and native.ghost_check(ghost) == 0
    finally:
        native.ghost_free(ghost)


def test_late_passes_drop_the_oldest(native: ctypes.CDLL) -> None:
    ghost = native.ghost_new(280)
    try:
        native.ghost_hold_passes(ghost, True)
        for index in range(280):
            ask(native, ghost, ADD, 1, index)
        for index in range(1, 279):  # each leaves a hole, none of them at the ring's ends
            assert ask(native, ghost, ADD, 1, index) and native.ghost_check(ghost) == 0
        assert native.ghost_late(ghost) > 0 and native.ghost_count(ghost) < 280
        native.ghost_hold_passes(ghost, False)
        for index in range(1000, 2000):
            assert not ask(native, ghost, ADD, 1, index) and native.ghost_check(ghost) == 0
        assert native.ghost_count(ghost) == 280
        assert all(ask(native, ghost, HAS, 1, index) for index in range(1720, 2000))
    finally:
        native.ghost_free(ghost)


@pytest.mark.parametrize("stride", [8, 16, 24])
def test_memory_of_bpf_ghosts(native: ctypes.CDLL, stride: int) -> None:
    """An entry of the capacity takes at most 9.6 bytes (slot, share of free slots and heads) and 15/14 of the record.

    The loader's bound on the capacity is safe and close to what fits. `cpolc cost` shows the same size.
    """
    for capacity in (1, 28, 2000, 14745, 235929, 1 << 24):
        least = capacity * (stride * 15 / 14 + 1)
        assert least <= native.ghost_bytes_of(capacity, stride) + 1 <= least + 5 * stride
        assert ghost_bytes(capacity, stride) == native.ghost_bytes_of(capacity, stride)
    assert native.ghost_bytes_of(14745, 8) <= 9.6 * 14745
    for room in (0, 1, 35, 36, 37, 100, 1000, 4095, 1 << 20, (1 << 29) - (1 << 20), (1 << 32) - 1):
        most = native.ghost_most(room, stride)
        assert most == 0 or native.ghost_bytes_of(most, stride) <= room
        assert native.ghost_bytes_of(most + 8 + most // 50, stride) > room
