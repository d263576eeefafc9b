"""Random source text: the compiler takes it, `fmt` keeps its meaning, and interpreter and simulator agree on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agreement import ROWS, agree_on_events, agree_on_requests, agree_on_rows
from effort import AGAIN, SEED, THOROUGH, tried
from hypothesis import given
from hypothesis import strategies as st
from sources.scope import Counts
from sources.source import source

from cpol.compiler import compile_source
from cpol.compiler.backend import host
from cpol.compiler.format.text import format_text
from cpol.runtime.explore.check.scenario import Scenario, scenarios
from cpol.runtime.machine.events import Row

CONSTRUCTS = set((Path(__file__).parent / "sources" / "constructs.txt").read_text().splitlines())
"""The constructs of docs/language.md that a random text can hold."""
POLICIES = 400
"""Texts that are only compiled."""


@pytest.mark.long
def test_the_compiler_takes_every_text_and_all_constructs_occur() -> None:
    counts = Counts()
    for number in range(POLICIES * THOROUGH):
        text, found = source(number, SEED)
        counts.update(found)
        compile_source(text, f"source{number}.cpol")
    print(json.dumps(counts, indent=1, sort_keys=True))
    assert set(counts) == CONSTRUCTS, f"seed {SEED}: {set(counts) ^ CONSTRUCTS}"


@pytest.mark.long
@pytest.mark.parametrize("number", range(10 * THOROUGH))
def test_format_keeps_the_meaning(number: int) -> None:
    """`format_text` itself compares the syntax trees."""
    formatted = format_text(source(number, SEED)[0], "text.cpol")
    assert format_text(formatted, "text.cpol") == formatted


@pytest.mark.parametrize("number", range(8 * THOROUGH))
def test_executors_agree(number: int) -> None:
    policy = compile_source(source(number, SEED)[0], f"source{number}.cpol")
    host.build(policy, events=True)  # build once, before the examples run
    replay = f"again: {AGAIN} pytest {__file__} -k 'agree[{number}]'"

    @tried(15, times=1)
    @given(scenarios(policy), st.lists(st.integers(0, 20), max_size=80), ROWS)
    def agree(scenario: Scenario, keys: list[int], rows: list[Row]) -> None:
        agree_on_events(policy, scenario, replay)
        agree_on_requests(policy, scenario, keys, replay)
        agree_on_rows(policy, scenario, rows, replay)

    agree()
