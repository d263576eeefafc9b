"""`cpolc test`: output and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.runtime.explore.check import native
from cpol.runtime.machine.events import Op

POLICY = """/// Lets scanners pass by.
policy lanes {
  param least: u8 = 1 in 1..3
  list queue, lane[4]
  ghost gone { capacity: cache.capacity  folio { at: u64 = 0 } }
  input scanners: set of thread
  input weight: map of file to u8 = 1
  table heat: u32[4] = 0
  state ticks: u8 = 0
  on admit(f) { if scanners.has(task.thread) { refuse f } }
  on added(f) {
    if gone.has(f) { heat[gone.at(f)] += 1  gone.take(f)  place f at tail of lane[weight.of(f.file)] }
    else { place f at tail of queue }
  }
  on removed(f, why) { if why == evicted { gone.add(f, at: cache.clock) } }
  on evict {
    scan queue from head as f { evict f }
    for i in 0..3 { scan lane[i] from head as f { evict f } }
  }
  every 100 ms { ticks += 1 }
  invariant queue.size + lane.size == cache.size
  invariant ticks < 9

  test scan_passes_by(capacity: 2) {
    access 1, 2
    scanners.add(7)
    access 5..9 as 7
    expect queue.has(1, 2) and cache.size == 2
    access 5
    expect cache.has(5) and not cache.has(1) and gone.has(1)
  }
  test comes_back(capacity: 1, batch: 1, seed: 5, least: 2) {
    weight.add(3, 2)
    access 3:1, 3:2, 3:1
    expect lane[2].has(3:1) and lane.has(3:1) and heat[1] == 1 and least == 2
    remove 3:1
    expect cache.size == 0 and not gone.has(3:1)
  }
  test time(capacity: 1) { tick 99  expect ticks == 0  tick 300  expect ticks == 1 }
}
"""


def cpolc(*args: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


@pytest.fixture
def lanes(tmp_path: Path) -> Path:
    path = tmp_path / "lanes.cpol"
    path.write_text(POLICY, encoding="utf-8")
    return path


def with_test(lanes: Path, text: str) -> str:
    """Append a test to the policy's file, and return its path."""
    lanes.write_text(POLICY.rstrip().removesuffix("}") + text + "\n}\n", encoding="utf-8")
    return str(lanes)


@pytest.mark.slow
def test_all_tests_pass(lanes: Path) -> None:
    result = cpolc("test", lanes)
    assert (result.exit_code, result.output) == (0, "lanes: 3 tests passed, by the interpreter and by native code\n")


@pytest.mark.slow
def test_failure_names_place_reason_and_replay(lanes: Path) -> None:
    path = with_test(lanes, "test wrong(capacity: 2) {\n access 1, 2, 3\n expect queue.has(2, 1) and heat[1] == 0\n}")
    result = cpolc("test", path)
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        f"{path}:42:2: test wrong failed: expect queue.has(2, 1) and heat[1] == 0",
        "    queue.has(2) = true",
        "    queue.has(1) = false",
        "    queue.has(2, 1) = false",
        "    heat[1] = 0",
        "    heat[1] == 0 = true",
        "the cache then:",
        "    queue: 2, 3",
        "    lane: all 4 empty",
        "    ghost gone: 1 (at 2) (capacity 2)",
        "    ticks = 0",
        "    table heat: else 0",
        f"again: cpolc test {path} --filter wrong",
        f"step by step: cpolc step {path} --test wrong",
        "",
        "lanes: 1 of 4 tests failed, by the interpreter and by native code",
    ]


@pytest.mark.slow
def test_broken_invariant_fails_the_test(lanes: Path) -> None:
    path = with_test(
        lanes, "test late(capacity: 2) {" + "".join(f" tick {ms}00" for ms in range(1, 10)) + " expect true }"
    )
    result = cpolc("test", path, "--filter", "late")
    assert result.exit_code == 1
    assert "test late failed: " in result.output
    assert f"{path}:22: invariant does not hold: ticks < 9\n    ticks = 9\n" in result.output


@pytest.mark.slow
def test_impossible_step_fails_the_test(lanes: Path) -> None:
    path = with_test(lanes, "test gone_already(capacity: 2) {\n access 1\n remove 1, 2\n expect true\n}")
    result = cpolc("test", path)
    assert result.exit_code == 1
    assert f"{path}:42:2: test gone_already failed: removed: folio (0, 2) is not in the cache" in result.output


@pytest.mark.slow
def test_different_native_code_fails_the_test(lanes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true_log = native.EventSimulator.log.fget
    assert true_log is not None

    def without_proposals(simulator: native.EventSimulator) -> list[native.Row]:
        return [row for row in true_log(simulator) if row.op != Op.PROPOSE]

    monkeypatch.setattr(native.EventSimulator, "log", property(without_proposals))
    result = cpolc("test", lanes, "--filter", "scan")
    assert result.exit_code == 1
    assert "test scan_passes_by failed: decisions differ: " in result.output
    assert "'evict 1' in the interpreter" in result.output


@pytest.mark.slow
def test_filter(lanes: Path) -> None:
    assert "lanes: 1 test passed" in cpolc("test", lanes, "--filter", "scan").output
    result = cpolc("test", lanes, "--filter", "scam")
    assert result.exit_code == 2
    assert "no test has 'scam' in its name; there is scan_passes_by, comes_back, time" in result.output


@pytest.mark.slow
def test_json(lanes: Path) -> None:
    path = with_test(lanes, "test wrong(capacity: 2) { expect cache.size == 1 }")
    result = cpolc("test", path, "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["ok"] is False
    tests = {test["name"]: test for test in report["policies"][0]["tests"]}
    assert [test["ok"] for test in tests.values()] == [True, True, True, False]
    failure = tests["wrong"]["failure"]
    assert failure["message"] == "expect cache.size == 1"
    assert failure["values"] == {"cache.size": "0"}
    assert (failure["line"], failure["column"]) == (40, 27)


def test_policy_without_tests(tmp_path: Path) -> None:
    path = tmp_path / "plain.cpol"
    path.write_text(
        "policy plain { list q on added(f) { place f at tail of q } on evict { scan q from head as f { evict f } } }"
    )
    result = cpolc("test", path)
    assert (result.exit_code, result.output) == (0, f"plain: has no tests ({path}); nothing was run\n")


def test_errors_differ_from_failures(tmp_path: Path) -> None:
    assert cpolc("test", "no-such-policy").exit_code == 2
    path = tmp_path / "broken.cpol"
    path.write_text("policy broken {")
    assert cpolc("test", path).exit_code == 2
    assert cpolc("test").exit_code == 2


RECORDS = """policy records {
  enum heat { cold, hot }
  list queue, lane[2]
  folio { heat: heat = cold, uses: u2 = 0 }
  on added(f) { if f.file == 0 { place f at tail of queue } else { place f at head of lane[1] } }
  on accessed(f) { f.heat = hot  f.uses += 1 }
  on evict {
    scan queue from head as f { evict f }
    for i in 0..1 { scan lane[i] from head as f { evict f } }
  }
  test a(capacity: 8) { access 1, 2, 3:1, 3:2, 2, 2  expect EXPECTED }
}
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("expected", "why"),
    [
        ("queue.is(1, 2) and lane[1].is(3:2, 3:1)", None),
        ("not queue.is(2, 1) and not queue.is(1) and not queue.is(1..3) and not lane[0].is(3:1)", None),
        ("cache.heat(2) == hot and cache.heat(3:1) == cold and cache.uses(2) == 2 and cache.uses(1) + 1 == 1", None),
        ("queue.is(2, 1)", "expect queue.is(2, 1)\n"),
        ("lane[1].is(3:1, 3:2)", "expect lane[1].is(3:1, 3:2)\n"),
        ("cache.uses(2) > 2", "cache.uses(2) = 2"),
        ("cache.uses(7) == 0", "folio 0:7 is not in the cache, so it has no uses"),
        ("not cache.has(7) or cache.uses(7) == 1", None),
    ],
)
def test_order_and_records(tmp_path: Path, expected: str, why: str | None) -> None:
    path = tmp_path / "records.cpol"
    path.write_text(RECORDS.replace("EXPECTED", expected), encoding="utf-8")
    result = cpolc("test", path)
    assert (result.exit_code == 0) == (why is None), result.output
    assert (why or "") in result.output


SIZES = """policy sizes {
  list unread, read
  state largest: u64 = 0
  on admit(f) { if f.index == 66 { refuse f } }
  on added(f) { largest = max(largest, f.pages)  place f at tail of unread }
  on first_accessed, accessed(f) { move f to tail of read }
  on evict { scan unread from head as f { evict f }  scan read from head as f { evict f } }
  test a(capacity: 8, batch: 2) { STEPS }
}
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ("access 1..8  access 64 of 4 pages as 7  expect read.is(5..8, 64) and read.size == 8 and largest == 4", None),
        ("access 1..4  access 64 of 8 page  access 64 of 2 pages  expect read.is(64) and cache.size == 8", None),
        ("readahead 5..8  expect unread.is(5..8)  access 6  readahead 6, 9  expect unread.is(5, 7, 8, 9)", None),
        ("readahead 1..9  expect unread.is(3..9)  readahead 64 of 4 pages  expect unread.is(7..9, 64)", None),
        ("access 66 of 2 pages  readahead 66, 66 of 3 pages as 5  access 66  expect cache.size == 0", None),
        ("access 1 of 4 pages  expect cache.size == 1", "cache.size = 4"),
        ("readahead 1  expect read.has(1) and cache.size == 1", "read.has(1) = false"),
    ],
)
def test_sizes_and_readahead(tmp_path: Path, steps: str, why: str | None) -> None:
    path = tmp_path / "sizes.cpol"
    path.write_text(SIZES.replace("STEPS", steps), encoding="utf-8")
    result = cpolc("test", path)
    assert (result.exit_code == 0) == (why is None), result.output
    assert (why or "") in result.output
    assert cpolc("check", path, "--max-examples", "3").exit_code in ((0, 3) if why is None else (1,))
    assert "added" in cpolc("step", path, "--test", "a", "--plain").output or "66" in steps


RECLAIM = """policy second {
  list queue
  folio { again: bool = false }
  on added(f) { place f at tail of queue }
  on accessed(f) { f.again = true }
  on evict {
    scan queue from head as f {
      when f.again { f.again = false  move f to tail of queue }
      otherwise { evict f }
    }
  }
  test a(capacity: 8) { access 1..6, 1  STEPS }
}
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ("reclaim 2  expect queue.is(4..6, 1) and cache.size == 4", None),
        ("busy 2  reclaim 2  expect cache.has(2) and not cache.has(3) and cache.size == 5", None),
        ("busy 2..3  reclaim 2  expect queue.is(4..6, 1..3)  idle 3  reclaim 6  expect queue.is(2)", None),
        ("busy 2  busy 3  reclaim 1  idle 2..3  reclaim 6  expect cache.size == 0", None),
        ("repeat 3 { busy 2  reclaim 1 }  expect cache.size == 4 and cache.has(2)", None),
        ("repeat 2 { repeat 2 { reclaim 1 }  expect cache.size >= 2 }  expect queue.is(6, 1)", None),
        ("repeat 3 { reclaim 2  expect cache.size > 1 }", "cache.size = 0"),
        ("busy 2  reclaim 2  expect not cache.has(2)", "cache.has(2) = true"),
        ("reclaim 1  expect cache.size == 6", "cache.size = 5"),
    ],
)
def test_reclaim_and_busy_folios(tmp_path: Path, steps: str, why: str | None) -> None:
    path = tmp_path / "second.cpol"
    path.write_text(RECLAIM.replace("STEPS", steps), encoding="utf-8")
    result = cpolc("test", path)
    assert (result.exit_code == 0) == (why is None), result.output
    assert (why or "") in result.output
    assert cpolc("check", path, "--max-examples", "3").exit_code in ((0, 3) if why is None else (1,))
    stepped = cpolc("step", path, "--test", "a", "--plain")
    assert "reclaim" in stepped.output or "evict" in stepped.output, stepped.output
