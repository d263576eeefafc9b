"""The store of `make reproduce` (store.cc): each workload does what it was asked, and a wrong word is an error."""

from __future__ import annotations

import json
import re
import subprocess
from array import array
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROWS, THREADS, WARM, OPERATIONS = 20_000, 4, 200, 400
WORKLOADS = ("a", "b", "c", "d", "e", "f", "uniform", "uniform-rw", "get-scan")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    flags = ("-std=c++20", "-fno-rtti", "-Wall", "-Wextra", "-Werror", "-pthread")
    subprocess.run(["g++", *flags, HERE / "store.cc", "-lleveldb", "-o", folder / "store"], check=True)
    subprocess.run([folder / "store", "make", folder / "data", str(ROWS)], check=True)
    return folder


def run(store: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [store / "store", "run", store / "data", *map(str, words)]
    return subprocess.run(command, input="\n", capture_output=True, text=True, check=False)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_workload_does_what_it_was_asked(store: Path, workload: str) -> None:
    done = run(store, ROWS, workload, THREADS, WARM, OPERATIONS, 1)
    assert done.returncode == 0, done.stderr
    ready, figures = done.stdout.splitlines()
    scanners = 2 if workload == "get-scan" else 0
    assert re.fullmatch(rf"ready( \d+){{{scanners}}}", ready)
    told = json.loads(figures)
    assert told["operations"] == OPERATIONS and 0 < told["p50_ms"] <= told["p99_ms"]
    assert told["pages"] >= 0 and (scanners or told["scans"] == 0)


def test_a_trace_is_replayed(store: Path, tmp_path: Path) -> None:
    one, many = tmp_path / "one", tmp_path / "many"
    one.write_bytes(array("I", [7]).tobytes())
    many.write_bytes(array("I", range(0, ROWS, 19)).tobytes())
    for trace in (one, many):
        done = run(store, ROWS, f"trace:{trace}", THREADS, WARM, OPERATIONS, 1)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout.splitlines()[1])["operations"] == OPERATIONS
    many.write_bytes(array("I", [ROWS]).tobytes())
    done = run(store, ROWS, f"trace:{many}", THREADS, WARM, OPERATIONS, 1)
    assert done.returncode == 1 and f"{many}: a row is not in the store" in done.stderr


@pytest.mark.parametrize("advice", ["sequential", "noreuse", "dontneed"])
def test_scans_take_advice(store: Path, advice: str) -> None:
    assert run(store, ROWS, "get-scan", THREADS, WARM, OPERATIONS, 1, advice).returncode == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((ROWS, "z", 1, 1, 1, 1), "no such workload: z"),
        ((ROWS, "c", 1, 1, "many", 1), "not a number above 0: many"),
        ((ROWS, "get-scan", 1, 1, 1, 1, "willneed"), "no such advice: willneed"),
        ((ROWS, "trace:/nowhere", 1, 1, 1, 1), "/nowhere: no rows can be read"),
    ],
)
def test_a_wrong_word_is_an_error(store: Path, words: tuple[object, ...], message: str) -> None:
    done = run(store, *words)
    assert done.returncode == 1 and message in done.stderr
