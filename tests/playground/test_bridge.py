"""What the playground's page asks of cpol, without a browser."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from bridge import curves, traces
from bridge.answer import Bridge
from bridge.sources import units
from bridge.stepping import MOST_DRAWN

from cpol.compiler.policies import STDLIB, stdlib_names
from cpol.errors import RequestError

FIFO = """/// Evict in the order of arrival.
policy fifo {
  list queue
  on added(f) { place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
  invariant queue.size == cache.size
  test first_goes(capacity: 2) {
    access 1, 2, 3
    expect cache.has(2, 3)
  }
}
"""


def ask(bridge: Bridge, **request: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    told: list[str] = []
    answer = json.loads(bridge.answer(json.dumps(request), told.append))
    return answer, [json.loads(part) for part in told]


def begin(bridge: Bridge, text: str, numbers: str, capacity: int) -> dict[str, Any]:
    trace = {"kind": "numbers", "numbers": numbers}
    return ask(bridge, op="begin", text=text, test=None, trace=trace, capacity=capacity)[0]


def test_diagnostics_have_their_places_in_units_of_javascript() -> None:
    text = "// \U0001f600\n" + FIFO.replace("list queue", "list queue, queue")
    answer, _ = ask(Bridge(), op="check", text=text)
    assert not answer["ok"]
    found = answer["diagnostics"][0]
    utf16 = text.encode("utf-16-le")
    assert utf16[2 * found["from"] : 2 * found["to"]].decode("utf-16-le") == "queue"
    assert units(text, 4) == 5


def test_a_policy_without_errors_says_what_it_has() -> None:
    answer, _ = ask(Bridge(), op="check", text=(STDLIB / "s3fifo.cpol").read_text())
    assert answer["ok"] and answer["name"] == "s3fifo" and answer["evicts"]
    assert "two_reads_lead_to_main" in answer["tests"]
    assert answer["params"][2]["name"] == "threshold" and answer["params"][2]["default"] == "2"


def test_formatting() -> None:
    laid_out = ask(Bridge(), op="format", text=FIFO)[0]
    assert laid_out["ok"] and ask(Bridge(), op="format", text=FIFO.replace("  list", " list"))[0] == laid_out
    assert ask(Bridge(), op="format", text="policy {")[0]["diagnostics"]


def test_tests_pass_and_fail() -> None:
    answer, told = ask(Bridge(), op="tests", text=FIFO)
    assert answer == {"ok": True, "tests": 1, "failed": 0} and told[0]["ok"]
    answer, told = ask(Bridge(), op="tests", text=FIFO.replace("cache.has(2, 3)", "cache.has(1)"))
    assert answer["failed"] == 1
    assert told[0]["message"] == "expect cache.has(1)" and told[0]["line"] == 9


def test_steps_go_forward_and_back() -> None:
    bridge = Bridge()
    first = begin(bridge, FIFO, "1-3", 2)["step"]
    assert first["event"] == "attached" and first["lists"][0]["folios"] == []
    forward = [ask(bridge, op="go", number=number)[0]["step"] for number in range(first["last"] + 1)]
    assert [folio["name"] for folio in forward[-1]["lists"][0]["folios"]] == ["2", "3"]
    added = next(step for step in forward if step["event"] == "added 1")
    assert added["lines"] == [4] and added["lists"][0]["folios"][0]["mark"] == "new"
    back = [ask(bridge, op="go", number=number)[0]["step"] for number in reversed(range(first["last"] + 1))]
    assert back[::-1] == forward


def test_a_step_goes_on_to_a_line() -> None:
    bridge = Bridge()
    begin(bridge, FIFO, "1-3", 2)
    step = ask(bridge, op="run", line=5)[0]["step"]
    assert step["lines"] == [5] and "evict" in step["event"]
    assert "no statement begins on line 1" in ask(bridge, op="run", line=1)[0]["problem"]


def test_a_broken_policy_ends_the_steps_with_its_message() -> None:
    bridge = Bridge()
    text = FIFO.replace("== cache.size", "< 2")
    last = begin(bridge, text, "1-3", 2)["step"]["last"]
    step = ask(bridge, op="go", number=last)[0]["step"]
    assert "invariant does not hold" in step["problem"] and step["over"]
    assert ask(bridge, op="go", number=last)[0]["step"] == step


def test_long_lists_are_drawn_in_part() -> None:
    bridge = Bridge()
    last = begin(bridge, FIFO, "1-100", 100)["step"]["last"]
    folios = ask(bridge, op="go", number=last)[0]["step"]["lists"][0]["folios"]
    assert len(folios) == MOST_DRAWN + 1 and folios[MOST_DRAWN // 2] is None


def test_curves() -> None:
    trace = {"kind": "loop", "requests": 40, "pages": 4, "seed": 1}
    answer, told = ask(Bridge(), op="curves", text=FIFO, trace=trace, capacities=[3, 4], beside=["mru", "none"])
    points = {(part["name"], part["capacity"]): part["misses"] for part in told if "misses" in part}
    assert answer["ok"]
    assert points["fifo", 3] == 40 and points["fifo", 4] == points["optimal", 4] == points["mru", 4] == 4
    assert points["optimal", 3] <= points["mru", 3] < 40
    assert told[-2]["done"] == 1


def test_the_stdlib_policy_itself_is_drawn_once() -> None:
    trace = {"kind": "loop", "requests": 10, "pages": 4, "seed": 1}
    text = (STDLIB / "lru.cpol").read_text()
    told = ask(Bridge(), op="curves", text=text, trace=trace, capacities=[2], beside=["lru"])[1]
    assert {part["name"] for part in told if "name" in part} == {"lru", "optimal"}


@pytest.mark.parametrize("capacity", [1, 2, 3, 5])
def test_the_optimum_misses_no_more_than_any_choice(capacity: int) -> None:
    pages = traces.trace_of({"kind": "uniform", "requests": 12, "pages": 6, "seed": 3})

    def best(number: int, cached: frozenset[int]) -> int:
        if number == len(pages):
            return 0
        if pages[number] in cached:
            return best(number + 1, cached)
        kept = [cached] if len(cached) < capacity else [cached - {victim} for victim in cached]
        return 1 + min(best(number + 1, each | {pages[number]}) for each in kept)

    assert curves.optimal(pages, capacity) == best(0, frozenset())


def test_traces() -> None:
    assert traces.trace_of({"kind": "numbers", "numbers": " 1, 3-5 2-1\n"}) == [1, 3, 4, 5, 2, 1]
    for kind in ("zipf", "scan", "uniform", "loop"):
        asked = {"kind": kind, "requests": 500, "pages": 40, "seed": 7}
        assert len(traces.trace_of(asked)) == 500 and traces.trace_of(asked) == traces.trace_of(asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"kind": "numbers", "numbers": ""},
        {"kind": "numbers", "numbers": "1 x"},
        {"kind": "numbers", "numbers": "0-999999"},
        {"kind": "loop", "requests": "many", "pages": 3, "seed": 1},
        {"kind": "loop", "requests": 10**9, "pages": 3, "seed": 1},
        {"kind": "other", "requests": 1, "pages": 3, "seed": 1},
    ],
)
def test_wrong_traces_are_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(RequestError):
        traces.trace_of(asked)


def test_whatever_is_wrong_is_a_message() -> None:
    bridge = Bridge()
    loop = {"kind": "loop", "requests": 3, "pages": 3, "seed": 1}
    leap = (STDLIB / "leap.cpol").read_text()
    problems = [
        ask(bridge, op="go", number=1),
        ask(bridge, op="nothing"),
        ask(bridge, op="explain", code="E9999"),
        ask(bridge, op="begin", text=FIFO, test="gone", trace=loop, capacity=2),
        ask(bridge, op="begin", text=FIFO, test=None, trace=loop, capacity="few"),
        ask(bridge, op="begin", text=leap, test=None, trace=loop, capacity=2),
        ask(bridge, op="curves", text=leap, trace=loop, capacities=[], beside=[]),
        ask(bridge, op="curves", text=FIFO, trace=loop, capacities=["x"], beside=[]),
        ask(bridge, op="curves", text=FIFO, trace=loop, capacities=[2], beside=[], params={"no": "1"}),
    ]
    for answer, _ in problems:
        assert answer["ok"] is False and answer["problem"] and "Traceback" not in answer["problem"]
        assert "defect" not in answer["problem"]


def test_a_defect_is_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.answer.diagnose", lambda text: 1 / 0)
    answer = ask(Bridge(), op="check", text=FIFO)[0]
    assert answer["problem"].startswith("cpol has a defect here (ZeroDivisionError")


@pytest.mark.slow
@pytest.mark.parametrize("name", stdlib_names())
def test_every_stdlib_policy_passes_its_tests(name: str) -> None:
    text = (STDLIB / f"{name}.cpol").read_text()
    bridge = Bridge()
    assert ask(bridge, op="check", text=text)[0]["ok"]
    answer, told = ask(bridge, op="tests", text=text)
    assert answer["failed"] == 0 and answer["tests"] == len(told) > 0
    first = told[0]["name"]
    step = ask(bridge, op="begin", text=text, test=first)[0]["step"]
    end = ask(bridge, op="go", number=step["last"])[0]["step"]
    assert end["over"] and end["problem"] is None


@pytest.mark.slow
def test_the_bridge_needs_no_package_that_a_browser_lacks() -> None:
    code = """
import sys
LACKING = {"click", "ctypes", "hypothesis", "jinja2", "subprocess", "zstandard", "multiprocessing"}
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in LACKING:
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
import json
import os
del os.geteuid, os.getuid
from bridge.answer import Bridge
from cpol.compiler.policies import STDLIB
text = (STDLIB / "arc.cpol").read_text()  # it imports a library
assert json.loads(Bridge().answer(json.dumps({"op": "check", "text": text})))["ok"]
native = [name for name in sys.modules if name.startswith(("cpol.compiler.backend", "cpol.runtime.machine.native"))]
assert not native, native
"""
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})
