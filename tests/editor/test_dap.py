"""`cpolc dap`, by the Debug Adapter Protocol: forward and back, breakpoints, variables, watches."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from dap_client import Debugger, Refused, debugger, launched

from cpol.compiler import ir
from cpol.compiler.stages import run_file
from cpol.runtime.explore.check.policy_test import perform
from cpol.runtime.machine.events.write import save
from cpol.runtime.machine.interp import Machine

pytestmark = pytest.mark.slow  # each starts an adapter

POLICY = """policy counter {
  param most: u8 = 2 in 1..9
  list cold, hot
  ghost gone { capacity: 4 }
  folio { reads: u2 = 0 }
  state seen: u8 = 0
  table files: u16[4] = 0

  on added(f) {
    seen += 1
    files[f.file] += 1
    place f at tail of cold
  }
  on accessed(f) {
    f.reads += 1
    if f.reads >= most { move f to head of hot }
  }
  on removed(f, why) { gone.add(f) }
  on evict { scan cold from head as f { evict f } }

  test goes(capacity: 2) {
    access 1, 1, 1, 1
    access 2
    access 3
    expect gone.has(2)
  }
  test fails(capacity: 2) {
    access 1
    expect cold.has(2)
  }
}
"""
ADDED, MOVED = 10, 16
"""Lines with a statement."""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "counter.cpol"
    path.write_text(POLICY)
    return path


def names(made: Debugger, scope: str) -> list[str]:
    return list(made.scope(scope))


def test_forward_and_back(policy: Path) -> None:
    with debugger() as made:
        launched(made, policy, test="goes")
        assert made.frame()["name"].startswith("0 of ")
        seen = [made.frame()["name"], *(made.go("next") for _ in range(5))]
        back = [made.go("stepBack") for _ in range(4)]
        assert [each.partition(": ")[2] for each in back] == [each.partition(": ")[2] for each in seen[4:0:-1]]
        assert made.go("stepIn") == seen[2] and made.go("stepOut") == seen[3]
        for _ in range(3):
            made.go("stepBack")
        with pytest.raises(Refused, match="this is the start"):
            made.request("stepBack", threadId=1)


def test_breakpoints_by_line_and_by_event_in_both_directions(policy: Path) -> None:
    with debugger() as made:
        found = launched(made, policy, (MOVED, 3), test="goes")
        assert [each["verified"] for each in found] == [True, False] and "line 10" in found[1]["message"]
        stop = made.go("continue")
        assert stop.startswith("breakpoint: ") and "access to 1" in stop
        assert made.frame()["line"] == MOVED and made.frame()["source"]["path"] == str(policy)
        found = made.request("setFunctionBreakpoints", breakpoints=[{"name": "evict"}, {"name": "evicts"}])
        assert [each["verified"] for each in found["breakpoints"]] == [True, False]
        made.request("setBreakpoints", source={"path": str(policy)}, breakpoints=[])
        stop = made.go("continue")
        assert stop.startswith("function breakpoint: ") and "evict request" in stop
        made.request("setBreakpoints", source={"path": str(policy)}, breakpoints=[{"line": ADDED}])
        stop = made.go("reverseContinue")
        assert stop.startswith("breakpoint: ") and "added" in stop
        made.request("setBreakpoints", source={"path": str(policy)}, breakpoints=[])
        assert made.go("reverseContinue").startswith("entry: 0 of ")
        elsewhere = made.request("setBreakpoints", source={"path": "/x.cpol"}, breakpoints=[{"line": 1}])
        assert elsewhere["breakpoints"][0]["verified"] is False


def test_restart_takes_the_file_as_it_is_now(policy: Path) -> None:
    with debugger() as made:
        launched(made, policy, (ADDED,), test="goes")
        assert made.go("continue").startswith("breakpoint: ")
        policy.write_text(POLICY.replace("access 1, 1, 1, 1", "access 7, 1"))
        assert made.go("restart").startswith("entry: 0 of ")
        made.go("continue")
        assert made.watch("cold.has(7)") == "true"
        policy.write_text("policy")
        before = made.frame()
        with pytest.raises(Refused, match="E0"):
            made.request("restart")
        assert made.frame() == before, "what cannot begin leaves the session as it was"


def test_a_search_back_can_be_stopped(policy: Path, tmp_path: Path) -> None:
    """It goes through all that was before, and nothing else moves the session meanwhile."""
    log = tmp_path / "long.log"
    saved(policy, log, times=2000)
    with debugger() as made:
        launched(made, policy, log=str(log))
        made.go("continue")
        made.ask("reverseContinue", threadId=1)
        made.ask("next", threadId=1)
        made.ask("pause", threadId=1)
        answers = [made.answer() for _ in range(3)]
        assert [(each["command"], each["success"]) for each in answers] == [
            ("reverseContinue", True),
            ("next", False),
            ("pause", True),
        ]
        assert "it is running; send `pause` first" in answers[1]["message"]
        assert made.wait("stopped")["reason"] == "pause"
        assert made.go("next").startswith("step: ")


def test_the_end(policy: Path) -> None:
    with debugger() as made:
        launched(made, policy, test="goes")
        assert made.go("continue").startswith("step: ")
        made.request("continue", threadId=1)
        made.wait("terminated")
        made.request("disconnect")
        assert made.process.wait(60) == 0


def test_variables(policy: Path) -> None:
    with debugger() as made:
        launched(made, policy, (MOVED,), test="goes")
        made.go("continue")
        made.go("continue")
        lists = made.scope("Lists")
        assert lists["cold"]["value"] == "0 pages" and lists["hot"]["value"] == "1 page: 1"
        assert lists["hot"]["indexedVariables"] == 1
        folio = made.parts(lists["hot"])["[0]"]
        assert folio["value"] == "1: reads 2" and made.parts(folio)["reads"]["value"] == "2"
        assert made.scope("Records")["1"]["value"] == "reads 2"
        assert made.scope("Params")["most"]["value"] == "2"
        state = made.scope("State")
        assert state["seen"]["value"] == "1" and made.parts(state["cache"])["capacity"]["value"] == "2"
        assert made.parts(state["files"])["[0]"]["value"] == "1"
        assert made.scope("Event")["event"]["value"].startswith("access to 1")
        assert made.scope("Ghosts")["ghost gone"]["value"] == "0 of 4"
        made.request("setBreakpoints", source={"path": str(policy)}, breakpoints=[])
        made.go("continue")
        ghost = made.scope("Ghosts")["ghost gone"]
        assert ghost["value"] == "1 of 4" and list(made.parts(ghost)) == ["2"]
        old = ghost["variablesReference"]
        made.go("stepBack")
        with pytest.raises(Refused, match="of an earlier step"):
            made.request("variables", variablesReference=old)


def test_watches(policy: Path) -> None:
    with debugger() as made:
        launched(made, policy, test="goes")
        for _ in range(2):
            made.go("next")
        for text, value in {
            "seen": "1",
            "seen + 1": "2",
            "cold.size": "1",
            "cold.has(1)": "true",
            "cold.size > 3 or most == 2": "true",
            "cache.capacity / 3.0": "0.66666",
            "files[0]": "1",
            "gone": "0 of 4",
            "hot": "0 pages",
        }.items():
            assert made.watch(text).startswith(value), text
        before = made.frame()
        for text in ("nothing", "f.reads", "seen +", "seen } }", "", "1 / 0", "seen // x"):
            with pytest.raises(Refused):
                made.watch(text)
        assert made.frame() == before
        made.go("stepBack")
        assert made.watch("cold.has(1)") == "false"


def test_what_breaks_stops_it(policy: Path) -> None:
    with debugger() as made:
        launched(made, policy, test="fails")
        assert made.go("continue").startswith("exception: ")
        told = made.request("exceptionInfo", threadId=1)
        assert "expect cold.has(2): it is false" in told["description"]
        assert made.go("stepBack").startswith("step: ")


def saved(policy: Path, path: Path, times: int = 1) -> None:
    """The event log of a test of the policy, which is done so often."""
    made_of = run_file(policy).policy
    machine = Machine(made_of, 2)
    for step in made_of.tests[0].steps * times:
        if not isinstance(step, ir.Fill | ir.Expect):
            perform(step, machine)
    save(path, machine.header, machine.records)


def test_an_event_log(policy: Path, tmp_path: Path) -> None:
    path = tmp_path / "some.log"
    saved(policy, path)
    with debugger() as made:
        launched(made, policy, log=str(path))
        assert made.go("continue").startswith("step: ")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"policy": "nowhere.cpol", "test": "goes"}, "no such policy file"),
        ({"policy": "fifo", "test": "none"}, "has no test 'none'"),
        ({"policy": "fifo"}, "either `test`"),
        ({"policy": "fifo", "log": "/nowhere"}, "cannot read /nowhere"),
        ({}, "'launch' needs the argument 'policy'"),
    ],
)
def test_what_cannot_be_launched(arguments: dict[str, str], why: str) -> None:
    with debugger() as made:
        with pytest.raises(Refused, match=why):
            made.request("launch", **arguments)
        with pytest.raises(Refused, match="send `launch` first"):
            made.request("next", threadId=1)


def test_requests_that_nobody_knows_and_arguments_that_are_wrong() -> None:
    with debugger() as made:
        launched(made, "fifo", test="order_of_arrival")
        for command, arguments, why in (
            ("sing", {}, "does not know the request 'sing'"),
            ("variables", {"variablesReference": "x"}, "'variablesReference' of 'variables' is a number, not 'x'"),
            ("variables", {"variablesReference": True}, "is a number, not True"),
            ("variables", {"variablesReference": 10**9}, "of an earlier step"),
            ("setBreakpoints", {"source": {}, "breakpoints": [{}]}, "'setBreakpoints' needs the argument 'line'"),
            ("setBreakpoints", {"breakpoints": 5}, "'breakpoints' of 'setBreakpoints' is an array, not 5"),
            ("setFunctionBreakpoints", {"breakpoints": [5]}, "is an array of objects"),
            ("evaluate", {"expression": None}, "'evaluate' needs the argument 'expression'"),
            (
                "launch",
                {"policy": "fifo", "test": "order_of_arrival", "stopOnEntry": "no"},
                "'stopOnEntry' of 'launch' is true or false, not 'no'",
            ),
            ("read", {}, "does not know the request 'read'"),
        ):
            with pytest.raises(Refused, match=re.escape(why)):
                made.request(command, **arguments)
        assert made.go("next").startswith("step: ")


@pytest.mark.long
def test_the_test_client_of_vs_code(policy: Path, built: Path, tmp_path: Path) -> None:
    """A client that others wrote, under node: it starts the adapter, and checks what it says."""
    adapter = tmp_path / "adapter.py"
    adapter.write_text('import sys\nfrom cpol.cli.main import main\nsys.argv = ["cpolc", "dap"]\nmain()\n')
    modules = built / "vscode" / "node_modules"
    script = Path(__file__).with_name("debug_session.js")
    command = ["node", script, modules, sys.executable, adapter, policy, str(ADDED), str(MOVED)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "the session is over\n"), done.stdout + done.stderr
