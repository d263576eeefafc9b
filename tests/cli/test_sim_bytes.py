"""`cpolc sim --bytes`: the bytes of requests that missed, held against a cache that is written here."""

from __future__ import annotations

import json
import random
import struct
from array import array
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli
from cpol.compiler import compile_source
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.trace import Given, run_trace
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Requests

SOURCE = random.Random(5)
REQUESTS = [(min(int(SOURCE.paretovariate(0.7)), 300), SOURCE.choice([0, 1, 700, 4096, 2**31])) for _ in range(3000)]
"""Objects and bytes. The size of an object changes."""

CAPACITY, WARMUP = 40, 500


def lru(warmup: int = 0) -> tuple[int, int, int]:
    """Bytes of all requests after the warm-up, of those that missed, and how many missed."""
    cache: OrderedDict[int, None] = OrderedDict()
    total = missed = misses = 0
    for number, (key, size) in enumerate(REQUESTS):
        hit = key in cache
        cache[key] = None
        cache.move_to_end(key)
        if len(cache) > CAPACITY:
            cache.popitem(last=False)
        if number >= warmup:
            total += size
            missed += 0 if hit else size
            misses += not hit
    return total, missed, misses


def sim(*words: str) -> dict[str, Any]:
    result = CliRunner().invoke(cli, ["sim", *words, "--capacity", str(CAPACITY), "--json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[0])
    return found


def oracle(folder: Path) -> list[str]:
    path = folder / "t.oracleGeneral.bin"
    path.write_bytes(b"".join(struct.pack("<IQIq", 1, key, size, -2) for key, size in REQUESTS))
    return [str(path)]


def vscsi(folder: Path) -> list[str]:
    path = folder / "t.vscsi"
    rows = (struct.pack("<HHIIIQQQ", 0, 2 << 8, 0, size, 0, key, 1, 0) for key, size in REQUESTS)
    path.write_bytes(b"".join(rows))
    return [str(path), "--format", "vscsi"]


def text(line: str, name: str, *options: str) -> Any:
    def written(folder: Path) -> list[str]:
        path = folder / name
        path.write_text("".join(line.format(key=key, size=size) + "\n" for key, size in REQUESTS), encoding="utf-8")
        return [str(path), *options]

    return written


FORMATS = {
    "oraclegeneral": oracle,
    "vscsi": vscsi,
    "csv": text("1,{key},{size}", "t.csv"),
    "twitter": text("1,{key},0,{size},9,get,0", "t.twitter.csv", "--format", "twitter"),
    "columns": text("{size};x;{key}", "t.csv", "--columns", "size=0,object=2"),
    "places": text("f,{key},{size}", "t.csv", "--columns", "file=0,page=1,size=2"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_bytes_are_those_of_an_independent_count(name: str, tmp_path: Path) -> None:
    path, *options = FORMATS[name](tmp_path)
    for warmup in (0, WARMUP):
        total, missed, misses = lru(warmup)
        warm = ["--warmup", str(warmup)] if warmup else []
        for policies in (["lru"], ["lru", "fifo"]):  # read in parts, or as a whole
            found = sim(*policies, "--bytes", "--trace", path, *options, *warm)
            assert (found["bytes"], found["missed_bytes"], found["misses"]) == (total, missed, misses)
            assert found["byte_miss_ratio"] == missed / total


def test_state_has_no_influence_on_bytes(tmp_path: Path) -> None:
    found = sim("lru", "--bytes", "--trace", *oracle(tmp_path), "--state", "-", "--every", "700")
    assert found["missed_bytes"] == lru()[1]


def test_interpreter_and_native_code_count_the_same_bytes() -> None:
    """Also for a policy that refuses folios: what it refused has missed."""
    policy = compile_source(
        """policy p {
  list queue
  state turn: u64 = 0
  on admit(f) { turn += 1  if turn % 3 == 0 { refuse f } }
  on added(f) { place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
}
""",
        "p.cpol",
    )
    keys, sizes = (array("Q", part) for part in zip(*REQUESTS, strict=True))
    machine = Machine(policy, CAPACITY)
    run_trace(machine, Given(keys, sizes=sizes))
    simulator = Simulator(policy, CAPACITY)
    for part in (slice(0, 1000), slice(1000, None)):
        counts = simulator.run(Requests(keys[part], sizes=sizes[part]))
    assert counts.misses == machine.misses and machine.refused_admission > 100
    assert counts.missed_bytes == machine.missed_bytes > 0


def test_bytes_that_were_read_are_those_of_what_readahead_brought_too() -> None:
    """A page that readahead brings is read once, also if it leaves before anybody reads it, and then again."""
    policy = compile_source(
        """policy p {
  list queue
  on added(f) { place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
}
""",
        "p.cpol",
    )
    keys = array("Q", [1, 1, 2, 2, 3, 4, 1, 2])
    ahead = bytes([1, 0, 1, 1, 0, 0, 0, 0])  # 1 is read, 2 is not; both leave for 3 and 4, and are read again
    sizes = array("Q", [1, 2, 4, 8, 16, 32, 64, 128])
    machine = Machine(policy, 2)
    run_trace(machine, Given(keys, sizes=sizes, ahead=ahead))
    counts = Simulator(policy, 2).run(Requests(keys, sizes=sizes, ahead=ahead))
    assert counts.read_bytes == machine.read_bytes == 1 + 4 + 16 + 32 + 64 + 128
    assert counts.missed_bytes == machine.missed_bytes == 2 + 16 + 32 + 64 + 128


def test_the_table_has_a_column_and_the_optimum_none_in_it(tmp_path: Path) -> None:
    path, *_ = oracle(tmp_path)
    words = ["sim", "lru", "--trace", path, "--capacity", str(CAPACITY)]
    result = CliRunner().invoke(cli, [*words, "--bytes", "--belady"])
    head, *rows = result.stdout.splitlines()[1:]
    columns = {row.split()[0]: row[: head.index("byte ratio") + len("byte ratio")].split()[-1] for row in rows}
    total, missed, _ = lru()
    assert columns == {"lru": f"{missed / total:.4f}", "belady": "-"}
    assert "byte" not in CliRunner().invoke(cli, words).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--pages"], "--bytes and --pages exclude each other"),
        (["--columns", "object=1"], "add size=COLUMN, or leave out --bytes"),
        (["--format", "text"], "text traces have no sizes, so there is no byte miss ratio; leave out --bytes"),
    ],
)
def test_without_sizes_there_is_no_byte_miss_ratio(words: list[str], said: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("0,1,2\n1,2,3\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["sim", "lru", "--bytes", "--trace", str(path), "--capacity", "4", *words])
    assert result.exit_code != 0 and said in result.stderr


def test_sizes_beyond_64_bits_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"0,1,{2**63}\n1,2,{2**63}\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["sim", "lru", "--bytes", "--trace", str(path), "--capacity", "4"])
    assert result.exit_code == 1 and "add up to 2^64 bytes or more" in result.stderr
