"""A machine that fails where a policy would leave the choice to the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cpol.compiler import ir
from cpol.runtime.explore.check.budget import Costs, Reached
from cpol.runtime.explore.check.idle import IdleRounds, Loops
from cpol.runtime.explore.check.traits import falls_back
from cpol.runtime.machine.interp import Folio, Machine, MachineError
from cpol.runtime.machine.interp.run import LoopStopped
from cpol.runtime.machine.settings.inputs import Setting


class StarvationError(MachineError):
    """A request got nothing although the policy owns folios that are not pinned.

    In a kernel, its own reclaim would take over.
    """


class CheckedMachine(Machine):
    """Fails instead of falling back, unless the policy says that it falls back.

    Appends itself to `register` first, so that the caller has the machine even if its `init` fails. After `limit`
    statements it raises LimitReached; None: there is no limit. A loop ends after a round that changed nothing, if
    all rounds after it would change nothing: they take time only. `loops`: those of the policy, if they are known.
    """

    def __init__(
        self,
        register: list[CheckedMachine],
        policy: ir.Policy,
        capacity: int,
        params: Mapping[str, int | str],
        batch: int,
        seed: int = 1,
        inputs: Iterable[Setting] = (),
        *,
        limit: int | None = None,
        loops: Loops | None = None,
    ) -> None:
        self.ran = Reached(limit)
        self.idle = IdleRounds(loops or Loops(policy))
        register.append(self)
        self.costs = Costs()
        self.may_fall_back = falls_back(policy)
        super().__init__(policy, capacity, params, batch, seed, inputs)

    def _declare(self) -> None:
        self.reached = self.ran
        super()._declare()

    def reach(self, statement: ir.Stmt) -> None:
        """End a loop whose rounds change nothing any more."""
        if self.idle.loops.firsts and self.idle.follow(statement, len(self.records)):
            raise LoopStopped
        super().reach(statement)

    def request(self, file: int, index: int) -> bool:
        """Make a request, and count what it ran, also if a property breaks in it."""
        finds = (file, index) in self.cache or (file, index) in self.left
        before = self.statements
        try:
            return super().request(file, index)
        finally:
            self.costs.add(finds, self.statements - before)

    @property
    def statements(self) -> int:
        """Statements so far, also those of rounds that change nothing: native code runs them."""
        return self.ran.count + self.idle.skipped

    def evict(self, wanted: int) -> list[Folio]:
        proposals = super().evict(wanted)
        if not proposals and self.size > self.pinned and not self.may_fall_back:
            handler = self.policy.handlers["evict"]
            raise StarvationError(
                f"{self.policy.path}:{handler.pos.line}: evict proposed nothing in {ir.EVICT_ROUNDS} calls, "
                f"though the policy owns {self.size} page{'s'[: self.size != 1]}"
            )
        return proposals
