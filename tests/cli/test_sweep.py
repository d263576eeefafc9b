"""cpolc sweep: what it prints, how it ends, and who may write where."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result
from clusters import dask_of_a_user, put, s3
from sweeps import keys, spec_in, without_seconds

from cpol.cli.main import cli
from cpol.runtime.simulate.sweep import store
from cpol.runtime.simulate.sweep.executors import bytes_of

CPOLC = [sys.executable, "-c", "from cpol.cli.main import main; main()"]


def cpolc(*words: object) -> Result:
    return CliRunner().invoke(cli, ["sweep", *map(str, words)])


def test_run_status_report(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, 'base = "fifo"\nbatches = [1, 32]\n', policies='"lru", "s3fifo", "fifo", "belady"')
    done = cpolc(spec, "--in-process")
    folder = tmp_path / "s.sweep"
    assert done.exit_code == 0 and done.stdout.startswith(f"{folder}: 42 of 42 runs in "), done.output
    again = json.loads(cpolc("run", "-o", folder, "--json", "--in-process", spec).stdout)
    assert again.pop("seconds") < 5
    assert again == {"folder": str(folder), "runs": 42, "there": 42, "ended": 0, "failed": 0}
    assert cpolc("status", folder).stdout == f"{folder}: 42 of 42 runs; complete\n"
    told = json.loads(cpolc("report", folder, "--json").stdout)
    assert told["base"] == "fifo batch 1" and told["failed"] == []
    rows = [*store.stored(folder).rows.values()]
    assert len(told["lines"]) == 14
    for line in told["lines"]:
        own, base = ([row for row in rows if row.capacity == line["capacity"] and named(row) == label]
                     for label in (line["policy"], "fifo batch 1"))  # fmt: skip
        ratios = sorted(row.miss_ratio or 0 for row in own)
        assert line["traces"] == 3 == len(own) and line["median"] == ratios[1]
        assert line["mean"] == pytest.approx(sum(ratios) / 3)
        shares = [(row.misses or 0) / (other.misses or 0) for row, other in zip(own, base, strict=True)]
        assert line["of_base"] == pytest.approx(sum(shares) / 3)
    for capacity in ("0.1", "20"):
        ours = [line for line in told["lines"] if line["capacity"] == capacity]
        assert [line["mean"] for line in ours] == sorted(line["mean"] for line in ours)
        assert sum(line["best"] or 0 for line in ours) >= 3
        assert [line["best"] for line in ours if line["policy"] == "belady"] == [None]
    shown = cpolc("report", folder, "--base", "lru").stdout.splitlines()
    assert shown[1:4] == ["", "capacity 0.1, 3 traces", f"{'policy':<15}     mean   median    best  of lru batch 1"]
    assert shown[4].startswith("belady ")


def named(row: store.Row) -> str:
    return f"{row.policy} batch {row.batch}" if row.batch else row.policy


def test_one_trace(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, traces=1)
    assert cpolc(spec, "--in-process").exit_code == 0
    assert "\ncapacity 0.1, 1 trace\n" in cpolc("report", tmp_path / "s.sweep").stdout


def test_failures_are_shown_and_end_with_1(tmp_path: Path) -> None:
    spec, folder = spec_in(tmp_path), tmp_path / "out"
    (tmp_path / "traces" / "empty").write_bytes(b"")
    done = cpolc(spec, "--in-process", "-o", folder)
    assert done.exit_code == 1 and f"4 runs failed: cpolc sweep report {folder} shows why" in done.stderr
    assert cpolc(spec, "--in-process", "-o", folder).exit_code == 1
    assert cpolc("status", folder).stdout == f"{folder}: 16 of 16 runs, 4 failed; complete\n"
    shown = cpolc("report", folder).stdout
    assert shown.endswith("failed\ntraces/empty: 4 runs: the trace is empty; name a file with requests\n")
    assert "3 traces" in shown  # those on which all ran
    keys(tmp_path / "traces" / "empty")
    assert cpolc(spec, "--in-process", "-o", folder).exit_code == 0
    assert "left out: 4 rows of other runs" in cpolc("report", folder).stdout


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["gone.toml"], 1, "cannot read gone.toml: No such file or directory; name the TOML file of a sweep"),
        (["s.toml", "--scheduler", "x", "--in-process"], 2, "in this process or on a scheduler's workers"),
        (["statsu", "s.sweep"], 2, "there is no file and no command `statsu`; did you mean `status`?"),
        (["s.toml", "--worker-memory", "12"], 2, "'12' is no size; give one with its unit, such as 4G"),
        (["s.toml", "--workers", "0"], 2, "workers"),
        (["s.toml", "-o", "s.toml"], 2, "has the name of the folder of rows"),
        (["s.toml", "-o", "traces"], 1, "traces has other files, and none of a sweep; name another folder"),
        (["s.toml", "-o", "s.toml/x"], 1, "cannot write into s.toml/x: Not a directory; name another folder"),
        (["status", "gone"], 1, "gone: No such file or directory; name the folder of a sweep"),
        (["status", "traces"], 1, "traces is no folder of a sweep; name one that a sweep has written"),
        (["report", "out", "--base", "mru"], 2, "mru has no row; there is lru, s3fifo"),
    ],
)
def test_refused(words: list[str], code: int, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec_in(tmp_path)
    if "report" in words:
        cpolc("s.toml", "-o", "out", "--in-process")
    done = cpolc(*words, *([] if words[0] in ("status", "report") or "--scheduler" in words else ["--in-process"]))
    assert done.exit_code == code and says in done.stderr, done.output
    assert not (tmp_path / "traces" / ".lock").exists()


def test_policy_with_errors(tmp_path: Path) -> None:
    (tmp_path / "wrong.cpol").write_text("policy wrong { lst all }\n")
    done = cpolc(spec_in(tmp_path, policies='"wrong.cpol"'), "--in-process")
    assert done.exit_code == 1 and f"{tmp_path}/wrong.cpol:1:16" in done.stderr


def test_hostile_folders(tmp_path: Path) -> None:
    spec, folder = spec_in(tmp_path), tmp_path / "out"
    assert cpolc(spec, "--in-process", "-o", folder).exit_code == 0
    part = folder / "part-000001.parquet"
    whole = part.read_bytes()

    def said() -> str:
        done = cpolc(spec, "--in-process", "-o", folder)
        assert done.exit_code == 1 and done.stderr.count("\n") == 1, done.output
        assert cpolc("report", folder).stderr == done.stderr
        return done.stderr

    part.write_bytes(whole[: len(whole) // 2])
    assert f"{part} is damaged: " in said() and "remove it, and what is missing then runs again" in said()
    part.write_bytes(b"PAR1" + bytes(64) + b"\xff\xff\xff\x7fPAR1")
    assert f"{part} is damaged: " in said()
    shutil.copyfile(folder / store.PLAN, part)
    assert f"{part} has other columns than this cpol writes" in said()
    part.unlink()
    part.symlink_to("/etc/passwd")
    assert f"{part} is no regular file" in said()
    part.unlink()
    os.mkfifo(part)
    assert f"{part} is no regular file" in said()
    part.unlink()
    (folder / "notes.txt").touch()
    assert f"{folder}/notes.txt is no file of a sweep; move it elsewhere" in said()
    (folder / "notes.txt").unlink()
    (folder / ".part-000007.parquet.k1ll3d").write_bytes(whole[:100])
    assert cpolc(spec, "--in-process", "-o", folder).stdout.startswith(f"{folder}: 12 of 12 runs")
    assert sorted(path.name for path in folder.iterdir()) == [".lock", store.PLAN, part.name]


def test_odd_files_in_the_folder(tmp_path: Path) -> None:
    """Names that readers of data sets skip are of no harm; texts that are no UTF-8 and too high a number are errors."""
    spec, folder = spec_in(tmp_path), tmp_path / "out"
    assert cpolc(spec, "--in-process", "-o", folder).exit_code == 0
    for name in (".nfs0000001", ".DS_Store", "_metadata", "_SUCCESS"):
        (folder / name).touch()
    assert cpolc(spec, "--in-process", "-o", folder).stdout.startswith(f"{folder}: 0 of 12 runs")
    assert cpolc("status", folder).stdout == f"{folder}: 12 of 12 runs; complete\n"
    part = folder / "part-000001.parquet"
    rows = pyarrow.parquet.read_table(part)
    offsets = pyarrow.array([*range(13)], pyarrow.int32()).buffers()[1]
    bad = pyarrow.Array.from_buffers(pyarrow.string(), 12, [None, offsets, pyarrow.py_buffer(b"\xff" * 12)])
    pyarrow.parquet.write_table(rows.set_column(4, rows.schema.field("policy"), bad), part)
    for words in (["status", folder], ["report", folder], [spec, "--in-process", "-o", folder]):
        done = cpolc(*words)
        assert done.exit_code == 1 and f"{part} is damaged: " in done.stderr and done.stderr.count("\n") == 1
    pyarrow.parquet.write_table(rows, part)
    part.rename(last := folder / "part-999999999999.parquet")
    done = cpolc(spec, "--in-process", "-o", folder)
    assert done.exit_code == 1 and f"{last} has the last number that there is; name another folder" in done.stderr
    assert cpolc("status", folder).exit_code == 0


def test_a_pipe_for_a_lock_keeps_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".lock")
    command = [*CPOLC, "sweep", "status", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == f"{tmp_path}: 0 of 0 runs; complete\n", done.stderr


def test_what_is_wrong_before_a_run_leaves_no_folder(tmp_path: Path) -> None:
    spec = spec_in(tmp_path)
    spec.write_text(spec.read_text().replace("traces/*", "gone/*"))
    done = cpolc(spec, "--in-process")
    assert done.exit_code == 1 and "s.toml:2:11: " in done.stderr and "no file matches" in done.stderr
    assert not (tmp_path / "s.sweep").exists()


def test_a_policy_with_inputs_is_a_note(tmp_path: Path) -> None:
    done = cpolc(spec_in(tmp_path, policies='"lru", "query"'), "--in-process")
    assert done.exit_code == 0
    assert "note: query has inputs, which no sweep fills; it may miss what lru misses\n" in done.stderr


@pytest.mark.parametrize("name", ["/dev/stdin", "/dev/fd/0", "/dev/null"])
def test_a_device_names_no_folder(name: str, tmp_path: Path) -> None:
    spec = spec_in(tmp_path)
    command = [*CPOLC, "sweep", name, "--in-process"]
    with spec.open() as file:
        ended = [
            subprocess.run(command, stdin=given, capture_output=True, text=True, timeout=60, check=False)
            for given in (file, subprocess.PIPE)
        ]
    for done in ended:
        assert done.returncode == 2 and f"{name} is no place for a folder of rows beside it" in done.stderr


def test_two_at_once(tmp_path: Path) -> None:
    spec, folder = spec_in(tmp_path), tmp_path / "out"
    folder.mkdir()
    with (folder / ".lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        done = cpolc(spec, "--in-process", "-o", folder)
        assert done.exit_code == 1 and f"another sweep writes into {folder}; wait until it ends" in done.stderr
        assert "; running" in cpolc("status", folder).stdout
    assert cpolc(spec, "--in-process", "-o", folder).exit_code == 0


AT_ONCE = """
from cpol.cli.main import main
from cpol.runtime.simulate.sweep import store
store.MOST_SECONDS = 0.0
main()
"""


@pytest.mark.slow
def test_ctrl_c_keeps_rows(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, "batches = [1, 2, 3, 4, 5, 6, 7, 8]\n", traces=2)
    for number in range(2, 12):
        keys(tmp_path / "traces" / f"t{number}.txt", number, 200_000)
    command = [sys.executable, "-c", AT_ONCE, "sweep", str(spec), "--in-process", "--workers", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    folder = tmp_path / "s.sweep"
    while process.poll() is None and not (folder / "part-000001.parquet").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.splitlines()[1:] == [
        f"note: interrupted; rows are kept in {folder}, and the same command resumes the sweep"
    ]
    kept = len(store.stored(folder).rows)
    assert 0 < kept < 12 * 32
    assert cpolc("status", folder).stdout == f"{folder}: {kept} of 384 runs; stopped\n"
    done = json.loads(cpolc(spec, "--in-process", "--json").stdout)
    assert (done["there"], done["there"] + done["ended"]) == (kept, 384)


def test_without_optional_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = spec_in(tmp_path)
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = cpolc(spec)
    assert done.exit_code == 0 and done.stdout.startswith(f"{tmp_path}/s.sweep: 12 of 12 runs")
    missing, memory = done.stderr.splitlines()
    assert (
        missing == "note: distributed is missing, so all runs are in this process: pip install distributed cryptography"
    )
    assert re.fullmatch(
        r"note: .* threads? of this process, which keeps traces of at most [0-9.]+ GiB in memory", memory
    )
    done = cpolc(spec, "-o", tmp_path / "other", "--scheduler", "tcp://127.0.0.1:1")
    assert done.exit_code == 1 and "cluster: pip install distributed\n" in done.stderr
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    for words in ([spec, "-o", tmp_path / "new"], ["status", tmp_path / "s.sweep"]):
        done = cpolc(*words)
        assert done.exit_code == 1 and "pyarrow is missing, which keeps the rows of a sweep: pip" in done.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_modules_are_imported_when_they_are_used() -> None:
    code = "import sys, cpol.cli.sweep, cpol.api; print(*{'dask', 'distributed', 'fsspec', 'pyarrow'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


def test_sizes() -> None:
    assert [bytes_of(text) for text in ("4G", "512m", "1.5KiB", "2TB")] == [4 << 30, 512 << 20, 1536, 2 << 40]


SLOWLY = """
import time
from cpol.runtime.simulate.sweep import member
from cpol.runtime.simulate.sweep.work import run_unit as run  # Dask may load this twice
def slowly(unit, traces):
    time.sleep(0.2)
    return run(unit, traces)
member.run_unit = slowly
"""


@pytest.mark.slow
def test_cluster_of_a_user_loses_a_worker_and_then_the_client(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, "batches = [1, 2]\n", traces=16)
    assert cpolc(spec, "--in-process", "-o", tmp_path / "here").exit_code == 0
    folder = tmp_path / "out"
    with dask_of_a_user(tmp_path) as dask:
        workers = [dask.worker(SLOWLY), dask.worker(SLOWLY)]
        command = [sys.executable, "-c", AT_ONCE, "sweep", str(spec), "-o", str(folder), "--scheduler", dask.address]
        client = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        wait_for(folder, 2, client)
        workers[0].kill()
        wait_for(folder, 6, client)
        client.kill()
        client.communicate(timeout=60)
        before = len(store.stored(folder).rows)
        assert 6 * 8 <= before < 16 * 8
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        assert f"{16 * 8 - before} of 128 runs in " in done.stdout and f", {before} were there" in done.stdout
        assert workers[1].poll() is None
    here, there = (without_seconds([*store.stored(each).rows.values()]) for each in (tmp_path / "here", folder))
    assert here == there and len(here) == 128


def wait_for(folder: Path, parts: int, process: subprocess.Popen[str]) -> None:
    while process.poll() is None and len([*folder.glob("part-*")]) < parts:
        time.sleep(0.02)
    assert process.poll() is None


@pytest.mark.slow
def test_traces_of_an_object_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "who")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hidden-word")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    local = spec_in(tmp_path)
    with s3() as storage:
        for path in (tmp_path / "traces").iterdir():
            put(storage, f"2026/{path.name}", path.read_bytes())
        remote = tmp_path / "remote.toml"
        remote.write_text(
            local.read_text().replace("traces/*", "s3://traces/2026/*.txt")
            + f'[storage]\nendpoint_url = "{storage["endpoint_url"]}"\n'
        )
        for words in (["--in-process"], ["--workers", "2"]):
            done = cpolc(remote, *words, "-o", tmp_path / words[0])
            assert done.exit_code == 0 and "12 of 12 runs" in done.stdout, done.output
            assert cpolc(remote, *words, "-o", tmp_path / words[0]).stdout.endswith("12 were there\n")
        put(storage, "2026/t3.txt", b"")
        done = cpolc(remote, "--in-process", "-o", tmp_path / "--in-process")
        assert done.exit_code == 1 and "4 of 16 runs" in done.stdout
    cpolc(local, "--in-process")
    here = {row.trace.rpartition("/")[2]: row for row in store.stored(tmp_path / "s.sweep").rows.values()}
    for name in ("--in-process", "--workers"):
        for row in store.stored(tmp_path / name).rows.values():
            assert row.trace.startswith("s3://traces/2026/t")
            if not row.error:
                assert row.trace_digest == here[row.trace.rpartition("/")[2]].trace_digest
        for path in (tmp_path / name).iterdir():
            assert b"hidden-word" not in path.read_bytes() and b"127.0.0.1" not in path.read_bytes()
    one, other = (
        [row for row in without_seconds([*store.stored(tmp_path / name).rows.values()]) if not row.error]
        for name in ("--in-process", "--workers")
    )
    assert one == other and len(one) == 12
