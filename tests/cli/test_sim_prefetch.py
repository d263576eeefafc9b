"""`cpolc sim` for prefetching: rows, columns, options, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli

REGIME = ("--regime", "sequential/sequential:4096", "--capacity", "0.2")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sim(*words: str) -> Result:
    return CliRunner().invoke(cli, ["sim", *words], prog_name="cpolc")


def objects(*words: str) -> list[dict[str, object]]:
    done = sim(*words, "--json")
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_table_has_the_fewest_missed_first() -> None:
    done = sim("none", "default", *REGIME, "--latency", "1ms", "--bandwidth", "4000K")
    assert done.exit_code == 0 and done.stderr == ""
    assert done.stdout.splitlines() == [
        "sequential/sequential:4096: sequential/sequential, 8,192 touches of memory, 4,096 pages; 1,000 us, "
        "3.90625 MiB/s; default: vma",
        "policy      capacity     missed prefetched       used       late     wasted accuracy coverage    waited ms",
        "default          819        514      3,582      3,582      3,582          0   1.0000   0.8745      4,574.2",
        "none             819      4,096          0          0          0          0        -   0.0000      8,192.0",
    ]


def test_json_has_all_counts() -> None:
    none, default = objects("none", "default", *REGIME, "--kernel", "cluster", "--seed", "3")
    assert (none["policy"], none["missed"], none["accuracy"]) == ("none", 4096, None)
    assert (default["missed"], default["prefetched"], default["read_bytes"]) == (513, 3583, 4096 * 4096)
    assert default["latency_ns"] == 100_000 and default["bandwidth"] == 100 << 20 and default["kernel"] == "cluster"
    swap, files = default["swap"], default["files"]
    assert isinstance(swap, dict) and isinstance(files, dict)
    assert swap["in_time"] + swap["late"] == swap["used"] == 3583 and files["accesses"] == 0


def test_reader_who_is_faster_than_the_medium_is_late() -> None:
    """At 1 MiB/s a page takes 4 ms."""
    (default,) = objects("default", *REGIME, "--bandwidth", "1M", "--assume", "time=5ms")
    assert (default["late"], default["used"]) == (0, 3582)
    (late,) = objects("default", *REGIME, "--bandwidth", "1M", "--assume", "time=1ms")
    assert (late["late"], late["used"], late["missed"]) == (3582, 3582, default["missed"])


def test_file_reads(folder: Path) -> None:
    (folder / "reads.csv").write_text("".join(f"7,{page}\n" for page in range(100)))
    none, default = objects(
        "none", "default", "--trace", "reads.csv", "--columns", "file=0,page=1", "--capacity", "1000"
    )
    assert (none["missed"], default["missed"], default["prefetched"]) == (100, 1, 99)


def test_recording_and_its_lost_events(folder: Path) -> None:
    faults = "".join(f"{n}000,fault,swap:0:{n + 1},{n + 10},1,1,1,,0,99\n" for n in range(20))
    (folder / "app.rec").write_text(f"cpol-record 2\n{faults}end,20,3\n")
    done = sim("none", "default", "--trace", "app.rec", "--capacity", "8")
    assert done.stderr == "note: app.rec: 3 events were lost while it was recorded, so it lacks faults\n"
    lines = [line.split()[:3] for line in done.stdout.splitlines()[2:]]
    assert lines == [["default", "8", "3"], ["none", "8", "20"]]  # pages 10, 15 and 23


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["none", "--capacity", "5"], 2, "Missing option '--trace'"),
        (["lru", "--capacity", "5"], 2, "Missing option '--trace'"),
        (["none", *REGIME, "--batch", "3"], 2, "'--batch'"),
        (["none", *REGIME, "--belady"], 2, "is about what a policy evicts"),
        (["none", *REGIME, "--trace", "x"], 2, "leave out --trace, or --regime"),
        (["none", *REGIME, "--pages"], 2, "'--pages': is about the file of a trace; --regime makes its trace"),
        (["none", *REGIME, "--format", "csv"], 2, "'--format': is about the file of a trace"),
        (["none", *REGIME, "--columns", "page=0"], 2, "'--columns': is about the file of a trace"),
        (["none", *REGIME, "--assume", "rw=write"], 2, "'--assume': rw is about the requests of a trace file"),
        (["none", *REGIME, "--assume", "file=7"], 2, "'--assume': file is about the requests of a trace file"),
        (["none", "default", *REGIME, "--set", "x=1"], 2, "no policy here has a param 'x': none and default take none"),
        (["none", *REGIME, "--latency", "5"], 2, "is no time; give a number with ns, us, ms or s"),
        (["none", *REGIME, "--latency", "11s"], 2, "at most 10s"),
        (["none", *REGIME, "--bandwidth", "0"], 2, "1 byte to 1024T"),
        (["none", *REGIME, "--bandwidth", "fast"], 2, "is no bandwidth; give bytes a second"),
        (["none", "--regime", "random/strides", "--capacity", "5"], 2, "did you mean random/stride?"),
        (["none", "--regime", "random/stride:1", "--capacity", "5"], 2, "an array has 2 to"),
        (["none", "lru", *REGIME], 1, "lru prefetches nothing: it has none of `on fault`"),
        (["lru", "--latency", "1ms", "--trace", "x", "--capacity", "5"], 1, "but --latency is about prefetching"),
        (["none", "--trace", "missing", "--capacity", "5"], 1, "missing: cannot be read"),
    ],
)
def test_refusals(words: list[str], code: int, said: str) -> None:
    done = sim(*words)
    assert (done.exit_code, done.stdout) == (code, "")
    assert said in done.stderr, done.stderr


def test_objects_are_nothing_to_prefetch(folder: Path) -> None:
    (folder / "keys.csv").write_text("1,7,4096\n2,8,4096\n")
    done = sim("default", "--trace", "keys.csv", "--capacity", "5")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("cpolc: error: keys.csv: csv traces have objects, but neither swap faults nor reads")


def test_handlers_that_the_model_never_calls_are_named() -> None:
    done = sim("drop_behind", "stream", *REGIME)
    assert done.exit_code == 0
    (said,) = (line for line in done.stderr.splitlines() if "ranges" in line)
    assert said == "note: drop_behind: the model has no ranges of files, so it calls none of `on read`"


def test_trace_of_the_other_kind_is_named(folder: Path) -> None:
    (folder / "reads.csv").write_text("7,1\n7,2\n")
    (folder / "pages.txt").write_text("1\n2\n")
    done = sim("stream", "leap", "--trace", "pages.txt", "--capacity", "10")
    assert [line for line in done.stderr.splitlines() if "never called" in line] == [
        "note: stream: the trace has no reads of files, so `on readahead` is never called; "
        "give csv with --columns file=COLUMN,page=COLUMN, or what cpolc record wrote"
    ]
    done = sim("stream", "leap", "--trace", "reads.csv", "--columns", "file=0,page=1", "--capacity", "10")
    assert [line for line in done.stderr.splitlines() if "nothing faults" in line] == [
        "note: leap: the trace has no touches of memory, so nothing faults; "
        "give csv with --columns page=COLUMN, or a text of page numbers, or what cpolc record wrote"
    ]
