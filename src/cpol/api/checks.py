"""Property checks of a policy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cpol.api.given import whole
from cpol.api.policy import Policy, policy_of
from cpol.api.runs import Progress, quiet
from cpol.runtime.explore.check import PROPERTIES, Counterexample, Result
from cpol.runtime.explore.check import check as search
from cpol.runtime.explore.check.report import as_text


@dataclass(frozen=True)
class Checked:
    """What a search for a broken property found."""

    policy: Policy
    result: Result

    @property
    def counterexample(self) -> Counterexample | None:
        return self.result.counterexample

    @property
    def ok(self) -> bool:
        """Whether no property broke. A search proves nothing."""
        return self.counterexample is None

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        found = self.counterexample
        if found is None:
            tried = f"{self.result.examples} scenarios, {self.result.events:,} events"
            return f"{self.policy.name}: no counterexample in {tried}"
        return f"{self.policy.name}: {as_text(found)}\nproperty broken: {found.property}: {PROPERTIES[found.property]}"


def check(
    policy: Policy | str | Path,
    *,
    max_examples: int = 200,
    seed: int = 0,
    native: bool = True,
    progress: Progress = quiet,
) -> Checked:
    """Search for events after which a property does not hold, as `cpolc check` does.

    Args:
        native: whether to compare native code with the interpreter.

    Raises:
        ToolError: the policy cannot be compiled to native code.
        ParamError: it attaches to no small cache.

    >>> check("fifo", max_examples=5, native=False).ok
    True
    """
    given = policy_of(policy)
    examples = whole("max_examples", max_examples, 1)
    return Checked(given, search(given.ir, examples, whole("seed", seed, 0), native, progress))
