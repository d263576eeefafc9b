"""`cpolc sim`: seeds, inputs, times and tasks of a trace, lack of memory."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.sim import command
from cpol.compiler import compile_source, ir
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.settings.entries import read_entries

POLICY = """policy tasks {
  param size: u64 = 4 in 1..100000000
  list queue
  input scanners: set of thread
  input weight: map of page to u8 = 0
  table seen: u8[size, 2] = 0
  state ticks: u32 = 0
  on admit(f) { if scanners.has(task.thread) or weight.of(f) > 3 or random(50) == 0 or ticks > 3 { refuse f } }
  on added(f) { place f at tail of queue }
  on accessed(f) { seen[f.index, 0] += 1 }
  on evict { scan queue from head as f { when seen[f.index, 0] < 9 { evict f } otherwise { keep } } }
  every 2000 ms { ticks += 1 }
}
"""
REQUESTS = [(second // 4, second % 7, 5 if second % 2 else 6) for second in range(60)]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "tasks.cpol").write_text(POLICY, encoding="utf-8")
    lines = [f"{second},{key},1,1,{client},get,0\n" for second, key, client in REQUESTS]
    (tmp_path / "twitter.csv").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def run(files: Path, *arguments: str) -> Result:
    trace = files / "twitter.csv"
    return CliRunner().invoke(
        command, [str(files / "tasks.cpol"), "--trace", str(trace), "--capacity", "3", *arguments]
    )


def refused(files: Path, *arguments: str) -> int:
    result = run(files, "--json", *arguments)
    assert result.exit_code == 0, result.output
    return int(json.loads(result.stdout)["refused_admission"])


def test_times_and_tasks_of_the_trace_reach_the_policy(files: Path) -> None:
    """From the eighth second on, ticks refuse every folio; a client in the set is always refused."""
    early = sum(second < 8 for second, _, _ in REQUESTS)
    assert 0 < refused(files) <= len(REQUESTS) - 7
    of_one = sum(client == 5 for second, _, client in REQUESTS[:early])
    assert refused(files, "--input", "scanners=5") > of_one
    assert refused(files, "--input", "scanners=5,6") == len(REQUESTS)


def test_inputs_from_files_and_ranges(files: Path) -> None:
    (files / "keys").write_text("0:0..6=9\n\n0:0..6=4\n", encoding="utf-8")
    assert refused(files, "--input", f"weight=@{files / 'keys'}") == len(REQUESTS)
    assert refused(files, "--input", "weight=0:0..6=9,0:0..6=0") == refused(files)


ARRAYS = """policy marks {
  input mark: array[100] of s16
  input small: array[8] of u4
  list queue
  on admit(f) { if mark[f.index] < 0 or small[f.index] > 8 { refuse f } }
  on added(f) { place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
}
"""


def marked(files: Path, *arguments: str) -> Result:
    (files / "marks.cpol").write_text(ARRAYS, encoding="utf-8")
    words = [str(files / "marks.cpol"), "--trace", str(files / "twitter.csv"), "--capacity", "3", "--json", *arguments]
    return CliRunner().invoke(command, words)


def test_arrays_from_files(files: Path) -> None:
    """Text and binary mean the same; what the file lacks is 0."""
    (files / "text").write_text("\ufeff0\n-1\n 0 \n-3\r\n", encoding="utf-8")
    (files / "binary").write_bytes(struct.pack("<4h", 0, -1, 0, -3))
    results = [json.loads(marked(files, "--input", f"mark=@{files / name}").stdout) for name in ("text", "binary")]
    refusals = [int(result["refused_admission"]) for result in results]
    assert refusals[0] == refusals[1] == sum(key in (1, 3) for _, key, _ in REQUESTS)


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"1\n\n2\n", "mark", "file:2: "),
        (b"1\n40000\n", "mark", "file:2: "),
        (b"\x01\x00\x02", "mark", "has 3 bytes, which is no multiple of the 2 bytes of an entry"),
        (b"\x01\x10", "small", "entry 1 of"),
        (b"16\n", "small", "file:1: "),
        (b"1,2\n", "small", "file:1: "),
        (b"1\n2\r3\n", "mark", "file:2: "),
        (b"# degrees\n1\n2\n", "small", "file:1: '# degrees' is not a whole number; write one u4 on each line"),
        (b"1\n2, 3\n", "mark", "file:2: '2, 3' is not a whole number"),
        (b"\xef\xbb\xbf1\nx\n", "mark", "file:2: 'x' is not a whole number"),
        (b"0x10\n", "small", "file:1: '0x10'"),
    ],
)
def test_wrong_entries(files: Path, content: bytes, name: str, message: str) -> None:
    (files / "file").write_bytes(content)
    result = marked(files, "--input", f"{name}=@{files / 'file'}")
    assert result.exit_code == 2
    assert message.replace(" ", "") in "".join(result.output.replace("│", "").split())


def test_entries_without_end(files: Path) -> None:
    """They are an error before they fill the memory."""
    (files / "marks.cpol").write_text(ARRAYS, encoding="utf-8")
    command = [sys.executable, "-m", "cpol.cli.main", "sim", "marks.cpol", "--trace", "twitter.csv", "--capacity", "3"]
    words = ["prlimit", f"--as={1 << 31}", *command, "--input", "mark=@/dev/zero"]
    done = subprocess.run(words, cwd=files, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done
    assert "input mark: /dev/zero has more than 33554432 bytes" in " ".join(done.stderr.split()), done


@pytest.mark.parametrize("content", [b" " * 641, b"1\n" * 321, b"\0" * 21], ids=["blanks", "text", "binary"])
def test_too_many_bytes_for_an_array(files: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    (files / "file").write_bytes(content)
    declaration = next(one for one in compile_source(ARRAYS, "marks.cpol").arrays if one.name == "mark")
    monkeypatch.setattr(ir, "MAX_TABLE", 10)
    with pytest.raises(ParamError, match="give a shorter file"):
        read_entries(declaration, files / "file")


@pytest.mark.parametrize(("content", "fits"), [(b"1\n" * 8, True), (b"1\n" * 9, False), (b"0\n" * 300, False)])
def test_entries_beyond_the_end(files: Path, content: bytes, fits: bool) -> None:
    """As in the loader, they are no part of the array that gets lost in silence."""
    (files / "file").write_bytes(content)
    result = marked(files, "--input", f"small=@{files / 'file'}")
    assert result.exit_code == (0 if fits else 1), result.output
    if not fits:
        count = content.count(b"\n")
        assert f"--input small: the file has {count} entries" in result.output and "marks.cpol:3" in result.output


@pytest.mark.parametrize("item", ["scanners=18446744073709551616", "weight=1:0..18446744073709551616=3"])
def test_a_key_beyond_64_bits(files: Path, item: str) -> None:
    result = run(files, "--input", item)
    said = " ".join(result.output.replace("│", " ").split())
    kind = "thread" if item.startswith("s") else "page"
    assert result.exit_code == 2 and f"18446744073709551616 is no number of a {kind}" in said, said
    assert "(" not in said.partition("is no number")[0][-40:]


def test_an_array_takes_a_file(files: Path) -> None:
    result = marked(files, "--input", "mark=1,2")
    assert result.exit_code == 2 and "mark is an array" in " ".join(result.output.replace("│", " ").split())


def test_seed_determines_the_run(files: Path) -> None:
    results = {seed: refused(files, "--seed", str(seed)) for seed in range(12)}
    assert len(set(results.values())) > 1
    assert results[7] == refused(files, "--seed", "7")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("scanners", "is not NAME=VALUES"),
        ("nobody=1", "no policy here has an input 'nobody'; there is scanners, weight"),
        ("scanners=x", "'x' is not a key of kind thread"),
        ("weight=0:1..2", "weight is a map: give KEY=VALUE"),
        ("weight=0:1..2=256", "256"),
        ("weight=@/nowhere", "weight: /nowhere cannot be read: No such file"),
    ],
)
def test_invalid_inputs(given: str, message: str, files: Path) -> None:
    result = run(files, "--input", given)
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())


def test_bad_line_of_an_input_file_is_named(files: Path) -> None:
    (files / "keys").write_text("5\nfive\n", encoding="utf-8")
    result = run(files, "--input", f"scanners=@{files / 'keys'}")
    assert result.exit_code == 2 and "keys:2: " in result.output


def test_too_large_table_is_one_message(files: Path) -> None:
    result = run(files, "--set", "size=10000000")
    assert result.exit_code == 1
    assert "tasks.cpol:6:9: table seen has 10000000 * 2 elements, more than 16777216" in result.output
