"""The tests in the stdlib policies pass, in the interpreter and as native code."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.runtime.explore.check.policy_test import run_test

STDLIB = sorted((Path(__file__).parents[2] / "stdlib").glob("*.cpol"))


@pytest.mark.parametrize("path", STDLIB, ids=lambda path: path.stem)
def test_policy_tests_pass(path):
    policy = compile_file(path)
    failures = {test.name: run_test(policy, test) for test in policy.tests}
    assert not {name: failure for name, failure in failures.items() if failure is not None}
