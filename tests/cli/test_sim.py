"""`cpolc sim`: output and errors."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.errors import CliError
from cpol.cli.sim import command

KEYS = [n * n % 101 for n in range(2000)]


@pytest.fixture
def trace(tmp_path: Path) -> str:
    path = tmp_path / "keys.txt"
    path.write_text("".join(f"{key}\n" for key in KEYS), encoding="utf-8")
    return str(path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def test_json_is_one_object_per_run(trace: str) -> None:
    result = run("fifo", "s3fifo", "--trace", trace, "--capacity", "10,40", "--batch", "4", "--json")
    assert result.exit_code == 0
    runs = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(r["policy"], r["capacity"]) for r in runs] == [("fifo", 10), ("fifo", 40), ("s3fifo", 10), ("s3fifo", 40)]
    for r in runs:
        assert r["trace"] == trace and r["batch"] == 4 and r["fallback"] == 0
        assert r["requests"] == r["hits"] + r["misses"] == 2000
        assert r["miss_ratio"] == r["misses"] / 2000 and r["seconds"] > 0


def test_table_of_sim(trace: str) -> None:
    result = run("fifo", "--trace", trace, "--capacity", "0.5")
    lines = result.stdout.splitlines()
    assert lines[0] == f"{trace}: text, 2,000 requests, 51 objects; batch 1"
    head = "policy capacity requests misses miss ratio vs first fallback Mreq/s"
    assert lines[1].split() == head.split()
    assert lines[2].split()[:3] == ["fifo", "25", "2,000"]


def test_belady_adds_a_row_per_capacity(trace: str) -> None:
    result = run("lfu", "--trace", trace, "--capacity", "10,51", "--batch", "4", "--belady", "--json")
    lfu, _, *optimum = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(r["policy"], r["capacity"], r["batch"], r["requests"]) for r in optimum] == [
        ("belady", 10, 1, 2000),
        ("belady", 51, 1, 2000),
    ]
    assert 51 < optimum[0]["misses"] < lfu["misses"] and optimum[1]["misses"] == 51
    rows = run("lfu", "--trace", trace, "--capacity", "10", "--belady").stdout.splitlines()[2:]
    assert sorted(row.split()[0] for row in rows) == ["belady", "lfu"]


def test_rows_are_sorted_by_misses_and_compared_with_the_first_policy(trace: str) -> None:
    rng = random.Random(3)
    keys = [int(rng.paretovariate(0.6)) % 300 for _ in range(2000)]
    Path(trace).write_text("".join(f"{key}\n" for key in keys), encoding="utf-8")
    words = ("fifo", "s3fifo", "lru", "--trace", trace, "--capacity", "40,10", "--belady")
    runs = [json.loads(line) for line in run(*words, "--json").stdout.splitlines()]
    first = {r["capacity"]: r["misses"] for r in runs if r["policy"] == "fifo"}
    assert [r["policy"] for r in runs] == [name for name in ("fifo", "s3fifo", "lru", "belady") for _ in range(2)]
    assert [r["against_first"] for r in runs] == [round(r["misses"] / first[r["capacity"]], 6) for r in runs]
    rows = [line.split() for line in run(*words).stdout.splitlines()[2:]]
    assert [row[1] for row in rows] == ["40"] * 4 + ["10"] * 4
    for part in (rows[:4], rows[4:]):
        misses = [int(row[3].replace(",", "")) for row in part]
        assert misses == sorted(misses) and part[0][0] == "belady" and len(set(misses)) > 2
        base = next(int(row[3].replace(",", "")) for row in part if row[0] == "fifo")
        assert [row[5] for row in part] == [f"{100 * count / base - 100:+.1f}%" for count in misses]


def test_params_are_set_where_they_exist(trace: str) -> None:
    plain = run("s3fifo", "--trace", trace, "--capacity", "20", "--json")
    other = run("fifo", "s3fifo", "--set", "small_percent=50", "--trace", trace, "--capacity", "20", "--json")
    assert json.loads(plain.stdout)["misses"] != json.loads(other.stdout.splitlines()[1])["misses"]


def test_sim_of_a_policy_file(trace: str, tmp_path: Path) -> None:
    own = tmp_path / "own.cpol"
    own.write_text(
        "policy own {\n  list q\n  on added(f) { place f at head of q }\n"
        "  on evict { scan q from tail as f { evict f } }\n}\n",
        encoding="utf-8",
    )
    result = run(str(own), "fifo", "--trace", trace, "--capacity", "20", "--json")
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert first["policy"] == "own" and first["misses"] == second["misses"]


@pytest.mark.parametrize(
    "capacity",
    [
        "0",
        "-1",
        "x",
        "",
        "1,",
        "1e-5",
        "5X",
        "5\u212a",
        "1K,",
        "1..2",
        "nan",
        "inf",
        "99999999999999999999",
        "0.0",
        "1.5",
        "1_0",
        "५",
    ],
)
def test_invalid_capacities(capacity: str, trace: str) -> None:
    result = run("fifo", "--trace", trace, "--capacity", capacity)
    assert result.exit_code == 2
    assert "Invalid value for '--capacity'" in result.stderr and "a share of the objects (0.01)" in result.stderr


@pytest.mark.parametrize(
    ("capacity", "pages"),
    [
        ("1e5", 100_000), ("1E12", 10**12), ("4K", 1), ("4096k", 1024), ("64M", 16384), ("1.5G", 393216),
        ("2GiB", 524288), ("9K", 2), ("1024P", 1 << 48),
    ],
)  # fmt: skip
def test_capacities_as_sizes_and_large_numbers(capacity: str, pages: int, trace: str) -> None:
    result = run("fifo", "--trace", trace, "--capacity", capacity, "--json")
    assert result.exit_code == 0 and json.loads(result.stdout)["capacity"] == pages


@pytest.mark.parametrize("capacity", ["1e15", "1e999", "1025P", "281474976710657", "9" * 5000])
def test_error_of_a_large_capacity_names_the_limit(capacity: str, trace: str) -> None:
    result = run("fifo", "--trace", trace, "--capacity", f"10,{capacity}")
    assert result.exit_code == 2
    assert f"{capacity} is too large: the most is 281,474,976,710,656 pages (1024P)" in result.stderr


@pytest.mark.parametrize("capacity", ["1K", "0G", "0.001M"])
def test_size_below_a_page(capacity: str, trace: str) -> None:
    result = run("fifo", "--trace", trace, "--capacity", capacity)
    assert result.exit_code == 2
    assert f"{capacity} is less than one page of 4 KiB" in result.stderr


@pytest.mark.parametrize(("format", "code"), [("TEXT", 0), ("Txt", 0), ("tekst", 2), ("arrow", 2)])
def test_formats_in_any_case(format: str, code: int, trace: str) -> None:
    result = run("fifo", "--trace", trace, "--capacity", "5", "--format", format)
    assert result.exit_code == code
    if code:
        hint = "did you mean text?" if format == "tekst" else "there is oraclegeneral, vscsi"
        assert f"no format '{format}'; {hint}" in result.stderr


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["threshold"], "'threshold' is not NAME=VALUE"),
        (["treshold=1"], "no policy here has a param 'treshold'; there is ghost_percent, small_percent, threshold"),
        (["threshold=9"], "s3fifo: param threshold: 9 is out of range; it is u8 in 1..3"),
        (["threshold=two"], "'two' is not a whole number"),
        (["threshold=1", "threshold=2"], "threshold is given twice"),
    ],
)
def test_invalid_settings(settings: list[str], message: str, trace: str) -> None:
    options = [word for setting in settings for word in ("--set", setting)]
    result = run("s3fifo", "--trace", trace, "--capacity", "5", *options)
    assert result.exit_code == 2 and message in result.stderr


def test_failures_of_sim_are_one_message(trace: str, tmp_path: Path) -> None:
    for arguments, message in (
        (("nosuch", "--trace", trace, "--capacity", "5"), "not in the standard library"),
        (("fifo", "--trace", str(tmp_path / "none"), "--capacity", "5"), "cannot be read: No such file"),
        (("fifo", "--trace", trace, "--capacity", "0.0001"), "is not one page; give a larger one"),
        (("fifo", "--trace", trace, "--pages", "--capacity", "5"), "have no sizes of objects"),
    ):
        result = run(*arguments)
        assert result.exit_code == CliError.exit_code == 1
        assert message in result.output and "Traceback" not in result.output


@pytest.mark.parametrize("arguments", [(), ("fifo",), ("--trace", "x", "--capacity", "1")])
def test_missing_arguments(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize(("name", "told"), [("a\x1b[2J\nb.txt", r"a\x1b[2J\x0ab.txt"), ("c\udcff.txt", r"c\xff.txt")])
def test_name_of_a_trace_is_escaped(name: str, told: str, trace: str) -> None:
    path = Path(trace).with_name(name)
    path.write_bytes(Path(trace).read_bytes())
    result = run("fifo", "--trace", str(path), "--capacity", "5")
    assert result.exit_code == 0 and result.stdout.startswith(f"{path.with_name(told)}: text, ")
    path.write_bytes(b"")
    result = run("fifo", "--trace", str(path), "--capacity", "5")
    assert result.exit_code == 1 and told.replace(r"\x0a", "\n") in result.stderr and "\x1b" not in result.stderr
