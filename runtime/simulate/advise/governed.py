"""Memory of files under a policy that evicts, for the model of prefetching: the policy's native code beside readahead.

A page that is brought, or written, has not been accessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from cpol.runtime.machine.events import Op
from cpol.runtime.machine.events import Row as Event
from cpol.runtime.machine.native.events import EventSimulator
from cpol.runtime.machine.settings.inputs import Setting
from cpol.runtime.simulate.advise.choices import Choice
from cpol.runtime.simulate.prefetch.memory import Key, Memory, Page
from cpol.runtime.simulate.prefetch.rows import Row
from cpol.runtime.simulate.runs.evict import of_room
from cpol.runtime.simulate.runs.room import KERNEL_BATCH

TOLD = frozenset(("process", "thread", "comm", "time"))
"""What a policy learns of its surroundings here."""


class Governed(Memory):
    """The pages that a policy has in memory.

    Args:
        rooms: how many pages there may be from a row on; the first one at row 0.
        share: percent of them that are the policy's.

    Raises:
        MachineError, ToolError: the policy cannot run with so few pages, or cannot be compiled.
    """

    def __init__(
        self, choice: Choice, rooms: Sequence[tuple[int, int]], share: float, seed: int, inputs: Sequence[Setting]
    ) -> None:
        (_, first), *self._rooms = [(row, of_room(pages, share)) for row, pages in rooms]
        super().__init__(first)
        self._rooms.reverse()
        self._policy = EventSimulator(choice.policy, first, choice.params, KERNEL_BATCH, seed, inputs)
        self._uses = choice.compiled.uses
        self._rows = self._ms = 0
        self._task: tuple[int, ...] = ()
        self._there: dict[Key, Page] = {}
        self._gone: list[tuple[Key, Page]] = []

    def before(self, row: Row) -> None:
        """A row comes next: the room that it has, and what its request tells."""
        while self._rooms and self._rooms[-1][0] <= self._rows:
            self.capacity = self._rooms.pop()[1]
            self._policy.room(self.capacity)
        self._rows += 1
        task = (*row.comm, row.thread, row.process)
        if task != self._task:
            self._task = task
            self._policy.event(Event(Op.TASK, *task))
        if self._uses.time and (ms := row.time_ns // 1_000_000) > self._ms:
            self._ms = ms
            self._policy.event(Event(Op.TICK, 0, 0, ms))
        self._take_gone()

    def find(self, key: Key) -> Page | None:
        return self._there.get(key)

    def use(self, key: Key) -> None:
        """Access a page."""
        self._policy.request(key.owner, key.page)
        self._take_gone()

    def add(self, key: Key, page: Page) -> None:
        """Bring a page, and access it, unless it is read ahead."""
        self._there[key] = page
        (self._policy.read_ahead if page.ahead else self._policy.request)(key.owner, key.page)
        self._take_gone()

    def bring(self, key: Key, page: Page) -> None:
        self._there[key] = page
        self._policy.read_ahead(key.owner, key.page)
        self._take_gone()

    def mark(self, key: Key) -> None:
        if key in self._there:  # a policy may let a page go at once
            self._there[key].marked = True

    def drop(self, key: Key) -> None:
        raise AssertionError("only pages of processes are dropped")

    def shrink(self, stays: Callable[[Key, Page, bool], bool]) -> Iterator[tuple[Key, Page]]:
        """What the policy let go since the last time. It makes room before a page comes."""
        gone, self._gone = self._gone, []
        return iter(gone)

    def _take_gone(self) -> None:
        for file, index in self._policy.take_gone():
            key = Key(True, file, index)
            if (page := self._there.pop(key, None)) is not None:
                self._gone.append((key, page))
