"""`cpolc sim`: notes about what the trace lacks, and `--assume`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler import comm, compile_file
from cpol.compiler.ir import Policy
from cpol.runtime.machine.interp import Given, Machine, run_trace
from cpol.runtime.machine.settings.assumed import MAX_STEP, Assumed
from cpol.runtime.simulate.simulator import Simulator

POLICY = """policy reader {
  list queue
  input weight: map of page to u8 = 0
  state files: u64 = 0
  state late: u64 = 0
  fn odd(f: folio): bool = f.file % 2 == 1
  on admit(f) { if task.thread == 4 or (task.process == 6 and hash(f, 1) % 3 == 0) { refuse f } }
  on added(f) { late = cache.time  if odd(f) or f.index % 5 == 3 { leave f } else { place f at tail of queue } }
  on accessed(f) { files = f.file  if task.comm == "od" { files = 0 } }
  on evict { scan queue from tail as f { when (files + f.index + weight.of(f)) % 3 > 0 { evict f } } }
  every 5 ms { files = late }
  test only_tests_read_this(capacity: 4) { access 1 expect cache.has(1) }
}
"""
PLAIN = """policy plain {
  list queue
  on added(f) { place f at tail of queue }
  on evict { scan queue from head as f { when hash(f, 1) > 0 { evict f }  otherwise { evict f } } }
  invariant cache.time < 10 h
}
"""
FLAGS = """policy flags {
  list queue
  folio { mapped: bool = false }
  fn busy(f: folio): bool = f.dirty or f.writeback
  on added(f) { place f at tail of queue }
  on accessed(f) { if not f.mapped { f.mapped = true  move f to tail of queue } }
  on evict { scan queue from tail as f { when busy(f) { evict f } } }
}
"""
IDS = [n * n % 101 for n in range(700)]
TRACES = {
    "text": "".join(f"k{key}\n" for key in IDS),
    "lirs": "".join(f"{key}\n" for key in IDS),
    "csv": "".join(f"{n},{key},4096\n" for n, key in enumerate(IDS)),
    "twitter": "".join(f"{n},{key},3,40,{n % 7},get,0\n" for n, key in enumerate(IDS)),
}
ALL = ["page=object", "file=2", "thread=1", "process=6", "comm=sh", "time=30us"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reader.cpol").write_text(POLICY, encoding="utf-8")
    (tmp_path / "plain.cpol").write_text(PLAIN, encoding="utf-8")
    for name, text in TRACES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def sim(policy: str, trace: str, *assumed: str, options: tuple[str, ...] = ()) -> Result:
    words = [word for value in assumed for word in ("--assume", value)]
    words = ["sim", f"./{policy}.cpol", "--trace", trace, "--format", trace, "--capacity", "20", *words, *options]
    return CliRunner().invoke(cli, words)


NOTES = {
    "file": "note: reader.cpol:6:28: `f.file` (the first of 3 places): the {} trace has no files; "
    "every folio has the file 0; say it with --assume file=N, or give a trace that has files "
    "(msr, blktrace, log, record, csv or parquet with --columns file=COLUMN)",
    "page": "note: reader.cpol:8:49: `f.index` (the first of 3 places): the {} trace has no pages of files; "
    "a folio's index is the number of its object; say it with --assume page=object, if these are pages of one file, "
    "or give a trace that has pages of files (lirs, lis, msr, blktrace, log, record, vscsi with --pages, "
    "csv or parquet with --columns page=COLUMN)",
    "thread": "note: reader.cpol:7:20: `task.thread`: the {} trace has no threads; the thread is always 0; "
    "say it with --assume thread=N, or give a trace that has threads (twitter, blktrace, log, record, "
    "csv or parquet with --columns thread=COLUMN)",
    "process": "note: reader.cpol:7:41: `task.process`: the {} trace has no processes; the process is always 0; "
    "say it with --assume process=N, or give a trace that has processes (log, record, "
    "csv or parquet with --columns process=COLUMN)",
    "comm": "note: reader.cpol:9:39: `task.comm`: the {} trace has no names of commands; no command has a name; "
    "say it with --assume comm=NAME, or give a trace that has names of commands "
    "(record, csv or parquet with --columns comm=COLUMN)",
    "time": "note: reader.cpol:8:24: `cache.time` (the first of 2 places): the {} trace has no times; "
    "100 requests count as a millisecond; say it with --assume time=STEP (such as 50us), "
    "or give a trace that has times (oraclegeneral, vscsi, lcs, csv, twitter, msr, blktrace, log, record, "
    "csv or parquet with --columns time=COLUMN)",
}
LACKS = {
    "text": {"file", "page", "thread", "process", "comm", "time"},
    "lirs": {"file", "thread", "process", "comm", "time"},
    "csv": {"file", "page", "thread", "process", "comm"},
    "twitter": {"file", "page", "process", "comm"},
}


@pytest.mark.parametrize("trace", TRACES)
def test_one_note_for_each_fact_that_the_trace_lacks(trace: str, files: Path) -> None:
    result = sim("reader", trace)
    assert result.exit_code == 0
    assert sorted(result.stderr.splitlines()) == sorted(NOTES[fact].format(trace) for fact in LACKS[trace])


@pytest.mark.parametrize("fact", ALL)
def test_what_is_assumed_gets_no_note(fact: str, files: Path) -> None:
    name = fact.partition("=")[0]
    lines = sim("reader", "text", fact).stderr.splitlines()
    assert sorted(lines) == sorted(NOTES[other].format("text") for other in LACKS["text"] - {name})
    assert sim("reader", "text", *ALL).stderr == ""


def test_a_policy_that_reads_nothing_of_it_gets_no_note(files: Path) -> None:
    """A hash of a folio, and what only invariants read, do not count."""
    assert sim("plain", "text").stderr == ""


def test_a_note_as_json_has_its_place(files: Path) -> None:
    lines = [json.loads(line) for line in sim("reader", "twitter", options=("--json",)).stderr.splitlines()]
    note = next(line for line in lines if "files" in line["message"].partition(";")[0])
    assert note["severity"] == "note" and note["help"].startswith("say it with --assume file=N, or ")
    (span,) = note["spans"]
    assert (span["file"], span["line"], span["column"], span["end_column"]) == ("reader.cpol", 6, 28, 34)


def misses(result: Result) -> int:
    assert result.exit_code == 0, result.output
    return int(json.loads(result.stdout)["misses"])


@pytest.mark.parametrize("fact", ["file=1", "thread=4"])
def test_what_is_assumed_reaches_the_policy(fact: str, files: Path) -> None:
    """The file 1 is left to the kernel, and the thread 4 is refused."""
    json_output = ("--json",)
    assert misses(sim("reader", "lirs", fact, options=json_output)) != misses(
        sim("reader", "lirs", options=json_output)
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("file", "'file' is not NAME=VALUE, such as file=7 or time=50us"),
        ("file=", "'file=' is not NAME=VALUE"),
        ("=7", "'=7' is not NAME=VALUE"),
        ("flie=7", "no fact 'flie'; did you mean file?"),
        ("colour=7", "no fact 'colour'; there is file, page, thread, process, comm, time"),
        ("file=a", "file=a: 'a' is not a whole number below 2^64"),
        ("thread=-1", "'-1' is not a whole number below 2^64"),
        ("process=18446744073709551616", "is not a whole number below 2^64"),
        ("page=3", "page=3: pages cannot all be one; the one value is page=object"),
        ("time=5", "time=5: give the time from one request to the next, such as 50us"),
        ("time=fast", "time=fast: give the time"),
        ("time=0s", "a step is a whole number of nanoseconds, from 1ns to 1h"),
        ("time=0.5ns", "a step is a whole number of nanoseconds"),
        ("time=61min", "from 1ns to 1h"),
    ],
)
def test_wrong_assumptions(given: str, message: str, files: Path) -> None:
    result = sim("reader", "text", given)
    text = " ".join(result.stderr.replace("│", " ").split())
    assert result.exit_code == 2 and message in text and "--assume" in text


def test_a_fact_is_given_once(files: Path) -> None:
    result = sim("reader", "text", "file=1", "file=2")
    assert result.exit_code == 2 and "file is given twice" in result.stderr


@pytest.mark.parametrize(("trace", "given"), [("twitter", "thread=1"), ("csv", "time=1s"), ("lirs", "page=object")])
def test_what_the_trace_tells_cannot_be_assumed(trace: str, given: str, files: Path) -> None:
    result = sim("reader", trace, given)
    assert result.exit_code == 1
    assert f"itself ({trace}); leave out --assume {given.partition('=')[0]}" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("text", "step"), [("50us", 50_000), ("0.5 ms", 500_000), ("1h", MAX_STEP), ("1ns", 1)])
def test_steps_of_time_are_exact(text: str, step: int, files: Path) -> None:
    """The state is the time of the last miss: request 699 of the trace is one without room for any folio."""
    assert sim("reader", "text", f"time={text}").exit_code == 0
    policy = compile_file(files / "reader.cpol")
    agree(policy, Assumed(step=step))


def agree(policy: Policy, assumed: Assumed) -> None:
    """Run the interpreter and native code in two parts, and compare."""
    machine = Machine(policy, 20)
    native = Simulator(policy, 20, assumed=assumed)
    for part in (slice(0, 300), slice(300, None)):
        run_trace(machine, Given(IDS[part]), first=part.start, assumed=assumed)
        counts = native.run(IDS[part])
        assert (counts.misses, counts.fallback) == (machine.misses, machine.fallbacks)
        assert counts.refused_admission == machine.refused_admission and counts.size == machine.occupied


@pytest.mark.long
@pytest.mark.parametrize(
    "assumed",
    [
        Assumed(),
        Assumed(file=1),
        Assumed(file=2**64 - 1),
        Assumed(thread=4),
        Assumed(process=6),
        Assumed(comm=comm.pack(b"od")),
        Assumed(file=2, process=6, step=1_700_000),
        Assumed(file=2**63, thread=3, process=6, step=MAX_STEP),
    ],
)
def test_interpreter_and_native_code_agree_on_assumptions(assumed: Assumed, files: Path) -> None:
    agree(compile_file(files / "reader.cpol"), assumed)


def test_columns_tell_what_other_traces_lack(files: Path) -> None:
    """With all columns there is no note, and the policy sees them; without one there is a note about it."""
    lines = "".join(f"{n},{key % 4},{key},{n % 7},{n % 2 + 5},sh\n" for n, key in enumerate(IDS))
    (files / "csv").write_text(lines, encoding="utf-8")
    options = ("--json", "--columns", "time_ms=0,file=1,page=2,thread=3,process=4,comm=5")
    full = sim("reader", "csv", options=options)
    assert full.stderr == ""
    less = sim("reader", "csv", options=("--json", "--columns", "time_ms=0,page=2,thread=3,process=4,comm=5"))
    assert "the csv trace has no files" in less.stderr and less.stderr.count("\n") == 1
    assert misses(full) != misses(less)
    wrong = sim("reader", "csv", "file=3", options=options)
    assert wrong.exit_code == 1 and "the trace has files itself (csv); leave out --assume file" in wrong.stderr


def test_wrong_columns_are_a_wrong_command_line(files: Path) -> None:
    result = sim("reader", "csv", options=("--columns", "pgae=1"))
    assert result.exit_code == 2 and "Invalid value for '--columns': no column 'pgae'; did you mean" in result.stderr


def test_reads_and_writes(files: Path) -> None:
    """The column `rw` makes folios dirty. Nothing else tells; a field of one's own needs no trace."""
    (files / "flags.cpol").write_text(FLAGS, encoding="utf-8")
    (files / "csv").write_text("".join(f"{key},{'RW'[n % 3 == 0]}\n" for n, key in enumerate(IDS)), encoding="utf-8")
    options = ("--json", "--columns", "page=0,rw=1")
    told = sim("flags", "csv", options=options)
    assert told.stderr.count("\n") == 1 and "the csv trace has no writeback" in told.stderr
    assert "say it with --assume writeback=no; no trace tells" in told.stderr
    lacking = sim("flags", "csv", "writeback=no", options=("--json", "--columns", "page=0"))
    assert "the csv trace has no reads and writes; all requests read" in lacking.stderr
    written = sim("flags", "csv", "writeback=no", "rw=write", options=("--json", "--columns", "page=0"))
    assert written.stderr == ""
    assert len({misses(told), misses(lacking), misses(written)}) > 1
    for wrong in ("rw=both", "mapped=yes", "writeback=yes"):
        assert sim("flags", "csv", wrong, options=options).exit_code == 2
    assert sim("flags", "csv", "rw=read", options=options).exit_code == 1
