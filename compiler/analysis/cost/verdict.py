"""Whether the kernel of a profile will take a policy that its profile does not refuse.

What is left to say no is the verifier: for its stack, or because it would have to look at too many instructions. Where
no bound of these is below its limit, an estimate decides: the worst path, with each loop that the verifier follows
until its state comes back taken twice. Over the standard library it was exceeded by a factor of 3.6 at most
(docs/cost.md has the measurements).
"""

from __future__ import annotations

from dataclasses import dataclass

from cpol.compiler.analysis.cost.paths import Worst
from cpol.compiler.analysis.cost.verifier import LIMIT
from cpol.compiler.diagnostics.words import listing

STACK = 512
"""MAX_BPF_STACK: bytes of a chain of calls."""
ROUNDS = 2
"""How often the verifier is taken to follow a loop until its state comes back."""
MARGIN = 10
"""An estimate below the limit by this factor is trusted."""


@dataclass(frozen=True)
class Program:
    """One program of the object. `size`: instructions in it and in all that it calls; `verifier`: a bound of those that
    the verifier looks at."""

    member: str
    size: int
    worst: Worst
    verifier: int

    @property
    def estimate(self) -> int:
        """About how many instructions the verifier looks at."""
        return min(self.verifier, self.worst.instructions.with_rounds(ROUNDS))


@dataclass(frozen=True)
class Verdict:
    """`fits`: yes, likely or unknown."""

    fits: str
    reasons: tuple[str, ...] = ()

    def text(self, kernel: str) -> str:
        """One sentence."""
        word = {"yes": "fits", "likely": "should fit", "unknown": "may not fit"}[self.fits]
        return f"{word} {kernel}" + (f": {'; '.join(self.reasons)}" if self.reasons else "")


def verdict_of(programs: tuple[Program, ...]) -> Verdict:
    """The verdict on an object with these programs."""
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
    if reasons:
        return Verdict("unknown", tuple(reasons))
    unproved = [program for program in programs if program.verifier >= LIMIT]
    if not unproved:
        return Verdict("yes")
    most = max(program.estimate for program in unproved)
    names = listing(program.member for program in unproved)
    reason = f"no bound proves it for {names}; by estimate the verifier looks at {most:,} of {LIMIT:,} instructions"
    return Verdict("likely", (reason,))
