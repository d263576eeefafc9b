"""Effort of property tests: $CPOL_SEED (default 0) selects the inputs, $CPOL_THOROUGH (default 1) multiplies them.

$CPOL_QUICK (default 1) divides the examples of a test; `make check` and `make test` set it.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import hypothesis
from hypothesis import HealthCheck, settings
from quick import QUICK
from quick import examples as fewer

SEED = int(os.environ.get("CPOL_SEED", "0"))
THOROUGH = int(os.environ.get("CPOL_THOROUGH", "1"))
AGAIN = f"CPOL_SEED={SEED} CPOL_THOROUGH={THOROUGH} CPOL_QUICK={QUICK}"
"""The environment that tries the same again."""


def tried(examples: int, times: int = THOROUGH) -> Callable[[Any], Any]:
    """Decorate a test with `@given`: run `examples` times $CPOL_THOROUGH examples, seeded by $CPOL_SEED.

    $CPOL_QUICK divides their number.
    """

    def decorate(test: Any) -> Any:
        limited = settings(
            max_examples=fewer(examples * times),
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        )(test)
        return hypothesis.seed(SEED)(limited)

    return decorate


def generator(*of: object) -> random.Random:
    """Return a generator that is seeded by $CPOL_SEED and `of`."""
    return random.Random(f"{SEED} {of}")
