"""The abstract machine of docs/semantics.md: how it attaches a policy, and the protocol of a request.

state.py    the state
effects.py  the effects of statements on it
events.py   the events
run.py      executes statements
eval.py     evaluates expressions
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cpol.compiler import ir
from cpol.compiler.ir import uses
from cpol.compiler.vocabulary.folio import DIRTY, DIRTY_SHARE
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.interp import eval
from cpol.runtime.machine.interp.events import DELETED, EVICTED, MAX_U64, Events
from cpol.runtime.machine.interp.ghost import Ghost, Records
from cpol.runtime.machine.interp.scope import Scope
from cpol.runtime.machine.interp.state import Call, Folio
from cpol.runtime.machine.interp.table import Table
from cpol.runtime.machine.settings import inputs
from cpol.runtime.machine.settings.inputs import Input, Key, Setting, Value
from cpol.runtime.machine.settings.params import check_array_length, check_array_size, check_table_sizes, read_params

__all__ = ["DELETED", "EVICTED", "Folio", "Machine", "read_params"]


class Machine(Events):
    """One policy that governs one cache.

    Args:
        capacity: pages, at least 1.
        params: by name; raw (a fix scaled by 2**16), or text as users write it. Others have their defaults.
        batch: pages that one evict request of a trace wants, 1 to 32.
        seed: the first state of the random source.
        inputs: what inputs hold before `init`, as text.

    Raises:
        ParamError: the policy cannot attach with these settings.
        InvariantError: an invariant does not hold after `init`.
    """

    def __init__(
        self,
        policy: ir.Policy,
        capacity: int,
        params: Mapping[str, int | str] | None = None,
        batch: int = 1,
        seed: int = 1,
        inputs: Iterable[Setting] = (),
    ) -> None:
        if capacity < 1:
            raise ParamError(f"capacity is at least 1 page, not {capacity}")
        if not 1 <= batch <= ir.MAX_BATCH:
            raise ParamError(f"batch is 1 to {ir.MAX_BATCH} pages, not {batch}")
        if not 0 <= seed <= MAX_U64:
            raise ParamError(f"seed is 0 to {MAX_U64}, not {seed}")
        super().__init__()
        self.policy = policy
        self.fns = {function.name: function for function in policy.fns}
        self.capacity = self.attached = capacity
        self.batch = batch
        self.seed = self.random = seed
        self.params = read_params(policy, params or {})
        self.state = {state.name: state.init for state in policy.states}
        self.inputs = {declaration.name: Input(declaration) for declaration in policy.inputs}
        self.settings = []
        used = uses.of(policy)
        self._knows_flags = used.flags
        self.asks_writes = used.writes
        self._declare()
        self._fill_all(inputs)
        self._run("init")
        self._completed()

    def _declare(self) -> None:
        """Make what gets its size from params and the capacity: lists of an array, tables, ghosts."""
        policy = self.policy
        attached = Scope(self, Call())
        self.array_lengths = {}
        for lists in policy.list_arrays:
            self.pos = lists.pos
            length = eval.value(lists.length, attached)
            before = sum(self.array_lengths.values())
            self.array_lengths[lists.name] = check_array_length(policy, lists, length, before)
        self.lists = {label: [] for name in policy.lists for label in self.labels(name)}
        self.list_numbers = {label: number for number, label in enumerate(self.lists, 1)}
        for table in policy.tables:
            self.pos = table.pos
            sizes = check_table_sizes(policy, table, eval.values(table.sizes, attached))
            self.tables[table.name] = Table(sizes, table.init)
        for given in policy.arrays:
            assert given.size is not None
            self.pos = given.pos
            self.inputs[given.name].size = check_array_size(policy, given, eval.value(given.size, attached))
        self.quota = 0
        if policy.pin is not None:
            self.pos = policy.pin.pos
            self.quota = eval.value(policy.pin.quota, attached)
        self.keep_quota = 0
        if policy.keep is not None:
            self.pos = policy.keep.pos
            self.keep_quota = eval.value(policy.keep.quota, attached)
        for ghost in policy.ghosts:
            self.pos = ghost.pos
            kind = Ghost if ghost.key == "folio" else Records
            self.ghosts[ghost.name] = kind(eval.value(ghost.capacity, attached))

    def _fill_all(self, settings: Iterable[Setting]) -> None:
        for setting in settings:
            self.fill(*inputs.parse(self.policy, setting))

    # Actions of user space.

    def fill(self, name: str, key: Key, value: Value) -> None:
        """Put `key` into an input with a raw value (1 in a set), or remove it if `value` is None. Of an array, set the
        entries from `key` on.

        Raises:
            ParamError: the input cannot have this key or value.
        """
        self.inputs[name].fill(key, value)
        if not self.records:
            self.settings = [setting for input in self.inputs.values() for setting in input.settings]

    def set_param(self, name: str, value: int | str) -> None:
        """Set a live param, between two events.

        Raises:
            ParamError: there is no such live param, or the value is out of range.
        """
        if not any(param.name == name and param.live for param in self.policy.params):
            live = ", ".join(param.name for param in self.policy.params if param.live) or "none"
            raise ParamError(f"policy {self.policy.name} has no live param {name!r}; it has {live}")
        self.params[name] = read_params(self.policy, {name: value})[name]

    # Requests of a trace.

    def request(self, file: int, index: int) -> bool:
        """Make one request, and return whether it was a hit. The first of a page that readahead brought is a miss, and
        that of a page that a write brought is a hit."""
        self.reclaim()
        folio = self.left.get((file, index)) or self.cache.get((file, index))
        hit = self._finds(folio) if folio is not None else self._misses(file, index)
        self.reclaim()
        return hit

    def _misses(self, file: int, index: int) -> bool:
        """A request for a page that is not there: a miss."""
        self.misses += 1
        self.missed(file, index)
        if self.asks_admission and not self.admit(file, index):
            return False
        if self.occupied >= self.capacity:
            self.make_room(min(self.batch, self.capacity))
        self.added(file, index)
        if (file, index) in self.cache:
            self.first_accessed(file, index)
        else:
            self.left[file, index].was_read = True
        return False

    def _finds(self, folio: Folio) -> bool:
        """A request for a page that is there. Return whether it was a hit."""
        was_read = folio.was_read
        hit = was_read or folio.was_written
        self.hits, self.misses = self.hits + hit, self.misses + (not hit)
        if folio.name in self.left:
            folio.was_read = True
        elif was_read:
            self.accessed(*folio.name)
        else:
            self.first_accessed(*folio.name)
        return hit

    def read_ahead(self, file: int, index: int, by_write: bool = False) -> None:
        """Readahead, or a write, brings a page, unless it is cached. Nobody reads it yet."""
        self.reclaim()
        if (file, index) in self.cache or (file, index) in self.left:
            return
        self.missed(file, index)
        if self.asks_admission and not self.admit(file, index):
            return
        if self.occupied >= self.capacity:
            self.make_room(min(self.batch, self.capacity))
        self.added(file, index)
        (self.left.get((file, index)) or self.cache[file, index]).was_written = by_write
        self.reclaim()

    def room(self, pages: int) -> None:
        """Other memory grew or shrank: the cache may hold so many pages from now on, and what is too much goes."""
        self.set_room(pages)
        while (before := self.occupied) > pages:
            self.make_room(min(self.batch, pages))
            if self.occupied >= before:
                return

    def wrote(self, file: int, index: int) -> None:
        """The request for this folio wrote: it becomes dirty, and the one that was dirty longest may become clean."""
        folio = self.cache.get((file, index))
        if folio is None or (file, index) in self.left or folio.flags & DIRTY or not self._knows_flags:
            return
        self.set_flags(file, index, folio.flags | DIRTY)
        self.dirtied.append(folio.name)
        if len(self.dirtied) > max(1, self.capacity // DIRTY_SHARE):
            oldest = self.cache.get(self.dirtied.popleft())
            if oldest is not None and oldest.flags & DIRTY:
                self.set_flags(*oldest.name, oldest.flags & ~DIRTY)

    def make_room(self, wanted: int) -> int:
        """Evict `wanted` pages; no proposal is refused. Returns how many folios the fallback had to take."""
        proposals = self.evict(wanted)
        for folio in proposals:
            self.removed(*folio.name, EVICTED)
        fallbacks = 0
        if not proposals:
            still_wanted = wanted
            while still_wanted > 0 and (victim := self._first_to_fall()):
                still_wanted -= victim.pages
                fallbacks += 1
                self.fallback(*victim.name)
        return fallbacks

    def reclaim(self) -> None:
        """Evict what `reclaim` statements want, and nothing that the policy does not propose."""
        while self.wanted and self.size:
            proposals = self.evict(min(self.batch, self.wanted))
            if not proposals:
                break
            gone = sum(folio.pages for folio in proposals)
            for folio in proposals:
                self.removed(*folio.name, EVICTED)
            self.reclaimed += gone
            self.wanted = max(0, self.wanted - gone)
        self.unreclaimed += self.wanted
        self.wanted = 0

    def _first_to_fall(self) -> Folio | None:
        if self.left:
            return next(iter(self.left.values()))
        if not self.pinned:
            return next((folios[0] for folios in self.lists.values() if folios), None)
        listed = [folio for folios in self.lists.values() for folio in folios]
        return next((folio for folio in listed if not folio.pinned), listed[0] if listed else None)
