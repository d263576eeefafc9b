"""`cpolc sim` refuses what would give numbers that mean nothing, and says what to write."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli

KEYS = [str(number * 7 % 5) for number in range(40)]
HEADING = "# time_ns,event,file,page,pages,thread,process,comm[,first,last]"
FIFO = """policy fresh {
  list q
  state n: u64 = 0
  on added(f) { place f at tail of q }
  on evict { scan q from head as f { if f.unread { n += 1 } evict f } }
}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def sim(trace: str, *words: str) -> Result:
    return CliRunner().invoke(cli, ["sim", "lru", "--trace", trace, "--capacity", "3", *words])


def write(name: str, *lines: str) -> str:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return name


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.trace", "a"])
@pytest.mark.parametrize(
    ("heading", "keys"), [("object", KEYS), ("block number"[:5], KEYS), ("key", [f"k{key}" for key in KEYS])]
)
def test_a_heading_of_one_column_is_no_request(name: str, heading: str, keys: list[str]) -> None:
    trace = write(name, heading, *keys)
    done = sim(trace)
    assert done.exit_code == 1 and done.stdout == ""
    if name != "a.trace":
        assert f"line 1: `{heading}` seems to be a heading, which would count as a request" in done.stderr
        assert f"--columns object={heading}, or --format text" in done.stderr
    for column in (heading, "0"):
        assert "text, 40 requests" in sim(trace, "--columns", f"object={column}").stdout.replace("csv", "text")
    assert "41 requests" in sim(trace, "--format", "text").stdout


def test_keys_that_are_words_are_no_headings() -> None:
    assert "40 requests" in sim(write("words.txt", *(f"k{key}" for key in KEYS))).stdout
    assert "41 requests" in sim(write("again.txt", "key", *KEYS[:20], "key", *KEYS[20:39])).stdout
    assert "4 requests" in sim(write("mixed.txt", "a", "1", "b", "2")).stdout
    assert "40 requests" in sim(write("stars.trace", "*", *KEYS)).stdout


@pytest.mark.parametrize("more", [(), ("--warmup", "5"), ("--belady",)])
def test_sizes_that_are_all_0_have_no_byte_miss_ratio(more: tuple[str, ...]) -> None:
    trace = write("zero.csv", *(f"{number},{key},0" for number, key in enumerate(KEYS)))
    done = sim(trace, "--bytes", *more)
    assert done.exit_code == 1 and done.stdout == ""
    assert "all sizes are 0, so there is no byte miss ratio; leave out --bytes" in done.stderr
    assert sim(trace).exit_code == 0


def test_columns_in_quotes() -> None:
    trace = write("quoted.csv", '"time","object","size"', *(f'"{n}","{key}","4096"' for n, key in enumerate(KEYS)))
    done = sim(trace)
    assert done.exit_code == 1
    assert "columns are in quotes" in done.stderr and "--columns time=0,object=1,size=2" in done.stderr
    assert "csv, 40 requests" in sim(trace, "--columns", "time=0,object=1,size=2").stdout
    mixed = write("mixed.txt", *(f'"k{key}"' if number % 2 else f"k{key}" for number, key in enumerate(KEYS)))
    done = sim(mixed)
    assert done.exit_code == 1 and "stands in quotes, and elsewhere without" in done.stderr
    assert "40 requests, 5 objects" in sim(mixed, "--columns", "object=0").stdout
    assert "40 requests, 10 objects" in sim(mixed, "--format", "text").stdout


def test_like_kernel_has_the_batches_of_the_kernel() -> None:
    trace = write("keys.txt", *KEYS)
    done = sim(trace, "--like", "kernel", "--batch", "1")
    assert done.exit_code == 2 and "batches of 32, not 1; leave out one of them" in done.stderr
    assert "batch 32" in sim(trace, "--like", "kernel", "--batch", "32").stdout
    assert "batch 32, as the kernel asks" in sim(trace, "--like", "kernel").stdout


def test_a_recording_tells_what_nobody_has_read() -> None:
    Path("fresh.cpol").write_text(FIFO, encoding="utf-8")
    rows = [f"{number},{'added' if number % 3 else 'accessed'},8:0:2,{number % 9},1,1,1,x" for number in range(90)]
    write("app.rec", "cpol-record 2", HEADING, *rows, "end,90,0")

    def run(trace: str, *words: str) -> Result:
        return CliRunner().invoke(cli, ["sim", "./fresh.cpol", "--trace", trace, "--capacity", "3", *words])

    done = run("app.rec")
    assert done.exit_code == 0 and "f.unread" not in done.stderr
    assumed = run("app.rec", "--assume", "unread=no")
    assert "the trace has readahead itself (record); leave out --assume unread" in assumed.stderr
    other = run(write("keys.txt", *KEYS))
    assert "`f.unread`: the text trace has no readahead; a folio that came is read at once" in other.stderr
    assert "say it with --assume unread=no, or give a trace that has readahead (record)" in other.stderr
