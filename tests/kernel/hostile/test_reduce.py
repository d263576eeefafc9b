"""The reducer drops all that a failure does not need; failures are found in what the guest says."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import cli
from .activity import Round, make_round
from .machine import Outcome, Settings, Tell, _judge
from .reduce import LEVELS, Reducer, Rounds, units
from .tree import Call, Program, walk

SEED = 1


def calls(program: Program, member: str) -> list[str]:
    return [stmt.kfunc for stmt in walk(dict(program.handlers).get(member, ())) if isinstance(stmt, Call)]


def strands_an_offer(program: Program) -> bool:
    """Like the fault that these were written for: offered, then proposed, then taken."""
    names = iter(calls(program, "evict_folios"))
    return all(f"bpf_cache_ext_{name}" in names for name in ("offer", "evict", "take_offers"))


def fails(rounds: Rounds) -> bool:
    return any(
        strands_an_offer(program)
        and ("drop", "3") in one.after
        and any(op[:2] == ("attach", program.name) for op in (*one.before, *one.during))
        for one in rounds
        for program in one.programs
    )


def failing() -> Rounds:
    return next(found for number in range(100) if fails(found := (make_round(SEED, number), make_round(SEED, 100))))


def test_what_is_left_is_what_fails() -> None:
    told: list[str] = []
    reducer = Reducer(fails, 3000, told.append)
    (one,) = reducer.reduce(failing())
    (program,) = one.programs
    assert calls(program, "evict_folios") == [
        "bpf_cache_ext_offer",
        "bpf_cache_ext_evict",
        "bpf_cache_ext_take_offers",
    ]
    assert not one.workers and one.after == (("drop", "3"),)
    assert [op[:2] for op in (*one.before, *one.during)] == [("attach", program.name)]
    assert {member for member, body in program.handlers if body} == {"evict_folios"}
    assert told and reducer.budget > 0


def test_the_budget_is_kept() -> None:
    tries = 0

    def counted(rounds: Rounds) -> bool:
        nonlocal tries
        tries += 1
        return fails(rounds)

    left = Reducer(counted, 7, len).reduce(failing())
    assert tries == 7 and fails(left)


def test_every_level_names_something() -> None:
    rounds = tuple(make_round(SEED, number) for number in range(20))
    assert all(list(units(rounds, level)) for level in LEVELS)


SAID = """\
begin 4
refused 13: Permission denied
libbpf: prog 'tick': BPF program load failed: Permission denied
R1 !read_ok
processed 33 insns
round 4: accepted 2 refused 1 declined 0 overruled 0 oom 1 seconds 1.5
begin 5
not ok round 5: the kernel complains:
    BUG: KASAN: slab-use-after-free
    Call Trace:
failed 5: accepted 3 refused 0 declined 0 overruled 0 oom 0 seconds 0.5
"""


def test_failures_and_refusals_are_found() -> None:
    outcome = _judge(SAID.splitlines(), "the runner ended with 1")
    assert outcome.failed == 5
    assert outcome.counts["accepted"] == 5 and outcome.counts["rounds"] == 2 and outcome.counts["oom"] == 1
    assert "KASAN" in outcome.problem and "Call Trace" in outcome.problem
    assert len(outcome.refused) == 1 and "R1 !read_ok" in outcome.refused[0]
    fine = _judge(SAID.splitlines()[:6], "")
    assert fine.failed is None and not fine.problem


def test_a_dead_machine_is_a_failure_of_its_last_round() -> None:
    assert _judge(["begin 7"], "the guest died").failed == 7
    assert _judge([], "the guest died").failed == -1


@pytest.mark.parametrize(("refused", "code"), [(0, 0), (10, 0), (11, 1)])
def test_many_refusals_fail_a_run(
    refused: int, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def carried(rounds: list[Round], settings: Settings, folder: Path, tell: Tell) -> Outcome:
        return Outcome(counts={"accepted": 100 - refused, "refused": refused})

    monkeypatch.setattr(cli, "carry_out", carried)
    assert cli.main(["run", "--programs", "5"]) == code
    assert f"refused {refused}" in capsys.readouterr().out


def test_a_failure_tells_how_to_see_it_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    carried: list[list[int]] = []

    def carry_out(rounds: list[Round], settings: Settings, folder: Path, tell: Tell) -> Outcome:
        carried.append([one.number for one in rounds])
        return Outcome(failed=2, problem="BUG", counts={"accepted": 9}) if len(carried) == 1 else Outcome()

    monkeypatch.setattr(cli, "carry_out", carry_out)
    monkeypatch.setattr(cli, "KEPT", tmp_path)
    assert cli.main(["run", "--seed", "5", "--programs", "20", "--keep-going"]) == 1
    assert carried == [[0, 1, 2, 3], [3]]
    said = capsys.readouterr().out
    assert "tests/kernel/run-hostile replay --seed 5 --index 10\n" in said
    assert "tests/kernel/run-hostile reduce --seed 5 --index 10\n" in said
    assert "--since 0" in said
    kept = tmp_path / "seed-5-program-10"
    assert sorted(path.name for path in kept.iterdir()) == [*(f"h1{at}.bpf.c" for at in range(5)), "plan", "problem"]
