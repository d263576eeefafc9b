"""scripts/kernel_table.py: cells of kernels, which of them are said to work, and the table in docs/stock-kernel.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

import kernel_table as kernels
import pytest

RUNNER = kernels.ROOT / "scripts" / "test-kernels"
OLD, NEW, UNTRIED = "6.12.95+deb12-cloud-amd64", "6.12.117+deb12-cloud-amd64", "7.2.12+deb13-cloud-amd64"


def cell(result: str = "pass", **given: str) -> list[str]:
    values = dict.fromkeys(kernels.KEYS, "") | {"result": result, "commit": "0a1b2c3d", "date": "2026-11-30"} | given
    return [f"{key}={value}" for key, value in values.items()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for results, with a page and kept cells of its own."""
    monkeypatch.setattr(kernels, "KEPT", tmp_path / "releases.json")
    monkeypatch.setattr(kernels, "PAGE", tmp_path / "page.md")
    kernels.PAGE.write_text(f"before\n{kernels.BEGIN}\nold\n{kernels.END}\nafter\n")
    return tmp_path


def run(folder: Path, release: str, **cells: list[str]) -> int:
    (folder / release).mkdir(exist_ok=True)
    for name, pairs in cells.items():
        assert kernels.main(["note", str(folder / release / f"{name}.json"), *pairs]) == 0
    return kernels.main(["report", str(folder), release])


@pytest.mark.parametrize(
    ("release", "name", "result", "code"),
    [
        (NEW, "stdlib", "pass", 0),
        (NEW, "stdlib", "fail", 1),
        (NEW, "prefetching", "cannot", 0),
        (NEW, "builds", "cannot", 1),
        # Nobody has said that this works.
        (UNTRIED, "stdlib", "fail", 0),
    ],
)
def test_what_is_said_to_work_has_to(folder: Path, release: str, name: str, result: str, code: int) -> None:
    assert run(folder, release, **{name: cell(result, why="it is so")}) == code


def test_what_passed_on_a_series_is_said_to_work_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, UNTRIED, stdlib=cell(), hostile=cell("fail")) == 0
    assert kernels.main(["keep", str(folder)]) == 0
    newer = UNTRIED.replace("7.2.12", "7.2.13")
    assert run(folder, newer, stdlib=cell("fail", why="not ok s3fifo"), hostile=cell("fail")) == 1
    assert capsys.readouterr().err == f"error: {newer}: stdlib under pressure: fail: not ok s3fifo\n"


def test_the_table_shows_each_cell_and_where_it_was_measured(folder: Path) -> None:
    run(
        folder,
        UNTRIED,
        builds=cell(untried="yes", machine="x86-64, 2 processors"),
        selftests=cell("fail", figures="70 checks pass, 2 do not", why="not ok a | b"),
    )
    text = (folder / "kernels.md").read_text()
    (row,) = (line for line in text.splitlines() if line.startswith(f"| {UNTRIED}"))
    title, *words = [word.strip() for word in re.split(r"(?<!\\)\|", row)[1:-1]]
    assert title == f"{UNTRIED} (untried)"
    failed = r"**fail**: 70 checks pass, 2 do not; not ok a \| b"
    assert words == ["pass", "not run", failed, *["not run"] * 5]
    assert "at 0a1b2c3d (2026-11-30)" in text and "x86-64, 2 processors" in text


def test_a_cell_of_an_older_build_names_its_commit(folder: Path) -> None:
    run(folder, NEW, builds=cell(module="new"), loads=cell(module="new (all)"), dkms=cell(module="old"))
    (row,) = (line for line in (folder / "kernels.md").read_text().splitlines() if line.startswith(f"| {NEW}"))
    assert row.split(" | ")[1:3] == ["pass", "pass"] and row.endswith("| pass: at 0a1b2c3d |")


def test_newer_cells_take_the_place_of_older_ones(folder: Path) -> None:
    run(folder, OLD, builds=cell(), dkms=cell())
    kernels.main(["keep", str(folder)])
    run(folder, UNTRIED, builds=cell())
    kernels.main(["keep", str(folder)])
    run(folder, NEW, builds=cell())
    kernels.main(["keep", str(folder)])
    run(folder, NEW, loads=cell("fail"))
    kernels.main(["keep", str(folder)])
    kept = json.loads(kernels.KEPT.read_text())
    assert {release: list(cells) for release, cells in kept.items()} == {NEW: ["builds", "loads"], UNTRIED: ["builds"]}
    page = kernels.PAGE.read_text()
    assert page.startswith("before\n") and page.endswith("after\n") and NEW in page and "old" not in page


def test_a_cell_is_kept_for_the_same_module(tmp_path: Path) -> None:
    file = tmp_path / "stdlib.json"
    same = ["same", str(file), "abc"]
    assert kernels.main(same) == 1
    kernels.main(["note", str(file), *cell(module="abc")])
    assert (kernels.main(same), kernels.main(["same", str(file), "abd"])) == (0, 1)
    kernels.main(["note", str(file), *cell("fail", module="abc")])
    assert kernels.main(same) == 1


def test_the_runner_has_the_columns() -> None:
    text = RUNNER.read_text()
    (listed,) = re.findall(r"^ALL_CELLS=\((.*)\)$", text, re.MULTILINE)
    assert listed.split() == list(kernels.CELLS) == re.findall(r"^cell_(\w+)\(\)", text, re.MULTILINE)
    assert listed.split() == re.findall(r"^#   ([a-z]+)  +\S", text, re.MULTILINE)


def test_tried_series_are_those_that_the_module_is_built_for() -> None:
    assert kernels.tried() == {"6.12"}
    dkms = kernels.ROOT / "kernel" / "module" / "dkms.conf"
    assert {series for series in ("6.12", "7.2") if re.search(_pattern(dkms), f"{series}.1")} == kernels.tried()


def _pattern(dkms: Path) -> str:
    (found,) = re.findall(r'^BUILD_EXCLUSIVE_KERNEL="(.*)"$', dkms.read_text(), re.MULTILINE)
    return str(found)


def test_the_page_has_the_kept_table() -> None:
    assert kernels.PAGE.read_text() == kernels.with_table(kernels.PAGE.read_text()), "run scripts/kernel_table.py table"
