"""Traces split into pages: memory and time stay bounded, even if a few bytes request many pages."""

from __future__ import annotations

import json
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from test_trace_formats import SAMPLES, oracle, vscsi1, vscsi2, write

from cpol.runtime.simulate.traces import TraceError, faults, read

MOST = 2**64 - 1
LIMITED = """
import json, resource, sys
from pathlib import Path
from cpol.runtime.simulate.traces import TraceError, parser, read

parser.library()  # compile first: the limit below is too low for a compiler
resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
for name, format in json.load(sys.stdin):
    try:
        print(len(read(Path(name), format, pages=True).ids))
    except TraceError as error:
        assert name in str(error), str(error)
        print(str(error).removeprefix(name))
"""


def read_limited(traces: list[tuple[Path, str]]) -> list[str]:
    """Read each trace in a process of at most 512 MiB; return its pages, or the error without the file's name."""
    given = json.dumps([(str(path), format) for path, format in traces])
    done = subprocess.run([sys.executable, "-c", LIMITED], input=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("data", "format", "place", "pages"),
    [
        (b"0,1,18446744073709551615\n", "csv", "line 1", 1 << 52),
        (b"0,1,1\n0,2,4294967297\n", "csv", "line 2", (1 << 20) + 1),
        (f"0,a,1,{MOST},0,get,0\n".encode(), "twitter", "line 1", 1 << 52),
        (f"0,a,{MOST},1,0,get,0\n".encode(), "twitter", "line 1", 1 << 52),
        (f"0,a,{MOST},{MOST},0,get,0\n".encode(), "twitter", "line 1", 1 << 52),
        (vscsi1([0], 8) + vscsi1([7], 2**32 - 1), "vscsi", "record 2 (byte 32)", (1 << 20) + 1),
        (vscsi2([7], 2**32 - 1), "vscsi", "record 1 (byte 0)", (1 << 20) + 1),
    ],
)
def test_request_of_too_many_pages(data: bytes, format: str, place: str, pages: int, tmp_path: Path) -> None:
    path = write(tmp_path, data)
    (told,) = read_limited([(path, format)])
    assert told == (
        f": {place}: the request has {pages:,} pages, more than 1,048,576 (4 GiB); "
        "correct its size, or leave out --pages"
    )
    assert read(path, format).ids


def test_the_largest_request(tmp_path: Path) -> None:
    assert len(read(write(tmp_path, oracle([1], 2**32 - 1)), "oraclegeneral", pages=True).ids) == 1 << 20
    assert len(read(write(tmp_path, b"0,1,4294967296\n"), "csv", pages=True).ids) == 1 << 20


def test_limit_of_pages_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "MAX_PAGES", 10)
    assert len(read(write(tmp_path, b"0,1,20480\n" * 2), "csv", pages=True).ids) == 10
    with pytest.raises(TraceError, match="line 3: the requests up to here have more than 10 pages"):
        read(write(tmp_path, b"0,1,20480\n" * 2 + b"0,1,0\n"), "csv", pages=True)
    with pytest.raises(TraceError, match=r"record 3 \(byte 48\): the requests up to here have more than 10 pages"):
        read(write(tmp_path, oracle([1, 2, 3], 5 * 4096)), pages=True)
    assert len(read(write(tmp_path, oracle(list(range(50)), 5 * 4096))).ids) == 50


@pytest.mark.slow
def test_too_many_large_requests(tmp_path: Path) -> None:
    """3 KB request more than 1 TiB; if memory is exhausted first, the message says so."""
    (told,) = read_limited([(write(tmp_path, b"0,1,4294967296\n" * 257), "csv")])
    assert told.startswith(": line ") and "out of memory: too many requests; cut the trace" in told


@pytest.mark.slow
def test_random_sizes_raise_only_trace_errors(tmp_path: Path) -> None:
    rng = random.Random(10)
    sizes = [0, 1, 4096, 4097, 2**20, 2**32 - 1, 2**32, 2**32 + 1, 2**63, MOST, MOST + 1]
    traces: list[tuple[Path, str]] = []
    for number in range(200):
        a, b, c = (rng.choice(sizes) for _ in range(3))
        key = rng.choice((0, 7, 2**63, MOST))
        data, format = rng.choice(
            (
                (f"{number},{key},{a}\n1,k,{b},{c}\n".encode(), "csv"),
                (f"0,{key},{a},{b},1,get,0\n".encode(), "twitter"),
                (struct.pack("<IQIq", 0, key, a & 0xFFFFFFFF, -1), "oraclegeneral"),
                (vscsi1([key], a & 0xFFFFFFFF), "vscsi"),
                (vscsi2([key], b & 0xFFFFFFFF), "vscsi"),
            )
        )
        if rng.randrange(3) == 0:
            at = rng.randrange(len(data))
            data = data[:at] + rng.randbytes(1) + data[at + 1 :]
        traces.append((write(tmp_path, data, f"{number}.dat"), format))
    told = read_limited(traces)
    assert len(told) == len(traces)
    assert any(line.isdigit() for line in told) and any("the request has" in line for line in told)


def test_samples_fit_into_the_memory_limit(tmp_path: Path) -> None:
    """Plain traces stay within the limit of the tests above."""
    names = ["oraclegeneral", "vscsi", "csv", "twitter"]
    told = read_limited([(write(tmp_path, SAMPLES[name], name), name) for name in names])
    assert told == ["6"] * 4
