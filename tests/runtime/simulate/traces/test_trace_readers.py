"""Event logs, blktrace's text and Parquet: the misses are those of CSV, and errors name the place."""

from __future__ import annotations

import gzip
import random
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow
import pyarrow.parquet
import pytest

from cpol.compiler import stages
from cpol.compiler.ir import Policy
from cpol.runtime.machine.events import Op, Row, format_header, format_row
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.native import EventSimulator
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Trace, TraceError, read, read_columns

POLICY = """policy by_all {
  list queue, second
  ghost gone { capacity: cache.capacity }
  folio { since: u64 = 0 }
  on admit(f) { if task.thread == 5 and f.index == 3 { refuse f } }
  on added(f) {
    f.since = cache.time
    if task.thread % 2 == 1 or gone.take(f) { place f at tail of second }
    else { place f at tail of queue }
  }
  on accessed(f) { if f.file % 3 == 0 { move f to tail of second } }
  on removed(f) { gone.add(f) }
  on evict {
    scan queue from head as f { when cache.time - f.since < 9 and f.file == 4 { keep } otherwise { evict f } }
    scan second from head as f { evict f }
    scan queue from head as f { evict f }
  }
}
"""
COLUMNS = "time_ms=0,file=1,page=2,thread=3,process=4"


class Access(NamedTuple):
    ms: int
    file: int
    page: int
    thread: int
    process: int


@pytest.fixture(scope="module")
def policy() -> Policy:
    return stages.run(POLICY, "by_all.cpol").policy


@pytest.fixture(scope="module")
def accesses() -> list[Access]:
    rng = random.Random(8)
    found, ms = [], 0
    for _ in range(3000):
        found.append(Access(ms, rng.randrange(6), min(rng.randrange(40), rng.randrange(40)), rng.randrange(1, 6), 9))
        ms += rng.choice((0, 0, 1, 5))
    return found


def in_csv(folder: Path, accesses: list[Access]) -> Trace:
    path = folder / "trace.csv"
    path.write_text("".join(",".join(map(str, access)) + "\n" for access in accesses))
    return read(path, details=True, columns=read_columns(COLUMNS))


def misses(policy: Policy, trace: Trace) -> list[int]:
    result = []
    for capacity in (5, 40, 100):
        simulator = Simulator(policy, capacity, named=True)
        result.append(simulator.run(trace).misses)
    return result


def folios(trace: Trace) -> list[tuple[int, int]]:
    assert trace.names is not None
    return [(trace.names.files[id], trace.names.indices[id]) for id in trace.ids]


def same(policy: Policy, one: Trace, other: Trace) -> None:
    assert folios(one) == folios(other)
    assert (one.times, one.tasks) == (other.times, other.tasks)
    counts = misses(policy, one)
    assert counts == misses(policy, other) and counts[0] > counts[2]


@pytest.mark.slow
def test_an_event_log_has_the_requests_of_its_run(policy: Policy, accesses: list[Access], tmp_path: Path) -> None:
    """Also those that the policy refused."""
    simulator = EventSimulator(policy, 40)
    before = Access(0, 0, 0, 0, 0)
    for access in accesses:
        if access[3:] != before[3:]:
            simulator.event(Row(Op.TASK, 0, 0, access.thread, access.process))
        if access.ms > before.ms:
            simulator.event(Row(Op.TICK, 0, 0, access.ms))
        simulator.request(access.file, access.page)
        before = access
    header = Machine(policy, 40).header
    path = tmp_path / "run.log.gz"
    text = format_header(header) + "".join(format_row(row, header) + "\n" for row in simulator.take_log())
    path.write_bytes(gzip.compress(text.encode()))
    found = read(path, details=True)
    assert found.format == "log" and found.carries == {"file", "page", "time", "thread", "process"}
    assert "\n\trefuse\t" in text
    same(policy, found, in_csv(tmp_path, accesses))


def test_a_log_without_times_and_tasks_says_so(tmp_path: Path) -> None:
    path = tmp_path / "run"
    head = "cpol-events 1\npolicy p\nlists queue\nghosts\ncapacity 4\nbatch 1\ndecisions yes\n".replace(" ", "\t", 0)
    head = head.replace("cpol-events 1", "cpol-events\t1").replace("policy ", "policy\t").replace("lists ", "lists\t")
    head = head.replace("capacity ", "capacity\t").replace("batch ", "batch\t").replace("decisions ", "decisions\t")
    path.write_text(head + "missed\t3\t7\nadded\t3\t7\t2\n\tplace\t3\t7\tqueue\ttail\nadded\t3\t9\t1\n\tleave\t3\t9\n"
                    "first_accessed\t3\t7\naccessed\t3\t7\nremoved\t3\t7\tdeleted\n")  # fmt: skip
    found = read(path, details=True)
    assert folios(found) == [(3, 9), (3, 7), (3, 7)]
    assert found.carries == {"file", "page"} and found.times is None and found.tasks is None
    for wrong, message in (
        ("place\t3\n", "line 8: 'place' is a decision: write a tab before it"),
        ("accessed\t3\n", "line 8: 'accessed' takes FILE INDEX, not 1 columns"),
        ("accessed\t3\t-1\n", "line 8: index is a decimal number, not '-1'"),
        ("x" * 5000, "line 8: the line is longer than 4096 bytes"),
        ("", "no requests in the trace, read as log"),
        ("\xff\n", "line 8: not UTF-8 text"),
    ):
        path.write_text(head + wrong, encoding="latin-1")
        with pytest.raises(TraceError) as error:
            read(path)
        assert message in str(error.value) and str(path) in str(error.value)


def blkparse(access: Access, number: int, action: str = "Q", how: str = "R", count: int = 8) -> str:
    """A line of `blkparse`; each file is a device."""
    time = f"{access.ms // 1000:5d}.{access.ms % 1000:03d}000000"
    place = f"{access.page * 8} + {count} [a name] b]"
    event = f"{access.thread:5d} {action:>2s} {how:>3s} {place}\n"
    return f"{8:3d},{access.file:<2d} {number % 4:2d} {number:8d} {time} {event}"


SUMMARY = """CPU0 (8,0):
 Reads Queued:       1,024,     4,096KiB\t Writes Queued:           0,        0KiB
 Read depth:            32

Throughput (R/W): 63KiB/s / 0KiB/s
Events (8,0): 4,096 entries
Skips: 0 forward (0 -   0.0%)
"""


def test_blktrace_has_devices_sectors_and_tasks(policy: Policy, accesses: list[Access], tmp_path: Path) -> None:
    rng = random.Random(3)
    lines, hows = [], list[str]()
    for number, access in enumerate(accesses):
        hows.append(rng.choice(("R", "RA", "WS", "RSM", "FWFS", "WM")))
        lines.append(blkparse(access, number, how=hows[-1]))
        if rng.random() < 0.3:
            lines += [blkparse(access, number, action) for action in rng.sample("GIDCMPUA", 2)]
        if rng.random() < 0.1:
            lines += [blkparse(access, number, how="DS"), blkparse(access, number, how="N")]
    flush = "  8,0    1        7     0.000000000   697  Q FWS [jbd2/sda1-8]\n"
    flush += "  8,0    1        8     0.000000000     0  m   N cfq697S\n"
    path = tmp_path / "sda.txt"
    path.write_text(flush + "".join(lines) + SUMMARY)
    found = read(path, "blktrace", details=True)
    assert found.format == "blktrace" and found.carries == {"time", "file", "page", "thread", "rw"}
    assert list(found.writes or ()) == ["W" in how for how in hows]
    moved = [access._replace(file=8 << 20 | access.file, process=0) for access in accesses]
    same(policy, found, in_csv(tmp_path, moved))
    detected = tmp_path / "sda"
    detected.write_text(path.read_text())
    assert read(detected).format == "blktrace"


def test_blktrace_is_cut_into_pages(tmp_path: Path) -> None:
    path = tmp_path / "sda"
    path.write_text(blkparse(Access(0, 1, 2, 3, 0), 1, count=9) + blkparse(Access(0, 1, 9, 3, 0), 2, count=0))
    device = 8 << 20 | 1
    assert folios(read(path, pages=True)) == [(device, 2), (device, 3), (device, 9)]
    assert folios(read(path)) == [(device, 2), (device, 9)]


GOOD = "  8,0    3       11     0.009507758   697  Q   W 223490 + 56 [kjournald]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + "8,0 3 11 0.01 697 Q W 2 + 5\n", "line 2: not a line of blkparse's default output"),
        (GOOD + "hello\n", "line 2: not a line of blkparse's"),
        (GOOD + GOOD[:30], "line 2: not a line of blkparse's"),
        (GOOD + GOOD.replace("+ 56", ""), "line 2: a queued request needs `SECTOR + COUNT`"),
        (GOOD + GOOD.replace("8,0", "8,1048576"), "line 2: the device is no MAJOR,MINOR"),
        (GOOD.replace("8,0", "4096,0"), "line 1: the device is no MAJOR,MINOR"),
        (GOOD.replace("223490", "36028797018963968"), "line 1: sector 36028797018963968 is beyond 2^64 bytes"),
        (GOOD + "x" * 70000, "line 2: the line is longer than 65536 bytes"),
        (GOOD.replace(" Q ", " C "), "no requests in the trace, read as blktrace"),
        (GOOD + "\xff\n", "line 2: not a line of blkparse's"),
    ],
)
def test_wrong_blktrace(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "sda"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(TraceError) as error:
        read(path, "blktrace", pages=True)
    assert message in str(error.value) and "sda: " in str(error.value)


def write_parquet(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    pyarrow.parquet.write_table(pyarrow.table(columns), path, **options)
    return path


def transposed(accesses: list[Access]) -> dict[str, list[int]]:
    return {name: [getattr(access, name) for access in accesses] for name in Access._fields}


@pytest.mark.slow
def test_parquet_is_read_by_column(policy: Policy, accesses: list[Access], tmp_path: Path) -> None:
    """In batches that are smaller than the file, with columns that nobody wants."""
    many = accesses * 30
    many = [access._replace(ms=number) for number, access in enumerate(many)]
    columns = transposed(many)
    path = write_parquet(tmp_path / "trace.parquet", {"other": [1.5] * len(many), **columns}, row_group_size=50_000)
    found = read(path, details=True, columns=read_columns("time_ms=ms,file=file,page=3,thread=thread,process=process"))
    assert found.format == "parquet" and found.carries == {"time", "file", "page", "thread", "process"}
    same(policy, found, in_csv(tmp_path, many))


def test_parquet_names_its_columns_itself(tmp_path: Path) -> None:
    columns = {"time_us": [1000, 3000], "object": ["a", 'b,"c"'], "size": [1, 9000], "thread": ["x", None]}
    found = read(write_parquet(tmp_path / "t", columns), details=True, pages=True)
    assert len(found.ids) == 4 and found.carries == {"time", "thread"}
    assert found.times is not None and list(found.times) == [0, 2, 2, 2]
    assert found.tasks is not None and found.tasks[0] != found.tasks[1] == 0


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([1_700_000_000.001, 1_700_000_000.25, 1_700_000_003.0], "time"),
        (pyarrow.array([1, 250, 3000], pyarrow.timestamp("ms")), "time"),
        (pyarrow.array([1_000_001, 250_000_999, 3_000_000_000], pyarrow.timestamp("ns", "UTC")), "time"),
        (pyarrow.array([1, 250, 3000], pyarrow.uint16()), "time_ms"),
        ([0.000001, 0.249001, 2.999001], "time"),
    ],
)
def test_times_in_parquet(values: Any, name: str, tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "t", {name: values, "page": [1, 2, 3]})
    found = read(path, details=True)
    assert found.times is not None
    assert [later - earlier for earlier, later in pairwise(found.times)] == [249, 2750]


def test_large_numbers_in_parquet(tmp_path: Path) -> None:
    pages = [2**63, 2, 2**64 - 1]
    columns = {"page": pyarrow.array(pages, pyarrow.uint64()), "time": [0.0, 1e18, 18446744073709549568.0]}
    assert list(read(write_parquet(tmp_path / "t", columns), details=True).ids) == pages


@pytest.mark.parametrize("columns", [None, "page=page"])
def test_parquet_must_be_a_file_of_its_own(columns: str | None, tmp_path: Path) -> None:
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(write_parquet(tmp_path / "t", {"page": [1, 2]}).read_bytes()))
    with pytest.raises(TraceError, match="Parquet is read from a file only, not from a pipe, nor compressed"):
        read(path, columns=None if columns is None else read_columns(columns))


def test_no_row_of_parquet_is_a_heading(tmp_path: Path) -> None:
    keys = ["#a", "b", "#a"]
    found = read(write_parquet(tmp_path / "t", {"object": keys}))
    assert len(found.ids) == 3 and found.distinct == 2


def test_text_in_dictionaries(tmp_path: Path) -> None:
    files = pyarrow.array(["/a", "/b", "/a", None, ""]).dictionary_encode()
    found = folios(read(write_parquet(tmp_path / "t", {"file": files, "page": [1] * 5})))
    assert found[0] == found[2] != found[1] and found[3] == found[4] == (0, 1)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"page": [1, None]}, "row 2: the column 'page', for page, is null"),
        ({"page": [1] * 70_000 + [-1]}, "row 70001: the column 'page', for page, is negative"),
        ({"page": [1.0]}, "the column 'page', for page, has the type double, not whole numbers"),
        ({"page": [True]}, "the column 'page', for page, has the type bool"),
        ({"page": [1], "file": [1.0]}, "the column 'file', for file, has the type double, not whole numbers or text"),
        ({"page": [1], "file": [[1]]}, "the column 'file', for file, has the type list"),
        ({"page": [1], "time": ["noon"]}, "the column 'time', for time, has the type string"),
        ({"page": [1, 2], "time": [1.0, float("nan")]}, "row 2: the column 'time', for time, is not a number (NaN)"),
        ({"page": [1, 2], "time": [1.0, None]}, "row 2: the column 'time', for time, is null"),
        ({"page": [1, 2], "time": [1.0, float("inf")]}, "row 2: the column 'time', for time, is infinite, or 2^64 or"),
        ({"page": [1, 2], "time": [1.0, 1e300]}, "row 2: the column 'time', for time, is infinite, or 2^64 or more"),
        ({"page": [1, 2], "time": [2.0**64, 1.0]}, "row 1: the column 'time', for time, is infinite, or 2^64 or more"),
        ({"page": [1, 2], "time": [1.0, float("-inf")]}, "row 2: the column 'time', for time, is negative"),
        ({"page": [1, 2], "file": ["a", "b\nc"]}, "row 2: the column 'file', for file, has a line break"),
        ({"page": [1, 2], "file": ["a", "b\0"]}, "row 2: a line of text has a zero byte"),
        ({"page": [1, 2], "file": ["a", "b" * 70000]}, "row 2: the line is longer than 65536 bytes"),
        ({"block": [1]}, "say with --columns what is where; the file has the columns block"),
        ({"page": [1], "offset": [1]}, "page and offset exclude each other"),
        ({"page": pyarrow.array([], pyarrow.int64())}, "no requests in the trace, read as parquet"),
        ({"object": ["x", None, "y"]}, "row 2: the column 'object', for object, is null; correct it"),
        ({"object": [None, "x"]}, "row 1: the column 'object', for object, is null"),
        ({"object": pyarrow.array(["x", None]).dictionary_encode()}, "row 2: the column 'object', for object, is null"),
        ({"object": ["x", ""]}, "row 2: the object's key is missing; correct the row"),
        ({"page": [1, 2], "rw": ["", "W"]}, "row 1: column 1 (from 0) begins with neither R (read) nor W (write)"),
        ({"page": [1, 2], "rw": [None, "W"]}, "row 1: column 1 (from 0) begins with neither R"),
        ({"page": [1, 2], "rw": ["x", "W"]}, "row 1: column 1 (from 0) begins with neither R"),
        ({"page": [1, 2], "rw": [1, 0]}, "row 1: column 1 (from 0) begins with neither R"),
    ],
)
def test_wrong_parquet(columns: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "t.parquet", columns)
    with pytest.raises(TraceError) as error:
        read(path, details=True)
    assert message in str(error.value) and "t.parquet: " in str(error.value)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("page=block", "no column is called 'block', for page; the file has page, size"),
        ("page=2", "2 columns, but --columns names column 2 (from 0)"),
    ],
)
def test_columns_that_are_not_there(columns: str, message: str, tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "t", {"page": [1], "size": [1]})
    with pytest.raises(TraceError) as error:
        read(path, columns=read_columns(columns))
    assert message in str(error.value)
    with pytest.raises(TraceError, match="no column of sizes"):
        read(path, columns=read_columns("page=0"), pages=True)


def test_damaged_parquet(tmp_path: Path) -> None:
    """Every error is a TraceError, wherever the damage is."""
    rng = random.Random(5)
    whole = write_parquet(tmp_path / "whole", {"page": [*range(3000)], "file": ["f"] * 3000}).read_bytes()
    path = tmp_path / "damaged"
    failed = 0
    for _ in range(300):
        content = bytearray(whole[: rng.choice((len(whole), rng.randrange(4, len(whole))))])
        for _ in range(rng.randrange(1, 6)):
            content[rng.randrange(4, len(content)) if len(content) > 4 else 0] = rng.randrange(256)
        path.write_bytes(content)
        try:
            read(path, "parquet")
        except TraceError as error:
            assert str(path) in str(error)
            failed += 1
    assert failed > 100


def test_parquet_needs_a_file(tmp_path: Path) -> None:
    whole = write_parquet(tmp_path / "whole", {"page": [1]})
    packed = tmp_path / "t.parquet.gz"
    packed.write_bytes(gzip.compress(whole.read_bytes()))
    with pytest.raises(TraceError, match="read from a file only"):
        read(packed)
    text = tmp_path / "text.parquet"
    text.write_text("1\n2\n")
    with pytest.raises(TraceError, match="the name says parquet, but the contents look like lirs or text"):
        read(text)


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "t", {"page": [1]})
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(TraceError, match="pyarrow, which reads Parquet, is not installed: pip install pyarrow"):
        read(path)
