"""The search for params: proposes settings inside their declared ranges.

Optuna's tree-structured Parzen estimator proposes them (Akiba et al., "Optuna", KDD '19). The declared
values come first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import compress
from typing import TYPE_CHECKING, TypeAlias

from cpol.errors import UserError
from cpol.runtime.simulate.advise.choices import Choice
from cpol.runtime.simulate.runs.candidates import Params

if TYPE_CHECKING:
    import optuna


Reads: TypeAlias = Callable[[Sequence[Choice]], Sequence[int]]
"""The disk reads of some settings, which may run beside one another."""

KEPT = 0.25
"""The share of the settings that get a run on all pages: those that read least on a sample, of all so far."""

FIRST = 8
"""Settings that all get one, before others are measured by them."""


def search(
    choice: Choice, trials: int, seed: int, reads: Reads, at_once: int = 1, glance: Reads | None = None
) -> tuple[Choice, int]:
    """The choice with the params for which `reads` is least, and how much that is.

    Args:
        reads: is given at most `at_once` settings.
        glance: the same on a sample, for the settings that are left out by it; None: each is run.

    Raises:
        UserError: Optuna is not installed.
    """
    try:
        import optuna  # which takes a third of a second to import
    except ImportError:
        raise UserError("optuna, which proposes the settings, is not installed: pip install optuna") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    ranges = [param for param in choice.policy.params if param.low < param.high]
    defaults = {param.name: param.default for param in ranges}
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.enqueue_trial(defaults)
    glances = list[int]()  # sorted

    def proposed(trial: optuna.Trial) -> Params:
        return {param.name: trial.suggest_int(param.name, param.low, param.high, log=param.low > 0) for param in ranges}

    for done in range(0, trials, at_once):
        asked = [study.ask() for _ in range(min(at_once, trials - done))]
        settings = [choice._replace(params=proposed(trial)) for trial in asked]
        kept = [True] * len(asked)
        if glance is not None:
            seen = glance(settings)
            glances = sorted([*glances, *seen])
            most = glances[math.ceil(KEPT * len(glances)) - 1]
            kept = [done + place < FIRST or each <= most for place, each in enumerate(seen)]
            for trial, each, runs in zip(asked, seen, kept, strict=True):
                trial.report(each, 0)
                if not runs:
                    study.tell(trial, state=optuna.trial.TrialState.PRUNED)
        for trial, found in zip(compress(asked, kept), reads([*compress(settings, kept)]), strict=True):
            study.tell(trial, found)
    best = {name: value for name, value in study.best_params.items() if value != defaults[name]}
    return choice._replace(params=best), int(study.best_value)
