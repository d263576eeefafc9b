"""Tells rounds of a loop that change nothing, so that a search need not run thousands of them.

A round that changes nothing is followed by rounds that change nothing, unless they read the loop's number.
"""

from __future__ import annotations

from collections import Counter

from cpol.compiler import ir
from cpol.compiler.analysis.upper_bound import Setting, upper_bound
from cpol.compiler.ir.walk import bodies, effects, expressions, statements
from cpol.runtime.explore.check.budget import CAPACITY
from cpol.runtime.explore.check.traits import nodes

QUIET = (ir.If, ir.Let, ir.Var, ir.Scan, ir.For, ir.Stop, ir.EvictByScore)
"""Statements that change nothing that outlives a round. EvictByScore writes a row of the event log for each folio."""


class Loops:
    """The loops of a policy that may end early, and the statements that may change something."""

    def __init__(self, policy: ir.Policy) -> None:
        self.firsts: dict[int, ir.For] = {}
        """A loop that may end early, by the id of the first statement of its rounds."""
        self.loud: set[int] = set()
        """The ids of statements that may change something."""
        self.setting = Setting.of(policy, CAPACITY)
        all_statements = [statement for body in bodies(policy) for statement in statements(body)]
        times = Counter(map(id, all_statements))
        for statement in all_statements:
            if not isinstance(statement, QUIET) or any(map(effects, expressions(statement))):
                self.loud.add(id(statement))
            if isinstance(statement, ir.For) and statement.body and not _reads_number(statement):
                first = statement.body[0]
                if times[id(first)] == 1:  # else it begins the rounds of several loops
                    self.firsts[id(first)] = statement

    def left_out(self, loop: ir.For) -> int:
        """The statements of all rounds of a loop, at most, in the cache of a NativeRun."""
        rounds = min(upper_bound(loop.high, self.setting, {}).raw, ir.MAX_ROUNDS)
        return rounds * sum(1 for _ in statements(loop.body))


class IdleRounds:
    """What had changed in a run when each loop began its last round."""

    def __init__(self, loops: Loops) -> None:
        self.loops = loops
        self.skipped = 0
        """Statements that native code runs, and that were left out."""
        self._begun: dict[int, tuple[int, int]] = {}
        self._changes = 0

    def follow(self, statement: ir.Stmt, rows: int) -> bool:
        """Whether the statement, about to run, begins a round after one that changed nothing. Only a policy with
        `loops.firsts` has such rounds.

        Args:
            rows: of the event log, so far.
        """
        loop = self.loops.firsts.get(id(statement))
        if loop is not None:
            now = self._changes, rows
            if self._begun.get(id(loop)) == now:
                self.skipped += self.loops.left_out(loop)
                return True
            self._begun[id(loop)] = now
        self._begun.pop(id(statement), None)  # a loop that begins has had no round
        self._changes += id(statement) in self.loops.loud
        return False


def _reads_number(loop: ir.For) -> bool:
    return any(isinstance(node, ir.Local) and node.name == loop.name for node in nodes(loop.body))
