"""The generator is a pure function, reaches everything, and makes what clang and the runner accept."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random

import pytest

from .activity import TOGETHER, make_program, make_round, plan
from .build import build_storm, compile_all, write_sources
from .emit import emit
from .generate import generate
from .interface import Kfunc, Param, kfuncs, limit, pairs
from .tree import Call, Each, Program, Stmt, Write, covered, walk
from .values import Scope, Settings, Values

SEED = int(os.environ.get("CPOL_SEED", "0"))
HERE = Path(__file__).resolve().parent


@cache
def programs(count: int = 360) -> tuple[Program, ...]:
    return tuple(generate(SEED, index) for index in range(count))


def handler(program: Program, member: str) -> list[str]:
    """The kfuncs that a handler calls, in the order of the text."""
    body = dict(program.handlers).get(member, ())
    return [name for stmt in walk(body) for name in stmt.names()]


def test_text_depends_on_seed_and_index_only() -> None:
    code = "from hostile.emit import emit; from hostile.generate import generate; print(emit(generate(5, 77)), end='')"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": str(HERE.parent), "PYTHONHASHSEED": number},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in ("1", "2")
    }
    assert texts == {emit(generate(5, 77))}
    assert len({emit(generate(seed, index)) for seed in range(3) for index in range(20)}) == 60


@pytest.mark.slow
def test_every_seed_makes_programs() -> None:
    assert all(generate(seed, index).handlers for seed in range(10) for index in range(200))


@pytest.mark.slow
def test_every_kfunc_from_every_member_that_may_call_it() -> None:
    found = set().union(*(covered(program) for program in programs()))
    assert found == pairs()
    assert len(pairs()) > 80


def test_only_folios_are_a_reason_not_to_call_a_kfunc() -> None:
    """init and exit get no folio; whatever else the contract allows is among the pairs."""
    missing = {
        (name, member) for name, kfunc in kfuncs().items() for member in kfunc.where if (name, member) not in pairs()
    }
    assert {member for _, member in missing} == {"init", "exit"}
    assert all(kfuncs()[name].takes("struct folio *") for name, _ in missing)


def test_an_argument_of_a_new_type_is_noticed() -> None:
    scope, values = Scope("tick"), Values(Random(1), Settings(1, 8))
    with pytest.raises(ValueError, match=r"extend Values\.argument"):
        values.argument(Param("struct dentry *", "d"), scope)


def calls_in_order(program: Program, *wanted: str) -> bool:
    names = iter(handler(program, "evict_folios"))
    return all(f"bpf_cache_ext_{name}" in names for name in wanted)


@pytest.mark.parametrize(
    "wanted",
    [
        ("offer", "evict", "take_offers"),
        ("offer", "take_offers", "take_offers"),
        ("evict", "offer", "take_offers"),
        ("offer", "list_del", "take_offers"),
        ("offer", "list_move", "take_offers"),
        ("select", "offer", "take_offers"),
        ("select", "evict", "take_offers"),
        ("evict", "list_del"),
        ("evict", "list_move"),
    ],
    ids=" ".join,
)
def test_offers_and_proposals_are_mixed(wanted: tuple[str, ...]) -> None:
    assert sum(calls_in_order(program, *wanted) for program in programs()) >= 5


def test_settings_reach_their_edges() -> None:
    assert {program.data_size for program in programs()} >= {0, 1, 64}
    assert {program.flags for program in programs()} == {0, 1, 2, 3}
    assert {program.tick_ms for program in programs()} >= {0, 1, 3600000}
    assert {program.pin_pages for program in programs()} >= {0, 1, 2**40}
    bodies = [body for program in programs() for _, body in program.handlers]
    assert any(not body for body in bodies)


def test_arguments_reach_their_edges() -> None:
    scans = {stmt.args for program in programs() for _, stmt in program.walk() if isinstance(stmt, Each)}
    lists, limits = {args[0] for args in scans}, {args[2] for args in scans if len(args) == 3}
    assert lists >= {"0", "-1", "2147483647"} and limits >= {"0", "1", "32", "65536", "~0ULL"}
    moved = {
        stmt.args[1]
        for program in programs()
        for _, stmt in program.walk()
        if isinstance(stmt, Call) and stmt.kfunc == "bpf_cache_ext_list_move"
    }
    assert moved >= {"0", "-1", str(limit("KERNEL_LISTS"))}
    assert any(isinstance(stmt, Write) and stmt.width == 8 for program in programs() for _, stmt in program.walk())


def nesting(body: tuple[Stmt, ...]) -> int:
    return max((int(isinstance(stmt, Each)) + nesting(stmt.below) for stmt in body), default=0)


def test_iterators_nest() -> None:
    depths = {nesting(dict(program.handlers)["evict_folios"]) for program in programs()}
    assert depths >= {0, 1, 2, 3} and max(depths) >= 6


def test_a_tick_asks_for_ticks_and_an_access_moves() -> None:
    assert any("bpf_cache_ext_tick" in handler(program, "tick") for program in programs())
    assert any("bpf_cache_ext_list_move" in handler(program, "folio_accessed") for program in programs())


@pytest.mark.long
def test_clang_accepts_them(tmp_path: Path) -> None:
    compile_all(write_sources([make_program(SEED, index) for index in range(80)], SEED, tmp_path))
    assert len(list(tmp_path.glob("*.bpf.o"))) == 80


def test_a_round_names_what_it_has() -> None:
    for number in range(100):
        one = make_round(SEED, number)
        names = {program.name for program in one.programs}
        assert names == {f"h{number * TOGETHER + at}" for at in range(TOGETHER)}
        groups = {name for name, _, _ in one.groups}
        assert {parent for _, parent, _ in one.groups} <= groups | {"-"}
        assert {worker.group for worker in one.workers} <= groups
        for op in (*one.before, *one.during, *one.after):
            if op[0] in ("attach", "attaching"):
                assert op[1] in names and op[2] in groups
            if op[0] in ("detach", "kill"):
                assert op[1] in names
            if op[0] == "replace":
                assert set(op[1:]) <= names
        assert sum(op[0] in ("attach", "attaching", "replace") for op in (*one.before, *one.during)) == TOGETHER


@pytest.mark.slow
def test_the_runner_knows_every_word_and_is_built(tmp_path: Path) -> None:
    assert os.access(build_storm(tmp_path), os.X_OK)
    sources = "".join(path.read_text() for path in HERE.glob("storm*.c"))
    rounds = [make_round(SEED, number) for number in range(300)]
    words = {line.split()[0] for line in plan(rounds).splitlines()}
    # The rest of its function for files takes any word.
    assert {word for word in words if f'"{word}"' not in sources} <= {"map"}
    assert len(words) > 40


def test_a_kfunc_is_parsed() -> None:
    assert kfuncs()["bpf_cache_ext_list_move"] == Kfunc(
        "bpf_cache_ext_list_move",
        (Param("struct folio *", "f"), Param("s32", "list"), Param("bool", "tail")),
        kfuncs()["bpf_cache_ext_list_del"].where,
    )
    assert kfuncs()["bpf_iter_cache_ext_scan_next"].iterator == "cache_ext_scan"
