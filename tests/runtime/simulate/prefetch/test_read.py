"""Traces of the model: which requests touch memory, which read files, and what has neither."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.compiler.comm import pack
from cpol.compiler.stages import run_file
from cpol.runtime.machine.events import format_header, format_row
from cpol.runtime.machine.events.prefetch import Fault, Request
from cpol.runtime.machine.interp import Machine
from cpol.runtime.simulate.prefetch.read import read_rows
from cpol.runtime.simulate.prefetch.rows import Read, Row, Rows, Touch
from cpol.runtime.simulate.traces import TraceError, read_columns

HEAD = "cpol-record 2\n# time_ns,event,file,page,pages,thread,process,comm[,first,last]\n"
FAULTS = (
    'name,254:1:12,"/srv/a ""b"", c"\n'
    "100,fault,swap:1:77,1000,1,12,11,cat,990,1100\n"
    "200,cached,swap:1:77,1000,1,12,11,cat,990,1100\n"
    "300,prefetched,swap:1:78,1001,1,12,11,cat,990,1100\n"
    "400,cached,swap:1:78,1001,1,13,11,,990,1100\n"
    "500,accessed,254:1:12,7,2,12,11,cat\n"
    "600,added,254:1:12,9,1,12,11,cat\n"
)


def rows_of(path: Path, content: str, columns: str | None = None) -> Rows:
    path.write_text(content)
    return read_rows(path, columns=None if columns is None else read_columns(columns))


def test_recording(tmp_path: Path) -> None:
    trace = rows_of(tmp_path / "app.rec", f"{HEAD}{FAULTS}end,6,2\n")
    cat = pack(b"cat")
    fault = Touch(1000, 100, 11, 12, cat, 990, 1100, 1, 77, is_fault=True)
    second = Touch(1001, 300, 11, 12, cat, 990, 1100, 1, 78, is_fault=True)
    third = Touch(1001, 400, 11, 13, pack(b""), 990, 1100, 1, 78, is_fault=True)
    *faults, one, two = trace.rows
    assert faults == [fault, second, third]  # a fault that waits for its page comes again
    assert isinstance(one, Read) and isinstance(two, Read) and one.file == two.file
    assert (one.index, two.index, one.time_ns, one.thread, one.process, one.comm) == (7, 8, 500, 12, 11, cat)
    assert (trace.format, trace.lost, trace.touches, trace.distinct) == ("record", 2, 3, 4)
    assert trace.carries == {"thread", "process", "comm", "time", "area", "slot"}


def test_files_of_a_recording_differ(tmp_path: Path) -> None:
    names = ("8:0:1", "8:1:1", "9:0:1", "8:0:2")
    lines = "".join(f"1,accessed,{name},0,1,1,1,\n" for name in names)
    assert rows_of(tmp_path / "app.rec", f"{HEAD}{lines}end,4,0\n").distinct == 4


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1,fault,swap:0:1,5,1,1,1,", "line 3: a swap fault has swap:DEVICE:SLOT"),
        ("1,accessed,swap:0:1,5,1,1,1,,1,9", "line 3: a swap fault has swap:DEVICE:SLOT"),
        ("1,fault,8:0:1,5,1,1,1,,1,9", "line 3: a swap fault has swap:DEVICE:SLOT"),
        ("1,accessed,8:0:1,5,1,1,1,,1,9", "line 3: a swap fault has swap:DEVICE:SLOT"),
        ("1,fault,swap:0:0,5,1,1,1,,1,9", "line 3: a swap fault has a slot above 0"),
        ("1,fault,swap:0:1,10,1,1,1,,1,9", "line 3: a swap fault has a slot above 0"),
        ("1,fault,swap:0:1,5,1,1,1,,1,4503599627370496", "line 3: a swap fault has a slot above 0"),
        ("1,added,8:0:1,5,1,1,1,", "neither swap faults nor accesses to files"),
    ],
)
def test_wrong_recordings(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(TraceError, match=said):
        rows_of(tmp_path / "app.rec", f"{HEAD}{line}\nend,1,0\n")


def test_numbers_are_pages_of_one_process(tmp_path: Path) -> None:
    rows: list[Row] = [Touch(page, first=3, last=9) for page in (5, 3, 9)]
    trace = rows_of(tmp_path / "pages.txt", "5\n3\n9\n")
    assert list(trace.rows) == rows and trace.carries == frozenset()


def test_pages_without_a_file_are_memory(tmp_path: Path) -> None:
    content = "ms,tid,pid,block,rw\n5,2,1,40,R\n6,3,2,50,W\n8,2,1,41,R\n"
    trace = rows_of(tmp_path / "pages.csv", content, "time_ms=ms,thread=tid,process=pid,page=block,rw=rw")
    assert list(trace.rows) == [
        Touch(40, 0, 1, 2, first=40, last=41),
        Touch(50, 1_000_000, 2, 3, first=50, last=50, writes=True),
        Touch(41, 3_000_000, 1, 2, first=40, last=41),
    ]
    assert {"thread", "process", "time"} <= trace.carries


def test_pages_of_files_are_reads(tmp_path: Path) -> None:
    trace = rows_of(tmp_path / "reads.csv", "f,p,c\n1,4,cat\n2,4,\n", "file=f,page=p,comm=c")
    assert list(trace.rows) == [Read(1, 4, comm=pack(b"cat")), Read(2, 4)]
    assert trace.touches == 0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("keys.csv", "1,7,4096\n2,8,4096\n", "csv traces have objects, but neither swap faults nor reads of files"),
        ("keys.txt", "5\nuser:7\n", "request 2 is of [0-9]*, which is no page of memory"),
    ],
)
def test_objects_are_neither(tmp_path: Path, name: str, content: str, said: str) -> None:
    with pytest.raises(TraceError, match=said):
        rows_of(tmp_path / name, content)


def log_of(path: Path, *events: tuple[str, Fault | Request]) -> Rows:
    """What the model reads of the log of a run."""
    source = path.with_name("mine.cpol")
    source.write_text("policy mine {\n  state n: u64 = 0\n  on fault(p) { n += task.thread + cache.time }\n}\n")
    machine = Machine(run_file(source).policy, 100)
    machine.tick(5)
    machine.set_task(7, 3)
    for name, event in events:
        getattr(machine, name)(event)
    rows = [format_header(machine.header), *(format_row(row, machine.header) + "\n" for row in machine.records)]
    path.write_text("".join(rows))
    return read_rows(path)


def test_event_log_has_faults_and_requests(tmp_path: Path) -> None:
    fault, cached = Fault(40, 9, 100, 30, 50, 2, 1), Fault(41, 10, 100, 30, 50, 2, 1, True, True)
    request, marker = Request(4, 6, 2, 6, 8, 100), Request(4, 8, 32, 14, 8, 100, marker=True)
    trace = log_of(
        tmp_path / "run.log", ("fault", fault), ("prefetch", fault), ("fault", cached),
        ("readahead", request), ("readahead", marker),
    )  # fmt: skip
    facts = {"time_ns": 5_000_000, "process": 3, "thread": 7}
    area = {"first": 30, "last": 50, "device": 1, "is_fault": True}
    assert list(trace.rows) == [
        Touch(40, slot=9, **facts, **area),
        Touch(41, slot=10, **facts, **area),
        *(Read(4, index, **facts) for index in (6, 7, 8)),
    ]
    assert trace.format == "log" and {"slot", "area", "time", "thread"} <= trace.carries


def test_event_log_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="the log has neither swap faults nor accesses to files"):
        log_of(tmp_path / "run.log")
