"""`cpolc sim --log`: the interpreter replays it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.runtime.explore.traces import log as sim_log
from cpol.runtime.machine.events import Op, Row, read
from cpol.runtime.machine.native import SimulationError

STDLIB = sorted(
    path.stem for path in (Path(__file__).parents[2] / "stdlib").glob("*.cpol") if "on evict" in path.read_text()
)
POLICY = """/// It keeps what others evict, and so falls back at times.
policy facts {
  param depth: u64 = 3 in 1..9
  input scanners: set of thread
  list queue
  ghost old { capacity: 4 }
  state late: u64 = 0
  on admit(f) { if random(9) == 0 or f.file == 2 and old.has(f) { refuse f } }
  on added(f) {
    if scanners.has(task.thread) or task.process == 4 { leave f } else { place f at tail of queue }
  }
  on accessed(f) { if cache.time > late + 5 { late = cache.time  move f to tail of queue } }
  on removed(f) { old.add(f) }
  on evict { scan queue from head up to depth as f { when f.index % 5 == 0 { keep } otherwise { evict f } } }
  every 4 ms { old.forget_oldest() }
}
"""

RANKED = """policy ranked {
  input ranks: array[512] of u64
  list queue
  on added(f) { place f at tail of queue }
  on accessed(f) { if ranks[f.index] > 0 { move f to tail of queue } }
  on evict { scan queue from head as f { evict f } }
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(7)
    keys = [int(rng.paretovariate(0.6)) % 90 for _ in range(700)]
    (tmp_path / "keys.txt").write_text("".join(f"{key}\n" for key in keys), encoding="utf-8")
    rows = [(n // 2, key // 40, key % 40, n % 5, n % 7) for n, key in enumerate(keys)]
    lines = [",".join(map(str, row)) + "\n" for row in rows]
    (tmp_path / "reads.csv").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "facts.cpol").write_text(POLICY, encoding="utf-8")
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def sim(policy: str, *words: str) -> Result:
    return run("sim", policy, "--trace", "keys.txt", "--format", "lirs", "--capacity", "20", *words)


def facts(*words: str) -> Result:
    columns = "time_ms=0,file=1,page=2,thread=3,process=4"
    trace = ("--trace", "reads.csv", "--columns", columns, "--capacity", "12", "--input", "scanners=3")
    return run("sim", "./facts.cpol", *trace, "--seed", "5", "--set", "depth=2", *words)


@pytest.mark.long
@pytest.mark.parametrize("policy", STDLIB)
def test_interpreter_replays_the_log(policy: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sim_log, "PART", 70)
    result = sim(policy, "--batch", "3", "--log", "run.log", "--json")
    assert result.exit_code == 0, result.output
    log = read(folder / "run.log")
    totals = json.loads(result.stdout)
    assert sum(row.op == Op.MISSED for row in log.rows) == totals["misses"]
    assert sum(row.op == Op.FALLBACK for row in log.rows) == totals["fallback"]
    assert (log.header.capacity, log.header.batch, log.header.policy) == (20, 3, policy)
    replayed = run("check", policy, "--replay", "run.log", "--no-native")
    assert replayed.exit_code == 0 and "run.log replays" in replayed.stdout, replayed.output


@pytest.mark.parametrize("entries", [1, 2, 128, 300])
def test_an_array_in_the_log_is_read_again(entries: int, folder: Path) -> None:
    (folder / "ranks.txt").write_text("".join(f"{2**64 - 1 - n}\n" for n in range(entries)), encoding="utf-8")
    (folder / "ranked.cpol").write_text(RANKED, encoding="utf-8")
    result = sim("./ranked.cpol", "--input", "ranks=@ranks.txt", "--log", "run.log", "--json")
    assert result.exit_code == 0, result.output
    replayed = run("check", "./ranked.cpol", "--replay", "run.log")
    assert replayed.exit_code == 0 and "run.log replays" in replayed.stdout, replayed.output
    again = run("sim", "./ranked.cpol", "--trace", "run.log", "--capacity", "20", "--json")
    assert again.exit_code == 0 and json.loads(again.stdout)["requests"] == 700, again.output


def test_a_log_with_left_folios_says_that_it_lacks_requests(folder: Path) -> None:
    assert facts("--log", "run.log").exit_code == 0
    left = sum(row.op == Op.LEAVE for row in read(folder / "run.log").rows)
    result = run("sim", "fifo", "--trace", "run.log", "--capacity", "12")
    note = f"the policy left {left:,} folios to the kernel, so the log lacks later requests of these"
    assert left > 0 and result.exit_code == 0 and note in result.stderr, result.output


def test_the_command_to_paste_quotes_names_with_blanks(folder: Path) -> None:
    result = facts("--log", "a run.log")
    assert result.stderr.splitlines()[-1].endswith("; cpolc check ./facts.cpol --replay 'a run.log'"), result.output


def test_facts_of_the_trace_and_settings_reach_the_log(folder: Path) -> None:
    result = facts("--log", "run.log", "--json")
    assert result.exit_code == 0, result.output
    log = read(folder / "run.log")
    assert (log.header.seed, log.header.params, log.header.inputs) == (5, {"depth": "2"}, (("scanners", "3", "true"),))
    found = {Op(row.op) for row in log.rows}
    assert {Op.TASK, Op.TICK, Op.ADMIT, Op.REFUSE, Op.LEAVE, Op.FALLBACK, Op.GHOST_ADD, Op.GHOST_FORGET} <= found
    assert {row.file for row in log.rows if row.op == Op.ADDED} >= {0, 1}
    assert [row.a for row in log.rows if row.op == Op.TICK] == list(range(1, 350))
    assert [(row.a, row.b) for row in log.rows if row.op == Op.TASK] == [(n % 5, n % 7) for n in range(1, 700)]
    misses = json.loads(result.stdout)["misses"]
    assert sum(row.op == Op.MISSED for row in log.rows) == misses
    assert result.stderr.splitlines()[-1] == json.dumps(
        {
            "severity": "note",
            "code": None,
            "message": f"run.log: {len(log.rows):,} events and decisions; cpolc check ./facts.cpol --replay run.log",
            "spans": [],
            "why": None,
            "help": None,
            "fix": [],
        }
    )
    replayed = run("check", "./facts.cpol", "--replay", "run.log")
    assert replayed.exit_code == 0 and "run.log replays" in replayed.stdout, replayed.output


def test_another_policy_does_not_replay_it(folder: Path) -> None:
    assert sim("lru", "--log", "run.log").exit_code == 0
    text = (folder / "run.log").read_text(encoding="utf-8")
    assert "\tmove\t" in text
    (folder / "run.log").write_text(text.replace("\tmove\t", "\tplace\t", 1), encoding="utf-8")
    result = run("check", "lru", "--replay", "run.log", "--no-native")
    assert result.exit_code == 2 and "run.log:" in result.stderr


def test_assumed_time_and_file_reach_the_log(folder: Path) -> None:
    words = ("--log", "run.log", "--assume", "file=9", "--assume", "time=2ms", "--assume", "thread=6")
    result = run("sim", "./facts.cpol", "--trace", "keys.txt", "--format", "lirs", "--capacity", "12", *words)
    assert result.exit_code == 0, result.output
    rows = read(folder / "run.log").rows
    assert {row.file for row in rows if row.op == Op.MISSED} == {9}
    assert [row.a for row in rows if row.op == Op.TICK] == list(range(2, 1400, 2))
    assert [(row.a, row.b) for row in rows if row.op == Op.TASK] == [(6, 0)]


def test_a_long_trace_is_refused_before_anything_runs(folder: Path) -> None:
    (folder / "keys.txt").write_text("1\n" * 1_000_001, encoding="utf-8")
    result = sim("fifo", "--log", "run.log")
    assert result.exit_code == 1 and result.stdout == "" and not (folder / "run.log").exists()
    assert "at most 1,000,000 requests" in result.stderr and "keys.txt has 1,000,001" in result.stderr


def test_a_run_that_fails_leaves_the_file_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(log: sim_log.Log) -> Iterator[tuple[int, list[Row]]]:
        yield next(whole(log))
        raise SimulationError("out of memory")

    whole = sim_log.Log.parts
    monkeypatch.setattr(sim_log, "PART", 70)
    monkeypatch.setattr(sim_log.Log, "parts", fail)
    (folder / "run.log").write_text("before\n", encoding="utf-8")
    files = {path.name for path in folder.iterdir()}
    result = sim("fifo", "--log", "run.log")
    assert result.exit_code == 1 and "out of memory" in result.stderr
    assert (folder / "run.log").read_text(encoding="utf-8") == "before\n"
    assert {path.name for path in folder.iterdir()} == files


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--log", "-"], 2, "'--log': standard output has the results; give the name of a file"),
        (["--log", "run.log", "--capacity", "5,6"], 2, "'--log': is for one policy with one capacity"),
        (["--log", "keys.txt"], 1, "--log keys.txt would write over keys.txt, which is read"),
        (["--log", "none/run.log"], 1, "cannot write none/run.log: No such file or directory"),
        (["--log", "/dev/full"], 1, "cannot write /dev/full: No space left on device"),
    ],
)
def test_errors(words: list[str], code: int, message: str, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = sim("lru", *words)
    assert result.exit_code == code and message in result.stderr and "Traceback" not in result.output
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("option", ["--log", "--state"])
@pytest.mark.parametrize("name", ["scanners.txt", "library.cpol", "user.cpol", "keys.txt", "./link"])
def test_files_that_are_read_are_not_written(option: str, name: str, folder: Path) -> None:
    (folder / "scanners.txt").write_text("3\n", encoding="utf-8")
    (folder / "library.cpol").write_text("library l { fn half(x: u64): u64 = x / 2 }", encoding="utf-8")
    text = POLICY.replace("policy facts {\n", 'policy user {\n  import half from "library.cpol"\n')
    (folder / "user.cpol").write_text(text.replace("f.index % 5", "half(f.index) % 5"), encoding="utf-8")
    (folder / "link").symlink_to("library.cpol")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = sim("user.cpol", "--input", "scanners=@scanners.txt", option, name)
    assert result.exit_code == 1 and f"{option} {Path(name)} would write over" in result.stderr
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_log_and_a_state_need_a_file_each(folder: Path) -> None:
    result = sim("lru", "--log", "out", "--state", "./out")
    assert result.exit_code == 1 and "--log and --state would both write out" in result.stderr
    assert sim("lru", "--log", "/dev/null", "--state", "/dev/null").exit_code == 0


def test_a_log_is_a_trace(folder: Path) -> None:
    """It has the requests of the run, and those that the policy refused, as often as it refused them."""
    (folder / "shy.cpol").write_text(POLICY.replace("{ leave f }", "{ place f at head of queue }"), encoding="utf-8")
    reads = ("--trace", "reads.csv", "--columns", "time_ms=0,file=1,page=2,thread=3,process=4", "--capacity", "20")
    written = run("sim", "shy.cpol", *reads, "--input", "scanners=3", "--log", "run.log", "--json")
    assert written.exit_code == 0 and json.loads(written.stdout)["refused_admission"] > 0
    told = [
        json.loads(run("sim", "shy.cpol", *trace, "--input", "scanners=3", "--json").stdout)
        for trace in (("--trace", "run.log", "--capacity", "20"), reads)
    ]
    same = ("requests", "misses", "refused_admission", "fallback")
    assert [told[0][key] for key in same] == [told[1][key] for key in same] and told[0]["requests"] == 700
