"""The rows of a sweep: when they are written, what is told of them, and what stays after a crash."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest
from pyarrow import dataset
from sweeps import PARAMS, keys, rows, spec_in, sweep, unit_of, without_seconds

import cpol
from cpol.compiler.policies import STDLIB
from cpol.errors import UserError
from cpol.runtime.simulate.sweep import execute, here, kept, store, work
from cpol.runtime.simulate.sweep.executors import Where, executor_of
from cpol.runtime.simulate.sweep.fetched import listed, local
from cpol.runtime.simulate.sweep.plan import traces_of
from cpol.runtime.simulate.sweep.report import report, status
from cpol.runtime.simulate.sweep.spec import read_spec
from cpol.runtime.simulate.sweep.unit import Found, Row, Traces, Unit, failed
from cpol.sizes import duration


def test_status_and_report_of_what_has_begun(tmp_path: Path) -> None:
    spec, out = spec_in(tmp_path), tmp_path / "out"

    def some(units: Sequence[Unit]) -> Generator[tuple[Unit, list[Row]], None, None]:
        traces = kept.Kept(lambda found, _: nullcontext(Path(found.name)), 1 << 30)
        unit = units[0]._replace(runs=units[0].runs[:3])  # lru with both capacities, s3fifo with one
        yield unit, work.run_unit(unit, traces)

    sweep(spec, out, execute=some)
    stored = store.stored(out)
    assert (len(stored.costs), len(stored.rows), stored.others) == (12, 3, 0)
    now = time.time()
    found = status(stored._replace(running=True, since=now - 10, last=now - 4))
    assert (found.runs, found.done, found.failed, found.running) == (12, 3, 0, True)
    assert found.left == pytest.approx(18 - 4, abs=1)
    assert status(stored).left is None
    lines = report(stored).lines
    assert [(line.capacity, line.policy, line.traces) for line in lines if line.capacity == "20"] == [("20", "lru", 1)]
    assert report(stored).base == "lru" and {line.capacity for line in lines} == {"0.1", "20"}
    gone = stored._replace(rows={})
    assert report(gone) == (None, [], [])


def test_status_estimates_by_bytes_as_progress_does(tmp_path: Path) -> None:
    """The largest traces come first, so that the count of rows says little of the time."""
    spec, out = spec_in(tmp_path), tmp_path / "out"
    sizes = [
        keys(tmp_path / "traces" / f"t{number}.txt", 0, 40_000 if not number else 2000).stat().st_size
        for number in range(3)
    ]

    def the_largest(units: Sequence[Unit]) -> Generator[tuple[Unit, list[Row]], None, None]:
        yield units[0], failed(units[0], "")

    sweep(spec, out, execute=the_largest)
    now = time.time()
    found = status(store.stored(out)._replace(running=True, since=now - 10, last=now))
    assert found.done == 4 and sizes[0] > 10 * sizes[1]
    assert found.left == pytest.approx(10 * sum(sizes[1:]) / sizes[0], abs=0.1)


def test_the_folder_is_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For what skips names that begin with `_` or `.`, and for what takes `*.parquet`."""
    monkeypatch.setattr(store, "MOST_SECONDS", 0.0)
    sweep(spec_in(tmp_path), out := tmp_path / "out")
    files = [str(path) for path in out.glob("*.parquet")]
    assert len(files) > 1 and {*out.iterdir()} == {*map(Path, files), out / ".lock", out / store.PLAN}
    wanted = sorted(rows(out), key=repr)
    for source in (str(out), files):
        table = dataset.dataset(source).to_table()
        assert sorted((Row(**each) for each in table.to_pylist()), key=repr) == wanted


def test_report_without_a_policy_that_always_fails(tmp_path: Path) -> None:
    sweep(spec_in(tmp_path), tmp_path / "out")
    stored = store.stored(tmp_path / "out")
    rows = {key: row._replace(error="no" if row.policy == "lru" else "") for key, row in stored.rows.items()}
    found = report(stored._replace(rows=rows))
    assert {(line.policy, line.traces, line.of_base) for line in found.lines} == {("s3fifo", 3, None)}
    assert [(each.runs, each.error) for each in found.failed] == [(2, "no")] * 3


def test_progress_has_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(execute.time, "monotonic", lambda: now[0])
    small, big = (unit_of(Path("x"))._replace(trace=Found("x", size, "")) for size in (1000, 9000))
    told = list[str]()
    progress = execute.Progress([small, big], 1_500, 10, 0, told.append)
    now[0] += 1
    progress.ended(small, 0)
    now[0] += 599
    progress.ended(small, 1)
    assert told == ["11 of 1,500 runs", "12 of 1,500 runs, 1 failed, about 40 min 0 s left"]
    assert [duration(each) for each in (0.4, 59.6, 3599, 3600, 90_061)] == [
        "0 s", "1 min 0 s", "59 min 59 s", "1 h 0 min", "1 d 1 h"
    ]  # fmt: skip


@pytest.mark.slow
def test_progress_goes_on_during_long_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, told = work.run_unit, list[str]()

    def slow(unit: Unit, traces: Traces) -> list[Row]:
        time.sleep(0.5)
        return real(unit, traces)

    monkeypatch.setattr(here, "run_unit", slow)
    line = execute.Line(told.append)
    execute_ = executor_of(Where(workers=1, in_process=True), told.append, line.now)
    sweep(spec_in(tmp_path, traces=2), tmp_path / "out", execute=execute_, show=line.far)
    assert told[1].startswith("0 s, now traces/t") and told.index("4 of 8 runs") < told.index("8 of 8 runs")
    assert any(each.startswith("4 of 8 runs; ") and " s, now traces/t" in each for each in told)


@pytest.mark.parametrize(
    ("given", "bound"), [(Where(None, 3, 1 << 30, True), "1.5 GiB"), (Where(None, 1, 1 << 30, True), "512 MiB")]
)
def test_traces_take_half_of_the_memory_of_workers(given: Where, bound: str) -> None:
    told = list[str]()
    assert [*executor_of(given, told.append)([])] == []
    assert told[0].endswith(f"of this process, which keeps traces of at most {bound} in memory")


def test_full_disk_leaves_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, out = spec_in(tmp_path), tmp_path / "out"
    sweep(spec, out)
    keys(tmp_path / "traces" / "more.txt")
    before = {path.name: path.read_bytes() for path in out.glob("part-*")}

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("cpol.runtime.simulate.sweep.store.os.fsync", full)
    with pytest.raises(UserError, match=r"cannot write .*: No space left on device; make room there, and run the same"):
        sweep(spec, out)
    assert {path.name: path.read_bytes() for path in out.glob("part-*")} == before
    assert not [*out.glob(".part*")]
    monkeypatch.undo()
    assert sweep(spec, out)[:3] == (16, 12, 4)


def test_traces_that_are_not_there(tmp_path: Path) -> None:
    spec = spec_in(tmp_path)
    spec.write_text(spec.read_text().replace("traces/*", "nothing/*"))
    with pytest.raises(UserError, match=r"s\.toml:2:11: .*nothing/\*: no file matches"):
        sweep(spec, tmp_path / "out")


def test_a_trace_of_many_paths_counts_once(tmp_path: Path) -> None:
    spec = spec_in(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "traces")
    (tmp_path / "traces" / "in").mkdir()
    names = ["traces/t0.txt", "./traces/t0.txt", f"../{tmp_path.name}/traces/t*", "traces/in/../t1.txt", "link/t2.txt"]
    names += [f"{tmp_path}/traces/t0.txt", f"file://{tmp_path}/traces/t0.txt", "link/t0.txt"]
    spec.write_text(spec.read_text().replace('["traces/*"]', json.dumps(names)))
    found = traces_of(read_spec(spec), listed)
    assert [Path(name).name for name in found] == ["t0.txt", "t1.txt", "t2.txt"] and "traces/t0.txt" in found
    spec.write_text(spec.read_text().replace(json.dumps(names), '["link/*.txt"]'))
    assert [*traces_of(read_spec(spec), listed)] == ["link/t0.txt", "link/t1.txt", "link/t2.txt"]


def test_rows_of_an_interrupted_sweep_stay(tmp_path: Path) -> None:
    spec, out = spec_in(tmp_path), tmp_path / "out"

    def broken(units: Sequence[Unit]) -> Generator[tuple[Unit, list[Row]], None, None]:
        traces = kept.Kept(lambda found, _: nullcontext(Path(found.name)), 1 << 30)
        for unit in units[:2]:
            yield unit, work.run_unit(unit, traces)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(spec, out, execute=broken)
    assert len(rows(out)) == 8
    assert sweep(spec, out)[:3] == (12, 8, 4)


def test_rows_are_written_though_no_other_unit_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_SECONDS", 0.05)
    spec, out, seen = spec_in(tmp_path), tmp_path / "out", list[int]()

    def long(units: Sequence[Unit]) -> Generator[tuple[Unit, list[Row]], None, None]:
        for ended in here.execute(units, local, 1, 1 << 30):
            yield ended
            until = time.monotonic() + 10
            while time.monotonic() < until and len(rows(out)) <= sum(seen):
                time.sleep(0.01)
            seen.append(len(rows(out)) - sum(seen))

    sweep(spec, out, execute=long)
    assert seen[:2] == [4, 4]


def test_rows_are_written_before_the_workers_end(tmp_path: Path) -> None:
    """Those that are lost make that long."""
    spec, out, seen = spec_in(tmp_path), tmp_path / "out", list[int]()

    def slow_to_end(units: Sequence[Unit]) -> Generator[tuple[Unit, list[Row]], None, None]:
        try:
            yield from here.execute(units, local, 1, 1 << 30)
        finally:
            seen.append(len(rows(out)))

    sweep(spec, out, execute=slow_to_end)
    assert seen == [12]


def test_a_full_disk_is_told_with_the_next_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_SECONDS", 0.05)
    tried = threading.Event()

    def full(_: int) -> None:
        tried.set()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    unit = unit_of(keys(tmp_path / "t.txt"))
    with pytest.raises(UserError, match="No space left on device; make room"), store.opened(tmp_path / "out") as out:
        monkeypatch.setattr("cpol.runtime.simulate.sweep.store.os.fsync", full)
        out.put(failed(unit, "first"))
        assert tried.wait(10)
        with pytest.raises(UserError, match="No space left on device; make room"):
            out.put(failed(unit, "second"))
    monkeypatch.undo()
    time.sleep(0.1)
    assert not [*(tmp_path / "out").glob("part-*")]  # another process may write there by now


KILLED = """
import sys
from pathlib import Path
from cpol.runtime.simulate.sweep import store, work
store.MOST_SECONDS = 0.0
sys.path.insert(0, sys.argv[3])
from sweeps import sweep
done = work.run_unit
def slow(unit, traces):
    import time
    time.sleep(0.02)
    return done(unit, traces)
from cpol.runtime.simulate.sweep import here
here.run_unit = slow
sweep(Path(sys.argv[1]), Path(sys.argv[2]), jobs=1)
"""


@pytest.mark.slow
def test_kill_loses_nothing_that_was_written(tmp_path: Path) -> None:
    spec, out = spec_in(tmp_path, PARAMS, traces=20), tmp_path / "out"
    shared = Path(__file__).parents[3] / "shared"
    command = [sys.executable, "-c", KILLED, str(spec), str(out), str(shared)]
    kills, before = 0, 0
    for parts in (1, 4, 8):
        process = subprocess.Popen(command)
        while process.poll() is None and len([*out.glob("part-*")]) < parts:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        kills += process.wait(timeout=60) == -signal.SIGKILL
        now = len(rows(out))
        assert before <= now and now >= parts * 12
        before = now
    assert kills == 3
    done = sweep(spec, out)
    assert done.there == before < done.runs and done.there + done.ended == done.runs == 240
    sweep(spec, tmp_path / "whole")
    assert without_seconds(rows(out)) == without_seconds(rows(tmp_path / "whole"))
    assert len([*store.opened(out).__enter__().done()]) == 240


def test_version_is_of_the_code(tmp_path: Path) -> None:
    names = [name for name, _ in work._files()]
    assert len(names) == len({*names}) > 100
    assert any(name.endswith("native/sim.h") or name.endswith(".h") for name in names)
    assert {"cpol.runtime.simulate/sweep/work.py", "cpol.runtime.simulate/simulator.py"} <= {*names}
    assert {f"cpol.stdlib/lib/{path.name}" for path in STDLIB.glob("lib/*.cpol")} <= {*names}  # policies import them
    others = {f"cpol.runtime.simulate/{name}.py" for name in ("advise/advise", "sweep/report", "sweep/store")}
    assert not others & {*names}
    assert json.dumps(work.version()).startswith(f'"{cpol.__version__}+')
