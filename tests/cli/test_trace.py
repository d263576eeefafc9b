"""`cpolc trace`: what it tells is counted here again; what it writes is read again."""

from __future__ import annotations

import json
import math
import random
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.runtime.simulate.traces import Columns, Trace, read, read_columns
from cpol.runtime.simulate.traces.about import zipf
from cpol.runtime.simulate.traces.synth import make, parse

SEED = 11
"""Of the traces of this file."""


def trace(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["trace", *map(str, words)])


def told(*words: str | Path) -> dict[str, Any]:
    result = trace("info", *words, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def keys(tmp_path: Path, requests: list[int]) -> Path:
    path = tmp_path / "keys.txt"
    path.write_text("".join(f"{each}\n" for each in requests))
    return path


def test_info_counts_what_a_plain_count_does(tmp_path: Path) -> None:
    source = random.Random(SEED)
    requests = [min(int(source.paretovariate(0.6)), 5000) for _ in range(3000)]
    found = told(keys(tmp_path, requests))
    counts = Counter(requests)
    assert (found["requests"], found["objects"]) == (3000, len(counts))
    assert found["once"] == sum(count == 1 for count in counts.values())
    ordered = sorted(counts.values(), reverse=True)
    for share, part in found["hot"]:
        assert part == sum(ordered[: math.ceil(share * len(counts))]) / 3000
    for distance, part in found["reuse"]:
        near = 0
        for place, key in enumerate(requests):
            near += key in requests[max(place - distance, 0) : place]
        assert part == near / 3000, distance
    assert sum(window["new"] for window in found["windows"]) == len(counts)
    for part, window in enumerate(found["windows"]):
        assert window["objects"] == len(set(requests[part * 300 : part * 300 + 300]))


@pytest.mark.parametrize("skew", [0.6, 0.9, 1.2])
def test_the_skew_of_a_zipf_trace_is_found(skew: float) -> None:
    made = make(parse([f"zipf:objects=2000,skew={skew},requests=300000"]), SEED)
    found = zipf(sorted(Counter(made.ids).values(), reverse=True))
    assert found is not None
    assert abs(found.skew - skew) < 0.05
    assert found.fit > 0.98


def test_a_loop_has_no_fit_to_zipf(tmp_path: Path) -> None:
    assert told(keys(tmp_path, [*range(100)] * 3))["zipf"] is None
    assert "no fit" in trace("info", keys(tmp_path, [1])).output


def test_parts_follow_and_streams_mix() -> None:
    made = make(parse(["loop:objects=3,requests=6", "scan:requests=4+uniform:objects=2,requests=5"]), SEED, rate=2)
    assert made.ids[:6].tolist() == [0, 1, 2, 0, 1, 2]
    rest = made.ids[6:].tolist()
    assert [each for each in rest if 3 <= each < 7] == [3, 4, 5, 6]
    assert sorted(set(rest) - {3, 4, 5, 6}) in ([7, 8], [7], [8])
    assert len(rest) == 9
    assert made.times is not None
    assert made.times[:4].tolist() == [0, 500, 1000, 1500]


def test_first_lets_parts_share_objects() -> None:
    made = make(parse(["loop:objects=3,requests=3", "scan:requests=3,first=1", "loop:objects=1,requests=1"]), SEED)
    assert made.ids.tolist() == [0, 1, 2, 1, 2, 3, 4]


def test_the_same_seed_makes_the_same_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.bin" for name in "abc"]
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        result = trace("synth", "zipf:requests=500+scan:requests=100", "-o", path, "--seed", seed)
        assert result.exit_code == 0, result.output
    first, same, other = (path.read_bytes() for path in paths)
    assert first == same != other
    assert len(first) == 600 * 24


def columns(trace: Trace) -> list[Any]:
    named = [(trace.names.files[each], trace.names.indices[each]) for each in trace.ids] if trace.names else trace.ids
    commands = [trace.comms.of(place) for place in range(len(trace.ids))] if trace.comms else None
    return [*map(list, (named, trace.times or (), trace.writes or (), trace.tasks or (), trace.sizes or ())), commands]


FULL = """time_ms,file,page,size,thread,process,comm,rw
0,7,3,4096,12,10,tar,r
2,7,4,512,12,10,tar,w
5,9,3,4096,13,10,"a,""b",r
5,7,3,1,12,10,tar,r
6,7,3,1,12,10," é x",r
"""
NAMES = "time_ms,file,page,size,thread,process,comm,rw"
MAPPED = ",".join(f"{name}={name}" for name in NAMES.split(","))


@pytest.mark.parametrize(("suffix", "mapped"), [("csv", MAPPED.replace("time_ms", "time")), ("parquet", None)])
def test_all_columns_come_back(tmp_path: Path, suffix: str, mapped: str | None) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    path, out = tmp_path / "full.csv", tmp_path / f"out.{suffix}"
    path.write_text(FULL)
    result = trace("convert", path, "--columns", MAPPED, "-o", out)
    assert result.exit_code == 0, result.output
    if mapped:
        assert f"--columns {mapped}" in result.stderr
    before = read(path, columns=read_columns(MAPPED), details=True, sizes=True)
    given: Columns | None = read_columns(mapped) if mapped else None
    assert columns(before) == columns(read(out, columns=given, details=True, sizes=True))


def test_oraclegeneral_names_the_next_request(tmp_path: Path) -> None:
    path, out = keys(tmp_path, [5, 6, 5, 5]), tmp_path / "out.bin"
    assert trace("convert", path, "-o", out).exit_code == 0
    records = [*struct.iter_unpack("<IQIq", out.read_bytes())]
    assert [later for *_, later in records] == [3, -1, 4, -1]
    assert len({key for _, key, *_ in records}) == 2
    assert {size for _, _, size, _ in records} == {4096}


def test_a_recording_without_requests(tmp_path: Path) -> None:
    path, out = tmp_path / "t.rec", tmp_path / "out.parquet"
    head = "cpol-record 2\n# time_ns,event,file,page,pages,thread,process,comm[,first,last]\n"
    path.write_text(head + "1000000,added,8:1:7,1,1,9,9,cat\nend,1,0\n")
    for words in (("info", path), ("info", path, "--json"), ("convert", path, "-o", out)):
        result = trace(*words)
        assert result.exit_code == 1
        assert "no requests, only pages that readahead brought" in result.output
    assert not out.exists()


def test_what_a_format_lacks_is_told(tmp_path: Path) -> None:
    path = tmp_path / "full.csv"
    path.write_text(FULL)
    result = trace("convert", path, "--columns", MAPPED, "-o", tmp_path / "out.bin")
    assert "oraclegeneral has no comm, file, page, process, rw, thread" in result.stderr


def test_readahead_of_a_recording_is_no_request(tmp_path: Path) -> None:
    path, out = tmp_path / "t.rec", tmp_path / "t.csv"
    head = "cpol-record 2\n# time_ns,event,file,page,pages,thread,process,comm[,first,last]\n"
    rows = [("added", 1), ("added", 2), ("accessed", 1), ("removed", 2), ("accessed", 1)]
    lines = (f"{time}000000,{event},8:1:7,{page},1,9,9,cat" for time, (event, page) in enumerate(rows, 1))
    path.write_text("\n".join([head.rstrip(), *lines, f"end,{len(rows)},0", ""]))
    found = told(path)
    assert (found["requests"], found["objects"], found["unread"]) == (2, 1, 1)
    result = trace("convert", path, "-o", out)
    assert "brought and nobody read are left out: 1" in result.stderr
    rows_written = [line.split(",") for line in out.read_text().splitlines()[1:]]
    assert [(time, *rest) for time, _, *rest in rows_written] == [
        ("0.000", "1", "9", "9", "cat", "r"), ("0.002", "1", "9", "9", "cat", "r"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("synth", "zipfs"), "did you mean zipf?"),
        (("synth", "loop:skew=1"), "loop takes no 'skew', but requests, objects, first"),
        (("synth", "scan:requests=0"), "requests is a whole number from 1 to 100,000,000, not '0'"),
        (("synth", "zipf:skew=nan"), "skew is a number from 0 to 10, not 'nan'"),
        (("synth", "loop:requests=100000000+scan"), "100,100,000 requests are more than 100,000,000"),
        (("synth", "loop:requests=9", "--to", "text", "-o", "/nonexistent/x"), "cannot write /nonexistent/x"),
    ],
)
def test_bad_parts(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    result = trace(*words, *(() if "-o" in words else ("-o", tmp_path / "out.bin")))
    assert result.exit_code in (1, 2)
    assert said in " ".join(result.output.split())
    assert not [*tmp_path.iterdir()]


def test_bad_files(tmp_path: Path) -> None:
    path = keys(tmp_path, [1, 2])
    unknown = trace("convert", tmp_path / "missing", "-o", tmp_path / "out.foo")
    assert (unknown.exit_code, "no format has this name" in unknown.output) == (2, True)
    assert "would write over" in trace("convert", path, "-o", path).output
    assert path.read_text() == "1\n2\n"
    empty = tmp_path / "empty.txt"
    empty.touch()
    for command in (("info", empty), ("convert", empty, "-o", tmp_path / "out.csv")):
        result = trace(*command)
        assert result.exit_code == 1
        assert "the trace is empty" in result.output


@pytest.mark.slow
@pytest.mark.parametrize(("name", "first"), (("x.png", b"\x89PNG"), ("x.svg", b"<?xml"), ("x.pdf", b"%PDF")))
def test_plot(tmp_path: Path, name: str, first: bytes) -> None:
    path = tmp_path / "made.bin"
    assert trace("synth", "zipf:objects=500,requests=5000", "scan:requests=100", "-o", path).exit_code == 0
    result = trace("plot", path, "-o", tmp_path / name)
    assert result.exit_code == 0, result.output
    assert (tmp_path / name).read_bytes().startswith(first)


@pytest.mark.slow
def test_a_plot_is_checked_before_anything_is_read(tmp_path: Path) -> None:
    path = keys(tmp_path, [1])
    assert "give one of .png, .svg, .pdf" in " ".join(trace("plot", path, "-o", tmp_path / "x.gif").output.split())
    assert trace("plot", path, "-o", tmp_path / "one.png").exit_code == 0  # one object, and no fit
