"""Predicts whether the verifier will accept an object that passed the checks of the profile.

The verifier can reject it for its stack, or because it has to check too many instructions. If the
upper bound of these is not below the limit, an estimate decides: the longest path with two rounds
of each loop that the verifier follows until its state repeats. It foretells the true number within a
factor of two only where there are few other paths (Program.foretold). How many of the others the
verifier drops cannot be told from outside; over the standard library the true number was at most
3.56 times the estimate (docs/measured/verifier.md). Of policies that were written against it, the
highest had 43 times. The estimate says nothing about a loop that changes variables on too many
paths (rounds.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from cpol.compiler.analysis.cost.paths import Worst
from cpol.compiler.analysis.cost.rounds import Round
from cpol.compiler.analysis.cost.verifier import LIMIT
from cpol.compiler.diagnostics.words import listing

STACK = 512
"""MAX_BPF_STACK: stack bytes of a call chain."""
ROUNDS = 2
"""Assumed rounds of a loop until the verifier's state repeats."""
MARGIN = 20
"""The verdict trusts an estimate that is below the limit by this factor."""


@dataclass(frozen=True)
class Program:
    """A program of the object.

    `size` counts the instructions in it and its callees. `verifier` is an upper bound of the
    instructions that the verifier checks. `rounds` are the loops that change variables. `by_params`: params decide
    which parts run, and the verifier skips the others, since it knows the params.
    """

    member: str
    size: int
    worst: Worst
    verifier: int
    rounds: tuple[Round, ...] = ()
    by_params: bool = False

    @property
    def estimate(self) -> int:
        """The longest path with two rounds of each loop: what the verifier checks if it follows one path."""
        return min(self.verifier, self.worst.instructions.with_rounds(ROUNDS))

    @property
    def foretold(self) -> bool:
        """Whether the verifier is sure to check at most twice the estimate, and at least half of it.

        Else there are more paths, or it may leave some out.
        """
        return self.verifier < LIMIT and self.verifier <= 2 * self.estimate and not self.by_params


@dataclass(frozen=True)
class Verdict:
    """A prediction. `fits` is yes, likely or unknown."""

    fits: str
    reasons: tuple[str, ...] = ()

    def text(self, kernel: str) -> str:
        """The verdict as a sentence."""
        word = {"yes": "fits", "likely": "should fit", "unknown": "may not fit"}[self.fits]
        return f"{word} {kernel}" + (f": {'; '.join(self.reasons)}" if self.reasons else "")


def verdict_of(programs: tuple[Program, ...]) -> Verdict:
    """The verdict for an object with these programs."""
    reasons = [
        f"`{program.member}` needs {program.worst.stack} bytes of stack, and a program has {STACK}"
        for program in programs
        if program.worst.stack > STACK
    ]
    reasons += [
        f"by estimate the verifier looks at {program.estimate:,} instructions in `{program.member}`, "
        f"and it gives up at {LIMIT:,}"
        for program in programs
        if program.verifier >= LIMIT and program.estimate * MARGIN > LIMIT
    ]
    reasons += [
        f"the loop in line {found.line} of `{program.member}` changes variables, and a round has more paths "
        f"than the verifier can follow one by one"
        for program in programs
        if program.verifier >= LIMIT
        for found in program.rounds
        if found.instructions > LIMIT
    ]
    if reasons:
        return Verdict("unknown", tuple(reasons))
    unproved = [program for program in programs if program.verifier >= LIMIT]
    if not unproved:
        return Verdict("yes")
    most = max(program.estimate for program in unproved)
    names = listing(program.member for program in unproved)
    reason = (
        f"no bound proves it for {names}, whose longest path has {most:,} instructions; "
        f"how many more the verifier looks at, of {LIMIT:,}, cannot be foretold"
    )
    return Verdict("likely", (reason,))
