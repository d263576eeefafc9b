"""What the loader tells of an observation: counts, their sums, and the estimate of the working set."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from cpol.compiler.toolchain.native import INCLUDE
from cpol.runtime.operate.observe.look import USED_BITS, Counts, largest, parse, working_set

NOTHING = [0] * len(Counts._fields)


def line(**facts: object) -> str:
    look = {
        "ns": 5, "gone": False, "missed": 0, "untold_pages": 0, "untold_cells": 0, "all": NOTHING,
        "other_files": NOTHING, "other_tasks": NOTHING, "files": [], "tasks": [], "names": {}, "cells": [],
        "used_bits": 0,
    }  # fmt: skip
    return json.dumps(look | facts)


def counts(hits: int, misses: int = 0) -> list[int]:
    return [hits, misses, *NOTHING[2:]]


def test_fields_are_those_of_the_programs() -> None:
    header = (INCLUDE / "cpol" / "observe.h").read_text()
    assert tuple(re.findall(r"^\tX\((\w+)\)", header, re.MULTILINE)) == Counts._fields
    words = re.search(r"OBSERVE_USED_WORDS \(1 << (\d+)\)", header)
    assert words and 64 << int(words[1]) == USED_BITS


def test_sums_by_command_and_process() -> None:
    tasks = [[7, "sh", counts(1)], [7, "cat", counts(20, 3)], [9, "cat", counts(5, 2)]]
    look = parse(line(tasks=tasks, files=[["8:1:5", counts(26, 5)]]))
    assert look.commands() == {"sh": Counts(1), "cat": Counts(25, 5)}
    assert look.processes() == {(7, "cat"): Counts(21, 3), (9, "cat"): Counts(5, 2)}
    assert look.files["8:1:5"].hit_ratio == 26 / 31
    assert Counts().hit_ratio is None


def test_rows_with_the_most_misses_come_first() -> None:
    rows = {"a": Counts(9, 1), "b": Counts(1, 4), "c": Counts(2, 1), "d": Counts(1)}
    first, others, number = largest(rows, 2)
    assert [name for name, _ in first] == ["b", "a"]
    assert others == Counts(3, 1) and number == 2
    assert largest(rows, 9)[1:] == (Counts(), 0)


@pytest.mark.slow
@pytest.mark.parametrize("pages", [1, 1000, 100_000, 2_000_000])
def test_working_set_is_within_its_error(pages: int) -> None:
    source = random.Random(pages)
    bits = len({source.randrange(USED_BITS) for _ in range(pages)})
    found = working_set(bits, 1.0)
    assert found.pages is not None and found.error < 0.01
    assert abs(found.pages - pages) <= 4 * found.error * pages + 1


def test_working_set_without_an_end() -> None:
    assert working_set(0, 1.0)[1:] == (0, 0.0)
    assert working_set(USED_BITS, 1.0).pages is None


@pytest.mark.parametrize("wrong", ["", "{}", "[]", line(all=[1]), line(files=[["8:1:5"]])])
def test_malformed_words(wrong: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        parse(wrong)


def test_one_layout_of_names() -> None:
    """The loader and the programs declare the value of the map of names each for itself."""
    there = Path(__file__).parents[4] / "runtime" / "operate"
    texts = [(there / "observe/counts.h").read_text(), (there / "loader/command/observe_text.c").read_text()]
    first, second = (re.search(r"^struct path \{.*?^\};", text, re.MULTILINE | re.DOTALL) for text in texts)
    assert first and second and first[0] == second[0]
