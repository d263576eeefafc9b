"""The params of one policy that suit a trace: chosen by its first half, judged by the second.

Optuna's tree-structured Parzen estimator proposes them inside their declared ranges (Akiba et al., "Optuna", KDD '19).
It proposes AT_ONCE at a time, which run beside one another: so the result does not depend on the number of processors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from cpol.compiler.compiled import Compiled
from cpol.errors import UserError
from cpol.runtime.simulate.advise.blocks import Blocks
from cpol.runtime.simulate.advise.choices import Choice, Runs
from cpol.runtime.simulate.advise.interval import Interval, interval
from cpol.runtime.simulate.runs.candidates import Params
from cpol.runtime.simulate.runs.jobs import Task
from cpol.runtime.simulate.runs.room import Followed
from cpol.runtime.simulate.traces import Trace

if TYPE_CHECKING:
    import optuna

AT_ONCE = 4


class Tuned(NamedTuple):
    """What was found. Disk reads are of the declared values, then of those that were found."""

    choice: Choice
    """With the params that differ from the declared values; none: those are the best that was tried."""
    tried: int
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
) -> Tuned:
    """Tune one policy.

    Args:
        room: what the capacity follows; None: it is `pages`.
        trials: settings that are tried; the declared values are the first.

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
    found = best(runs, plain, trials, show)
    before, after = runs.beside([Task(each.settings, partial(runs.reads, each)) for each in (plain, found)], show)
    show("")
    chosen, judged = ((sum(before[part]), sum(after[part])) for part in (slice(half), slice(half, None)))
    return Tuned(found, trials, chosen, judged, interval(after[half:], before[half:], seed))


def best(runs: Runs, choice: Choice, trials: int, show: Callable[[str], None]) -> Choice:
    """The choice with the params that read least in the first half."""
    try:
        import optuna  # which takes a third of a second to import
    except ImportError:
        raise UserError("optuna, which proposes the settings, is not installed: pip install optuna") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    ranges = [param for param in choice.policy.params if param.low < param.high]
    defaults = {param.name: param.default for param in ranges}
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=runs.seed))
    study.enqueue_trial(defaults)

    def proposed(trial: optuna.Trial) -> Params:
        return {param.name: trial.suggest_int(param.name, param.low, param.high, log=param.low > 0) for param in ranges}

    for done in range(0, trials, AT_ONCE):
        asked = [study.ask() for _ in range(min(AT_ONCE, trials - done))]
        settings = [choice._replace(params=proposed(trial)) for trial in asked]
        for trial, reads in zip(asked, _first_halves(runs, settings, f"{done} of {trials}", show), strict=True):
            study.tell(trial, reads)
    return choice._replace(params={name: value for name, value in study.best_params.items() if value != defaults[name]})


def _first_halves(runs: Runs, settings: Sequence[Choice], where: str, show: Callable[[str], None]) -> list[int]:
    half = runs.blocks.half
    tasks = [Task(each.settings, partial(runs.reads, each, blocks=half)) for each in settings]
    return [sum(reads) for reads in runs.beside(tasks, lambda what: show(f"{where} settings; {what}"[:100]))]
