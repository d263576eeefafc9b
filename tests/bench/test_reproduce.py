"""`make reproduce`: which cells a name means, that it goes on where it was stopped, and what the quick one compares."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import reproduce

papers = reproduce.papers

COMMAND = """#!/bin/sh
echo "$2" >>{log}
[ ! -e {broken} ] || [ "$2" != lfu ] || exit 3
printf '{{"store": {{"pages": %s}}}}' "$(cat {pages})" >"$1"
"""


class Bench:
    """A group of two cells, whose command tells what ran."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.log, self.broken, self.pages = folder / "log", folder / "broken", folder / "pages"
        command = folder / "command"
        command.write_text(COMMAND.format(log=self.log, broken=self.broken, pages=self.pages))
        command.chmod(0o755)
        self.pages.write_text("100")
        group = papers.Group(
            title="a group",
            command=f"{command} {{json}} {{policy}}",
            name="c/{policy}",
            over={"policy": ["lfu", "mru"]},
            counts=["store/pages"],
            within=0.05,
            quick="c/lfu",
        )
        self.build, self.kept = folder / "build", folder / "kept"
        monkeypatch.setattr(papers, "groups", lambda: {"mine": group})
        monkeypatch.setattr(papers, "KEPT", self.kept)
        monkeypatch.setattr(papers, "main", lambda arguments: 0)
        monkeypatch.setattr(reproduce, "BUILD", self.build)
        monkeypatch.setattr(reproduce, "machine", lambda: "x86-64")
        self.monkeypatch = monkeypatch
        papers.kept.cache_clear()

    def __call__(self, *words: str) -> int:
        self.monkeypatch.setattr(sys, "argv", ["reproduce", *words])
        return reproduce.main()

    def ran(self) -> list[str]:
        words = self.log.read_text().split() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return sorted(words)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


def test_it_goes_on_with_what_failed(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.broken.touch()
    assert bench("--seed", "1") == 1
    assert bench.ran() == ["lfu", "mru"]
    assert "mine/c/lfu: exit code 3" in capsys.readouterr().err
    bench.broken.unlink()
    assert bench("--seed", "1") == 0
    assert bench.ran() == ["lfu"]
    assert bench() == 0
    assert bench.ran() == []
    assert bench("--again") == 0
    assert bench.ran() == ["lfu", "mru"]


def test_a_result_says_where_it_ran(bench: Bench) -> None:
    assert bench("mine/c/lfu") == 0
    told = json.loads((bench.build / "mine" / "c" / "lfu.json").read_text())
    assert told["figures"] == {"store": {"pages": 100}} and told["machine"] == "x86-64" and told["commit"]
    assert bench.ran() == ["lfu"]


def test_the_seed_of_the_order_is_printed(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--seed", "7") == 0
    assert "2 of 2 cells to run, in the order of --seed 7" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "ran"), [("mine", ["lfu", "mru"]), ("mine/c", ["lfu", "mru"]), ("mine/*/mru", ["mru"]), ("*/lfu", ["lfu"])]
)
def test_a_name_means_cells(bench: Bench, name: str, ran: list[str]) -> None:
    assert bench(name) == 0
    assert bench.ran() == ran


def test_an_unknown_name_is_refused(bench: Bench) -> None:
    with pytest.raises(SystemExit, match="no cell is named `yours`; the groups are mine"):
        bench("yours")
    assert bench.ran() == []


def test_quick_compares_with_what_was_kept(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--quick") == 0
    assert "mine/c/lfu: left out, since nothing was kept to compare with" in capsys.readouterr().err
    assert bench.ran() == []
    assert bench("--keep") == 0
    assert set(json.loads((bench.kept / "mine.json").read_text())) == {"c/lfu", "c/mru"}
    bench.pages.write_text("104")
    assert bench("--quick") == 0
    bench.pages.write_text("106")
    bench.ran()
    assert bench("--quick") == 1
    assert bench.ran() == ["lfu"]
    assert "mine/c/lfu: store/pages: 106, kept 100; 5% are allowed" in capsys.readouterr().err


def test_keep_leaves_what_did_not_run(bench: Bench) -> None:
    assert bench("--keep", "mine/c/mru") == 0
    bench.pages.write_text("90")
    assert bench("--keep", "mine/c/lfu") == 0
    kept = json.loads((bench.kept / "mine.json").read_text())
    assert {name: cell["figures"]["store"]["pages"] for name, cell in kept.items()} == {"c/mru": 100, "c/lfu": 90}


def test_a_result_is_kept_as_it_comes(bench: Bench) -> None:
    """What a stopped run had measured is not lost."""
    bench.broken.touch()
    assert bench("--keep") == 1
    assert set(json.loads((bench.kept / "mine.json").read_text())) == {"c/mru"}


def test_a_cell_may_have_spaces_in_its_name(bench: Bench) -> None:
    group = dataclasses.replace(papers.groups()["mine"], name="{policy}, both/1")
    bench.monkeypatch.setattr(papers, "groups", lambda: {"mine": group})
    assert bench("mine/mru, both/1") == 0
    assert (bench.build / "mine" / "mru, both" / "1.json").exists()
