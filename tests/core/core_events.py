"""Random events in the order in which the kernel has them, for the interpreter and for `build/core/agree/POLICY`."""

from __future__ import annotations

from collections.abc import Iterable

from core_scenarios import MappedCode, MappedUse, Write

from cpol.compiler import ir
from cpol.compiler.vocabulary.folio import EXECUTABLE
from cpol.runtime.explore.check.scenario import Action, Delete, Pass, Pressure, Readahead, Request, Scenario, Switch
from cpol.runtime.machine.interp import DELETED, EVICTED, Machine
from cpol.runtime.machine.interp.ghost import Name
from cpol.runtime.machine.interp.machine import Folio

MASK = 2**64 - 1
STATISTICS = (
    "added", "accessed", "misses", "removed", "wanted", "proposed", "evicted", "refused", "referenced", "admission",
    "fallback",
)  # fmt: skip
FUTILE = 8
"""Requests in a row that come to nothing, before reclaim asks no more: CACHE_EXT_FUTILE."""
FIRST_LARGE, LARGE = 64, 4
"""Large folios have pages of their own, naturally aligned: in a page cache two folios never overlap."""
MAX_MS = 2**43
"""So that nanoseconds have 64 bits."""


class Events:
    """A machine of the interpreter to which events happen, and what the core has to answer to each.

    The events are those of a scenario, but in the kernel's order:

    - Room is made before a folio comes. Then `missed`, `admit` and `added` run, one right after the other.
    - Reclaim asks again until it has what it wanted, or 8 requests in a row came to nothing. It asks for as many pages
      more as could not go in the request before.
    - Of the proposals of a request those that can go are removed first. Then those that cannot are put back, the last
      one first. Then those that were used through a mapping are put back and accessed, each in turn.
    """

    def __init__(self, policy: ir.Policy, scenario: Scenario) -> None:
        self.policy = policy
        self.machine = Machine(
            policy, scenario.capacity, scenario.params, scenario.batch, scenario.seed, scenario.inputs
        )
        self.counts = dict.fromkeys(STATISTICS, 0)
        self.used: set[Name] = set()
        """Through a mapping, since the kernel looked."""
        self.written: set[Name] = set()
        """They came by a write: their first access is no miss."""
        self.lines: list[str] = []
        """What the driver reads."""
        self.answers: list[tuple[int, str]] = []
        """What it should write: the number, from 1, of the line that it answers to, and the answer."""
        self._settings(scenario)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def _settings(self, scenario: Scenario) -> None:
        self._tell("C", scenario.capacity)
        self._tell("S", scenario.seed)
        for number, param in enumerate(self.policy.params):
            self._tell("P", number, self.machine.params[param.name] & MASK)
        for number, declaration in enumerate(self.policy.keyed):
            for key, value in self.machine.inputs[declaration.name].holds:
                self._tell("I", number, *key, *[0] * (3 - len(key)), value & MASK)
        for number, array in enumerate(self.policy.arrays):
            for index, value in self.machine.inputs[array.name].entries.items():
                self._tell("A", number, index, value & MASK)

    def perform(self, action: Action) -> None:
        match action:
            case MappedUse(key, file):
                self._map(self._name(file, key))
            case MappedCode(key, file):
                self._map_code(self._name(file, key))
            case Request(key, file):
                self._request(self._name(file, key), not isinstance(action, Write))
            case Readahead(key, pages, file):
                self._add(large(file, key) if pages > 1 else (file, key), pages, True)
            case Delete(key, file):
                self._delete(self._name(file, key))
            case Pressure(wanted, refusals):
                self._reclaim(wanted, refusals)
            case Pass(ms):
                self.machine.tick(min(self.machine.ms + ms, MAX_MS))
                self._tell("m", self.machine.ms)
                self._answer_event()
            case Switch(thread, process):
                self.machine.set_task(thread, process)
                self._tell("k", thread, process)

    def end(self) -> None:
        """The whole state, and the statistics."""
        self.lines.append("")
        self._answer_lists()
        for table in self.policy.tables:
            elements = self.machine.tables[table.name].elements
            changed = [f" {n} {value & MASK}" for n, value in enumerate(elements) if value != table.init]
            self._answer(f"table {table.name}{''.join(changed)}")
        self._answer("statistics" + "".join(f" {name} {count}" for name, count in self.counts.items()))

    def _name(self, file: int, key: int) -> Name:
        """The folio that a key means: sometimes a large one, if it is cached."""
        return large(file, key) if key % 3 == 0 and self._cached(large(file, key)) else (file, key)

    def _cached(self, name: Name) -> bool:
        return name in self.machine.cache or name in self.machine.left

    def _request(self, name: Name, by_read: bool) -> None:
        if not self._cached(name):
            self._add(name, 1, by_read)
        if self._cached(name):
            self._tell("u", *name)
            self._answer_event(self._access(name))

    def _map(self, name: Name) -> None:
        if self._cached(name):
            self.used.add(name)
            self._tell("y", *name)

    def _map_code(self, name: Name) -> None:
        if name in self.machine.cache:
            self.machine.set_flags(*name, EXECUTABLE)
            self._tell("x", *name)

    def _access(self, name: Name) -> Folio | None:
        """A left folio is accessed, too: the core finds that it is nobody's."""
        folio = self.machine.cache.get(name)
        if folio is None:
            return None
        self.counts["accessed"] += 1
        if folio.was_read:
            self.machine.accessed(*name)
        else:
            self.counts["misses"] += name not in self.written
            self.machine.first_accessed(*name)
        return folio

    def _add(self, name: Name, pages: int, by_read: bool) -> None:
        machine = self.machine
        if self._cached(name) or pages > machine.capacity:
            return
        while machine.occupied + pages > machine.capacity:
            wanted = min(machine.batch, machine.capacity)
            if not self._reclaim(wanted, 0):
                self._fall_back(wanted)
        admitted = not machine.asks_admission or not by_read or machine.admit(*name)
        if admitted:
            machine.added(*name, pages)
        if not by_read:
            self.written.add(name)
        self.counts["added" if admitted else "admission"] += 1
        self._tell("a", *name, pages, by_read)
        self._answer_event(machine.cache.get(name), "kept " if admitted else "refused ")

    def _fall_back(self, wanted: int) -> None:
        """The kernel's own scan, which takes the left folios first."""
        machine = self.machine
        while wanted > 0 and (folios := [*machine.left.values(), *(f for on in machine.lists.values() for f in on)]):
            folio = folios[0]
            wanted -= folio.pages
            self.counts["fallback"] += folio.pages
            self.counts["removed"] += folio.name in machine.cache
            self._forget(folio.name)
            machine.fallback(*folio.name)
            self._tell("b", *folio.name)
            self._answer_event()

    def _delete(self, name: Name) -> None:
        if self._cached(name):
            self.counts["removed"] += name in self.machine.cache
            if name in self.used:
                self._access(name)
            self._forget(name)
            self.machine.removed(*name, DELETED)
            self._tell("r", *name)
            self._answer_event()

    def _reclaim(self, wanted: int, refusals: int) -> int:
        """A pass of reclaim. Returns the number of pages freed."""
        freed = futile = unfit = 0
        referenced = self.counts["referenced"]
        self._tell("e", wanted, refusals)
        while freed < wanted and futile < FUTILE:
            proposed = self.counts["proposed"]
            went = self._request_of_reclaim(wanted - freed + unfit, refusals)
            if went is None:
                break
            unfit = self.counts["proposed"] - proposed - went
            refusals >>= 1
            if went:
                futile = 0
            elif self.counts["referenced"] == referenced:
                futile += 1
            referenced = self.counts["referenced"]
            freed += went
        self._answer(f"freed {freed}")
        self._answer_event()
        self._answer_lists()
        return freed

    def _request_of_reclaim(self, wanted: int, refusals: int) -> int | None:
        """One request. None: nothing is proposed."""
        self.counts["wanted"] += min(wanted, ir.MAX_BATCH)
        proposals = list(self.machine.evict(min(wanted, ir.MAX_BATCH)))
        if not proposals:
            return None
        self._answer("proposed" + "".join(f" {show(folio)}" for folio in proposals))
        used = [folio for folio in proposals if folio.name in self.used]
        rest = [folio for folio in proposals if folio not in used]
        stay = [folio for number, folio in enumerate(rest) if refusals >> number & 1]
        go = [folio for folio in rest if folio not in stay]
        for folio in go:
            self._forget(folio.name)
            self.machine.removed(*folio.name, EVICTED)
        for folio in reversed(stay):
            self.machine.refused(*folio.name)
        for folio in used:
            self.used.remove(folio.name)
            self.machine.refused(*folio.name)
            self._access(folio.name)
        went = sum(folio.pages for folio in go)
        self.counts["removed"] += len(go)
        self.counts["evicted"] += went
        self.counts["refused"] += sum(folio.pages for folio in stay)
        self.counts["referenced"] += sum(folio.pages for folio in used)
        self.counts["proposed"] += sum(folio.pages for folio in proposals)
        return went

    def _forget(self, name: Name) -> None:
        self.used.discard(name)
        self.written.discard(name)

    # What the driver reads, and what it should write.

    def _tell(self, letter: str, *numbers: int) -> None:
        self.lines.append(" ".join([letter, *(str(int(number)) for number in numbers)]))

    def _answer(self, line: str) -> None:
        self.answers.append((len(self.lines), line))

    def _answer_event(self, folio: Folio | None = None, what: str = "") -> None:
        machine = self.machine
        states = words(machine.state[state.name] for state in self.policy.states)
        number = 0
        record = ""
        if folio is not None:
            number = list(machine.lists).index(folio.list) + 1
            record = self._record(folio)
        self._answer(f"{what}size {machine.size} states{states} list {number}{record}")

    def _answer_lists(self) -> None:
        machine = self.machine
        for number, folios in enumerate(machine.lists.values(), 1):
            if folios:
                self._answer(f"list {number}:{''.join(f' {show(f)}{self._record(f)}' for f in folios)}")
        for ghost in sorted(self.policy.ghosts, key=lambda ghost: bool(ghost.fields)):
            entries = machine.ghosts[ghost.name].entries.items()
            shown = (words([tag(*name), *record.values()]) for name, record in entries)
            self._answer(f"ghost {ghost.name}{''.join(shown)}")

    def _record(self, folio: Folio) -> str:
        return words(folio.fields[field.name] for field in self.policy.cells)


def words(values: Iterable[int]) -> str:
    return "".join(f" {value & MASK}" for value in values)


def show(folio: Folio) -> str:
    return f"{folio.file}:{folio.index}"


def large(file: int, key: int) -> Name:
    return file, FIRST_LARGE + LARGE * key


def tag(file: int, index: int) -> int:
    """`cpol_ghost_tag()` of bpf_ghost_slots.h: what a ghost in the kernel remembers of a name."""
    mixed = (file + index * 0x9E3779B97F4A7C15) & MASK
    return ((mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93 & MASK) >> 32 or 1
