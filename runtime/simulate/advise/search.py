"""The search for params: proposes settings inside their declared ranges.

Optuna's tree-structured Parzen estimator proposes them (Akiba et al., "Optuna", KDD '19). The declared
values come first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cpol.errors import UserError
from cpol.runtime.simulate.advise.choices import Choice
from cpol.runtime.simulate.runs.candidates import Params

if TYPE_CHECKING:
    import optuna


def search(
    choice: Choice, trials: int, seed: int, reads: Callable[[Sequence[Choice]], Sequence[int]], at_once: int = 1
) -> tuple[Choice, int]:
    """The choice with the params for which `reads` is least, and how much that is.

    Args:
        reads: the disk reads of some settings; it is given `at_once` of them, which may run beside one another.

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

    def proposed(trial: optuna.Trial) -> Params:
        return {param.name: trial.suggest_int(param.name, param.low, param.high, log=param.low > 0) for param in ranges}

    for done in range(0, trials, at_once):
        asked = [study.ask() for _ in range(min(at_once, trials - done))]
        settings = [choice._replace(params=proposed(trial)) for trial in asked]
        for trial, found in zip(asked, reads(settings), strict=True):
            study.tell(trial, found)
    best = {name: value for name, value in study.best_params.items() if value != defaults[name]}
    return choice._replace(params=best), int(study.best_value)
