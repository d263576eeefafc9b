"""The Python interface: its examples, the same numbers as the command line, errors, threads."""

from __future__ import annotations

import doctest
import json
import random
import re
import subprocess
import sys
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from html import escape, unescape
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

import cpol
from cpol.cli.main import cli
from cpol.compiler.diagnostics import CompileError
from cpol.errors import RequestError, UserError
from cpol.runtime.simulate.traces.memory import address

ROOT = Path(__file__).resolve().parents[2]
KEYS = [1, 2, 3, 1, 4, 5, 1, 2, 6, 1, 3, 2, 7, 1, 2, 3, 8, 1] * 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["advice", "checks", "curves", "machine", "policy", "runs", "sweeps", "trace", "tuning"]
)
def test_examples_of_docstrings(name: str) -> None:
    ran = doctest.testmod(import_module(f"cpol.api.{name}"))
    assert ran.attempted > 0 and ran.failed == 0


@pytest.mark.slow
def test_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of docs/python.md, one after the other; a comment behind a line is what it prints."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
        for line in block.splitlines():
            code, mark, said = line.partition("  # prints ")
            if mark:
                assert str(eval(code.strip().removeprefix("print(").removesuffix(")"), names)) == said, line


def test_the_command_line_counts_the_same(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    path.write_text("".join(f"{key}\n" for key in KEYS))
    words = ["sim", "s3fifo", "lru", "--trace", str(path), "--capacity", "3,5", "--belady", "--json"]
    told = [json.loads(line) for line in CliRunner().invoke(cli, words).stdout.splitlines()]
    runs = cpol.simulate(["s3fifo", "lru"], cpol.Trace.open(path), capacity=[3, 5], belady=True)
    assert [(row["policy"], row["capacity"], row["misses"]) for row in runs] == [
        (each["label"], each["capacity"], each["misses"]) for each in told
    ]
    curve = cpol.mrc(["s3fifo"], path, capacity=[3, 5])
    assert [point.miss_ratio for point in curve["s3fifo"]] == [run["miss_ratio"] for run in runs[:2]]


def test_params_and_inputs() -> None:
    policy = cpol.Policy("s3fifo")
    other = policy.with_params(threshold=1, small_percent=20)
    assert policy.params["threshold"] == 2 and other.params["threshold"] == 1
    assert other.label == "s3fifo threshold=1 small_percent=20"
    trace = cpol.Trace.from_arrays([*range(40), *KEYS] * 3)
    one, two = cpol.simulate([policy, other], trace, capacity=10)
    assert one["misses"] != two["misses"]
    told = cpol.Policy("get_scan").with_input("scanners", "7,8")
    assert [key for _, key, _ in told.inputs] == ["7", "8"]


def test_runs_in_threads_are_those_of_one() -> None:
    trace = cpol.Trace.from_arrays(KEYS * 50)

    def misses(name: str) -> list[int]:
        return [run["misses"] for run in cpol.simulate(name, trace, capacity=[3, 5], jobs=1)]

    names = ["lru", "fifo", "s3fifo", "sieve"] * 3
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(misses, names)) == [misses(name) for name in names[:4]] * 3


def test_columns() -> None:
    numpy = pytest.importorskip("numpy")
    keys = numpy.array(KEYS, dtype="uint64")
    for given in (keys, keys.astype("int64"), array("Q", KEYS), iter(KEYS)):
        assert cpol.simulate("lru", cpol.Trace.from_arrays(given), capacity=3)[0]["misses"] == lru(KEYS, 3)
    by_file = cpol.Trace.from_arrays(KEYS, files=[key % 2 for key in KEYS], threads=[7] * len(KEYS))
    assert by_file.objects == 8 and len(by_file) == len(KEYS)
    assert cpol.simulate("lru", by_file, capacity=3)[0]["misses"] == lru(KEYS, 3)


def test_columns_of_numpy_are_not_copied(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    mapped = tmp_path / "keys.bin"
    mapped.write_bytes(array("Q", KEYS).tobytes())
    keys = numpy.array(KEYS, dtype="uint64")
    for given in (keys, keys.view("int64"), numpy.memmap(mapped, dtype="uint64", mode="r")):
        trace = cpol.Trace.from_arrays(given, times=given * 0, threads=given, writes=given * 0)
        for part in (trace.read.ids, trace.read.tasks):
            assert part is not None and address(part) == given.__array_interface__["data"][0]
        part = trace.read.part(2, 5)
        assert address(part.ids) == address(trace.read.ids) + 16
        assert cpol.simulate("lru", trace, capacity=3)[0]["misses"] == lru(KEYS, 3)
        assert cpol.mrc("lru", trace, capacity=3)["lru"][0].miss_ratio == lru(KEYS, 3) / len(KEYS)
    records = numpy.zeros(len(KEYS), dtype=[("time", "<u4"), ("id", "<u8"), ("size", "<u4")])
    records["id"] = KEYS
    for given in (records["id"], records["id"].astype("uint8"), keys.astype("int16"), keys.astype("uint32")):
        assert cpol.simulate("lru", cpol.Trace.from_arrays(given), capacity=3)[0]["misses"] == lru(KEYS, 3)
    written = cpol.Trace.from_arrays(keys, writes=keys > 5)
    assert written.read.writes and [*written.read.writes] == [key > 5 for key in KEYS]
    masked = numpy.ma.masked_array(keys, mask=keys > 5)
    others = (masked, keys.astype(">u8"), keys.astype("float64"), keys.reshape(-1, 1), keys.astype("S4"))
    for wrong in (*others, -keys.astype("int8")):
        with pytest.raises(RequestError, match="ids "):
            cpol.Trace.from_arrays(wrong)
    gaps = cpol.Trace.from_arrays(keys[::2])
    assert cpol.simulate("lru", gaps, capacity=3)[0]["misses"] == lru(KEYS[::2], 3)


def lru(keys: list[int], pages: int) -> int:
    cached: list[int] = []
    misses = 0
    for key in keys:
        misses += key not in cached
        cached = [*[each for each in cached if each != key], key][-pages:]
    return misses


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ids": []}, "there is no request in ids"),
        ({"ids": [1, -1]}, "ids holds something that is no whole number"),
        ({"ids": ["a"]}, "ids holds something that is no whole number"),
        (
            {"ids": array("d", [1])},
            "ids is no column of whole numbers in this machine's order of bytes",
        ),
        ({"ids": array("q", [1, -2])}, "ids has a negative number"),
        ({"ids": {1: 2}}, "ids is a dict; give a list or an array"),
        ({"ids": [1, 2], "writes": [0, 7]}, "writes has something else than 0 and 1"),
        ({"ids": [1, 2], "name": None}, "name is None; give a text"),
        ({"ids": [1, 2], "times": [5]}, "2 ids, but 1 times; give one for each request"),
        ({"ids": [1, 2], "times": [5, 4]}, "times go back; sort the requests by time"),
    ],
)
def test_bad_columns(given: dict[str, list[int]], message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        cpol.Trace.from_arrays(**given)


def test_errors_have_the_compilers_places() -> None:
    with pytest.raises(CompileError) as raised:
        cpol.Policy.from_source("policy p {\n  list a\n  on evict { evict }\n}", "mine.cpol")
    assert raised.value.diagnostics[0].source.path == "mine.cpol" and "mine.cpol:3" in str(raised.value)
    with pytest.raises(UserError, match="lru"):
        cpol.Policy("lruu")
    with pytest.raises(RequestError, match="s3fifo has no param 'x'; it has"):
        cpol.Policy("s3fifo").with_params(x=1)
    with pytest.raises(RequestError, match="s3fifo: "):
        cpol.Policy("s3fifo").with_params(threshold=-1)
    for call in (cpol.simulate, cpol.mrc):
        with pytest.raises(RequestError, match="readahead evicts nothing"):
            call(["readahead"], cpol.Trace.from_arrays(KEYS), capacity=[3])
    with pytest.raises(RequestError, match="no capacity"):
        cpol.simulate("lru", cpol.Trace.from_arrays(KEYS), capacity="3 pages")


def test_machine_shows_its_lists() -> None:
    machine = cpol.Machine(cpol.Policy("lru"), capacity=2)
    for page in (1, 2):
        assert not machine.access(page).hit
    step = machine.access(3)
    assert machine.hits == 0 and machine.misses == 3
    assert any("evict" in each for each in step.events) and repr(step).startswith("miss:")
    assert [name for names in machine.lists.values() for name in names] in (["2", "3"], ["3", "2"])
    html = machine._repr_html_()
    assert html.count("3px") == 1 and html.count("1px solid") == 1  # 3 came; 2 stayed
    assert "lru, 2 pages, 0 hits, 3 misses" in repr(machine)


def test_check_finds_and_tells() -> None:
    broken = cpol.Policy.from_source(
        "policy p { list a  on added(f) { place f at tail of a }  on evict { scan a from head as f { evict f } }\n"
        "  invariant a.size == 0 }"
    )
    found = cpol.check(broken, max_examples=20, native=False)
    assert not found and found.counterexample is not None
    assert "property broken: invariant" in repr(found)


def test_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = cpol.simulate(["lru", "fifo"], cpol.Trace.from_arrays(KEYS), capacity=[3, 4])
    assert runs.table.column_names == list(runs.COLUMNS) and runs.table.num_rows == 4
    assert runs._repr_html_().count("<tr>") == 5 and len(repr(runs).splitlines()) == 5
    curve = cpol.mrc(["lru"], cpol.Trace.from_arrays(KEYS), capacity=[3, 4])
    assert curve.table.to_pylist()[0]["policy"] == "lru" and "exact" in repr(curve)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UserError, match="pandas is missing: pip install pandas"):
        runs.to_pandas()


@pytest.mark.slow
def test_plots() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    runs = cpol.simulate(["lru", "fifo"], cpol.Trace.from_arrays(KEYS), capacity=[3, 4])
    assert [line.get_label() for line in runs.plot().get_lines()] == ["lru", "fifo"]


@pytest.mark.slow
def test_the_package_alone_imports_little() -> None:
    """`cpolc --version` and a loader's module need no simulator."""
    code = "import cpol, sys; assert not [m for m in sys.modules if m.startswith('cpol.api')]; cpol.Policy; print('ok')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "ok\n"
    assert {"Policy", "simulate"} <= set(dir(cpol))
    with pytest.raises(AttributeError, match="no attribute 'simulator'"):
        _ = cpol.simulator


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: cpol.simulate("lru", t, capacity=[]), "capacity is []; give pages"),
        (lambda t: cpol.simulate("lru", t, capacity=None), "capacity is None; give pages"),
        (lambda t: cpol.simulate("lru", t, capacity=[True]), "True is no capacity"),
        (lambda t: cpol.simulate("lru", t, capacity=b"3"), "b'3' is no capacity"),
        (lambda t: cpol.simulate("lru", t, capacity=-0.5), "-0.5 is less than 0; give pages (1000)"),
        (lambda t: cpol.simulate("lru", t, capacity=3, jobs=-1), "jobs is -1; give a whole number from 1"),
        (lambda t: cpol.mrc("lru", t, capacity=3, jobs="2"), "jobs is '2'; give a whole number from 1"),
        (lambda t: cpol.simulate("lru", t, capacity=3, batch=1.5), "batch is 1.5; give a whole number from 1 to 32"),
        (lambda t: cpol.simulate("lru", t, capacity=3, seed=-1), "seed is -1; give a whole number from 0"),
        (lambda t: cpol.simulate("lru", t, capacity=3, warmup="x"), "warmup is 'x'; give a whole number from 0"),
        (lambda t: cpol.simulate([], t, capacity=3), "there is no policy; name one or several"),
        (lambda t: cpol.mrc([3], t), "3 is no policy; give a cpol.Policy, or its name or path"),
        (lambda t: cpol.mrc("lru", t, points=0), "points is 0; give a whole number from 1 to 1000"),
        (lambda t: cpol.check("lru", max_examples=0), "max_examples is 0; give a whole number from 1"),
        (lambda t: cpol.Trace("keys.txt"), "a trace is made by cpol.Trace.open(path)"),
        (lambda t: cpol.Trace.open(None), "None is no path of a trace"),
        (lambda t: cpol.Trace.from_arrays(None), "ids is None; give the object of each request"),
        (lambda t: cpol.Policy.from_source(None), "a policy's text is a str, not NoneType"),
        (lambda t: cpol.Machine("lru", 0), "capacity is 0; give a whole number from 1"),
        (lambda t: cpol.Machine("lru", 2).access(-1), "page is -1; give a whole number from 0 to 2^64 - 1"),
        (lambda t: cpol.Machine("lru", 2).access("x"), "page is 'x'; give a whole number from 0 to 2^64 - 1"),
    ],
)
def test_nonsense_is_refused(call: Callable[[cpol.Trace], object], message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        call(cpol.Trace.from_arrays(KEYS))


def test_numbers_of_numpy_are_capacities() -> None:
    numpy = pytest.importorskip("numpy")
    trace = cpol.Trace.from_arrays(KEYS)
    for capacity in (numpy.int64(4), numpy.float64(0.5), numpy.float32(0.5), numpy.array([4]), numpy.array([0.5])):
        assert [run["capacity"] for run in cpol.simulate("lru", trace, capacity=capacity)] == [4]
    with pytest.raises(RequestError, match=r"times is no column|times holds"):
        cpol.Trace.from_arrays([1, 2], times=numpy.array(["2026-01-01", "2026-01-02"], dtype="datetime64[s]"))


def test_policies_of_one_name_keep_their_rows() -> None:
    text = "policy mine { list a  on added(f) { place f at tail of a }  on evict { scan a from END as f { evict f } } }"
    both = [cpol.Policy.from_source(text.replace("END", end), Path(f"{end}.cpol")) for end in ("head", "tail")]
    trace = cpol.Trace.from_arrays([*range(5)] * 20)
    assert [run["policy"] for run in cpol.simulate(both, trace, capacity=3)] == ["mine", "mine #2"]
    curve = cpol.mrc(both, trace, capacity=[3])
    assert curve["mine"] != curve["mine #2"]


def test_a_recording_runs_as_the_command_line_runs_it(tmp_path: Path) -> None:
    source, lines = random.Random(1), list[str]()
    for _ in range(2000):
        page = source.randrange(300)
        lines += [f"added,8:0:1,{page},1,1,1,db"] * (page > 250) + [f"accessed,8:0:1,{page},1,1,1,db"]
        lines += [f"written,8:0:1,{page},1,1,1,db"] * (page > 280)
    timed = [f"{number * 50_000_000},{line}" for number, line in enumerate(lines)]
    path = tmp_path / "app.rec"
    path.write_text(
        "\n".join(["cpol-record 3", "name,8:0:1,/srv/a", "room,0,100,100", *timed, f"end,{len(lines)},0", ""])
    )
    done = CliRunner().invoke(cli, ["sim", "lru", "--trace", str(path), "--capacity", "100", "--json"])
    (row,) = cpol.simulate("lru", path, capacity=100)
    assert row["misses"] == json.loads(done.stdout)["misses"]


@pytest.mark.slow
def test_advice_is_that_of_the_command_line(tmp_path: Path) -> None:
    keys = [*range(60)] * 40
    path = tmp_path / "loop.txt"
    path.write_text("".join(f"{key}\n" for key in keys))
    words = ["advise", str(path), "--memory", "50", "--trials", "0", "--policy", "mru", "--policy", "arc", "--json"]
    told = json.loads(CliRunner().invoke(cli, words).stdout)
    advised = cpol.advise(path, memory=50, trials=0, policies=["mru", "arc"])
    assert json.loads(json.dumps(advised.facts)) == told
    assert advised.kind == "try" and repr(advised.policy) == "Policy('mru')"
    assert advised.saved == (1 - advised.found.best.against.high, 1 - advised.found.best.against.low)
    assert advised.verdict in repr(advised) and escape(advised.verdict) in advised._repr_html_()
    assert advised.table.column_names == list(advised.COLUMNS) and advised.table.num_rows == 3
    advised.report(tmp_path / "loop.html")
    assert escape(advised.verdict, quote=False) in unescape((tmp_path / "loop.html").read_text())
    with pytest.raises(UserError, match="cannot be written"):
        advised.report(tmp_path)


def test_policies_of_no_file_are_judged() -> None:
    """One that has the name of the default's model does not stand for the default."""
    text = (
        "policy NAME { list a  on added(f) { place f at head of a }  on evict { scan a from head as f { evict f } } }"
    )
    own = [cpol.Policy.from_source(text.replace("NAME", name), f"{name}.cpol") for name in ("mine", "linux_lru")]
    trace = cpol.Trace.from_arrays([*range(60)] * 40)
    rows = cpol.advise(trace, memory=50, trials=0, policies=own).rows
    (name, reads, *_), *others = rows
    assert (name, reads) == ("linux_lru", 1200)
    assert sorted(name for name, *_ in others) == ["linux_lru.cpol", "mine"]
    assert len({reads for _, reads, *_ in others}) == 1 and others[0][1] < 1200


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"memory": None}, "only a recording tells"),
        ({"memory": 50, "policies": []}, "there is no policy"),
        ({"memory": 50, "policies": ["lru", "lru"]}, "given twice"),
        ({"memory": 50, "policies": [cpol.Policy("s3fifo").with_params(threshold=1)]}, "without them"),
        ({"memory": 50, "policies": ["admit"]}, "leaves evicting to the kernel"),
        ({"memory": 0}, "less than one page"),
        ({"memory": 50, "trials": -1}, "trials is -1"),
    ],
)
def test_advice_refuses(given: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        cpol.advise(cpol.Trace.from_arrays([*range(60)] * 40), **given)  # type: ignore[arg-type]  # of any type


def test_star_gives_the_interface() -> None:
    names: dict[str, object] = {}
    exec("from cpol import *", names)
    assert {"Policy", "simulate", "UserError", "CompileError"} <= names.keys()
