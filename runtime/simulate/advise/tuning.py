"""The params of one policy that suit a trace: chosen by its first half, judged by the second.

AT_ONCE settings are proposed at a time, and run beside one another: so the result does not depend on the number of
processors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from cpol.compiler.compiled import Compiled
from cpol.errors import UserError
from cpol.runtime.simulate.advise.blocks import Blocks
from cpol.runtime.simulate.advise.choices import Choice, Runs
from cpol.runtime.simulate.advise.glance import Glance
from cpol.runtime.simulate.advise.interval import Interval, interval
from cpol.runtime.simulate.advise.search import Reads, search
from cpol.runtime.simulate.runs.jobs import Task
from cpol.runtime.simulate.runs.room import Followed
from cpol.runtime.simulate.traces import Trace

AT_ONCE = 4


class Tuned(NamedTuple):
    """What was found. Disk reads are of the declared values, then of those that were found."""

    choice: Choice
    """With the params that differ from the declared values; none: those are the best that was tried."""
    tried: int
    full: int
    """Of those, the settings that ran on all pages; the others read too much on a sample."""
    chosen: tuple[int, int]
    """Of the first half, by which they were chosen."""
    judged: tuple[int, int]
    """Of the second half, which nothing was chosen by."""
    ratio: Interval
    """Of the second half: those that were found, as a share of the declared values'."""


def tune(
    made: Compiled,
    trace: Trace,
    room: Followed | None,
    pages: int,
    *,
    batch: int,
    seed: int,
    trials: int,
    jobs: int,
    show: Callable[[str], None],
    elsewhere: Reads | None = None,
) -> Tuned:
    """Tune one policy.

    Args:
        room: what the capacity follows; None: it is `pages`.
        trials: settings that are tried; the declared values are the first.
        elsewhere: tells the disk reads of the first half, from other machines, say; None: they are counted here.

    Raises:
        UserError: the policy has no params, or Optuna is not installed.
        ToolError, SimulationError: the policy cannot be compiled, or run.
    """
    policy = made.policy
    if not any(param.low < param.high for param in policy.params):
        raise UserError(f"{policy.name} has no param to tune; name a policy that has (cpolc stdlib list)")
    plain = Choice(policy.name, made, {})
    runs = Runs(Blocks.of(trace, room), pages, batch, seed, jobs)
    half = runs.blocks.half

    glance = Glance.of(runs.blocks, pages, batch, seed)
    full = 0

    def first_halves(settings: Sequence[Choice]) -> Sequence[int]:
        nonlocal full
        full += len(settings)
        if elsewhere is not None:
            return elsewhere(settings)
        tasks = [Task(each.settings, partial(runs.reads, each, blocks=half)) for each in settings]
        return [sum(reads) for reads in runs.beside(tasks, show)]

    def glances(settings: Sequence[Choice]) -> list[int]:
        assert glance
        return runs.beside([Task(each.settings, partial(glance.reads, each)) for each in settings], show)

    found, _ = search(plain, trials, seed, first_halves, AT_ONCE, glances if glance else None)
    before, after = runs.beside([Task(each.settings, partial(runs.reads, each)) for each in (plain, found)], show)
    show("")
    chosen, judged = ((sum(before[part]), sum(after[part])) for part in (slice(half), slice(half, None)))
    return Tuned(found, trials, full, chosen, judged, interval(after[half:], before[half:], seed))
