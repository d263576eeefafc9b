"""When memory is collected: after each message, what this one left behind.

Python collects by itself when many objects are new, whoever waits. If these are 100,000, now and then a keystroke
waits 150 ms for it. What one message leaves takes 1 to 5 ms. What is older is looked at while the editor asks nothing.
"""

from __future__ import annotations

import gc
from typing import Final

YOUNG: Final = 700
"""New objects from which on a collection pays: as many as Python itself lets be."""

ROUNDS: Final = 50
"""Collections of what is new, after which one looks at all that came since the start, too."""

MANY: Final = 100_000
"""New objects from which on Python collects within a message: a rename compiles thousands of files."""


def begin() -> None:
    """Take out what there is now, which stays, and collect by `settle` from now on."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(MANY, 10, 10)


def settle(idle: bool) -> None:
    """Collect, if there is enough; what is older only if the editor asks nothing."""
    new, rounds, _ = gc.get_count()
    if idle and rounds >= ROUNDS:
        gc.collect()
    elif new >= YOUNG:
        gc.collect(0)
