"""Policies that use the whole language: interpreter and simulator agree on requests."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from agreement import agree_on_requests

from cpol.compiler import compile_file
from cpol.runtime.explore.check.scenario import Scenario

WHOLE = sorted((Path(__file__).parents[1] / "compiler" / "whole").glob("*.cpol"))
SEED = 3


@pytest.mark.long
@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_whole_policies_agree(path: Path) -> None:
    generator = random.Random(SEED)
    keys = [int(generator.paretovariate(0.7)) % 200 for _ in range(2000)]
    for capacity, batch in ((3, 1), (20, 4)):
        agree_on_requests(compile_file(path), Scenario(capacity, batch, {}, []), keys, f"{path.stem}, seed {SEED}")
