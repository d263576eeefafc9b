"""Params of a policy that suit a trace."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from cpol.api.given import Capacity, capacities, processors, whole
from cpol.api.policy import Policy, policy_of
from cpol.api.runs import Progress, quiet
from cpol.api.trace import Trace, trace_of
from cpol.compiler.ir import MAX_BATCH
from cpol.errors import RequestError
from cpol.runtime.simulate.advise.tuning import Tuned as Found
from cpol.runtime.simulate.advise.tuning import tune as search
from cpol.runtime.simulate.runs.room import batch_of
from cpol.runtime.simulate.sweep.halves import on_workers
from cpol.runtime.simulate.sweep.unit import Reading


@dataclass(frozen=True)
class Tuned:
    """The policy with the params that read least in the first half of a trace, and what it does in the second."""

    policy: Policy
    found: Found

    @property
    def saved(self) -> tuple[float, float]:
        """The 95 % interval of what it saves in the second half, a share of the disk reads. Below 0 it reads more."""
        return 1 - self.found.ratio.high, 1 - self.found.ratio.low

    def __repr__(self) -> str:
        low, high = self.saved
        return f"{self.policy.label}: saves {low:.1%} to {high:.1%} of the disk reads, on the half that did not choose"


def tune(
    policy: Policy | str | Path,
    trace: Trace | str | Path,
    *,
    capacity: Capacity,
    trials: int = 100,
    batch: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Progress = quiet,
) -> Tuned:
    """Tune the params of a policy, as `cpolc tune` does.

    Args:
        jobs: runs at a time, four at most; None: all processors.
        scheduler: the address of a Dask scheduler whose workers try the settings; they read the trace by its path.

    Raises:
        UserError: the policy has no params, or Optuna is not installed.
        TraceError, SimulationError, MachineError, ToolError: it cannot run.

    >>> found = tune("s3fifo", Trace.from_arrays([*range(60), *range(40)] * 40), capacity=50, trials=4)
    >>> found.policy.name, found.found.tried
    ('s3fifo', 4)
    """
    given = policy_of(policy)
    if not given.ir.evicts:
        raise RequestError(f"{given.name} evicts nothing, and only what a policy evicts is tuned")
    read = trace_of(trace).read
    (pages,) = capacities([capacity], read.distinct)
    evicts = batch_of(read, None if batch is None else whole("batch", batch, 1, MAX_BATCH), False)
    drawn, tried = whole("seed", seed, 0, 2**32 - 1), whole("trials", trials, 2, 100_000)
    with ExitStack() as stack:
        elsewhere = None
        if scheduler is not None:
            if not isinstance(trace, str | Path):
                raise RequestError("workers read the trace by its path, so give the path, and no cpol.Trace")
            made = stack.enter_context(on_workers(scheduler, read, Reading(details=True), progress))
            elsewhere = made(pages, evicts, drawn)
        found = search(
            given.compiled,
            read,
            None,
            pages,
            batch=evicts,
            seed=drawn,
            trials=tried,
            jobs=processors(jobs),
            show=progress,
            elsewhere=elsewhere,
        )
    return Tuned(given.with_params(**found.choice.texts), found)
