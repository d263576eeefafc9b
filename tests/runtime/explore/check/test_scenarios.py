"""Scenarios of `check` for the whole language, and the messages of counterexamples."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from cpol.compiler import compile_source, ir
from cpol.runtime.explore.check import Counterexample, check, check_log, native
from cpol.runtime.explore.check.audit import Audit, AuditError
from cpol.runtime.explore.check.native import DisagreementError, Shadow
from cpol.runtime.explore.check.report import as_json, as_text
from cpol.runtime.explore.check.scenario import Pass, Switch, inputs, scenarios
from cpol.runtime.explore.check.traits import traits
from cpol.runtime.machine.events import Op, Row, read, save
from cpol.runtime.machine.interp import EVICTED, Machine, ParamError

HEAD = """/// Made to break.
policy made {
  list queue
"""
TAIL = """
  on evict { scan queue from head as f { evict f } }
}
"""


def compiled(body: str, doc: str = "Made to break.") -> ir.Policy:
    added = "" if "on added" in body else "  on added(f) { place f at tail of queue }"
    return compile_source(HEAD.replace("Made to break.", doc) + body + added + TAIL, "made.cpol")


def broken(policy: ir.Policy, name: str) -> Counterexample:
    found = check(policy).counterexample
    assert found is not None
    assert found.property == name
    return found


@pytest.mark.slow
def test_scenarios_advance_time():
    text = "state late: u8 = 0 every 50 ms { late += 1 } invariant late < 2"
    found = broken(compiled(text), "invariants")
    assert as_text(found).splitlines()[1:5] == [
        "    late = 2",
        "with capacity 1, batch 1, after these events:",
        "   1  50 ms have passed",
        "   2  100 ms have passed",
    ]


@pytest.mark.slow
def test_scenarios_change_tasks():
    text = """state thread: u8 = 0 state process: u8 = 0
      on accessed(f) { thread = task.thread process = task.process }
      invariant thread < 2 or process < 1"""
    found = broken(compiled(text), "invariants")
    assert "thread 2 of process 1 runs" in as_text(found)


@pytest.mark.slow
def test_scenarios_fill_inputs_with_used_keys(tmp_path):
    text = """input weight: map of file to u8 = 1 input scanners: set of thread
      state heavy: u64 = 0
      on added(f) { if scanners.has(task.thread) { heavy = weight.of(f.file) } place f at tail of queue }
      invariant heavy < 200"""
    policy = compiled(text)
    found = broken(policy, "invariants")
    assert "weight 0 = 255, scanners 0 = true, after these events" in as_text(found)
    assert as_json(found)["inputs"] == [["weight", "0", "255"], ["scanners", "0", "true"]]
    save(tmp_path / "log", found.machine.header, found.machine.records)
    again = check_log(read(tmp_path / "log"), policy, "log")
    assert again is not None
    assert again.message == found.message


@pytest.mark.slow
def test_scenarios_vary_and_show_the_seed():
    found = broken(compiled("state x: u64 = 0 on accessed(f) { x = random(64) } invariant x < 60"), "invariants")
    assert "seed " in as_text(found)
    assert isinstance(as_json(found)["seed"], int)


@pytest.mark.slow
def test_refused_and_left_folios_are_allowed():
    text = """state turn: u8 = 0
      on admit(f) { if f.index % 3 == 0 { refuse f } }
      on added(f) { if f.index % 3 == 1 { leave f } else { place f at tail of queue } }
      invariant queue.size == cache.size"""
    result = check(compiled(text.replace("state turn: u8 = 0", "")), max_examples=100)
    assert result.counterexample is None
    assert result.unreached == []


KEEPS = "on accessed(f) { move f to head of queue }"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("doc", "property"),
    [
        ("Keeps the last one.", "progress"),
        ("Keeps the last one: falls back on the kernel.", None),
        ("Its fallback is LRU.", None),
    ],
)
def test_documented_fallback_permits_no_proposal(doc, property):
    policy = compile_source(
        f"""/// {doc}
        policy keeper {{
          list queue
          on added(f) {{ place f at tail of queue }}
          on evict {{ if queue.size > 1 {{ scan queue from head up to 1 as f {{ evict f }} }} }}
        }}""",
        "keeper.cpol",
    )
    found = check(policy, max_examples=30).counterexample
    assert (found.property if found else None) == property


@pytest.mark.slow
def test_params_that_do_not_attach_are_skipped():
    text = """param n: u32 = 2 in 1..65536 table t: u8[n, n] = 0 state x: u8 = 0
      on accessed(f) { x = t[0, 0] t[1, 1] = x + n }"""
    result = check(compiled(text + " invariant x < 255"), max_examples=30)
    assert result.counterexample is None
    assert result.examples == 30


def test_policy_that_cannot_attach_is_an_error():
    text = """param n: u32 = 60000 in 1..65536 table t: u8[n, n] = 0 state x: u8 = 0
      on accessed(f) { x = t[0, 0] t[1, 1] = x }"""
    with pytest.raises(ParamError, match="table t has 60000 \\* 60000 elements"):
        check(compiled(text + " invariant x == 0"))


def test_traits():
    plain = traits(compiled("invariant true or cache.size == 0"))
    assert (plain.tasks, plain.files, plain.random, plain.period_ms, plain.falls_back) == (
        False,
        False,
        False,
        0,
        False,
    )
    timed = traits(compiled("param life: u64 = 5 in 1..5000 ms state x: u64 = 0 on init { x = cache.time + life }"))
    assert timed.period_ms == 5000
    rich = traits(
        compiled(
            """param pace: u16 = 20 in 1..700 ms
            state x: u64 = 0
            fn who(n: u64): u64 = if n > 3 then 0 else n
            on accessed(f) { x = who(f.file) + random(3) + task.thread }
            every pace ms { x = 0 }
            every 900 events { x = 1 }
            invariant x < 2 or true"""
        )
    )
    assert (rich.tasks, rich.files, rich.random, rich.period_ms) == (True, True, True, 700)


@pytest.mark.slow
def test_scenarios_cover_all_traits():
    policy = compiled(
        """input weight: map of page to u8 = 1
        state x: u64 = 0
        on accessed(f) { x = task.thread + weight.of(f) }
        every 10 ms { x = 0 }
        invariant x < 2 or true"""
    )
    seen: set[type] = set()

    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(scenarios(policy), inputs(policy))
    def look(scenario, given):
        seen.update(type(action) for action in scenario.actions)
        seen.update({str} if given else set())
        Machine(policy, scenario.capacity, scenario.params, scenario.batch, scenario.seed, scenario.inputs)

    look()
    assert {Pass, Switch, str} <= seen


class TestAudit:
    def machine(self) -> Machine:
        m = Machine(compiled("invariant true or cache.size == 0"), 4)
        for index in range(3):
            m.request(0, index)
        return m

    def test_correct_machine_passes(self):
        m = self.machine()
        m.make_room(2)
        Audit().follow(m)

    def test_lost_folio(self):
        m = self.machine()
        m.lists["queue"].pop()
        with pytest.raises(AuditError, match=r"folio \(0, 2\) is 0 times on lists or proposed, not once"):
            Audit().follow(m)

    def test_folio_in_two_places(self):
        m = self.machine()
        m.lists["queue"].append(m.lists["queue"][0])
        with pytest.raises(AuditError, match="2 times on lists"):
            Audit().follow(m)

    def test_folio_removed_twice(self):
        m = self.machine()
        m.removed(0, 1, EVICTED)
        m.records.append(Row(Op.REMOVED, 0, 1, EVICTED))
        with pytest.raises(AuditError, match=r"folio \(0, 1\) is removed, but is not in the cache"):
            Audit().follow(m)

    def test_folio_proposed_twice(self):
        m = self.machine()
        m.evict(1)
        m.records.append(Row(Op.PROPOSE, 0, 0))
        with pytest.raises(AuditError, match="proposed twice"):
            Audit().follow(m)


class TestShadow:
    def test_different_decision_is_reported(self):
        m = Machine(compiled("invariant true or cache.size == 0"), 4)
        shadow = Shadow(m)
        m.request(0, 1)
        m.records[1] = Row(Op.ADDED, 0, 1, 2)
        m.records[2] = Row(Op.PLACE, 0, 1, 1, 0)
        with pytest.raises(
            DisagreementError, match="line 3 of the event log is 'place 1 at head of queue' in the interp"
        ):
            shadow.follow()

    def test_different_state_is_reported(self):
        m = Machine(compiled("state x: u8 = 0 on accessed(f) { x += 1 } invariant x < 9"), 4)
        shadow = Shadow(m)
        m.request(0, 1)
        m.state["x"] = 5
        with pytest.raises(
            DisagreementError, match=r"not the state: \{'x': 5\} in the interpreter, \{'x': 0\} in native code"
        ):
            shadow.follow()

    def test_line_of_the_log_counts_what_was_compared_before(self):
        m = Machine(compiled("invariant true or cache.size == 0"), 4)
        shadow = Shadow(m)
        m.request(0, 1)
        shadow.follow()
        known = len(m.records)
        m.request(0, 2)
        assert m.records[known + 2].op == Op.PLACE
        m.records[known + 2] = Row(Op.PLACE, 0, 2, 1, 0)
        with pytest.raises(DisagreementError, match=f"line {known + 3} of the event log is 'place 2 at head"):
            shadow.follow()

    def test_large_states_are_compared_now_and_then_and_in_the_end(self, monkeypatch):
        m = Machine(compiled("state x: u8 = 0 on accessed(f) { x += 1 } invariant x < 9"), 200)
        compared = []
        whole = Shadow._compare_states
        monkeypatch.setattr(native, "FREE", 1000)
        monkeypatch.setattr(Shadow, "_compare_states", lambda s: (compared.append(s.rows), whole(s)))
        shadow = Shadow(m)
        for key in range(200):
            m.request(0, key)
        shadow.follow(final=False)
        for _ in range(2000):
            m.tick(1)
            shadow.follow(final=False)
        assert 8 < len(compared) <= (native.FREE + len(m.records)) // 200 + 1
        m.state["x"] = 5
        with pytest.raises(DisagreementError, match="not the state"):
            shadow.follow()

    def test_event_refused_by_one_executor_is_reported(self):
        m = Machine(compiled("invariant true or cache.size == 0"), 4)
        shadow = Shadow(m)
        m.records.append(Row(Op.ACCESSED, 0, 7))
        with pytest.raises(DisagreementError, match="refuses 'access to 7', which the interpreter allows"):
            shadow.follow()
