"""`cpolc step`: text, commands, breakpoints, counterexamples, and wrong input."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli

KEEPER = """/// Keeps what was read again.
policy keeper {
  list queue, kept
  state moves: u8 = 0
  on added(f)    { place f at tail of queue }
  on accessed(f) { moves += 1  move f to tail of kept }
  on evict       {
    scan queue from head as f { evict f }
    if moves > 9 { scan kept from head as f { evict f } }
  }
  test moves_it(capacity: 2) {
    access 1, 2, 1
    expect kept.has(1)
  }
  test wrong(capacity: 2) {
    access 1
    expect kept.has(1)
  }
}
"""
STARVES = KEEPER.replace("expect kept.has(1)\n  }\n}", "expect queue.has(1)\n  }\n}")
"""The same, whose tests pass."""
ADDED_TWICE = """\
   0  attached
   1  miss of 1 (line 12)
   2  added 1 (line 12)
      line 5: on added(f)    { place f at tail of queue }
      decides: place 1 at tail of queue
      queue: empty -> 1
   3  first access to 1 (line 12)
   4  miss of 2 (line 12)
   5  added 2 (line 12)
      line 5: on added(f)    { place f at tail of queue }
      decides: place 2 at tail of queue
      queue: 1 -> 1 2
   6  first access to 2 (line 12)
   7  access to 1 (line 12)
      line 6: on accessed(f) { moves += 1  move f to tail of kept }
      decides: move 1 to tail of kept
      queue: 1 2 -> 2
      kept: empty -> 1
      moves: 0 -> 1
   8  expect kept.has(1) (line 13)
"""


def cpolc(*args: str | Path, typed: str = "") -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args], input=typed)


@pytest.fixture
def keeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "keeper.cpol"
    path.write_text(KEEPER, encoding="utf-8")
    return path


def test_test_as_text(keeper: Path) -> None:
    result = cpolc("step", keeper, "--test", "moves_it")
    assert result.exit_code == 0, result.output
    first, _, rest = result.output.partition("\n")
    assert first == "keeper, test moves_it, 8 events, with capacity 2, batch 1"
    assert rest == ADDED_TWICE
    assert cpolc("step", keeper, "--test", "moves_it", "--plain").output == result.output


def test_breakpoints_select_events_of_text(keeper: Path) -> None:
    result = cpolc("step", keeper, "--test", "moves_it", "--break", "6")
    assert [line for line in result.output.splitlines()[1:] if line[3].isdigit()] == ["   7  access to 1 (line 12)"]


def test_json(keeper: Path) -> None:
    result = cpolc("step", keeper, "--test", "moves_it", "--json")
    assert result.exit_code == 0, result.output
    events = [json.loads(line) for line in result.output.splitlines()]
    assert [event["event"] for event in events] == list(range(9))
    assert events[7] == {
        "event": 7,
        "what": "access to 1 (line 12)",
        "ran": [{"line": 6, "column": 20}, {"line": 6, "column": 32}],
        "decisions": ["move 1 to tail of kept"],
        "logged": None,
        "changes": ["queue: 1 2 -> 2", "kept: empty -> 1", "moves: 0 -> 1"],
        "lists": {"queue": ["2"], "kept": ["1"]},
        "states": {"moves": 1},
        "problem": None,
    }
    (event,) = cpolc("step", keeper, "--test", "wrong", "--json", "--break", "6").output.splitlines()
    assert "expect kept.has(1): it is false" in json.loads(event)["problem"]
    assert cpolc("step", keeper, "--test", "wrong", "--json").exit_code == 1
    assert cpolc("step", keeper, "--test", "wrong", "--json", "--interactive").exit_code == 2


def test_false_expect(keeper: Path) -> None:
    result = cpolc("step", keeper, "--test", "wrong", "--break", "6")
    assert result.exit_code == 1
    assert result.output.splitlines()[1:] == [
        "   4  expect kept.has(1) (line 17)",
        f"      {keeper}:17: expect kept.has(1): it is false",
    ]


def test_counterexample_opens(keeper: Path) -> None:
    keeper.write_text(STARVES)
    found = cpolc("check", keeper, "--no-native")
    assert found.exit_code == 1
    assert found.output.endswith(f"step through it with: cpolc step {keeper} keeper.counterexample\n")
    result = cpolc("step", keeper, "keeper.counterexample")
    assert result.exit_code == 1
    assert result.output.endswith(
        f"      {keeper}:7: evict proposed nothing in 8 calls, though the policy owns 1 page\n"
    )


def test_log_goes_on_after_a_fallback(keeper: Path) -> None:
    """The machine falls back where `check` would say that the policy starves."""
    events = "added 0 1 1|first_accessed 0 1|accessed 0 1|evict 1|fallback 0 1|added 0 2 1".replace(" ", "\t")
    Path("log").write_text(HEADER + "".join(f"{line}\n" for line in events.split("|")))
    result = cpolc("step", keeper, "log")
    assert result.exit_code == 1
    assert "evict proposed nothing in 8 calls" in result.output
    assert "   5  fallback takes 1\n      kept: 1 -> empty\n   6  added 2\n" in result.output


def test_log_with_other_decisions(keeper: Path) -> None:
    keeper.write_text(STARVES)
    assert cpolc("check", keeper, "--no-native").exit_code == 1
    keeper.write_text(STARVES.replace("moves > 9", "moves > 0").replace("place f at tail", "place f at head"))
    result = cpolc("step", keeper, "keeper.counterexample")
    assert result.exit_code == 0, result.output
    assert "      the log has other decisions: place 1 at tail of queue\n" in result.output
    assert "      decides: evict 1\n      the log has other decisions: none\n" in result.output


SESSION = """\
(step) n 2
   2  added 1 (line 12)
      line 5: on added(f)    { place f at tail of queue }
      decides: place 1 at tail of queue
      queue: empty -> 1
(step) break 6
breakpoint on line 6: on accessed(f) { moves += 1  move f to tail of kept }
(step) c
   7  access to 1 (line 12)
      line 6: on accessed(f) { moves += 1  move f to tail of kept }
      decides: move 1 to tail of kept
      queue: 1 2 -> 2
      kept: empty -> 1
      moves: 0 -> 1
(step) l
queue (1 page): 2
kept (1 page): 1
(step) l kept
kept (1 page): 1
(step) f 1
folio 1: number 1 of 1 on kept, from the head
(step) s
cache: 2 of 2 pages, clock 3, time 0 ms, thread 0 of process 0
moves = 1
(step) b
   6  first access to 2 (line 12)
(step) l
queue (2 pages): 1 2
kept (0 pages): empty
(step)
queue (2 pages): 1 2
kept (0 pages): empty
(step) g 7
   7  access to 1 (line 12)
      line 6: on accessed(f) { moves += 1  move f to tail of kept }
      decides: move 1 to tail of kept
      queue: 1 2 -> 2
      kept: empty -> 1
      moves: 0 -> 1
(step) delete 6
(step) break
no breakpoints
(step) c
   8  expect kept.has(1) (line 13)
(step) c
the script ends here
(step) b 100
   0  attached
(step) b
this is the start
(step) q
"""


def test_commands_from_a_pipe(keeper: Path) -> None:
    typed = "".join(line.removeprefix("(step)").lstrip() + "\n" for line in SESSION.splitlines() if "(step)" in line)
    result = cpolc("step", keeper, "--test", "moves_it", "--interactive", typed=typed + "n\n")
    assert result.exit_code == 0, result.output
    shown = "".join(line.rstrip() + "\n" for line in result.output.splitlines()[1:])
    assert shown == "   0  attached\n" + SESSION


def test_policy_shows_breakpoints_and_lines_that_ran(keeper: Path) -> None:
    result = cpolc("step", keeper, "--test", "moves_it", "--interactive", "--break", "6", typed="g 2\np\n")
    assert "\n >   5    on added(f)    { place f at tail of queue }\n*    6    on accessed(f)" in result.output


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("x", "x: there is no command 'x'; h lists them"),
        ("n x", "n x: 'x' is not a number"),
        ("n -1", "n -1: '-1' is not a number"),
        ("g 9", "g 9: there is no event 9; the last is 8"),
        ("break 1", "break 1: no statement begins on line 1 of keeper; the nearest is on line 5"),
        ("delete 5", "delete 5: there is no breakpoint on line 5"),
        ("l none", "l none: keeper has no list none; it has queue, kept"),
        ("f queue", "f queue: 'queue' is not a folio: write INDEX, or FILE:INDEX"),
    ],
)
def test_wrong_command_from_a_pipe_ends_it(keeper: Path, command: str, message: str) -> None:
    result = cpolc("step", keeper, "--test", "moves_it", "--interactive", typed=f"{command}\nn\n")
    assert (result.exit_code, result.stderr) == (2, f"cpolc: error: {message}\n")
    assert "miss of 1" not in result.stdout


@pytest.mark.slow
def test_commands_that_are_no_text(keeper: Path) -> None:
    words = [sys.executable, "-m", "cpol.cli.main", "step", "keeper.cpol", "--test", "moves_it", "--interactive"]
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run(words, input=b"n\n\xff\n", capture_output=True, env=strict, check=False)
    assert (done.returncode, done.stderr) == (2, b"cpolc: error: a command is not UTF-8 text\n")


HEADER = "cpol-events\t1\npolicy\tkeeper\nlists\tqueue\tkept\nghosts\ncapacity\t2\nbatch\t1\ndecisions\tno\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "log:1: the file is empty; an event log begins with 'cpol-events 1'"),
        (HEADER.replace("keeper", "other"), "log: recorded with policy other (lists queue kept; ghosts none), "
         "not with the given policy keeper (lists queue kept; ghosts none)"),
        (f"{HEADER}accessed\t0\n", "log:8: 'accessed' takes FILE INDEX, not 1 columns"),
        (f"{HEADER}accessed\t0\t7\n", "log:8: accessed: folio (0, 7) is not in the cache"),
        (HEADER.replace("capacity\t2", "capacity\t2\nparam\tx\t1"), "policy keeper has no param 'x'; it has none"),
    ],
)  # fmt: skip
def test_wrong_log(keeper: Path, content: str, message: str) -> None:
    Path("log").write_text(content)
    result = cpolc("step", keeper, "log")
    assert (result.exit_code, result.stderr) == (2, f"cpolc: error: {message}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--test moved", "cpolc: error: policy keeper has no test 'moved'; it has moves_it, wrong"),
        (
            "--test moves_it --break 3",
            "cpolc: error: no statement begins on line 3 of keeper; the nearest is on line 5",
        ),
        ("no_such_log", "Error: Invalid value for '[SCRIPT]': File 'no_such_log' does not exist."),
        ("", "Error: name what to step through: either SCRIPT, an event log, or --test NAME"),
        ("keeper.cpol --test wrong", "Error: name what to step through: either SCRIPT, an event log, or --test NAME"),
        ("--test wrong --plain --interactive", "Error: --plain and --interactive exclude each other"),
    ],
)
def test_wrong_usage(keeper: Path, words: str, message: str) -> None:
    result = cpolc("step", keeper, *words.split())
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == message


def test_invariant_that_never_holds(keeper: Path) -> None:
    keeper.write_text(KEEPER.replace("  test moves_it", "  invariant moves == 1\n  test moves_it"))
    assert cpolc("check", keeper, "--no-native").exit_code == 1
    for words in (["keeper.counterexample"], ["--test", "moves_it"]):
        result = cpolc("step", keeper, *words)
        assert result.exit_code == 1
        assert result.stderr == f"cpolc: error: {keeper}:11: invariant does not hold: moves == 1\n    moves = 0\n"


def test_wrong_policy(keeper: Path) -> None:
    keeper.write_text("policy keeper {")
    result = cpolc("step", keeper, "--test", "wrong")
    assert result.exit_code == 2
    assert "error[E0" in result.stderr


@contextmanager
def on_a_terminal(*words: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run `cpolc step` on a terminal: the process, and the other side of the terminal."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "cpol.cli.main", "step", *words]
    plain = {**os.environ, "TERM": "dumb"}
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=plain) as process:
        os.close(slave)
        try:
            yield process, master
        finally:
            process.kill()
            os.close(master)


@pytest.mark.slow
def test_on_a_terminal_it_asks_for_commands(keeper: Path) -> None:
    with on_a_terminal("keeper.cpol", "--test", "moves_it") as (process, terminal):
        shown = until(terminal, "(step) ")
        assert "h lists the commands" in shown and "attached" in shown
        os.write(terminal, b"wrong\n")
        assert "there is no command 'wrong'; h lists them" in until(terminal, "(step) ")
        os.write(terminal, b"n 7\n")
        assert "moves: 0 -> 1" in until(terminal, "(step) ")
        os.write(terminal, b"q\n")
        assert process.wait(timeout=60) == 0


@pytest.mark.slow
def test_interrupt_ends_a_long_command_only(keeper: Path) -> None:
    Path("log").write_text(HEADER + "added\t0\t7\t1\nfirst_accessed\t0\t7\n" + "accessed\t0\t7\n" * 200_000)
    with on_a_terminal("keeper.cpol", "log") as (process, terminal):
        until(terminal, "(step) ")
        os.write(terminal, b"n 3\n")
        assert "   3  access to 7" in until(terminal, "(step) ")
        os.write(terminal, b"c\n")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        shown = until(terminal, "(step) ")
        assert "interrupted" in shown and "   3  access to 7" in shown
        os.write(terminal, b"n\n")
        assert "moves: 1 -> 2" in until(terminal, "(step) ")


def until(master: int, end: str) -> str:
    """What the terminal shows up to `end`."""
    shown, deadline = "", time.monotonic() + 60
    while not shown.endswith(end):
        assert time.monotonic() < deadline, shown
        if select.select([master], [], [], 1)[0]:
            shown += os.read(master, 4096).decode()
    return shown
