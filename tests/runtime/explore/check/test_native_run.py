"""The run in native code: it finds what happens late, and the interpreter confirms it in few events."""

from __future__ import annotations

import pytest

from cpol.compiler.stages import run
from cpol.runtime.explore.check import check
from cpol.runtime.explore.check.native_run import NativeRun
from cpol.runtime.machine.events import Op
from cpol.runtime.machine.interp import ParamError

LATE = """
policy late {
  list queue
  folio { uses: u32 = 0 }
  state bad: bool = false
  on added(f)    { place f at tail of queue }
  on accessed(f) { f.uses += 1  if CONDITION { bad = true } }
  on evict       { scan queue from head as f { evict f } }
  invariant not bad
}
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("condition", "most"),
    [
        ("f.file == 2 and f.index > 2_000_000 / 512 - 1", 2),
        ("task.thread == 3 and cache.time > 900_000", 604),
    ],
)
def test_what_happens_late_is_found(condition: str, most: int) -> None:
    policy = run(LATE.replace("CONDITION", condition), "late.cpol").policy
    without = check(policy, max_examples=5, requests=0)
    assert without.counterexample is None and without.requests == 0, "short scenarios find it, too"
    found = check(policy, max_examples=5).counterexample
    assert found is not None and found.property == "invariants"
    accesses = sum(row.op in (Op.ADDED, Op.ACCESSED) for row in found.machine.records)
    assert accesses <= most


@pytest.mark.long
def test_proposing_nothing_is_found() -> None:
    text = LATE.replace("CONDITION", "false").replace(
        "scan queue from head", "scan queue from head up to if cache.size > 900 then 0 else 32"
    )
    policy = run(text, "late.cpol").policy
    assert check(policy, max_examples=5, requests=0).counterexample is None
    found = check(policy, max_examples=5).counterexample
    assert found is not None and found.property == "progress"


@pytest.mark.long
def test_policy_that_falls_back_may_propose_nothing() -> None:
    text = LATE.replace("CONDITION", "false").replace("scan queue from head", "scan queue from head up to 0")
    assert NativeRun(run("/// It falls back." + text, "late.cpol").policy, 0).failing(10_000) is None
    assert NativeRun(run(text, "late.cpol").policy, 0).failing(10_000) is not None


@pytest.mark.slow
def test_the_same_seed_finds_the_same() -> None:
    policy = run(LATE.replace("CONDITION", "f.uses == 50"), "late.cpol").policy
    assert NativeRun(policy, 3).failing() == NativeRun(policy, 3).failing()


@pytest.mark.slow
def test_settings_that_do_not_attach() -> None:
    text = LATE.replace("CONDITION", "false").replace(
        "state bad", "table big: u64[cache.capacity * 20_000] = 0\n  state bad"
    )
    policy = run(text.replace("f.uses += 1", "big[f.index] += 1"), "late.cpol").policy
    with pytest.raises(ParamError, match="table big has 20000000 elements"):
        check(policy, max_examples=5)
