"""Bounds and tables of bench-neighbour, and agreement of the page in docs with its figures."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import beside_table
import pytest
from beside import HOSTILE, Arm, build
from beside_table import COUNTS, COUNTS_VARY, EMPTY, HOOK, HOOKS, MOUNTS, NEAR, NONE, OPERATIONS, STEP, VARIES, Found

SAME = dict.fromkeys(OPERATIONS, 1000.0)
ARM: Found = {
    "attached": SAME,
    "beside": SAME,
    "cached": {"before": 1024, "after": 1024},
    "work": dict.fromkeys(COUNTS, 2000.0),
    "idle": {},
    "told": {"state": "attached"},
}


def found(**changes: Any) -> Found:
    """Two empty arms, and `one` with the changes."""
    arms = {name: copy.deepcopy(ARM) for name in (NONE, *EMPTY, "one")}
    arms["one"] |= changes
    return {"alone": SAME, "alone again": SAME, "arms": arms}


def wrong(**changes: Any) -> list[str]:
    told = beside_table.beyond(found(**changes))
    assert set(told) <= {"one"}
    return told.get("one", [])


def test_the_same_is_within_the_bounds() -> None:
    assert wrong() == []


@pytest.mark.parametrize("operation", OPERATIONS)
def test_instructions(operation: str) -> None:
    most = (1050.0 if operation in VARIES else 1020.0) + STEP.get(operation, 0)
    assert wrong(beside=SAME | {operation: most - 1}) == []
    assert wrong(beside=SAME | {operation: 900.0}) == [], "it was stopped"
    (told,) = wrong(beside=SAME | {operation: most + 1})
    assert told.startswith(f"{operation}: 1,000 instructions became 1,0")


@pytest.mark.parametrize("operation", [operation for operation in OPERATIONS if operation not in VARIES])
def test_attaching_costs_what_it_costs_any_policy(operation: str) -> None:
    more = SAME | {operation: 1090.0}
    assert wrong(attached=more, beside=more) == [
        f"{operation}: 1,090 instructions when it is attached, 1,000 beside empty programs"
    ]


@pytest.mark.parametrize("mount", MOUNTS)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("number", "empty"), list(enumerate(EMPTY)))
def test_attaching_has_a_price(mount: str, operation: str, number: int, empty: str) -> None:
    most = 50.0 if operation in VARIES else 20.0
    if mount == "module" and operation in HOOKS:
        most = max(most, HOOKS[operation][number] * HOOK)
    most += NEAR + STEP.get(operation, 0)
    told = found()
    assert beside_table.dear(told, mount) == []
    told["arms"][empty]["attached"] = SAME | {operation: 1000 + most}
    assert beside_table.dear(told, mount) == []
    told["arms"][empty]["attached"] = SAME | {operation: 1001 + most}
    (word,) = beside_table.dear(told, mount)
    assert word.startswith(f"{empty}, {operation}: 1,000 instructions alone, ")


def test_pages_cached() -> None:
    assert wrong(cached={"before": 1024, "after": 1010}) == []
    assert wrong(cached={"before": 1024, "after": 1000}) == ["cached: 1,024 pages became 1,000"]


@pytest.mark.parametrize("count", COUNTS)
def test_counts(count: str) -> None:
    most = 3000 if count in COUNTS_VARY else 2040
    for near in (1900.0, most - 1.0):
        assert wrong(work=ARM["work"] | {count: near}) == []
    assert wrong(work=ARM["work"] | {count: most + 1.0}) == [f"{count}: 2,000 without a policy, {most + 1:,} beside it"]


def test_an_arm_that_failed_is_beyond_the_bounds() -> None:
    told = found()
    told["arms"]["one"] = {"failure": "Traceback\nAssertionError: it is not attached\n"}
    assert beside_table.beyond(told) == {"one": ["AssertionError: it is not attached"]}
    assert any(line.startswith("| one | failed |") for line in beside_table.beside(told))


def test_what_is_beyond_is_bold() -> None:
    (row,) = [line for line in beside_table.beside(found(beside=SAME | {"map": 1160.0})) if line.startswith("| one")]
    assert row.split(" | ")[3] == "**+16.0 %**"
    assert row.split(" | ")[1] == "+0.0 %"


def test_page_in_docs_matches_its_figures() -> None:
    written = json.loads(beside_table.FIGURES.read_text())
    text = beside_table.PAGE.read_text()
    assert beside_table.page(text, written["figures"]) == text, (
        "stale page: run beside_table.py --docs docs/measured/neighbours.json"
    )


def test_page_without_marks_is_an_error() -> None:
    with pytest.raises(ValueError, match="no lines"):
        beside_table.page("no marks", {})


@pytest.mark.parametrize("arm", HOSTILE, ids=lambda arm: arm.name)
def test_hostile_programs_compile(arm: Arm, tmp_path: Path) -> None:
    """Only `make bench-neighbour` attaches all of them."""
    build(arm, tmp_path, "patched")
    assert (tmp_path / f"{arm.name}.bpf.o").stat().st_size
