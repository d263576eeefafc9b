"""Property checking: a policy breaks each property, and its counterexample is small, readable and replays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis.strategies import SearchStrategy

from cpol.compiler import compile_source, ir
from cpol.runtime.explore.check import PROPERTIES, Counterexample, UnconfirmedError, attempt, check, check_log, search
from cpol.runtime.explore.check.report import as_json, as_text
from cpol.runtime.explore.check.scenario import Action, Request, Scenario, scenarios
from cpol.runtime.machine.events import Op, read, save
from cpol.runtime.machine.interp.replay import replay

FIFO = """/// First in, first out.
policy fifo {
  list queue
  on added(f) { place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
  invariant queue.size == cache.size
}
"""

COUNTED = """/// Forgets that a folio can go without being evicted.
policy counted {
  list queue
  state count: u32 = 0
  on added(f) { count += f.pages  place f at tail of queue }
  on removed(f, why) { if why == evicted { count -= f.pages } }
  on evict { scan queue from head as f { evict f } }
  invariant count == cache.size
}
"""

PATIENT = """/// Gives every folio more chances than a request has rounds.
policy patient {
  list queue
  folio { chances: u8 = 0 }
  on added(f) { place f at tail of queue }
  on accessed(f) { f.chances += 100 }
  on evict {
    scan queue from head as f {
      when f.chances > 0 { f.chances -= 1 }
      otherwise { evict f }
    }
  }
}
"""

KEEPER = """/// Never evicts its last folio.
policy keeper {
  list queue
  on added(f) { place f at tail of queue }
  on evict { if queue.size > 1 { scan queue from head up to queue.size - 1 as f { evict f } } }
}
"""


LONG_LOOP = """/// Counts for long in each event.
policy long {
  list queue
  state n: u64 = 0
  on added(f) { for i in 1..65536 { n += i }  place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
  invariant n == n
}
"""


def compiled(text: str) -> ir.Policy:
    return compile_source(text, "made.cpol")


def broken(policy: ir.Policy, name: str) -> Counterexample:
    found = check(policy).counterexample
    assert found is not None
    assert found.property == name
    return found


@pytest.mark.slow
def test_correct_policy_has_no_counterexample():
    result = check(compiled(FIFO), max_examples=100)
    assert result.counterexample is None
    assert result.examples == 100
    assert result.events > 1000
    assert result.unreached == []


@pytest.mark.slow
def test_broken_invariant_has_a_minimal_counterexample():
    found = broken(compiled(COUNTED), "invariants")
    assert as_text(found).splitlines() == [
        "made.cpol:8: invariant does not hold: count == cache.size",
        "    count = 1",
        "    cache.size = 0",
        "with capacity 1, batch 1, after these events:",
        "   1  miss of 0",
        "   2  added 0 -> place 0 at tail of queue",
        "   3  first access to 0",
        "   4  removed 0, deleted",
        "state before the last event:",
        "    queue: 0",
        "    count = 1",
        "state then:",
        "    queue: empty",
        "    count = 1",
    ]


@pytest.mark.slow
def test_json_matches_the_text():
    facts = as_json(broken(compiled(COUNTED), "invariants"))
    assert facts["line"] == 8
    assert facts["values"] == {"count": "1", "cache.size": "0"}
    assert facts["events"][-1] == "removed 0, deleted"
    assert facts["before"]["lists"] == {"queue": [{"file": 0, "index": 0, "pages": 1, "fields": {}}]}
    assert facts["after"]["lists"] == {"queue": []}
    assert facts["after"]["state"] == {"count": 1}


def test_invariant_that_never_holds():
    found = broken(compiled(FIFO.replace("queue.size ==", "queue.size + 1 ==")), "invariants")
    assert "with capacity 1, batch 1, at the start" in as_text(found)
    assert as_json(found)["before"] is None


def test_too_many_chances_break_progress():
    found = broken(compiled(PATIENT), "progress")
    assert found.pos.line == 7
    assert found.message == ("made.cpol:7: evict proposed nothing in 8 calls, though the policy owns 1 page")


def test_folio_that_is_never_evicted_breaks_progress():
    found = broken(compiled(KEEPER), "progress")
    assert len(found.machine.cache) == 1


def test_added_without_place_breaks_accounts():
    policy = compiled(FIFO)
    added = replace(policy.handlers["added"], body=())
    found = broken(replace(policy, handlers={**policy.handlers, "added": added}), "total")
    assert found.message == "made.cpol:4: added did not place folio (0, 0)"


def test_division_by_zero():
    zero = ir.Arith("div", ir.CacheAttr("size"), ir.ListSize(ir.ListRef("queue")), ir.U64)
    policy = compiled(FIFO)
    evict = policy.handlers["evict"]
    body = (ir.Let("x", zero, ir.Pos(77, 1)), *evict.body)
    policy = replace(policy, handlers={**policy.handlers, "evict": replace(evict, body=body)})
    found = broken(policy, "total")
    assert found.message == "made.cpol:77: division by zero"
    assert found.pos.line == 77


@pytest.mark.slow
def test_different_decisions_break_determinism(monkeypatch):
    other = compiled(FIFO.replace("from head", "from tail"))
    monkeypatch.setattr(attempt, "replay", lambda log, policy, make: replay(log, other, make=make))
    assert "the log has 'propose 0 0', the interpreter 'propose 0 1'" in broken(compiled(FIFO), "determinism").message


@pytest.mark.slow
@pytest.mark.parametrize(("text", "name"), [(COUNTED, "invariants"), (PATIENT, "progress"), (KEEPER, "progress")])
def test_saved_counterexample_replays(tmp_path, text, name):
    policy = compiled(text)
    found = check(policy).counterexample
    assert found is not None
    save(tmp_path / "log", found.machine.header, found.machine.records)
    again = check_log(read(tmp_path / "log"), policy, tmp_path / "log")
    assert again is not None
    assert again.property == name
    assert again.message == found.message
    assert again.machine.records == found.machine.records


@pytest.mark.slow
def test_replay_of_a_correct_log_finds_nothing(tmp_path):
    policy = compiled(COUNTED)
    found = check(policy).counterexample
    assert found is not None
    events = found.machine.records
    save(tmp_path / "log", found.machine.header, events[:-1])
    assert check_log(read(tmp_path / "log"), policy, "log") is None


@pytest.mark.slow
def test_same_seed_finds_the_same():
    first, second = (check(compiled(PATIENT), seed=5) for _ in range(2))
    assert first.counterexample is not None
    assert second.counterexample is not None
    assert (first.examples, first.events) == (second.examples, second.events)
    assert first.counterexample.machine.records == second.counterexample.machine.records


@pytest.mark.long
def test_unreached_statements_are_listed():
    never = "place f at tail of queue\nif cache.size > 999 {\nnever += 1\n}"
    text = FIFO.replace("place f at tail of queue", never).replace("list queue", "list queue state never: u8 = 0")
    result = check(compiled(text), max_examples=20)
    assert result.unreached == [ir.Pos(6, 1)]
    assert result.long_runs == search.MAX_LONG_RUNS


LATE = FIFO.replace("list queue", "list queue\n  state turns: u8 = 0\n  every 10_000 events { turns += 1 }")


@pytest.mark.slow
def test_blocks_that_run_late_are_reached():
    result = check(compiled(LATE), max_examples=5, native=False)
    assert result.unreached == [] and result.long_runs == 1 and result.events > 10_000


@pytest.mark.long
def test_numbers_that_the_policy_compares_are_reached(monkeypatch):
    monkeypatch.setattr("cpol.runtime.explore.check.shrink.MAX_ACTIONS", 20_000)  # nothing can be left out of it
    result = check(compiled(FIFO.replace("queue.size == cache.size", "cache.clock < 4_000")), max_examples=5)
    assert result.counterexample is not None and result.counterexample.property == "invariants"
    events = result.counterexample.machine.records
    assert len([row for row in events if not Op(row.op).is_decision]) >= 4_000


@pytest.mark.long
def test_the_tests_of_a_policy_seed_the_search():
    """Its test reads one file of many as one thread of many, which nothing else would guess."""
    guarded = FIFO.replace("list queue", "list queue\n  state seen: u8 = 0\n  input marked: set of thread").replace(
        "place f at tail of queue", "place f at tail of queue if marked.has(77) and task.thread == 77 { seen += 1 }"
    )
    test = "  test it(capacity: 4) {\n    marked.add(77)\n    access 1 as 77\n    expect queue.size == 1\n  }\n}"
    without, with_it = compiled(guarded), compiled(guarded.rstrip().removesuffix("}") + test)
    assert check(without, max_examples=5, native=False).unreached != []
    assert check(with_it, max_examples=5, native=False).unreached == []


@pytest.mark.long
def test_counterexamples_of_tests_and_long_runs_are_small():
    """More folios at once than the caches of short scenarios hold."""
    forgets = COUNTED.replace("count == cache.size", "cache.size < 50")
    found = broken(compiled(forgets), "invariants")
    requests = [row for row in found.machine.records if row.op == Op.MISSED]
    assert len(requests) == 50


def test_every_property_has_a_description():
    assert set(PROPERTIES) == {"invariants", "total", "progress", "accounts", "determinism", "native"}


@pytest.mark.slow
def test_part_of_a_test_is_shrunk_too() -> None:
    """Only what readahead brings in breaks this. The search finds it among the events of the test."""
    text = """policy p {
  list unread, read
  on added(f) { place f at tail of unread }
  on first_accessed, accessed(f) { move f to head of read }
  on evict { scan read from head as f { evict f } }
  test loop(capacity: 4) { access 1..6, 1..3  expect cache.has(1, 2, 3) }
}
"""
    found = check(compile_source(text, "p.cpol")).counterexample
    assert found is not None and found.property == "progress"
    assert sum(not Op(row.op).is_decision for row in found.machine.records) <= 4


@pytest.mark.slow
def test_a_search_with_long_loops_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count of statements ends it, so that it is the same each time."""
    monkeypatch.setattr(search, "BUDGET", 300_000)
    monkeypatch.setattr(search, "PER_EXAMPLE", 0)
    monkeypatch.setattr(search, "LIMIT", 150_000)
    policy = compiled(LONG_LOOP)
    result, again = (check(policy, native=False) for _ in range(2))
    assert result == again and result.stopped_early and result.counterexample is None
    assert (result.long_runs, result.unreached) == (0, []) and 0 < result.examples < 200
    monkeypatch.setattr(search, "PER_EXAMPLE", 3_000)
    assert check(policy, native=False).examples > result.examples, "those who ask for more get more"
    assert not check(compiled(FIFO), 20, native=False).stopped_early


@pytest.mark.slow
def test_a_policy_with_many_lists_or_elements_is_checked_with_its_tests() -> None:
    """Params of scenarios ask for few lists and elements, but never for fewer than the defaults do."""
    text = """policy many {
  list q[3000]
  table seen: u8[512, 1024] = 0
  state last: u64 = 0
  on added(f) { last = f.index  seen[1, last] += 1  place f at tail of q[2999] }
  on evict { scan q[2999] from head as f { evict f } }
  invariant last < LIMIT
  test t(capacity: 4) { access 1..6, 5000  expect cache.has(5000) }
}
"""
    good = compile_source(text.replace("LIMIT", "4_000_000"), "p.cpol")
    searched = check(good, max_examples=8)
    assert (searched.examples, searched.unreached, searched.stopped_early) == (8, [], False)
    found = check(compile_source(text.replace("LIMIT", "5000"), "p.cpol"), native=False).counterexample
    assert found is not None and found.property == "invariants", "only its test has that folio"


def test_long_loops_leave_native_code_fewer_requests() -> None:
    long = search.Search(compiled(LONG_LOOP), False)
    long.costs.add(True, 10 * 65_536, 10)
    long.costs.add(False, 100, 100)  # most requests in the search were cheap, and most of the run's may not be
    assert 0 < long.affordable(1_000_000) < 1_000_000 and long.stopped_early
    usual = search.Search(compiled(FIFO), False)
    usual.costs.add(False, 1_000, 10)
    assert usual.affordable(1_000_000) == 1_000_000 and not usual.stopped_early


@pytest.mark.slow
def test_a_counterexample_with_long_loops_is_made_small_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "BUDGET", 300_000)
    failing = search.Search(compiled(LONG_LOOP.replace("n == n", "queue.size < 2")), False)
    actions: list[Action] = [Request(key, 0) for key in range(6)]
    scenario = Scenario(8, 1, {}, actions, 1, ())
    assert failing.fails(scenario)
    failing.shrink(scenario)
    assert failing.found is not None and failing.spent < 2_000_000


def test_making_a_counterexample_small_ends_after_so_many_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hypothesis itself would go on: for minutes, where its scenarios are parts of a test with hundreds of events."""
    monkeypatch.setattr(search, "SMALLER", 20)
    drawn = 0
    told: list[str] = []

    def counted(*words: Any) -> SearchStrategy[Scenario]:
        def count(scenario: Scenario) -> Scenario:
            nonlocal drawn
            drawn += any("shrinking" in text for text in told)
            return scenario

        return scenarios(*words).map(count)

    monkeypatch.setattr(search, "scenarios", counted)
    found = check(compiled(COUNTED.replace("count == cache.size", "count < 4")), tried=told.append, native=False)
    assert found.counterexample is not None and found.counterexample.property == "invariants"
    assert 0 < drawn <= 21 and "try 20 of up to 20" in "".join(told)


@pytest.mark.slow
def test_what_native_code_finds_late_is_confirmed_or_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter runs more statements for it than for a scenario of its own; a few, and it says that it cannot."""
    late = KEEPER.replace("list queue", "list queue\n  state n: u32 = 0").replace("{ place", "{ n += 1  place")
    late = late.replace("if queue.size > 1 {", "if n < 3_000 {").replace("queue.size - 1", "queue.size")
    policy = compiled(late)
    monkeypatch.setattr(search, "LIMIT", 2_000)
    monkeypatch.setattr(search, "MAX_LONG_RUNS", 0)
    told: list[str] = []
    result = check(policy, max_examples=5, requests=20_000, tried=told.append)
    assert result.counterexample is not None and result.counterexample.property == "progress"
    assert not result.stopped_early
    assert any(text.startswith("confirming what native code found: ") for text in told)
    monkeypatch.setattr(search, "CONFIRMED", 3_000)
    with pytest.raises(UnconfirmedError, match="would run more than 3,000 statements until then"):
        check(policy, max_examples=5, requests=20_000)
