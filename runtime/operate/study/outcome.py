"""What came of a trial, as JSON."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cpol.runtime.operate.study.counters import Histogram, histograms, is_count
from cpol.runtime.operate.study.job import VERSION

MAX_LINE: Final = 64 << 20


@dataclass
class Outcome:
    """A trial that was done. A program that failed is kept, and its time counts nowhere."""

    id: str
    seconds: float = 0.0
    failure: str = ""
    """Why the trial does not count; empty: it does."""
    exit: int | None = None
    """The program's exit code, negative for a signal."""
    stderr: str = ""
    """The last lines of a program that failed."""
    oom_kills: int = 0
    counters: dict[str, int] = field(default_factory=dict)
    peak: int | None = None
    operations: int | None = None
    latency: dict[str, Histogram] = field(default_factory=dict)
    settings: dict[str, tuple[str, str]] = field(default_factory=dict)
    """What stood in each file before, and during the trial."""
    boot: str = ""
    release: str = ""
    left: list[str] = field(default_factory=list)
    """What could not be put back."""
    wall: float = 0.0
    """Seconds with the boot and all else, as the host saw it."""

    @property
    def counts(self) -> bool:
        return not self.failure


def line_of(outcome: Outcome) -> str:
    """The outcome as one line."""
    return json.dumps({"cpol_study": VERSION, **dataclasses.asdict(outcome)})


def read_outcome(text: str | bytes, id: str) -> Outcome:
    """An outcome from its JSON.

    Raises:
        ValueError: it is none, or of another trial.
    """
    try:
        facts: Any = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(facts, Mapping) or facts.get("cpol_study") != VERSION or facts.get("id") != id:
        raise ValueError(f"it is not the outcome of {id}, or of another version of cpolc")
    try:
        return _outcome(facts)
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"a value is missing or of another kind: {error}") from None


def _outcome(facts: Mapping[str, Any]) -> Outcome:
    for name in ("seconds", "wall"):
        if isinstance(facts[name], bool) or not math.isfinite(facts[name]) or not 0 <= facts[name] < 1e9:
            raise ValueError(f"`{name}` is {facts[name]!r:.60}")
    for name in ("failure", "stderr", "boot", "release"):
        if not isinstance(facts[name], str):
            raise ValueError(f"`{name}` is no text")
    if not facts["failure"] and not facts["seconds"] > 0:
        raise ValueError("a trial that counts took no time")
    if not isinstance(facts["left"], list):
        raise ValueError("`left` is no list")
    counters = dict(facts["counters"])
    counts = [*counters.values(), *(facts[name] or 0 for name in ("peak", "operations", "oom_kills"))]
    if not all(map(is_count, counts)) or not (facts["exit"] is None or isinstance(facts["exit"], int)):
        raise ValueError("a counter is no whole number")
    return Outcome(
        facts["id"],
        float(facts["seconds"]),
        facts["failure"],
        facts["exit"],
        facts["stderr"],
        facts["oom_kills"] or 0,
        {str(name): count for name, count in counters.items()},
        facts["peak"],
        facts["operations"],
        histograms(facts["latency"]),
        {str(name): (str(before), str(after)) for name, (before, after) in facts["settings"].items()},
        facts["boot"],
        facts["release"],
        [str(each) for each in facts["left"]],
        float(facts["wall"]),
    )
