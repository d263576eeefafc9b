"""cpol.sweep: the rows of many runs, as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
        ({"seed": 1.5}, r"^seed.*'1\.5' is no whole number"),
        ({"params": {"lru": {"x": 1}}}, r"lru has no param 'x'"),
    ],
)
def test_mistakes(change: dict[str, Any], says: str, wanted: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(cpol.UserError, match=says):
        cpol.sweep({**wanted, **change}, tmp_path / "out")


def test_what_is_no_sweep(tmp_path: Path) -> None:
    with pytest.raises(cpol.UserError, match="3 is no sweep; give the path of a TOML file, or a mapping"):
        cpol.sweep(3, tmp_path / "out")  # type: ignore[arg-type]
    with pytest.raises(cpol.UserError, match=r"^the sweep: there is no key `policies`"):
        cpol.sweep({}, tmp_path / "out")
    with pytest.raises(cpol.CompileError):
        (tmp_path / "wrong.cpol").write_text("policy")
        cpol.sweep(spec_in(tmp_path, policies='"wrong.cpol"'), tmp_path / "out")
