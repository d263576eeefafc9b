"""Mean rounds of loops in the run that `cpolc cost` uses for typical costs."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source
from cpol.runtime.explore.check import loop_rounds
from cpol.runtime.explore.check.loop_rounds import typical
from cpol.runtime.machine.errors import ParamError

EVICT = "on evict { scan q from head as f { evict f } }"


def run(text: str, capacity: int = 256, batch: int = 32):
    return typical(compile_source(f"policy p {{ list q\n{text}\n}}", "p.cpol"), capacity, {}, batch)


@pytest.mark.slow
def test_queue_scan_has_one_batch_per_call() -> None:
    found = run(f"on added(f) {{ place f at tail of q }}\n{EVICT}", 256, 8)
    assert (found.requests, found.capacity, found.batch) == (loop_rounds.REQUESTS, 256, 8)
    assert found.handlers == ((0, 0), (8, 0))
    assert found.loops == {("scan", "3"): 8}


def test_nested_loops_multiply() -> None:
    nested = "on added(f) { place f at tail of q\nfor i in 1..2 {\nfor j in 1..3 { x += 1 } } }\nstate x: u64 = 0"
    found = run(f"{nested}\n{EVICT}\ninvariant x == x")
    assert found.handlers[0] == (0, 8)
    assert found.loops[("for", "3")] == 2 and found.loops[("for", "4")] == 3


def test_evict_lowest_counts_considered_folios() -> None:
    text = """folio { n: u8 = 0 }
      score rank(f) = f.n
      on added(f) { place f at tail of q }
      on accessed(f) { f.n += 1 }
      on evict {
        evict lowest rank of up to 50 from head of q
      }"""
    found = run(text)
    assert found.handlers[-1] == (50, 0) and set(found.loops.values()) == {50}


@pytest.mark.slow
def test_untaken_branch_and_uncalled_handler() -> None:
    text = f"""state x: u64 = 0
      on added(f) {{ place f at tail of q }}
      on accessed(f) {{ if cache.size > cache.capacity {{ for i in 1..9 {{ x += 1 }} }} }}
      every 1000000 events {{ for i in 1..5 {{ x += 1 }} }}
      {EVICT}
      invariant x == x"""
    found = run(text)
    assert found.loops[("for", "4")] == 0 and ("for", "5") not in found.loops
    assert None in found.handlers


@pytest.mark.parametrize("event", ["init", "added(f)"])
def test_run_ends_with_its_budget(event: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_rounds, "LIMIT", 500)
    loops = "for i in 1..4000 { for j in 1..4000 { x += 1 } }"
    added = "on added(f) { place f at tail of q }"
    handlers = f"on init {{ {loops} }}\n{added}" if event == "init" else added.replace("q }", f"q\n{loops} }}")
    found = run(f"state x: u64 = 0\n{handlers}\n{EVICT}\ninvariant x == x")
    assert found.requests <= 1
    assert found == run(f"state x: u64 = 0\n{handlers}\n{EVICT}\ninvariant x == x"), "the run must be deterministic"


def test_policy_that_does_not_attach() -> None:
    with pytest.raises(ParamError):
        run(f"table t: u8[cache.capacity * 1000000] = 0\non added(f) {{ place f at tail of q }}\n{EVICT}")
