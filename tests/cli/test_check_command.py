"""`cpolc check`: output, exit codes, and replay of counterexamples."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.cli.progress import CLEAR, progress

RARELY = """policy rarely {
  list queue
  state seen: u8 = 0
  on added(f) {
    place f at tail of queue
    if cache.size > 999 {
      seen += 1
      seen += 2
    }
    if cache.size > 998 { seen += 1 }
  }
  on evict { scan queue from head as f { evict f } }
  invariant seen == 0
}
"""
KEEPER = """/// Never evicts its last folio.
policy keeper {
  param least: u8 = 1 in 1..3
  list queue
  on added(f) { place f at tail of queue }
  on evict { if queue.size > least { scan queue from head up to queue.size - least as f { evict f } } }
  invariant queue.size == cache.size
}
"""


def cpolc(*args: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


@pytest.fixture
def keeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "keeper.cpol"
    path.write_text(KEEPER, encoding="utf-8")
    return path


def with_tests(path: Path, *tests: str) -> Path:
    """A policy that keeps all of its folios in order of arrival, with these tests."""
    steady = KEEPER.replace("if queue.size > least", "if true").replace("up to queue.size - least ", "")
    path.write_text(steady.rstrip().removesuffix("}") + "\n".join(tests) + "\n}\n", encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("words", [[], ["--no-native"]])
def test_a_failing_test_comes_before_the_search(keeper: Path, words: list[str]) -> None:
    good = "test fits(capacity: 2) { access 1, 2  expect queue.is(1, 2) }"
    wrong = "test stays(capacity: 2) { access 1..3  expect cache.has(1) }"
    with_tests(keeper, good, wrong)
    result = cpolc("check", keeper, *words)
    assert result.exit_code == 1 and "no counterexample" not in result.output
    assert "test stays failed: expect cache.has(1)" in result.output
    assert f"again: cpolc test {keeper} --filter stays" in result.output
    assert result.output.splitlines()[-1] == "keeper: 1 of 2 tests failed"
    report = json.loads(cpolc("check", keeper, "--json", *words).stdout)
    assert (report["ok"], report["counterexample"]) == (False, None)
    assert [(test["name"], test["ok"]) for test in report["tests"]] == [("fits", True), ("stays", False)]
    assert report["tests"][1]["failure"]["message"] == "expect cache.has(1)"
    assert list(keeper.parent.iterdir()) == [keeper]


def test_a_test_that_breaks_a_property_leads_to_a_small_counterexample(keeper: Path) -> None:
    text = with_tests(keeper, "test fits(capacity: 9) { access 1..8  expect true }").read_text(encoding="utf-8")
    keeper.write_text(text.replace("queue.size == cache.size", "queue.size < 3"), encoding="utf-8")
    result = cpolc("check", keeper, "--no-native")
    assert result.exit_code == 1 and "property broken: invariants" in result.output
    assert (keeper.parent / "keeper.counterexample").exists()


@pytest.mark.slow
def test_a_step_that_cannot_happen_fails_in_the_end(keeper: Path) -> None:
    with_tests(keeper, "test gone(capacity: 2) { remove 7  expect true }")
    result = cpolc("check", keeper, "--no-native", "--max-examples", "5")
    assert result.exit_code == 1 and "test gone failed: " in result.output
    assert result.output.splitlines()[-1] == "keeper: 1 of 1 test failed"


@pytest.mark.slow
def test_check_of_a_correct_policy() -> None:
    result = cpolc("check", "fifo", "--max-examples", "20", "--seed", "3")
    assert result.exit_code == 0, result.output
    assert result.output.startswith("fifo: no counterexample in 1 test, 20 scenarios, 1 long run (")
    assert result.output.splitlines()[0].endswith(
        " events, seed 3) and 1,000,000 requests in native code; every statement ran"
    )


@pytest.mark.slow
def test_check_leaves_no_files(keeper: Path) -> None:
    assert cpolc("check", "fifo", "--max-examples", "5").exit_code == 0
    assert list(keeper.parent.iterdir()) == [keeper]


@pytest.mark.slow
def test_check_of_a_correct_policy_as_json() -> None:
    report = json.loads(cpolc("check", "s3fifo", "--max-examples", "5", "--json").output)
    assert report["ok"] is True
    assert report["counterexample"] is None
    assert (report["policy"], report["seed"], report["examples"]) == ("s3fifo", 0, 5)
    assert report["requests"] == 1_000_000


@pytest.mark.slow
def test_counterexample_is_printed_and_saved_and_replays(keeper: Path) -> None:
    result = cpolc("check", keeper)
    assert result.exit_code == 1
    assert f"{keeper}:6: evict proposed nothing in 8 calls" in result.output
    assert "property broken: progress" in result.output
    assert f"cpolc check {keeper} --replay keeper.counterexample" in result.output
    assert f"cpolc step {keeper} keeper.counterexample" in result.output
    again = cpolc("check", keeper, "--replay", "keeper.counterexample")
    assert again.exit_code == 1
    assert "evict proposed nothing in 8 calls" in again.output
    assert "saved to" not in again.output
    assert again.output.endswith(f"step through it with: cpolc step {keeper} keeper.counterexample\n")


@pytest.mark.slow
def test_commands_to_paste_quote_names_with_blanks(keeper: Path, tmp_path: Path) -> None:
    policy = keeper.rename(tmp_path / "a keeper.cpol")
    result = cpolc("check", policy, "--no-native", "--save", "a log")
    assert result.stdout.splitlines()[-2:] == [
        f"saved to a log; replay it with: cpolc check '{policy}' --replay 'a log'",
        f"step through it with: cpolc step '{policy}' 'a log'",
    ]


@pytest.mark.slow
def test_counterexample_as_json_and_out_option(keeper: Path, tmp_path: Path) -> None:
    result = cpolc("check", keeper, "--json", "--save", tmp_path / "found")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["ok"] is False
    assert report["counterexample"]["property"] == "progress"
    assert report["counterexample"]["file"] == str(tmp_path / "found")
    assert (tmp_path / "found").read_text().startswith("cpol-events\t1\n")


@pytest.mark.slow
def test_corrected_policy_replays_without_failure(keeper: Path) -> None:
    assert cpolc("check", keeper).exit_code == 1
    log = Path("keeper.counterexample")
    events = [line for line in log.read_text().splitlines(keepends=True) if not line.startswith("\t")]
    log.write_text("".join(events).replace("decisions\tyes", "decisions\tno"))
    keeper.write_text(KEEPER.replace("queue.size > least", "least > 0").replace("queue.size - least", "queue.size"))
    result = cpolc("check", keeper, "--replay", log)
    assert (result.exit_code, result.stdout) == (0, "keeper: keeper.counterexample replays, and every property holds\n")


@pytest.mark.slow
def test_replay_after_the_policy_was_mended_says_so(keeper: Path) -> None:
    assert cpolc("check", keeper, "--no-native").exit_code == 1
    keeper.write_text(KEEPER.replace("queue.size > least", "true").replace("queue.size - least", "queue.size"))
    log = Path("keeper.counterexample")
    result = cpolc("check", keeper, "--replay", log)
    assert result.exit_code == 2 and "decision 1 differs" in result.stderr, result.output
    assert "the policy decides otherwise than in the log, so it has changed since it was recorded" in result.stderr
    assert f"`cpolc step {keeper} keeper.counterexample` shows where" in result.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "log:1: the file is empty"),
        ("cpol-events\t1\npolicy\tother\nlists\tqueue\nghosts\ncapacity\t1\nbatch\t1\ndecisions\tno\n",
         "log: recorded with policy other (lists queue; ghosts none), not with the given policy fifo"),
        ("cpol-events\t1\npolicy\tfifo\nlists\tqueue\nghosts\ncapacity\t1\nbatch\t1\ndecisions\tno\naccessed\t0\t7\n",
         "accessed: folio (0, 7) is not in the cache; replaying log:8"),
        ("cpol-events\t1\npolicy\tfifo\nlists\tqueue\nghosts\ncapacity\t1\nbatch\t1\ndecisions\tno\nparam\tx\t1\n",
         "policy fifo has no param 'x'; it has none"),
        ("cpol-events\t1\npolicy\tfifo\nlists\tqueue\nghosts\ncapacity\t1\nbatch\t1\ndecisions\tyes\nadded\t0\t7\t1\n",
         "log:8: after event 'added 0 7 1', decision 1 differs: the log has 'nothing more'"),
    ],
)  # fmt: skip
def test_log_that_does_not_replay(keeper: Path, content: str, message: str) -> None:
    Path("log").write_text(content)
    result = cpolc("check", "fifo", "--replay", "log")
    assert result.exit_code == 2
    assert result.output.startswith("cpolc: error: ")
    assert message in result.output


@pytest.mark.slow
def test_counterexample_that_cannot_be_saved(keeper: Path) -> None:
    words = ("check", keeper, "--no-native", "--save", "no/such/folder/file")
    why = "the counterexample is not saved to no/such/folder/file: No such file or directory"
    result = cpolc(*words)
    assert result.exit_code == 1 and "property broken: progress" in result.stdout
    assert result.stderr == f"note: {why}; name another file with --save\n"
    assert "saved to" not in result.stdout and "step through it" not in result.stdout
    result = cpolc(*words, "--json")
    assert result.exit_code == 1 and why in json.loads(result.stderr)["message"]
    found = json.loads(result.stdout)["counterexample"]
    assert (found["property"], found["file"]) == ("progress", None)


def test_wrong_usage() -> None:
    assert cpolc("check", "fifo", "--max-examples", "0").exit_code == 2
    assert cpolc("check", "fifo", "--replay", "/no/such/file").exit_code == 2
    assert cpolc("check").exit_code == 2


@pytest.mark.long
def test_first_line_names_unreached_statements(tmp_path: Path) -> None:
    path = tmp_path / "rarely.cpol"
    path.write_text(RARELY)
    result = cpolc("check", path, "--no-native", "--max-examples", "20")
    assert result.exit_code == 3
    assert result.output.startswith("rarely: 3 of 8 statements never ran (line 7-8, 10:27); no counterexample in ")
    report = json.loads(cpolc("check", path, "--no-native", "--max-examples", "20", "--json").output)
    assert report["statements"] == 8
    assert report["unreached"] == [{"line": 7, "column": 7}, {"line": 8, "column": 7}, {"line": 10, "column": 27}]


def on_a_terminal(*words: str, folder: Path) -> str:
    """Run `cpolc` with a terminal as standard error, and return what it writes there."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "cpol.cli.main", *words]
    environment = {**os.environ, "TERM": "xterm"}
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=slave, check=False)
    os.set_blocking(master, False)
    shown = os.read(master, 65536) if select.select([master], [], [], 0)[0] else b""
    os.close(slave)
    os.close(master)
    return shown.decode()


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal_only(keeper: Path) -> None:
    words = ("check", "fifo", "--no-native", "--max-examples", "30")
    shown = on_a_terminal(*words, folder=keeper.parent)
    assert shown.startswith("\r\x1b[Kfifo: test 1 of 1") and shown.endswith("\r\x1b[K")
    assert on_a_terminal(*words, "--json", folder=keeper.parent) == ""
    assert cpolc(*words).stderr == ""


def test_progress_is_throttled(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    now = 100.0
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with progress() as show:
        for n in range(10):
            show(f"<{n}>")
            now += 0.06
    assert sys.stderr.getvalue().replace(CLEAR, "") == "<0><4><8>"


@pytest.mark.parametrize("words", [("--save", "other"), ("--max-examples", "5"), ("--seed", "0")])
def test_a_replay_takes_no_options_of_the_search(words: tuple[str, str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("", encoding="utf-8")
    done = cpolc("check", "fifo", "--replay", log, *words)
    assert done.exit_code == 2 and f"'{words[0]}': is about the search, and --replay makes none" in done.output
    assert not (tmp_path / "other").exists()
