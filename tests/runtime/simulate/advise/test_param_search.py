"""The search for params: which settings a sample leaves out."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.advise.choices import Choice
from cpol.runtime.simulate.advise.search import FIRST, search


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [1, 4])
def test_a_quarter_of_all_settings_runs_in_full(at_once: int) -> None:
    """Those that were left out count, too: else fewer and fewer would be as good as those that ran."""
    source, glances, full = random.Random(1), list[int](), list[int]()

    def drawn(settings: Sequence[Choice]) -> list[int]:
        glances.extend(made := [source.randrange(10**6) for _ in settings])
        return made

    def reads(settings: Sequence[Choice]) -> list[int]:
        full.extend(found := [source.randrange(10**6) for _ in settings])
        return found

    plain = Choice("s3fifo", compiled(resolve("s3fifo")), {})
    _, least = search(plain, 200, 1, reads, at_once, drawn)
    assert len(glances) == 200 and least == min(full)
    assert 50 <= len(full) <= 50 + FIRST + 10


def test_without_a_sample_each_setting_runs() -> None:
    ran = list[Choice]()

    def reads(settings: Sequence[Choice]) -> list[int]:
        ran.extend(settings)
        return [1 for _ in settings]

    search(Choice("s3fifo", compiled(resolve("s3fifo")), {}), 10, 1, reads, 4)
    assert len(ran) == 10 and not ran[0].params.keys() - {param.name for param in ran[0].policy.params}
