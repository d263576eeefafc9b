"""Prefetching programs reach everything, and rounds put them where they hurt."""

from __future__ import annotations

import os
from functools import cache

from .activity import EVICTING, make_program, make_round, plan
from .interface import fields, kfuncs, members, pairs, told
from .prefetch import generate_prefetcher
from .reduce import evicting
from .tree import Call, Program, Repeat, covered

SEED = int(os.environ.get("CPOL_SEED", "0"))
READS = {"swap_fault", "swap_prefetch", "file_readahead"}


@cache
def programs(count: int = 200) -> tuple[Program, ...]:
    return tuple(generate_prefetcher(SEED, index) for index in range(count))


def arguments(kfunc: str, at: int) -> set[str]:
    return {
        stmt.args[at]
        for program in programs()
        for _, stmt in program.walk()
        if isinstance(stmt, Call) and stmt.kfunc == kfunc
    }


def test_every_kfunc_from_every_member_that_may_call_it() -> None:
    found = set().union(*(covered(program) for program in programs()))
    assert found == pairs("prefetch")
    assert {member for _, member in found} == {*members("prefetch")} - {"init", "exit"}


def test_a_program_can_be_attached() -> None:
    assert all({member for member, _ in program.handlers} & READS for program in programs())
    assert {member for program in programs() for member, _ in program.handlers} == {*members("prefetch")}


def test_what_a_program_is_told() -> None:
    assert told("swap_fault") == told("swap_prefetch") == "prefetch_ext_fault"
    assert told("init") is None
    assert {"page", "slot", "slots", "area"} <= set(fields("prefetch_ext_fault"))
    assert "mapping" not in fields("prefetch_ext_readahead")


def test_arguments_reach_their_edges() -> None:
    places = [arguments(f"bpf_prefetch_ext_{kfunc}", 1) for kfunc in ("slot", "page", "file")]
    assert {"0", "~0ULL", "1ULL << 63"} <= set().union(*places)
    assert all(any(place.startswith("(u64)a->") for place in some) for some in places)
    assert {"0", "64", "65", "~0ULL"} <= arguments("bpf_prefetch_ext_file", 2)
    assert {"0", "1", "-1", "-0x7fffffffffffffffLL - 1"} <= arguments("bpf_prefetch_ext_file", 3)
    assert {"0", "~0ULL"} <= arguments("bpf_prefetch_ext_window", 1)
    assert {"true", "false"} <= arguments("bpf_prefetch_ext_flush", 1)


def test_more_is_asked_for_than_a_call_may_have() -> None:
    asks = {kfunc.name for kfunc in kfuncs("prefetch").values()} - {"bpf_prefetch_ext_error"}
    times = {
        stmt.times
        for program in programs()
        for _, stmt in program.walk()
        if isinstance(stmt, Repeat) and any(set(inner.names()) & asks for inner in stmt.body)
    }
    assert times >= {64, 65, 100}


def test_settings_reach_their_edges() -> None:
    assert {program.waste_percent for program in programs()} >= {0, 1, 100}
    assert {program.keep_pages for program in programs()} >= {0, 1, 2**64 - 1}
    assert any(not body for program in programs() for _, body in program.handlers)


def test_rounds_have_both_kinds_in_one_cgroup_and_replace_and_remove_them() -> None:
    rounds = [make_round(SEED, number) for number in range(100)]
    together = replaced = removed = swapped = asked = detached = 0
    for one in rounds:
        kinds = {program.name: program.kind for program in one.programs}
        assert list(kinds.values()) == ["cache"] * EVICTING + ["prefetch"] * (len(kinds) - EVICTING)
        homes = {op[1]: op[2] for op in (*one.before, *one.during) if op[0] in ("attach", "attaching")}
        of_cache = {group for name, group in homes.items() if kinds[name] == "cache"}
        of_prefetch = {group for name, group in homes.items() if kinds[name] == "prefetch"}
        together += bool(of_cache & of_prefetch)
        removed += any(op[0] == "gone" and op[1] in of_prefetch for op in one.during)
        for op in one.during:
            replaced += op[0] == "replace" and kinds[op[1]] == "prefetch"
            detached += op[0] in ("detach", "kill") and kinds[op[1]] == "prefetch"
        swaps = {op[3] for worker in one.workers for op in worker.ops if op[0] == "swap"}
        asked += "reclaimed" in swaps
        swapped += bool(swaps) and any(op[0] == "swapoff" for op in one.during)
    assert min(together, replaced, removed, swapped, asked, detached) >= 10
    assert together > 60


def test_a_replacement_is_of_the_same_kind() -> None:
    for number in range(100):
        one = make_round(SEED, number)
        kinds = {program.name: program.kind for program in one.programs}
        assert all(kinds[op[1]] == kinds[op[2]] for op in one.during if op[0] == "replace")


def test_a_program_depends_on_seed_and_index() -> None:
    made = [make_program(SEED, 3), make_program(SEED, 3), make_program(SEED, 4), make_program(SEED + 1, 3)]
    assert made[0] == made[1] and len(set(made)) == 3


def test_a_kernel_that_cannot_prefetch_gets_none_of_them() -> None:
    """All else of a round stays: the processes, and the policies that evict."""
    rounds = tuple(make_round(SEED, number) for number in range(20))
    left = evicting(rounds)
    gone = {program.name for one in rounds for program in one.programs[EVICTING:]}
    assert all(one.programs == whole.programs[:EVICTING] for one, whole in zip(left, rounds, strict=True))
    assert all(one.workers == whole.workers for one, whole in zip(left, rounds, strict=True))
    assert gone & set(plan(rounds).split()) and not gone & set(plan(left).split())
    assert all(any(op[0] == "attach" for op in (*one.before, *one.during)) for one in left)
