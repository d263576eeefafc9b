"""The policies that the page runs as native code, under node: they miss what they miss in the interpreter."""

from __future__ import annotations

import json
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bridge.answer import Bridge
from bridge.curves import misses, optimal
from bridge.native import MOST, OPTIMAL, Native, Run
from bridge.traces import trace_of
from webassembly import compile_to, sources

from cpol.compiler import ir
from cpol.compiler.policies import STDLIB, stdlib_names
from cpol.compiler.stages import run

pytestmark = pytest.mark.browser

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "playground" / "page"


def policy_of(name: str) -> ir.Policy:
    return run((STDLIB / f"{name}.cpol").read_text(), f"{name}.cpol").policy


EVICTING = [name for name in stdlib_names() if policy_of(name).evicts]

TRACES = [
    {"kind": "zipf", "requests": 400, "pages": 150, "seed": 2},
    {"kind": "scan", "requests": 300, "pages": 60, "seed": 3},
    {"kind": "numbers", "numbers": "1-60 4000000000-4000000020 1-60 9 9 8 1-60"},
]
CAPACITIES = (7, 50)


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs a module, which is compiled when it is asked for."""
    folder = tmp_path_factory.mktemp("modules")
    known = dict(sources())
    command = ["node", HERE / "run_modules.mjs", PAGE / "native.js"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
        assert node.stdin and node.stdout
        into, out = node.stdin, node.stdout

        def ask(name: str, capacity: int, params: bytes, ids: bytes, numbers: bytes, objects: int) -> int:
            path = folder / f"{name}.wasm"
            if not path.exists():
                compile_to(path, known[name])
            given = {"params": params, "ids": ids, "numbers": numbers}
            coded = {key: b64encode(value).decode() for key, value in given.items()}
            print(
                json.dumps({"path": str(path), "capacity": capacity, "objects": objects, **coded}),
                file=into,
                flush=True,
            )
            return int(out.readline())

        yield ask
        into.close()


def test_there_is_a_module_of_each_policy_that_evicts() -> None:
    assert {name for name, _ in sources()} == {OPTIMAL, *EVICTING}


@pytest.mark.parametrize("name", EVICTING)
def test_a_policy_misses_what_it_misses_in_the_interpreter(native: Run, name: str) -> None:
    policy = policy_of(name)
    for trace in TRACES:
        pages = trace_of(trace)
        runs = Native(native, pages)
        for capacity in CAPACITIES:
            expected = misses(policy, pages, capacity, {}, lambda _: None)
            assert runs.misses(name, policy, capacity, {}) == expected, (trace, capacity)


def test_params_reach_native_code(native: Run) -> None:
    policy = policy_of("s3fifo")
    pages = trace_of(TRACES[0])
    runs = Native(native, pages)
    found = set()
    for threshold in ("1", "3"):
        params = {"threshold": threshold, "small_percent": "40"}
        found.add(runs.misses("s3fifo", policy, 40, params))
        assert misses(policy, pages, 40, params, lambda _: None) in found
    assert len(found) == 2


@pytest.mark.parametrize("capacity", [1, 5, 40, 10_000])
def test_the_optimum(native: Run, capacity: int) -> None:
    for trace in TRACES:
        pages = trace_of(trace)
        assert Native(native, pages).optimal(capacity) == optimal(pages, capacity)


def curves(
    native: Run, text: str, requests: int, beside: list[str], capacity: int, **params: str
) -> tuple[Any, list[Any]]:
    told: list[Any] = []
    trace = {"kind": "loop", "requests": requests, "pages": 300, "seed": 1}
    asked = {"op": "curves", "text": text, "trace": trace, "capacities": [capacity], "beside": beside, "params": params}
    answer = json.loads(Bridge(native).answer(json.dumps(asked), lambda part: told.append(json.loads(part))))
    return answer, [part for part in told if "misses" in part]


def test_unchanged_policies_take_long_traces(native: Run) -> None:
    text = (STDLIB / "lru.cpol").read_text()
    answer, told = curves(native, text, MOST, ["mru"], 100)
    assert answer["ok"] and answer["rate"] > 0
    assert [(part["name"], part.get("native")) for part in told] == [("optimal", None), ("lru", True), ("mru", True)]
    assert told[1]["misses"] == MOST and told[0]["misses"] <= told[2]["misses"] < MOST
    answer, _ = curves(native, text, MOST + 1, ["mru"], 100)
    assert answer["problem"] == "requests: write a whole number from 1 to 1,000,000"


def test_a_changed_policy_runs_in_the_interpreter(native: Run) -> None:
    text = (STDLIB / "lru.cpol").read_text() + "// mine\n"
    answer, told = curves(native, text, 400, ["mru"], 100)
    assert answer["ok"]
    assert [(part["name"], part.get("native")) for part in told] == [("optimal", None), ("lru", False), ("mru", True)]
    answer, _ = curves(native, text, MOST, ["mru"], 100)
    assert "1 to 20,000; curves of unchanged policies of the standard library take more" in answer["problem"]


def test_what_native_code_refuses_is_told_in_words(native: Run) -> None:
    text = (STDLIB / "s3fifo.cpol").read_text()
    answer, _ = curves(lambda *_: -1, text, 400, [], 100)
    assert answer["problem"].startswith("the browser has too little memory")
    answer, _ = curves(native, text, 400, [], 100, threshold="9")
    assert answer["problem"] == "param threshold: 9 is out of range; it is u8 in 1..3"
