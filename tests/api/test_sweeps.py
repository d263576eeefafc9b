"""cpol.sweep: the rows of many runs, as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest
from sweeps import keys, spec_in

import cpol


@pytest.fixture
def wanted(tmp_path: Path) -> dict[str, Any]:
    traces = [keys(tmp_path / "traces" / f"t{number}.txt", number) for number in range(2)]
    return {"policies": ["lru", "s3fifo"], "traces": traces, "capacities": [20, 0.1]}


def test_rows(wanted: dict[str, Any], tmp_path: Path) -> None:
    told = list[str]()
    swept = cpol.sweep({**wanted, "params": {"s3fifo": {"threshold": [1, 2]}}}, tmp_path / "out", progress=told.append)
    assert len(swept) == 2 * 3 * 2 and not swept.failed and "12 of 12 runs" in told[-1]
    assert [row["capacity"] for row in swept[:2]] == ["20", "0.1"] and swept[-1] == list(swept)[-1]
    for row in swept:
        policy = cpol.Policy(row["policy"]).with_params(**dict(each.split("=") for each in row["params"].split()))
        (run,) = cpol.simulate(policy, row["trace"], capacity=row["pages"])
        assert (run["requests"], run["misses"]) == (row["requests"], row["misses"])
    table = swept.table
    assert table.column_names == list(swept.COLUMNS) and table.num_rows == 12
    assert table.to_pylist() == list(swept)
    assert [line["policy"] for line in swept.report()] == [line["policy"] for line in swept.report("lru")]
    again = cpol.sweep(wanted, tmp_path / "out", in_process=True)  # others are left out
    assert [row["policy"] for row in again] == ["lru", "lru", "s3fifo", "s3fifo"] * 2
    assert {row["params"] for row in again} == {""}


def test_a_file(tmp_path: Path) -> None:
    swept = cpol.sweep(spec_in(tmp_path), tmp_path / "out")
    assert {row["trace"] for row in swept} == {"traces/t0.txt", "traces/t1.txt", "traces/t2.txt"}


def test_as_text(wanted: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "traces" / "t0.txt").write_bytes(b"")
    swept = cpol.sweep({**wanted, "batches": [*range(1, 9)]}, tmp_path / "out")
    assert len(swept.failed) == 32 and "the trace is empty" in swept.failed[0]["error"]
    lines = repr(swept).splitlines()
    assert lines[0].split() == ["trace", "policy", "params", "capacity", "miss_ratio", "error"]
    assert len(lines) == 22 and lines[-1] == "and 44 more" and max(map(len, lines)) < 200
    assert swept._repr_html_().count("<tr>") == 22


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"policies": ["lru", "fifoo"]},
            r"^policies\.1: `fifoo` is not in the standard library; did you mean `fifo`\?",
        ),
        ({"polcies": []}, r"^polcies: there is no key `polcies`; did you mean `policies`\?"),
        ({"capacities": [1.5]}, r"^capacities\.0: 1\.5 is no share"),
        ({"capacities": None}, r"^capacities: None is no capacity"),
        ({"capacities": [10, 100.0]}, r"^capacities\.1: 100\.0 is no share"),
        ({"capacities": numpy.array([0.5, 1.5])}, r"^capacities\.1: 1\.5 is no share"),
        ({"seed": 1.5}, r"^seed: '1\.5' is no whole number"),
        ({"seed": numpy.int64(-3)}, r"^seed: -3 is no whole number"),
        ({"batches": 33}, r"^batches: 33 is no whole number"),
        ({"policies": cpol.Policy("leap")}, r"^policies: leap evicts nothing"),
        ({"params": {"s3fifo": {"threshold": 99}}}, r"^params\.s3fifo\.threshold: s3fifo: param threshold: 99 is out"),
        (
            {"policies": cpol.Policy("s3fifo").with_params(threshold=1), "params": {"s3fifo": {}}},
            "^s3fifo threshold=1: `params` has others of s3fifo; give them in one place",
        ),
        ({"params": {"lru": {"x": 1}}}, r"lru has no param 'x'"),
    ],
)
def test_mistakes(change: dict[str, Any], says: str, wanted: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(cpol.UserError, match=says):
        cpol.sweep({**wanted, **change}, tmp_path / "out")


@pytest.mark.slow
def test_values_of_numpy_and_policies(wanted: dict[str, Any], tmp_path: Path) -> None:
    """As cpol.simulate takes them."""
    own = tmp_path / "mine.cpol"
    own.write_text(cpol.Policy("fifo").compiled.source.text.replace("policy fifo", "policy mine"))
    policies = [cpol.Policy("lru"), cpol.Policy("s3fifo").with_params(threshold=1), cpol.Policy(own)]
    swept = cpol.sweep(
        {
            "policies": policies,
            "traces": tuple(wanted["traces"]),
            "capacities": numpy.array([20, 30]),
            "batches": range(1, 3),
            "seed": numpy.int64(3),
            "warmup": numpy.float32(0.5),
        },
        tmp_path / "out",
    )
    plain = {"policies": ["lru", "s3fifo", own], "params": {"s3fifo": {"threshold": 1}}}
    more = {"capacities": [20, 30], "batches": [1, 2], "seed": 3, "warmup": 0.5}
    again = cpol.sweep({**plain, **more, "traces": wanted["traces"]}, tmp_path / "out", retry=True)
    assert list(again) == list(swept) and len(swept) == 2 * 3 * 2 * 2 and not swept.failed
    assert {row["policy"] for row in swept} == {"lru", "s3fifo", "mine"}
    shares = cpol.sweep({**wanted, "capacities": numpy.array([0.1, 0.25])}, tmp_path / "shares")
    assert {row["capacity"] for row in shares} == {"0.1", "0.25"}


def test_settings_that_make_no_sense(wanted: dict[str, Any], tmp_path: Path) -> None:
    for settings, says in (
        ({"workers": 0}, "workers is 0; give a whole number from 1"),
        ({"worker_memory": 1 << 30}, "'1073741824' is no size; give one with its unit, such as 4G"),
        ({"in_process": True, "scheduler": "tcp://h:1"}, r"^runs are in this process or on a scheduler's workers; ask"),
    ):
        with pytest.raises(cpol.UserError, match=says) as caught:
            cpol.sweep(wanted, tmp_path / "out", **settings)  # type: ignore[arg-type]  # wrong ones
        assert "--" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_what_is_no_sweep(tmp_path: Path) -> None:
    with pytest.raises(cpol.UserError, match="3 is no sweep; give the path of a TOML file, or a mapping"):
        cpol.sweep(3, tmp_path / "out")  # type: ignore[arg-type]  # a number is no sweep
    with pytest.raises(cpol.UserError, match=r"^the sweep: there is no key `policies`"):
        cpol.sweep({}, tmp_path / "out")
    with pytest.raises(cpol.CompileError):
        (tmp_path / "wrong.cpol").write_text("policy")
        cpol.sweep(spec_in(tmp_path, policies='"wrong.cpol"'), tmp_path / "out")
