"""Runs of a sweep in this process: their rows, and what a bad trace or a changed policy does to them."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path

import pytest
from sweeps import PARAMS, keys, rows, spec_in, sweep, unit_of, without_seconds

import cpol
from cpol.compiler.compiled import compiled, compiled_once, compiled_text
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.sweep import kept, policies, store, work
from cpol.runtime.simulate.sweep.fetched import local
from cpol.runtime.simulate.sweep.unit import Reading
from cpol.runtime.simulate.traces import TraceError


@pytest.mark.slow
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
