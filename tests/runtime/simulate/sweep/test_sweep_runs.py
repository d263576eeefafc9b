"""Sweeps in this process: the rows, and what goes on after a crash, a change or a failure."""

from __future__ import annotations

import errno
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest
from pyarrow import dataset
from sweeps import keys, spec_in, sweep, without_seconds

import cpol
from cpol.compiler.compiled import compiled, compiled_once, compiled_text
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.policies import STDLIB, resolve
from cpol.errors import UserError
from cpol.runtime.simulate.sweep import execute, here, kept, plan, policies, store, work
from cpol.runtime.simulate.sweep.assign import GUILTY
from cpol.runtime.simulate.sweep.executors import Where, executor_of
from cpol.runtime.simulate.sweep.fetched import listed, local
from cpol.runtime.simulate.sweep.plan import AT_ONCE, policies_of, traces_of, units_of
from cpol.runtime.simulate.sweep.report import report, status
from cpol.runtime.simulate.sweep.spec import read_spec
from cpol.runtime.simulate.sweep.unit import Found, Reading, Row, Traces, Unit, Wanted, failed
from cpol.runtime.simulate.traces import TraceError
from cpol.sizes import duration

PARAMS = "batches = [1, 4]\nwarmup = 0.1\n[params.s3fifo]\nthreshold = [1, 2]\n"


def rows(folder: Path) -> list[Row]:
    return [*store.stored(folder).rows.values()]


def test_rows_are_those_of_simulate(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = sweep(spec_in(tmp_path, PARAMS, policies='"lru", "s3fifo", "belady"'), out)
    assert (done.runs, done.there, done.ended, done.failed) == (3 * 2 * (2 * 3 + 1), 0, done.runs, 0)
    for row in rows(out):
        trace = tmp_path / row.trace
        settings = dict(each.split("=") for each in row.params.split())
        optimum = row.policy == "belady"
        policy = cpol.Policy("lru" if optimum else row.policy).with_params(**settings)
        requests = len(trace.read_text().split())
        capacity = float(row.capacity) if "." in row.capacity else int(row.capacity)
        found = cpol.simulate(policy, trace, capacity=capacity, batch=row.batch, warmup=requests // 10, belady=optimum)[
            -1
        ]
        told = (row.pages, row.requests, row.misses, row.miss_ratio, row.evicted)
        assert told == tuple(found[name] for name in ("capacity", "requests", "misses", "miss_ratio", "evicted"))
        assert row.trace_digest == kept.digest_of(trace) and row.evicts == (1 if optimum else row.batch)
        assert (row.error, row.version, row.warmup) == ("", work.version(), "0.1")
    assert {(row.policy, row.params) for row in rows(out)} == {
        ("lru", ""), ("belady", ""), ("s3fifo", "threshold=1"), ("s3fifo", "threshold=2")
    }  # fmt: skip


def test_threads_change_nothing(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, PARAMS)
    found = []
    for jobs in (1, 3):
        sweep(spec, tmp_path / str(jobs), jobs=jobs)
        found.append(without_seconds(rows(tmp_path / str(jobs))))
    assert found[0] == found[1] and len(found[0]) == 3 * 2 * 6


def test_what_is_there_is_not_done_again(tmp_path: Path) -> None:
    spec, out = spec_in(tmp_path), tmp_path / "out"
    assert sweep(spec, out).ended == 12
    assert sweep(spec, out)[:3] == (12, 12, 0)
    keys(tmp_path / "traces" / "t3.txt", 3)
    assert sweep(spec_in(tmp_path, policies='"lru", "s3fifo", "fifo"'), out)[:3] == (24, 12, 12)
    keys(tmp_path / "traces" / "t0.txt", 9)  # another one of the same name
    assert sweep(spec_in(tmp_path, policies='"lru", "s3fifo", "fifo"'), out)[:3] == (24, 18, 6)
    stored = store.stored(out)
    assert stored.others == 6 and len(stored.rows) == 24
    digests = {row.trace_digest for row in stored.rows.values() if row.trace == "traces/t0.txt"}
    assert digests == {kept.digest_of(tmp_path / "traces" / "t0.txt")}
    assert sweep(spec_in(tmp_path, "seed = 2\n"), out).ended == 16
    assert sweep(spec_in(tmp_path, '[reading]\nformat = "text"\n'), out).ended == 16


@pytest.mark.slow
def test_changed_policy_or_version_runs_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, out = tmp_path / "mine.cpol", tmp_path / "out"
    own.write_text(resolve("lru").read_text().replace("policy lru", "policy mine"))
    spec = spec_in(tmp_path, policies='"fifo", "mine.cpol"')
    assert sweep(spec, out).ended == 12
    own.write_text(own.read_text() + "// changed\n")
    assert sweep(spec, out).ended == 6
    monkeypatch.setattr("cpol.runtime.simulate.sweep.execute.version", lambda: "2")
    assert sweep(spec, out).ended == 12


def test_bad_trace_fails_its_rows_only(tmp_path: Path) -> None:
    spec, out = spec_in(tmp_path), tmp_path / "out"
    folder = tmp_path / "traces"
    record = (struct.pack("<IQIq", number, number, 1, -1) for number in range(50))
    (folder / "cut.oracleGeneral.bin").write_bytes(b"".join(record)[:1000])
    (folder / "cut.gz").write_bytes(b"\x1f\x8b\x08\x00cut")
    (folder / "empty").write_bytes(b"")
    done = sweep(spec, out)
    assert (done.runs, done.ended, done.failed) == (24, 24, 12)
    reasons = {row.trace: row.error for row in rows(out) if row.error}
    assert "multiple of 24" in reasons["traces/cut.oracleGeneral.bin"]
    assert "gzip data ends too early" in reasons["traces/cut.gz"] and "is empty" in reasons["traces/empty"]
    assert all(row.misses is None and row.trace_digest is None for row in rows(out) if row.error)
    assert sweep(spec, out)[2:4] == (0, 12)
    keys(folder / "empty")
    assert sweep(spec, out)[2:4] == (4, 8)  # it is another trace now
    assert sweep(spec, out, again=True)[2:4] == (8, 8)
    assert len(rows(out)) == 24


def test_capacity_that_does_not_fit_fails_its_row_only(tmp_path: Path) -> None:
    spec, out = spec_in(tmp_path, traces=1), tmp_path / "out"
    spec.write_text(spec.read_text().replace("0.1, 20", "0.0001, 20"))
    assert sweep(spec, out).failed == 2
    reasons = {row.capacity: row.error for row in rows(out)}
    assert "is not one page; give a larger one" in reasons["0.0001"] and not reasons["20"]


def test_policies_travel_as_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the policy nor its library need be on the worker."""
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "lib.cpol").write_text("library lib { const most: u8 = 3 }\n")
    text = 'policy mine {\n  import most from "lib.cpol"\n  param n: u8 = 1 in 0..most\n  list all\n'
    text += "  on added(f) { place f at tail of all }\n  on evict { scan all from head as f { evict f } }\n}\n"
    (folder / "mine.cpol").write_text(text)
    made = compiled(folder / "mine.cpol")
    source = policies.source_of(made, {"n": "2"})
    assert source.libraries == ((str(folder / "lib.cpol"), "library lib { const most: u8 = 3 }\n"),)
    (folder / "lib.cpol").write_text("library lib { const most: u8 = 4 }\n")
    assert policies.source_of(compiled(folder / "mine.cpol"), {"n": "2"}).digest != source.digest
    for path in folder.iterdir():
        path.unlink()
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "other"))
    policies._compiled.cache_clear()
    assert policies.compiled_of(source).code == made.code
    again = compiled_text(source.text, source.path, dict(source.libraries))
    assert (again.policy, again.code) == (made.policy, made.code)
    with pytest.raises(CompileError, match="cannot be read"):
        compiled_text(source.text, source.path)


def test_what_is_kept_of_texts_is_of_the_libraries_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not travel, as those of the standard library, may change on this machine."""
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "cache"))
    text = 'policy mine { import most from "lib.cpol"  list all  on added(f) { if most > 3 { place f at tail of all } '
    text += "else { place f at head of all } }  on evict { scan all from head as f { evict f } } }"
    made = []
    for most in (3, 4, 3):
        (tmp_path / "lib.cpol").write_text(f"library lib {{ const most: u8 = {most} }}\n")
        made.append(compiled_once(text, str(tmp_path / "mine.cpol"), {}))
        assert made[-1].code == compiled_text(text, str(tmp_path / "mine.cpol")).code
    assert made[0].code == made[2].code != made[1].code


@pytest.mark.slow
def test_processes_compile_a_text_once(tmp_path: Path) -> None:
    code = (
        "import sys; from cpol.compiler import compiled as c; made = c.compiled_text\n"
        "c.compiled_text = lambda *words: (print('compiled', flush=True), made(*words))[1]\n"
        "c.compiled_once(open(sys.argv[1]).read(), 'lru.cpol', {})"
    )
    command = [sys.executable, "-c", code, str(resolve("lru"))]
    environment = {**os.environ, "CPOL_CACHE": str(tmp_path)}
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert sorted(each.communicate(timeout=60)[0] for each in running) == ["", "", "compiled\n"]
    assert [each.returncode for each in running] == [0, 0, 0]
    (entry,) = (tmp_path / "compiled").glob("*.texts.pickle")
    entry.write_bytes(entry.read_bytes()[:-1])
    assert subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout == "compiled\n"


def test_a_trace_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = keys(tmp_path / "t.txt")
    reads: list[Path] = []
    real = kept.read_trace

    def read(path: Path, reading: Reading) -> kept.Trace:
        reads.append(path)
        time.sleep(0.05)
        return real(path, reading)

    monkeypatch.setattr(kept, "read_trace", read)
    traces = kept.Kept(lambda found, _: nullcontext(Path(found.name)), 1 << 20)
    unit = unit_of(path)
    threads = [threading.Thread(target=work.run_unit, args=(unit, traces)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reads == [path]
    other = keys(tmp_path / "u.txt", 2, 100_000)
    work.run_unit(unit_of(other), traces)
    work.run_unit(unit, traces)
    assert reads == [path, other, path]  # both are more than the bound
    with pytest.raises(TraceError, match=r"^gone: "), traces.opened(unit_of(tmp_path / "gone")._replace(label="gone")):
        pass
    work.run_unit(unit, traces)
    assert len(reads) == 4


def test_a_reason_names_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "has_written", lambda _: True)
    (row,) = work.run_unit(unit_of(keys(tmp_path / "copy"))._replace(label="s3://a/b"), kept.Kept(local, 1 << 20))
    assert row.error.startswith("s3://a/b: some requests write") and str(tmp_path) not in row.error


def unit_of(path: Path) -> Unit:
    size = path.stat().st_size if path.exists() else 0
    runs = (Wanted(policies.OPTIMUM, "10", None),)
    return Unit(Found(str(path), size, ""), path.name, Reading(), {}, runs, 1, "0", "1")


def test_traces_take_turns_within_the_bound(tmp_path: Path) -> None:
    """Two that do not fit beside one another are not in memory at the same time."""
    paths = [keys(tmp_path / f"{number}.txt", number, 30_000) for number in range(4)]
    traces = kept.Kept(lambda found, _: nullcontext(Path(found.name)), 1 << 19)
    inside, most = [0], [0]

    def use(path: Path) -> None:
        with traces.opened(unit_of(path)):
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            time.sleep(0.02)
            inside[0] -= 1

    threads = [threading.Thread(target=use, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert most == [1]


def test_memory_is_within_the_limit_of_the_cgroup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "LEAST", 1)
    own, inner = tmp_path / "own", tmp_path / "root" / "a" / "b"
    inner.mkdir(parents=True)
    own.write_text("0::/a/b\n")
    free = here.memory(own, tmp_path / "root")
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert free == pytest.approx(here.available() // 2, rel=0.2) and here.available() < total
    (inner / "memory.max").write_text("max\n")
    (inner.parent / "memory.max").write_text("4096\n")
    assert here.memory(own, tmp_path / "root") == 2048
    own.unlink()
    assert here.memory(own, tmp_path / "root") > 2048


def test_units(tmp_path: Path) -> None:
    spec = read_spec(spec_in(tmp_path, "batches = [1, 2]\n"))
    big, small = Found("/big.zst", AT_ONCE, "1"), Found("/small", AT_ONCE // 18, "1")
    own = policies_of(spec, compiled)
    assert (own.details, own.base) == (False, "lru") and [each.name for each in own.sources] == ["lru", "s3fifo"]
    units = [*units_of(spec, own, {"small": small, "big": big}, "1")]
    assert [(unit.label, len(unit.runs)) for unit in units] == [("big", 1)] * 8 + [("small", 3)] * 2 + [("small", 2)]
    assert len({(unit.runs[0].policy, unit.runs[0].capacity, unit.runs[0].batch) for unit in units[:8]}) == 8
    details = next(units_of(spec, own._replace(details=True), {"small": small}, "1")).reading
    assert details.details and str(details) == ""
    assert [*traces_of(spec, lambda pattern, _: [Found(f"{tmp_path}/traces/x", 1, "")])] == ["traces/x"]


@pytest.mark.parametrize(
    ("policies", "more", "place", "says"),
    [
        ('"lru", "fifoo"', "", "1:20", "`fifoo` is not in the standard library; did you mean `fifo`?"),
        ('"lru", "leap"', "", "1:20", "leap evicts nothing"),
        ('"lru"', "[params.lru]\nx = 1\n", "5:1", "lru: policy lru has no param 'x'"),
        ('"s3fifo"', "[params.s3fifo]\nthreshold = 99\n", "5:13", "99 is out of range"),
        ('"s3fifo"', '[params.s3fifo]\nthreshold = [1, "1"]\n', "5:17", "threshold=1 is the same as 1; leave out one"),
        ('"s3fifo"', "[params.s3fifo]\nthreshold = 1\nsmall_percent = [5, 0]\n", "6:21", "out of range"),
        ('"lru", "belady"', "[params.belady]\nx = 1\n", "5:1", "`belady` has no params; leave them out"),
        ('"all"', "[params.all]\nx = 1\n", "5:1", '`all` has no params; name the policy beside it: policies = ["all"'),
        ('"lru", "./lru.cpol", "lru.cpol"', "", "1:20", "two files here have a policy named lru"),
        ('"lru", "lru.cpol"', "", "1:20", "two files here have a policy named lru"),
        ('"lru", "best.cpol"', "", "1:20", "a policy here is called belady, as the optimum; give it another name"),
        ('"lru", "/dev/zero"', "", "1:20", "/dev/zero is no regular file, which a policy is"),
        ('"lru", "./pipe"', "", "1:20", "pipe is no regular file, which a policy is"),
        ('"lru", "same.cpol"', "", "1:20", "no such policy file"),
        ('"lru"', 'base = "fifo"\n', "4:8", "`base` is fifo, which is none of the policies here: lru"),
    ],
)
def test_policies_that_cannot_be(policies: str, more: str, place: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "lru.cpol").write_text(resolve("lru").read_text() + "\n")
    (tmp_path / "best.cpol").write_text(resolve("lru").read_text().replace("policy lru", "policy belady"))
    os.mkfifo(tmp_path / "pipe")
    spec, out = spec_in(tmp_path, more, policies=policies), tmp_path / "out"
    with pytest.raises(UserError) as caught:
        sweep(spec, out)
    assert str(caught.value).startswith(f"{spec}:{place}: ") and says in str(caught.value)
    assert not out.exists()


def test_policies_with_inputs_are_told_of(tmp_path: Path) -> None:
    said: list[str] = []
    made = policies_of(read_spec(spec_in(tmp_path, policies='"all", "query"')), compiled, said.append)
    assert said == ["query has inputs, which no sweep fills; it may miss what lru misses"]
    every = {each.name for each in made.sources}
    assert {"lru", "s3fifo", "query"} <= every and not {"graph", "keep_files", "get_scan", "leap"} & every


def test_many_settings_are_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [*range(1, 51)]
    spec = spec_in(
        tmp_path, f"[params.s3fifo]\nsmall_percent = {numbers}\nghost_percent = {numbers}\nthreshold=[1, 2]\n"
    )
    made = policies_of(read_spec(spec), compiled).sources
    assert len({*made}) == 5001 and made[-1].params == (
        ("ghost_percent", "50"),
        ("small_percent", "50"),
        ("threshold", "2"),
    )
    monkeypatch.setattr(plan, "MOST_PLANNED", 20_005)
    with pytest.raises(
        UserError, match=r"these are 30,006 runs, and a sweep has 20,005 at most; divide it among files"
    ):
        sweep(spec, tmp_path / "out")
    monkeypatch.setattr(plan, "MOST_PLANNED", 10_001)
    with pytest.raises(UserError, match="these are 10,002 runs"):  # before any policy is compiled
        policies_of(read_spec(spec), lambda path: pytest.fail(str(path)))
    assert not (tmp_path / "out").exists()


def test_files_that_a_glob_finds_and_nobody_can_read_fail_their_rows_only(tmp_path: Path) -> None:
    spec, out = spec_in(tmp_path, traces=1), tmp_path / "out"
    folder = tmp_path / "traces"
    (folder / "gone").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    assert sweep(spec, out)[2:4] == (16, 12)
    reasons = {row.trace: row.error for row in rows(out) if row.error}
    assert "there is no such file" in reasons["traces/gone"] and "Too many levels" in reasons["traces/loop"]
    assert "is no file, and each of its runs may read a trace anew" in reasons["traces/pipe"]
    keys(folder / "nowhere")
    (folder / "nowhere").rename(tmp_path / "elsewhere")
    (folder / "gone").unlink()
    (folder / "gone").symlink_to("../elsewhere")
    assert sweep(spec, out)[2:4] == (4, 8)


def test_what_lost_its_workers_is_done_again(tmp_path: Path) -> None:
    spec, out = spec_in(tmp_path), tmp_path / "out"

    def lost(units: Sequence[Unit]) -> Generator[tuple[Unit, list[Row]], None, None]:
        yield from ((unit, failed(unit, GUILTY)) for unit in units)

    assert sweep(spec, out, execute=lost)[2:4] == (12, 12)
    assert sweep(spec, out)[:4] == (12, 0, 12, 0)


def test_reasons_speak_of_the_file_of_a_sweep(tmp_path: Path) -> None:
    spec, out = spec_in(tmp_path, traces=1), tmp_path / "--format"
    (tmp_path / "traces" / "--format").write_text("1 2\n3 4\n")
    sweep(spec, out)
    (reason,) = {row.error for row in rows(out) if row.error}
    assert reason.startswith("traces/--format: ") and "write [reading] columns object=COLUMN" in reason
    assert "--" not in reason.removeprefix("traces/--format")


@pytest.mark.parametrize(
    ("policies", "base"),
    [('"fifo", "all"', "fifo"), ('"all"', "lru"), ('"all", "fifo"', "lru"), ('"all", "lru"', "lru")],
)
def test_base_of_all_policies(policies: str, base: str, tmp_path: Path) -> None:
    found = policies_of(read_spec(spec_in(tmp_path, policies=policies)), compiled)
    assert found.base == base and len(found.sources) > 20


def test_wrong_policy_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "wrong.cpol").write_text("policy wrong { lst all }\n")
    with pytest.raises(CompileError, match=r"wrong\.cpol:1:"):
        sweep(spec_in(tmp_path, policies='"lru", "wrong.cpol"'), tmp_path / "out")


def test_hostile_names_of_traces(tmp_path: Path) -> None:
    """Bytes that are no UTF-8, control characters, glob characters: rows have them as far as they can be shown."""
    spec, out = spec_in(tmp_path, traces=1), tmp_path / "out"
    names = [b"\xff.txt", b"a\nb\x1b[31m.txt", b"[x]*.txt", "\u202e.txt".encode(), b" "]
    for name in names:
        keys(tmp_path / "traces" / os.fsdecode(name))
    (tmp_path / "traces" / os.fsdecode(b"\xfe.txt")).write_bytes(b"")
    with pytest.raises(UserError, match="two traces have names that are shown as traces/\ufffd"):
        sweep(spec, out)
    for name in (b"\xff.txt", "\u202e.txt".encode()):
        (tmp_path / "traces" / os.fsdecode(name)).unlink()
    assert sweep(spec, out)[2:4] == (20, 4)
    shown = {row.trace for row in rows(out)}
    assert shown == {f"traces/{name}" for name in ("t0.txt", "a\ufffdb\ufffd[31m.txt", "[x]*.txt", " ", "\ufffd.txt")}
    reasons = {row.error for row in rows(out) if row.error}
    assert reasons == {"traces/\ufffd.txt: the trace is empty; name a file with requests"}


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
