"""CSV traces with named columns: what they hold reaches policies, in the interpreter and in native code alike."""

from __future__ import annotations

import csv
import gzip
import io
import random
from array import array
from pathlib import Path

import pytest

from cpol.compiler import comm, stages
from cpol.runtime.machine.interp import Machine, run_trace
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.machine.settings.assumed import Assumed
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Requests, Trace, TraceError, read, read_columns

ROOT = Path(__file__).parents[4]
POLICY = """policy by_file {
  list first, second
  ghost gone { capacity: cache.capacity }
  input weight: map of page to u8 = 0
  input large: set of file
  input backups: set of comm
  folio { since: u64 = 0 }
  on admit(f) { if task.thread == 3 and task.process == 9 and weight.of(f) > 0 or backups.has(task.comm) { refuse f } }
  on added(f) {
    f.since = cache.time
    if large.has(f.file) or gone.take(f) { place f at tail of second }
    else if f.file % 5 == 4 { leave f } else { place f at tail of first }
  }
  on accessed(f) { if f.index % 3 == 0 or hash(f, 7) % 4 == 0 { move f to head of second } }
  on removed(f) { gone.add(f) }
  on evict {
    scan first from head as f { when cache.time - f.since < 20 and f.index > 2 { keep } otherwise { evict f } }
    scan second from tail as f { evict f }
  }
}
"""
INPUTS = [("backups", "tar", "true"), ("large", "2", "true"), ("weight", "1:0..4", "1")]


def trace(folder: Path, text: str, columns: str, *, pages: bool = False) -> Trace:
    path = folder / "trace.csv"
    path.write_text(text, encoding="utf-8")
    return read(path, pages=pages, details=True, columns=read_columns(columns))


def folios(found: Trace) -> list[tuple[int, int]]:
    assert found.names is not None
    return [(found.names.files[id], found.names.indices[id]) for id in found.ids]


TEXT = "10.5,7,100,x,3,9\n10.75,8,100,y,4,9\n12,7,100,z,,\n12,7,0,z,3,8\n"


def test_columns_by_number(tmp_path: Path) -> None:
    found = trace(tmp_path, TEXT, "time=0, file=1,page=2,thread=4,process=5")
    assert folios(found) == [(7, 100), (8, 100), (7, 100), (7, 0)]
    assert list(found.ids) == [0, 1, 0, 2] and found.distinct == 3
    assert found.times is not None and list(found.times) == [0, 250, 1500, 1500]
    assert found.tasks is not None and list(found.tasks) == [3, 4, 0, 3]
    assert found.processes is not None and list(found.processes) == [9, 9, 0, 8]
    assert found.carries == {"time", "file", "page", "thread", "process"} and found.format == "csv"


def test_commands_are_cut_as_the_kernel_cuts_them(tmp_path: Path) -> None:
    text = "1,rsync\n2,a name of 16 byte\n3,rsync\n4,\n5,a name of 16 bytes\n"
    found = trace(tmp_path, text, "page=0,comm=1")
    assert found.comms is not None and found.carries == {"page", "comm"} and found.tasks is None
    names = [comm.unpack((found.comms.firsts[one], found.comms.seconds[one])) for one in found.comms.numbers]
    assert names == [b"rsync", b"a name of 16 by", b"rsync", b"", b"a name of 16 by"]
    part = found.part(2, 4)
    assert part.comms is not None and list(part.comms.numbers) == list(found.comms.numbers[2:4])


@pytest.mark.parametrize("heading", ["t,inode,page,what,tid,pid\n", "# t , inode,page, what,tid,pid\r\n"])
def test_columns_by_heading(heading: str, tmp_path: Path) -> None:
    columns = "time=t,file=inode,page=page,thread=tid,process=pid"
    by_word = trace(tmp_path, heading + TEXT, columns)
    by_number = trace(tmp_path, heading + TEXT, "time=0,file=1,page=2,thread=4,process=5")
    assert folios(by_word) == folios(by_number) == folios(trace(tmp_path, TEXT, "time=0,file=1,page=2"))
    assert by_word.tasks == by_number.tasks


def test_only_named_columns_are_kept(tmp_path: Path) -> None:
    found = trace(tmp_path, TEXT, "page=2")
    assert list(found.ids) == [100, 100, 100, 0] and found.carries == {"page"}
    assert (found.names, found.times, found.tasks, found.processes) == (None, None, None, None)
    words = trace(tmp_path, TEXT, "object=3,thread=4")
    assert words.ids[2] == words.ids[3] != words.ids[1] and words.carries == {"thread"}


def test_quoted_columns(tmp_path: Path) -> None:
    """As Python's csv writes them; lines without quotes may stand among them."""
    rng = random.Random(6)
    words = ["".join(rng.choice('a,"  x') for _ in range(rng.randrange(6))).strip() for _ in range(200)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    for number, word in enumerate(words):
        writer.writerow([word, number, "a,b"])
    found = folios(trace(tmp_path, text.getvalue(), "file=0,page=1,thread=2"))
    assert [page for _, page in found] == [*range(200)]
    numbers = dict(zip(words, (file for file, _ in found), strict=True))
    assert len(set(numbers.values())) == len(numbers)
    assert [numbers[word] for word in words] == [file for file, _ in found]
    plain = folios(trace(tmp_path, 'x,1\n "x" , "1"\n"",2', "file=0,page=1"))
    assert plain[0] == plain[1] and plain[2] == (0, 2)
    heading = trace(tmp_path, '"the file, its path","page"\nx,1\n', "page=page")
    assert list(heading.ids) == [1]


@pytest.mark.parametrize(
    ("line", "columns", "said"),
    [
        ("0,a,18446744073709551616", "time=0,file=1,page=2", "line 1: column 2 .* not a whole number below 2"),
        ("0,a,-7", "time=0,file=1,page=2", "line 1: column 2 .* not a whole number below 2"),
        ("-5,1,2", "time=0,object=1", "line 1: column 0 .* not a time"),
        ("0,1,2.5", "time=0,object=1,size=2", "line 1: column 2 .* not a whole number below 2"),
    ],
)
def test_a_number_out_of_range_is_no_heading(line: str, columns: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=said):
        trace(tmp_path, f"{line}\n0,1,2\n", columns)
    assert len(trace(tmp_path, f"#{line}\n0,1,2\n", columns).ids) == 1


def test_a_time_beyond_all_numbers_counts_as_the_last_one(tmp_path: Path) -> None:
    found = trace(tmp_path, "18446744073709551615,1\n18446744073709551616,1\n", "time_ns=0,page=1")
    assert found.times is not None and list(found.times) == [0, 0]


def test_reads_and_writes(tmp_path: Path) -> None:
    assert read_columns("page=0,rw=kind").carries == {"page", "rw"}
    told = trace(tmp_path, "page,kind\n1,R\n2,W\n1,write\n3,read\n2,RA\n4,WFS\n", "page=page,rw=kind")
    assert told.writes is not None and list(told.writes) == [0, 1, 1, 0, 0, 1]
    assert list(told.part(1, 3).writes or ()) == [1, 1]
    assert trace(tmp_path, "1\n", "page=0").writes is None
    with pytest.raises(TraceError, match=r"line 1: column 1 .* begins with neither R .* begin a heading with #"):
        trace(tmp_path, "key,op\na,r\n", "object=0,rw=1")
    assert len(trace(tmp_path, "#key,op\na,r\n", "object=0,rw=1").ids) == 1
    for word in ("", "x", "1", "\x00w", "\xd7"):
        with pytest.raises(TraceError, match=r"line 2: (column 1 .* begins with neither R|a line of text has a z)"):
            trace(tmp_path, f"1,r\n1,{word}\n", "page=0,rw=1")


@pytest.mark.parametrize(
    ("unit", "texts", "times"),
    [
        ("time", ["1", "1.0019", "2.5"], [0, 1, 1500]),
        ("time_ms", ["5", "6.9", "1005"], [0, 1, 1000]),
        ("time_us", ["999", "1000", "2500000"], [0, 1, 2500]),
        ("time_ns", ["1000000", "1999999", "3000000"], [0, 0, 2]),
    ],
)
def test_units_of_time(unit: str, texts: list[str], times: list[int], tmp_path: Path) -> None:
    found = trace(tmp_path, "".join(f"{text},5\n" for text in texts), f"{unit}=0,page=1")
    assert found.times is not None and list(found.times) == times


def test_files_are_numbers_or_words(tmp_path: Path) -> None:
    found = folios(trace(tmp_path, "/a/b,1\n/a/c,1\n/a/b,1\n77,1\n,1\n", "file=0,page=1"))
    assert found[0] == found[2] != found[1] and found[3] == (77, 1) and found[4] == (0, 1)


@pytest.mark.parametrize(
    ("columns", "rows", "expected"),
    [
        ("file=0,page=1,size=2", "1,5,4096\n1,5,4097\n1,9,0\n", [(1, 5), (1, 5), (1, 6), (1, 9)]),
        ("file=0,offset=1,size=2", "1,4095,1\n1,4095,2\n2,8192,8192\n", [(1, 0), (1, 0), (1, 1), (2, 2), (2, 3)]),
    ],
)
def test_requests_are_cut_into_pages_of_the_file(
    columns: str, rows: str, expected: list[tuple[int, int]], tmp_path: Path
) -> None:
    assert folios(trace(tmp_path, rows, columns, pages=True)) == expected
    assert len(trace(tmp_path, rows, columns).ids) == rows.count("\n")


@pytest.mark.slow
def test_many_names_keep_their_numbers(tmp_path: Path) -> None:
    """The table of names grows several times; the trace is compressed and read in pieces."""
    rng = random.Random(4)
    names = [(rng.randrange(300), rng.randrange(200)) for _ in range(120_000)]
    path = tmp_path / "trace.csv.gz"
    path.write_bytes(gzip.compress("".join(f"{index},{file}\n" for file, index in names).encode()))
    found = read(path, columns=read_columns("file=1,page=0"))
    assert folios(found) == names and found.distinct == len(set(names))


def random_trace(folder: Path, seed: int) -> Trace:
    rng = random.Random(seed)
    lines, ms = [], 0
    for _ in range(900):
        ms += rng.choice((0, 0, 1, 7))
        lines.append(f"{ms},{rng.randrange(6)},{min(rng.randrange(9), rng.randrange(9))},{rng.choice((3, 4, ''))},9,")
        lines.append(f"{rng.choice(('rsync', 'tar', ''))}\n")
    return trace(folder, "".join(lines), "time_ms=0,file=1,page=2,thread=3,process=4,comm=5")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("source", ["by_file", "tests/compiler/backend/whole.cpol", "stdlib/s3fifo.cpol"])
def test_interpreter_and_native_code_agree(source: str, seed: int, tmp_path: Path) -> None:
    own = source == "by_file"
    policy = (stages.run(POLICY, "by_file.cpol") if own else stages.run_file(ROOT / source)).policy
    found = random_trace(tmp_path, seed)
    assert found.names is not None and found.times is not None and found.tasks is not None
    inputs = INPUTS if own else []
    for capacity in (1, 5, 17):
        machine = Machine(policy, capacity, inputs=inputs)
        native = Simulator(policy, capacity, inputs=inputs, named=True)
        for part in (found.part(0, 400), found.part(400, len(found.ids))):
            run_trace(machine, part)
            counts = native.run(part)
            assert (counts.hits, counts.misses) == (machine.hits, machine.misses)
            assert (counts.fallback, counts.size) == (machine.fallbacks, machine.occupied)
            assert counts.refused_admission == machine.refused_admission


def test_a_process_of_the_trace_stands_before_an_assumed_thread(tmp_path: Path) -> None:
    policy = stages.run(POLICY, "by_file.cpol").policy
    found = trace(tmp_path, "".join(f"{n % 11},{9 if n % 2 else 8},1\n" for n in range(200)), "page=0,process=1,file=2")
    assumed = Assumed(thread=3)
    machine = Machine(policy, 4, inputs=INPUTS)
    run_trace(machine, found, assumed=assumed)
    native = Simulator(policy, 4, inputs=INPUTS, assumed=assumed, named=True)
    counts = native.run(found)
    assert 0 < counts.refused_admission == machine.refused_admission
    assert counts.misses == machine.misses


def test_names_are_checked(tmp_path: Path) -> None:
    policy = stages.run_file(ROOT / "stdlib/fifo.cpol").policy
    found = trace(tmp_path, TEXT, "file=1,page=2")
    with pytest.raises(SimulationError, match="named"):
        Simulator(policy, 3).run(found)
    with pytest.raises(SimulationError, match="names none of the 3 folios"):
        Simulator(policy, 3, named=True).run(Requests(array("Q", [0, 3]), names=found.names))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("", "'' is not NAME=COLUMN"),
        ("page", "'page' is not NAME=COLUMN, such as page=3"),
        ("pgae=3", "no column 'pgae'; did you mean page?"),
        ("colour=3", "no column 'colour'; there is time, time_ms, time_us, time_100ns, time_ns, object, file"),
        ("page=1,page=2", "page is given twice"),
        ("time=1,time_us=2,page=0", "time is given twice"),
        ("page=64", "column 64 is too far right: columns are 0 to 63"),
        ("file=1", "nothing says what is requested; give one of page=COLUMN"),
        ("page=1,object=2", "object and page exclude each other"),
    ],
)
def test_wrong_columns(columns: str, message: str) -> None:
    with pytest.raises(TraceError) as error:
        read_columns(columns)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("columns", "text", "message"),
    [
        ("page=4", "1,2\n", "line 1: 2 columns, but --columns names column 4 (from 0)"),
        ("page=1", "1,2\n1,x\n", "line 2: column 1 (from 0) is not a whole number below 2^64"),
        ("page=1,size=0", "1,2\n-1,2\n", "line 2: column 0 (from 0) is not a whole number"),
        ("time=0,page=1", "1,2\nnoon,2\n", "line 2: column 0 (from 0) is not a time (a number)"),
        ("object=1", "1,2\n1,\n", "line 2: the object's key is missing"),
        ("file=0,page=1", 'a,1\na"b,1\n', 'line 2: a quote (") in a column that is not quoted whole'),
        ("file=0,page=1", 'a,1\n"a"b,1\n', 'line 2: a quote (")'),
        ("file=0,page=1", 'a,1\n"a,1\n', 'line 2: a quote (")'),
        ("page=0", '1\n"\n', 'line 2: a quote (")'),
        ("page=x", f'"{"x" * 200_000}\n', "not the heading of a CSV trace"),
        (
            "page=blok",
            "time,block\n1,2\n",
            "line 1: no column is called 'blok', which --columns names for page; did you",
        ),
        ("page=block", "block,block\n1,2\n", "line 1: 2 columns are called 'block'"),
        ("page=x", "1,2\n", "the heading has 1, 2"),
        ("page=block", "block\n", "no requests in the trace, read as csv with --columns"),
    ],
)
def test_wrong_lines(columns: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(TraceError) as error:
        trace(tmp_path, text, columns)
    assert message in str(error.value) and "trace.csv" in str(error.value)


@pytest.mark.parametrize(
    ("page", "size", "fits"), [(2**64 - 1, 8192, False), (2**64 - 1, 4096, True), (2**64 - 2, 4097, True)]
)
def test_no_request_goes_beyond_the_last_page(page: int, size: int, fits: bool, tmp_path: Path) -> None:
    text = f"0,1\n{page},{size}\n"
    if fits:
        assert trace(tmp_path, text, "page=0,size=1", pages=True).ids[-1] == 2**64 - 1
        return
    with pytest.raises(TraceError, match=r"line 2: the last of the request's 2 pages has a number of 2\^64 or more"):
        trace(tmp_path, text, "page=0,size=1", pages=True)
    assert len(trace(tmp_path, text, "page=0,size=1").ids) == 2


def test_pages_need_sizes_and_columns_need_csv(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no column of sizes; add size=COLUMN"):
        trace(tmp_path, TEXT, "page=2", pages=True)
    with pytest.raises(TraceError, match="lirs traces have no columns to choose"):
        read(tmp_path / "trace.csv", "lirs", columns=read_columns("page=2"))


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("file,index,size", "column 0 is called 'file', .* write --columns file=0,size=2"),
        ("time,thread,size", "column 1 is called 'thread', .* write --columns time=0,thread=1,size=2"),
        ("# Time,Object,Page", "column 2 is called 'Page', .* write --columns time=0,object=1,page=2"),
        ("ts,operation,key", "column 1 is called 'operation', .* write --columns time=0,rw=1,object=2"),
        ("t,bytes,id", "column 1 is called 'bytes', .* write --columns time=0,size=1,object=2"),
        ("time,disk,block,size", "column 2 is called 'block', .* write --columns time=0,file=1,page=2,size=3"),
        ("0,R,8192", "column 1 is 'R', a kind of request, .* write --columns time=0,rw=1,object=2"),
        ("0.5,get,2", "column 1 is 'get', a kind of request, .* write --columns time=0,rw=1,object=2"),
        ("0,2,4096,W", "column 3 is 'W', a kind of request, .* write --columns time=0,object=1,size=2,rw=3"),
    ],
)
def test_heading_that_contradicts_the_order_is_an_error(tmp_path: Path, heading: str, said: str) -> None:
    path = tmp_path / "reads.csv"
    path.write_text(f"{heading}\n1,2,4096\n2,3,4096\n")
    with pytest.raises(TraceError, match=said):
        read(path)


@pytest.mark.parametrize("heading", ["time,object,size", "TIME,file,bytes", "ts,key,length,next", "# time, page, size"])
def test_heading_that_fits_is_skipped(tmp_path: Path, heading: str) -> None:
    path = tmp_path / "reads.csv"
    path.write_text(f"{heading}\n1,2,4096{',3' if heading.endswith('next') else ''}\n")
    assert len(read(path).ids) == 1


def test_a_heading_of_our_own_names_tells_the_columns(tmp_path: Path) -> None:
    """As `cpolc trace` and `cpolc gallery trace` write it. A pipe, and other names, need --columns."""
    path = tmp_path / "made.csv"
    path.write_text("time,file,page,thread,rw\n0.000,7,1,3,r\n0.004,8,1,4,w\n0.008,7,1,3,r\n")
    found = read(path, details=True)
    assert found.distinct == 2 and list(found.tasks or ()) == [3, 4, 3] and list(found.times or ()) == [0, 4, 8]
    assert list(found.writes or ()) == [0, 1, 0]
    path.write_text("object,time_us,size\n5,0,1\n6,2500,1\n5,9000,1\n")
    assert list(read(path, details=True).times or ()) == [0, 2, 9]
    path.write_text("time,object\n0.000,5\n0.001,6\n0.002,5\n")
    assert list(read(path).numbered.numbers) == [0, 1, 0]
    path.write_text("time,colour\n0,5\n1,6\n")
    with pytest.raises(TraceError, match="2 columns"):
        read(path)
