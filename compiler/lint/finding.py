"""What a rule found, with edits that mend it."""

from __future__ import annotations

from cpol.compiler.diagnostics import Diagnostic
from cpol.compiler.diagnostics.edit import Edit
from cpol.compiler.nodes import dataclass


@dataclass(frozen=True)
class Finding:
    """What a rule found. `edits` mend it without a change of decisions; there may be none.

    `reason` is set if a comment silences it: why.
    """

    diagnostic: Diagnostic
    edits: tuple[Edit, ...] = ()
    reason: str = ""

    @property
    def offered(self) -> tuple[Edit, ...]:
        """The edits, or those that the compiler knows for what it warns of or refuses."""
        fix = self.diagnostic.fix
        return self.edits or (fix.edits if fix is not None else ())

    @property
    def code(self) -> str:
        return self.diagnostic.code
