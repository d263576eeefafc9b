"""Sweeps on workers of Dask: started here, and by a user."""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from clusters import Dask, dask_of_a_user, environment, goes, here, is_running, made, put, s3, table, units_of

from cpol.errors import RequestError, UserError
from cpol.runtime.simulate.sweep import assign, cluster, kept, member, workers
from cpol.runtime.simulate.sweep.fetched import PREFIX, listed
from cpol.runtime.simulate.sweep.unit import Reading, Unit
from cpol.runtime.simulate.traces import Trace

SLOW = """
import time
from cpol.runtime.simulate.sweep import member
from cpol.runtime.simulate.sweep.work import run_unit as run  # Dask may load this twice
def slowly(unit, traces):
    time.sleep({seconds})
    return run(unit, traces)
member.run_unit = slowly
"""

KILLER = """
import os, signal, time
from cpol.runtime.simulate.sweep import member
from cpol.runtime.simulate.sweep.work import run_unit as run  # Dask may load this twice
def deadly(unit, traces):
    time.sleep(0.1)
    if unit.label.endswith("{name}"):
        os.kill(os.getpid(), signal.SIGKILL)
    return run(unit, traces)
member.run_unit = deadly
"""

OTHER = """
from cpol.runtime.simulate.sweep import member
member.version = lambda: "0.0.7+older"
"""

NONE = """
import sys
sys.modules["cpol"] = None
"""

PYTHON = """
import platform
platform.python_version_tuple = lambda: ("3", "99", "1")
"""


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Dask]:
    (folder := tmp_path / "dask").mkdir()
    with dask_of_a_user(folder) as started:
        yield started


@pytest.fixture
def units(tmp_path: Path) -> list[Unit]:
    (folder := tmp_path / "traces").mkdir()
    return units_of(made(folder, 8))


def workers_here() -> list[psutil.Process]:
    """The processes of workers that this one started. Python has another one to tidy up, until the end."""
    return [each for each in psutil.Process().children() if "spawn_main" in " ".join(each.cmdline())]


def test_an_address_says_where_the_scheduler_is() -> None:
    for address in ("localhost", "tcp://", "http://x:1", "tcp://u:p@x:1", "tcp://x", "tcp://x:1/y", "", 5):
        with pytest.raises(RequestError, match="is no address of a scheduler; write tcp://HOST:PORT"):
            list(cluster.execute([], scheduler=address))  # type: ignore[arg-type]  # one is a number


def test_workers_of_a_scheduler_are_not_this_sweeps_to_start() -> None:
    with pytest.raises(RequestError, match="started by whoever started it"):
        list(cluster.execute([], scheduler="tcp://x:1", workers=2))


def test_a_worker_needs_some_memory() -> None:
    with pytest.raises(RequestError, match="1 MiB is too little memory for a worker"):
        list(cluster.execute([], workers=1, memory=1 << 20))
    with pytest.raises(RequestError, match="0 workers do nothing"):
        list(cluster.execute([], workers=0))


def test_dask_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match=re.escape("distributed is missing, by which sweeps run on a cluster: pip ")):
        list(cluster.execute([], workers=1))


@pytest.mark.slow
def test_no_scheduler_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CONNECT", 0.5)
    with pytest.raises(UserError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9 .*; start one with"):
        list(cluster.execute([], scheduler="tcp://127.0.0.1:9"))


@pytest.mark.slow
def test_workers_that_are_started_here_count_the_same_and_end(units: list[Unit]) -> None:
    said: list[str] = []
    assert table(cluster.execute(units, workers=2, memory=1 << 30, tell=said.append)) == here(units)
    assert said == ["2 workers, one thread and at most 1 GiB each"]
    assert not workers_here()


@pytest.mark.slow
def test_whoever_has_enough_cancels_the_rest(units: list[Unit]) -> None:
    running = cluster.execute(units, workers=1)
    next(running)
    assert workers_here()
    running.close()
    assert not workers_here()


@pytest.mark.slow
def test_workers_of_a_user_and_one_is_killed(dask: Dask, units: list[Unit], monkeypatch: pytest.MonkeyPatch) -> None:
    asked, forget = list[str](), cluster._forget

    def forget_and_tell(client: Any, met: set[str]) -> None:
        run = client.run
        monkeypatch.setattr(
            client, "run", lambda *given, **named: (asked.extend(named["workers"]), run(*given, **named))
        )
        forget(client, met)

    monkeypatch.setattr(cluster, "_forget", forget_and_tell)
    first, _ = (dask.worker(SLOW.format(seconds=0.2)) for _ in range(2))
    dask.joined()  # the first row may be of the other one, but this one has work by then
    said: list[str] = []
    ended = cluster.execute(units, scheduler=dask.address, tell=said.append)
    rows = [next(ended)]
    first.kill()
    rows += ended
    assert len(asked) == 1  # nobody waits for an answer of the dead
    assert table(rows) == here(units)
    assert len(rows) == len(units)
    assert len([each for each in said if "is gone; what it had" in each]) == 1
    assert dask.workers[1].poll() is None  # it is the user's


@pytest.mark.slow
def test_a_unit_that_kills_two_workers_has_the_reason_in_its_rows(dask: Dask, units: list[Unit]) -> None:
    for _ in range(2):
        dask.worker(KILLER.format(name="03.txt"), nanny=True)
    ended = table(cluster.execute(units, scheduler=dask.address))
    dead = [row for row in ended if row.error]
    assert {row.trace[-6:] for row in dead} == {"03.txt"}
    assert len(dead) == 4
    assert {row.error for row in dead} == {assign.GUILTY}
    good = [unit for unit in units if not unit.label.endswith("03.txt")]
    assert [row for row in ended if not row.error] == here(good)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preload", "why"),
    [
        (OTHER, r"it has cpol 0\.0\.7\+older, and the client 0\.\d"),
        (NONE, "it has no cpol with sweeps .*, and the client has 0"),
        (PYTHON, r"it runs Python 3\.99, and the client 3\."),
    ],
    ids=["older", "none", "python"],
)
def test_a_worker_with_another_version_is_refused(dask: Dask, units: list[Unit], preload: str, why: str) -> None:
    dask.worker(preload)
    with pytest.raises(UserError, match=f"the worker tcp://.* cannot take part: {why}.*; install the same cpol"):
        list(cluster.execute(units, scheduler=dask.address))


@pytest.mark.slow
def test_a_worker_that_joins_later_is_used_only_if_it_is_the_same(dask: Dask, units: list[Unit]) -> None:
    said: list[str] = []
    slow = SLOW.format(seconds=1)
    dask.worker(slow)
    ended = cluster.execute([*units, *units], scheduler=dask.address, tell=said.append)
    rows = [next(ended)]
    dask.worker(OTHER)
    dask.worker(slow)
    dask.joined()
    rows += ended
    assert table(rows) == here([*units, *units])
    assert len([each for each in said if "which joined, gets nothing to do: it has cpol 0.0.7+older" in each]) == 1
    assert len([each for each in said if re.fullmatch(r"the worker tcp://\S+: 1 thread, at most .*iB", each)]) == 2


@pytest.mark.slow
def test_one_that_joins_between_two_rounds_of_a_search_does_not_end_it(dask: Dask, units: list[Unit]) -> None:
    said: list[str] = []
    dask.worker(SLOW.format(seconds=0.1))
    dask.joined()
    with cluster.session(scheduler=dask.address, tell=said.append) as do:
        assert table(do(units)) == here(units)
        dask.worker(OTHER)
        until = time.monotonic() + 60
        while len(said) < 2 and time.monotonic() < until:
            list(do(units))
        for _ in range(2):  # each round asks all workers again
            assert table(do(units)) == here(units)
    first, second = said
    assert ": 1 thread, at most" in first and "which joined, gets nothing to do: it has cpol 0.0.7+older" in second


@pytest.mark.slow
def test_without_a_worker_the_sweep_ends(dask: Dask, units: list[Unit]) -> None:
    with pytest.raises(UserError, match="for 1 s there was no worker with which the sweep could go on; start some"):
        list(cluster.execute(units, scheduler=dask.address, patience=1))
    said: list[str] = []
    with pytest.raises(UserError, match="for 4 s there was no worker"):
        list(cluster.execute(units, scheduler=dask.address, patience=4, tell=said.append))
    assert said == ["there is no worker yet; waiting for one, 4 s at most"]


@pytest.mark.slow
def test_without_the_scheduler_the_sweep_ends(tmp_path: Path, units: list[Unit]) -> None:
    (folder := tmp_path / "dask").mkdir()
    with dask_of_a_user(folder) as dask:
        dask.worker(SLOW.format(seconds=0.5))
        ended = cluster.execute(units, scheduler=dask.address)
        next(ended)
        dask.scheduler.kill()
        with pytest.raises(UserError, match=r"the scheduler no longer answers .*; what has ended is kept"):
            list(ended)


SCRIPT = """
import sys
from pathlib import Path
from clusters import made, units_of
from cpol.runtime.simulate.sweep import cluster, kept, member

if __name__ == "__main__":
    units = units_of(made(Path(sys.argv[1]), 200, 2000), split=True)
    for _ in cluster.execute(units, workers=2):
        print("ended", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("how", "to_all"), [(signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGKILL, False)])
def test_nothing_is_left_of_a_sweep_that_is_interrupted(tmp_path: Path, how: signal.Signals, to_all: bool) -> None:
    """A terminal sends Ctrl-C to the workers, too."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    (folder := tmp_path / "traces").mkdir()
    (temporary := tmp_path / "tmp").mkdir()
    command = [sys.executable, str(script), str(folder)]
    own = {**environment(), "TMPDIR": str(temporary)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, env=own, start_new_session=True) as process:
        assert process.stdout and process.stderr
        assert process.stdout.readline() == b"ended\n"
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) >= 2
        (os.killpg if to_all else os.kill)(process.pid, how)
        process.stdout.read()
        said = process.stderr.read().decode()
        process.wait(20)
        assert all(goes(child.pid) for child in children)
    assert process.returncode != 0
    if how == signal.SIGINT:
        assert said.count("KeyboardInterrupt") == 1 and "Dask Worker" not in said  # the script's own
        assert not [*temporary.glob(f"{PREFIX}*")]


@pytest.mark.slow
def test_workers_fetch_traces_from_a_store(dask: Dask, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ACCESS_KEY_ID", "AKIATEST"), ("SECRET_ACCESS_KEY", "hush"), ("DEFAULT_REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    with s3() as storage:
        for number in range(3):
            put(storage, f"{number}.txt", b"1\n2\n3\n1\n" * (number + 5))
        units = units_of(listed("s3://traces/*", storage), storage)
        dask.worker()
        dask.worker("", "--memory-limit", "0")
        rows = table(cluster.execute(units, scheduler=dask.address))
        assert rows == here(units)
        assert {row.trace for row in rows} == {f"s3://traces/{number}.txt" for number in range(3)}
        assert not [row.error for row in rows if row.error]
        assert "hush" not in repr(rows) and "AKIATEST" not in repr(units)


def test_the_end_of_a_sweep_takes_nothing_from_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have units on the same worker."""
    import fsspec

    fsspec.filesystem("memory").pipe({"/forget/a.txt": b"1\n2\n", "/forget/b.txt": b"1\n3\n"})
    units, real = units_of(listed("memory://forget/*", {})), kept.read_trace

    def ended_meanwhile(path: Path, reading: Reading) -> Trace:
        member.forget()
        return real(path, reading)

    monkeypatch.setattr(kept, "read_trace", ended_meanwhile)
    monkeypatch.setattr(member, "_worker", lambda: SimpleNamespace(local_directory=str(tmp_path)))
    rows = [row for unit in units for row in member.do(pickle.dumps(unit))]
    assert len(rows) == 8 and {row.error for row in rows} == {""}
    assert not [*tmp_path.iterdir()]


def test_helpers_see_processes_end() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert is_running(os.getpid()) and not is_running(process.pid)
