"""Policies that use the whole language compile without warnings, and run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cpol.compiler import compile_file, ir, stages
from cpol.compiler.diagnostics.render import render
from cpol.runtime.explore.check.policy_test import run_test
from cpol.runtime.machine.interp import Machine

from .corpus import WHOLE

SEED = 1


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_whole_policies_have_no_warnings(path: Path) -> None:
    assert [render(warning) for warning in stages.run_file(path).warnings] == []


@pytest.mark.long
@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
@pytest.mark.parametrize("capacity", [1, 7, 40])
def test_invariants_of_whole_policies_hold(path: Path, capacity: int) -> None:
    machine = Machine(compile_file(path), capacity=capacity)
    generator = random.Random(SEED)
    for _ in range(1500):
        machine.request(generator.randrange(3), int(generator.paretovariate(0.7)) % 120)
    assert machine.hits + machine.misses == 1500
    assert machine.misses >= 100


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_tests_of_whole_policies_pass(path: Path) -> None:
    policy = compile_file(path)
    assert [failure for failure in (run_test(policy, test) for test in policy.tests) if failure is not None] == []


def test_whole_policies_have_every_node() -> None:
    """test_lower.py tests the nodes that these policies lack."""
    text = "".join(stages.dump_ir(compile_file(path)) for path in WHOLE)
    words = """
    list length table input fn every test fill tick refuse leave for ghost-add ghost-drop ghost-forget (ghost-size
    (ghost-full (ghost-oldest
    (ghost-field (element (table-size (input-has (input-get (if: (call (random (hash (log2 (exp2 (contains-all (task
    (cache clock"""
    assert [word for word in words.split() if word not in text] == []


def test_array_is_the_last_list() -> None:
    policy = compile_file(next(path for path in WHOLE if path.stem == "generations"))
    assert policy.lists == ("stray", "generation")
    [lists] = policy.list_arrays
    assert lists.name == "generation"
    assert policy.list_type == ir.EnumType("list", ("none", "stray", "generation"))
