"""A quick look at settings: their disk reads on a sample of the half that chooses, in a cache as many times smaller.

The sample is some of the pages, with all of their requests (Waldspurger et al., "Cache Modeling and Optimization using
Miniature Simulations", USENIX ATC '17). It only tells which settings are not worth a run on all pages.
"""

from __future__ import annotations

from cpol.runtime.machine.settings.assumed import NOTHING
from cpol.runtime.simulate.advise.blocks import Blocks
from cpol.runtime.simulate.advise.choices import Choice
from cpol.runtime.simulate.runs.candidates import Candidate
from cpol.runtime.simulate.runs.curve import smaller
from cpol.runtime.simulate.runs.evict import Setup
from cpol.runtime.simulate.traces import Trace
from cpol.runtime.simulate.traces.sample import sample

SHARE = 0.1
"""Of the pages."""

LEAST_PAGES = 256
"""In a smaller cache, single pages decide."""

LEAST_REQUESTS = 100_000
"""Fewer requests of the half that chooses run at once."""


class Glance:
    """Runs settings on a sample.

    Args:
        pages: the capacity of the whole trace.
    """

    def __init__(self, half: Trace, pages: int, batch: int, seed: int) -> None:
        self._half, self._batch, self._seed = half, batch, seed
        self._pages = round(pages * SHARE)
        self._sample = sample(half, SHARE, seed, 1)

    @classmethod
    def of(cls, blocks: Blocks, pages: int, batch: int, seed: int) -> Glance | None:
        """None: the half that chooses is small, so a sample would tell little and save nothing."""
        half = blocks.first_half
        if pages * SHARE < LEAST_PAGES or len(half.ids) < LEAST_REQUESTS:
            return None
        return cls(half, pages, batch, seed)

    def reads(self, choice: Choice) -> int:
        """The disk reads of a policy without inputs."""
        candidate = Candidate(choice.name, choice.compiled, choice.params, [], choice.name, {})
        setup = smaller(Setup(candidate, self._batch, self._seed, NOTHING, False), self._sample.share)
        return setup.simulator(self._half, self._pages).run(self._sample.requests).read_bytes
