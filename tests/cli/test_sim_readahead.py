"""Pages of a recording that readahead brought come when they came, take room, and are missed once they are read."""

from __future__ import annotations

import json
import random
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cpol.cli.mrc import command as mrc
from cpol.cli.policy import compilation
from cpol.cli.sim import command
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.trace import PASSING as passing
from cpol.runtime.machine.interp.trace import WRITTEN as of_interpreter
from cpol.runtime.machine.interp.trace import run_trace
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import as_kernel, read
from cpol.runtime.simulate.traces.formats.record import PASSING, REQUEST, WRITTEN
from cpol.runtime.simulate.traces.trace import Trace

HEAD = "cpol-record 2\n# time_ns,event,file,page,pages,thread,process,comm[,first,last]\n"
CAPACITY = 30


def events(kinds: tuple[str, ...] = ("added", "accessed", "accessed", "dirtied")) -> list[tuple[str, int]]:
    """A machine's events: some pages are read at once, some later, some never, some only when they came again."""
    source = random.Random(3)
    found: list[tuple[str, int]] = []
    for number in range(1500):
        page = source.randrange(60)
        found.append((source.choice(kinds), page))
        if number % 7 == 0:
            found += [("added", 100 + number), ("removed", 100 + number)]
    return found


def expected() -> tuple[int, int]:
    """Requests and misses of LRU, counted here. A page that was added is missed by the first request, too; one that was
    written is not. A write is no request, and no access."""
    cache: OrderedDict[int, bool] = OrderedDict()  # whether the next request finds it
    requests = misses = 0
    for event, page in events():
        if event == "removed" or (event != "accessed" and page in cache):
            continue
        if event == "accessed":
            requests += 1
            misses += not cache.get(page, False)
        cache[page] = event != "added"
        cache.move_to_end(page)
        if len(cache) > CAPACITY:
            cache.popitem(last=False)
    return requests, misses


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return written(tmp_path / "app.rec", events())


def written(path: Path, found: list[tuple[str, int]]) -> Path:
    rows = [f"{number},{event},8:0:2,{page},1,1,1,x\n" for number, (event, page) in enumerate(found)]
    path.write_text("".join([HEAD, *rows, f"end,{len(rows)},0\n"]))
    return path


def sim(*words: str) -> dict[str, Any]:
    result = CliRunner().invoke(command, [*words, "--capacity", str(CAPACITY), "--json"])
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout.splitlines()[0]))


def test_lru_misses_what_an_independent_count_says(recording: Path) -> None:
    found = sim("lru", "--trace", str(recording), "--batch", "1")
    assert (found["requests"], found["misses"]) == expected()


def trace_of(recording: Path) -> Trace:
    trace = as_kernel(read(recording, details=True))
    assert trace.ahead is not None and trace.ahead.count(WRITTEN) > 200 and of_interpreter == WRITTEN
    early = len(trace.ids) - trace.requests - trace.unread - trace.ahead.count(WRITTEN)
    assert trace.unread > 200 and early > 200
    return trace


@pytest.mark.parametrize(
    "name",
    [
        "s3fifo",
        "arc",
        "admit",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("mru", "clock2qplus", "linux_lru", "twoq")),
    ],
)
def test_interpreter_and_native_code_bring_the_same(name: str, recording: Path) -> None:
    policy, trace = compilation(name).policy, trace_of(recording)
    assert trace.ahead is not None and passing == PASSING
    kinds = bytes(PASSING if kind == REQUEST and place % 5 == 0 else kind for place, kind in enumerate(trace.ahead))
    trace = replace(trace, ahead=kinds)
    machine = Machine(policy, CAPACITY, batch=4)
    run_trace(machine, trace)
    simulator = Simulator(policy, CAPACITY, batch=4, named=True)
    for start, stop in ((0, 700), (700, len(trace.ids))):
        counts = simulator.run(trace.part(start, stop))
    requests = trace.requests + kinds.count(PASSING)
    assert (counts.requests, counts.hits, counts.misses) == (requests, machine.hits, machine.misses)
    assert (counts.fallback, counts.size) == (machine.fallbacks, machine.occupied)
    sizes = {name: machine.size_on(name) for name in policy.lists}
    assert simulator.state.lists == sizes and simulator.state.states == machine.state


def test_all_that_a_run_is_shown_by_counts_them_alike(recording: Path, tmp_path: Path) -> None:
    plain = sim("mru", "--trace", str(recording))
    log = tmp_path / "run.log"
    assert sim("mru", "--trace", str(recording), "--log", str(log))["misses"] == plain["misses"]
    assert log.read_text().count("\nmissed") >= plain["misses"]
    stated = sim("mru", "--trace", str(recording), "--state", "-", "--every", "100")
    assert stated["misses"] == plain["misses"] and stated["state"][-1]["requests"] == plain["requests"]
    checked = CliRunner().invoke(command, ["mru", "--trace", str(recording), "--capacity", str(CAPACITY), "--check"])
    assert checked.exit_code == 0 and "holds after every event" in " ".join(checked.stderr.split())


def test_no_optimum_is_known_where_writes_bring_pages(recording: Path) -> None:
    result = CliRunner().invoke(command, ["lru", "--trace", str(recording), "--capacity", "9", "--belady"])
    assert result.exit_code == 2 and "some requests write" in result.output


def test_curves_count_as_runs_do(recording: Path) -> None:
    result = CliRunner().invoke(mrc, [str(recording), "lru", "--capacity", str(CAPACITY), "--batch", "1", "--json"])
    requests, misses = expected()
    assert json.loads(result.stdout)["points"][0]["miss_ratio"] == pytest.approx(misses / requests)


def test_a_warmup_is_in_requests_and_the_optimum_has_requests_alone(tmp_path: Path) -> None:
    recording = written(tmp_path / "app.rec", events(("added", "accessed")))
    reads = sum(event == "accessed" for event, _ in events(("added", "accessed")))
    result = CliRunner().invoke(
        command,
        ["lru", "--trace", str(recording), "--capacity", str(CAPACITY), "--warmup", "300", "--belady", "--json"],
    )
    lru, optimum = map(json.loads, result.stdout.splitlines())
    assert lru["requests"] == optimum["requests"] == reads - 300
    assert 0 < optimum["misses"] < lru["misses"]
