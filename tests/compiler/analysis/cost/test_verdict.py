"""The verdict of `cpolc cost`, and its estimate compared with measurements."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from cpol.compiler.analysis.cost.paths import Cost, Worst
from cpol.compiler.analysis.cost.verdict import MARGIN, ROUNDS, STACK, Program, verdict_of
from cpol.compiler.analysis.cost.verifier import LIMIT

PAGE = Path(__file__).resolve().parents[4] / "docs" / "measured" / "verifier.md"


def program(instructions: int, verifier: int, stack: int = 32) -> Program:
    cost = Cost(instructions, {(): instructions})
    return Program("evict_folios", instructions, Worst(cost, Cost(), stack), verifier)


def test_proved_program_fits() -> None:
    verdict = verdict_of((program(10, 20, STACK), program(LIMIT, LIMIT - 1)))
    assert (verdict.fits, verdict.text("k")) == ("yes", "fits k")


def test_unproved_program_should_fit() -> None:
    verdict = verdict_of((program(10, LIMIT), program(20, 30)))
    assert verdict.text("k") == (
        "should fit k: no bound proves it for `evict_folios`, whose longest path has 10 instructions; "
        "how many more the verifier looks at, of 1,000,000, cannot be foretold"
    )


def test_program_near_a_limit_may_not_fit() -> None:
    assert verdict_of((program(LIMIT // MARGIN, LIMIT),)).fits == "likely"
    verdict = verdict_of((program(LIMIT // MARGIN + 1, LIMIT), program(10, 20, STACK + 32)))
    assert verdict.text("k") == (
        "may not fit k: `evict_folios` needs 544 bytes of stack, and a program has 512; "
        "by estimate the verifier looks at 50,001 instructions in `evict_folios`, and it gives up at 1,000,000"
    )


def test_estimate_counts_loops_twice_and_stays_below_the_bound() -> None:
    cost = Cost(1 << 30, {(): 7, ("scan@3",): 5, ("for@2", "scan@3"): 3})
    assert Program("tick", 1, Worst(cost, Cost(), 32), LIMIT).estimate == 7 + 2 * 5 + 4 * 3
    assert Program("tick", 1, Worst(cost, Cost(), 32), 9).estimate == 9


def test_an_estimate_is_marked_unless_there_are_few_other_paths() -> None:
    assert program(10, 20).foretold and program(10, 9).foretold
    assert not program(10, 21).foretold and not program(10, LIMIT).foretold
    assert not program(LIMIT, LIMIT).foretold  # the bound says nothing
    assert not replace(program(10, 20), by_params=True).foretold


def measured() -> list[tuple[str, int, int]]:
    """Return program, estimate and measurement of each row of the table in docs/measured/verifier.md."""
    rows = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace(",", "") for cell in line.strip("| ").split(" | ")]
        if len(cells) == 8 and cells[2].isdigit():
            terms = re.sub(r"[a-z]+@(?:\w+\.cpol:)?\d+|lists", str(ROUNDS), cells[3]).split(" + ")
            estimate = sum(product(term) for term in terms)
            rows.append((f"{cells[0]} {cells[1]}", estimate, int(cells[7])))
    return rows


def product(term: str) -> int:
    result = 1
    for factor in term.split(" * "):
        result *= int(factor)
    return result


def test_measurements_stay_within_the_margin() -> None:
    rows = measured()
    assert len(rows) > 80
    over = {name: seen / estimate for name, estimate, seen in rows}
    assert max(over.values()) == pytest.approx(3.56, abs=0.01), "verdict.py, cost.md and verifier.md name this factor"
    assert max(over.values()) < MARGIN
