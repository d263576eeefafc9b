"""How advice is compared with what its policies read (advised.py): what is run, what is near, what was not kept."""

from __future__ import annotations

from typing import Any

import pytest
from advised import NEAR, WORSE, Advised, Cell, of, table


def row(policy: str, reads: int, params: dict[str, str] | None = None, told: dict[str, Any] | None = None) -> Any:
    reads_of = {"chosen_by_reads": 1000, "reads": reads, "with_readahead": None}
    return {"policy": policy, "params": params or {}, "input": told, **reads_of}


def advice(*rows: Any, verdict: str = "try") -> Any:
    return {"verdict": verdict, "default": row("linux_lru", 1000), "policies": list(rows)}


RECORDED = {"recorded": {"pages": 2000}, "threads": {"get": 31, "scan": 32}}


def measured(found: Advised, *pages: int) -> Advised:
    figures = {str(number): {"pages": each} for number, each in enumerate(pages)}
    return found.measured({"again": {"pages": 2000}, **figures})


def test_foretold_is_both_halves() -> None:
    found = of("work", advice(row("mru", 500, {"a": "1"})), RECORDED, {})
    assert (found.default.foretold, found.default.measured) == (2000, 2000)
    assert found.cells == [Cell("mru a=1", 1500)]
    assert found.plan == [{"policy": "mru", "settings": ["a=1"]}]


def test_threads_are_told_by_their_parts() -> None:
    lives = row("get_scan", 500, told={"name": "scanners", "keys": ["32"]})
    gone = row("get_scan", 500, told={"name": "scanners", "keys": ["32", "99"]})
    found = of("work", advice(gone, lives), RECORDED, {})
    assert found.plan == [{"policy": "get_scan", "settings": [], "input": "scanners", "parts": ["scan"]}]
    assert found.skipped == ["get_scan"]


def test_files_are_told_by_their_paths() -> None:
    rows = [row("keep_files", 500, told={"name": "kept", "keys": [key]}) for key in ("7", "8")]
    found = of("work", advice(*rows), RECORDED, {"7": "/hot"})
    assert found.plan == [{"policy": "keep_files", "settings": [], "input": "kept", "values": ["/mnt/hot"]}]
    assert found.skipped == ["keep_files"]


def test_commands_are_told_as_they_are() -> None:
    found = of("work", advice(row("backup", 500, told={"name": "commands", "keys": ["tar"]})), RECORDED, {})
    assert found.plan == [{"policy": "backup", "settings": [], "input": "commands", "values": ["tar"]}]


def test_three_are_run() -> None:
    found = of("work", advice(*(row(f"p{number}", 500) for number in range(5))), RECORDED, {})
    assert [cell.policy for cell in found.cells] == ["p0", "p1", "p2"]


def test_near() -> None:
    assert Cell("one", 105, 100).is_near and Cell("one", 95, 100).is_near
    assert not Cell("one", 106, 100).is_near and not Cell("one", 94, 100).is_near
    assert not Cell("one", 100, 100, "refused").is_near and NEAR == 0.05


@pytest.mark.parametrize(
    ("verdict", "pages", "failings"),
    [
        ("try", round(2000 * (1 + WORSE)), []),
        ("try", round(2000 * (1 + WORSE)) + 1, ["the first reads 2.0 % more than the default"]),
        ("keep", 1940, []),
        ("keep", 2100, []),
        ("keep", 1900, ["keep, but a policy saves 5.0 %"]),
        ("try", 1900, []),
    ],
)
def test_failings(verdict: str, pages: int, failings: list[str]) -> None:
    found = measured(of("work", advice(row("mru", 500), verdict=verdict), RECORDED, {}), pages)
    assert found.failings == failings


def test_noise_is_that_of_the_default() -> None:
    assert measured(of("work", advice(), RECORDED, {})).noise == 0
    other = {"recorded": {"pages": 1900}, "threads": {}}
    found = measured(of("work", advice(), other, {}))
    assert found.usual == 2000 and found.noise == pytest.approx(0.05)


def test_table() -> None:
    found = measured(of("work", advice(row("mru", 500), row("arc", 900)), RECORDED, {}), 1500, 1500)
    told = table([found]).splitlines()
    assert told[2:5] == [
        "| work | try | linux_lru | 2,000 | 2,000 | +0.0 % | 1.00 |",
        "|  |  | mru | 1,500 | 1,500 | +0.0 % | 0.75 |",
        "|  |  | arc | 1,900 | 1,500 | **+26.7 %** | 0.75 |",
    ]
    assert told[6:] == ["2 of 3 cells are within 5 % (67 %).", "work: the default read 2,000, 2,000 (0.0 % apart)."]


def test_advice_that_was_withheld_is_not_counted() -> None:
    found = measured(of("work", advice(row("mru", 500), verdict="withheld"), RECORDED, {}), 100)
    assert "0 of 0 cells are within 5 % (0 %)." in table([found]) and found.failings == []


def test_a_policy_that_did_not_run_is_told() -> None:
    found = of("work", advice(row("mru", 500)), RECORDED, {})
    told = table([found.measured({"again": {"pages": 2000}, "0": {"failure": "refused"}})])
    assert "| mru | 1,500 | not run | not run |  |" in told and told.endswith("work: mru: refused")


def test_readahead_that_was_played_anew_is_foretold() -> None:
    played = row("mru", 900) | {"with_readahead": {"chosen_by": 1100, "reads": 800}}
    (cell,) = of("work", advice(played), RECORDED, {}).cells
    assert cell.foretold == 1900
