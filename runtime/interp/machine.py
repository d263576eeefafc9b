"""The abstract machine: its state, its events and the protocol of an evict request, as docs/semantics.md says.

What handlers say is evaluated in `eval.py`; what they may do to lists is here (`place`, `move`, `propose`, …).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cpol.compiler import ir
from cpol.compiler.ir import End
from cpol.runtime.events import Header, Op, Row
from cpol.runtime.interp import eval, numbers
from cpol.runtime.interp.errors import EventError, InvariantError, ParamError, PolicyError
from cpol.runtime.interp.explain import explain
from cpol.runtime.interp.ghost import Ghost, Name

EVICTED = ir.REASON.members.index("evicted")
DELETED = ir.REASON.members.index("deleted")


@dataclass(eq=False)
class Folio:
    """A folio in the cache, and its record."""

    file: int
    index: int
    pages: int
    fields: dict[str, int]
    list: str = "none"
    """The list it is on, or was taken from when it was seated, proposed or removed."""
    on_list: bool = False
    was_read: bool = False
    far: End = End.TAIL
    """Proposed: the far end of the scan that proposed it."""

    @property
    def name(self) -> Name:
        return self.file, self.index


@dataclass
class Call:
    """One call of a handler; of `evict`, with what it wants and proposed."""

    wanted: int = 0
    proposals: list[Folio] = field(default_factory=list)

    @property
    def satisfied(self) -> bool:
        return self.missing <= 0

    @property
    def missing(self) -> int:
        return self.wanted - sum(folio.pages for folio in self.proposals)


class Machine:
    """One policy that governs one cache. A param is raw (a fix scaled by 2**16), or text as users write it."""

    def __init__(
        self, policy: ir.Policy, capacity: int, params: Mapping[str, int | str] | None = None, batch: int = 1
    ) -> None:
        if capacity < 1:
            raise ParamError(f"capacity is at least 1 page, not {capacity}")
        if not 1 <= batch <= ir.MAX_BATCH:
            raise ParamError(f"batch is 1 to {ir.MAX_BATCH} pages, not {batch}")
        self.policy = policy
        self.capacity = capacity
        self.batch = batch
        self.params = read_params(policy, params or {})
        self.state = {state.name: state.init for state in policy.states}
        self.lists: dict[str, list[Folio]] = {name: [] for name in policy.lists}
        self.ghosts: dict[str, Ghost] = {}
        self.cache: dict[Name, Folio] = {}
        self.proposed: list[Folio] = []  # and neither removed nor refused yet
        self.records: list[Row] = []  # events and decisions: the event log
        self.reached: set[ir.Pos] = set()  # statements that ran
        self.line = 0  # of the statement or declaration in hand, for messages
        self.hits = self.misses = self.fallbacks = self.refusals = 0
        for ghost in policy.ghosts:
            self.line = ghost.pos.line
            self.ghosts[ghost.name] = Ghost(eval.value(ghost.capacity, eval.Scope(self, Call())))
        self._run("init")
        self._completed()

    # What a trace does.

    def request(self, file: int, index: int) -> bool:
        """One request of a trace; whether it was a hit."""
        folio = self.cache.get((file, index))
        if folio is not None:
            self.hits += 1
            if folio.was_read:
                self.accessed(file, index)
            else:
                self.first_accessed(file, index)
            return True
        self.misses += 1
        self.missed(file, index)
        if self.size >= self.capacity:
            self.make_room(min(self.batch, self.capacity))
        self.added(file, index)
        self.first_accessed(file, index)
        return False

    def make_room(self, wanted: int) -> int:
        """One evict request, of which nothing is refused. Returns how many folios the fallback had to take."""
        proposals = self.evict(wanted)
        for folio in proposals:
            self.removed(*folio.name, EVICTED)
        fallbacks = 0
        if not proposals:
            left = wanted
            while left > 0 and (victim := self._head_of_first_list()):
                left -= victim.pages
                fallbacks += 1
                self.fallback(*victim.name)
        return fallbacks

    def _head_of_first_list(self) -> Folio | None:
        return next((folios[0] for folios in self.lists.values() if folios), None)

    # Events.

    def missed(self, file: int, index: int) -> None:
        if (file, index) in self.cache:
            raise EventError(f"missed: folio ({file}, {index}) is in the cache")
        self._record(Op.MISSED, file, index)
        for ghost in self.ghosts.values():
            ghost.hold((file, index))
        self._completed()

    def added(self, file: int, index: int, pages: int = 1) -> None:
        if (file, index) in self.cache:
            raise EventError(f"added: folio ({file}, {index}) is in the cache already")
        if pages < 1:
            raise EventError(f"added: a folio has at least 1 page, not {pages}")
        self._record(Op.ADDED, file, index, pages)
        folio = Folio(file, index, pages, {field.name: field.init for field in self.policy.fields})
        self.cache[folio.name] = folio
        self._run("added", folio)
        if not folio.on_list:
            raise PolicyError(f"{self.policy.path}:{self.line}: added did not place folio ({file}, {index})")
        for ghost in self.ghosts.values():
            if ghost.held == folio.name:
                ghost.release()
        self._completed()

    def first_accessed(self, file: int, index: int) -> None:
        folio = self._cached("first_accessed", file, index)
        if folio.was_read:
            raise EventError(f"first_accessed: folio ({file}, {index}) has been accessed before")
        self._record(Op.FIRST_ACCESSED, file, index)
        folio.was_read = True
        self._run("first_accessed", folio)
        self._completed()

    def accessed(self, file: int, index: int) -> None:
        folio = self._cached("accessed", file, index)
        if not folio.was_read:
            raise EventError(
                f"accessed: folio ({file}, {index}) has not been accessed before: first_accessed is missing"
            )
        self._record(Op.ACCESSED, file, index)
        self._run("accessed", folio)
        self._completed()

    def removed(self, file: int, index: int, why: int) -> None:
        folio = self._cached("removed", file, index)
        if why not in (EVICTED, DELETED):
            raise EventError(f"removed: {why} is neither evicted (0) nor deleted (1)")
        self._record(Op.REMOVED, file, index, why)
        self._remove(folio, why)

    def evict(self, wanted: int) -> list[Folio]:
        """One evict request. Each folio that it proposes is to be `removed` or `refused` next."""
        if not 1 <= wanted <= ir.MAX_BATCH:
            raise EventError(f"evict: wanted is 1 to {ir.MAX_BATCH} pages, not {wanted}")
        self._record(Op.EVICT, 0, 0, wanted)
        call = Call(wanted)
        for _ in range(ir.EVICT_ROUNDS):
            self._run("evict", call=call)
            if call.proposals:
                break
        self._completed()
        return call.proposals

    def refused(self, file: int, index: int) -> None:
        folio = self._cached("refused", file, index)
        if folio not in self.proposed:
            raise EventError(f"refused: folio ({file}, {index}) is not proposed")
        self._record(Op.REFUSED, file, index)
        self.refusals += 1
        self.proposed.remove(folio)
        self._put(Op.MOVE, folio, folio.list, folio.far)
        self._completed()

    def fallback(self, file: int, index: int) -> None:
        folio = self._cached("fallback", file, index)
        if folio in self.proposed:
            raise EventError(f"fallback: folio ({file}, {index}) is proposed")
        self._record(Op.FALLBACK, file, index)
        self.fallbacks += 1
        self._remove(folio, EVICTED)

    def _remove(self, folio: Folio, why: int) -> None:
        del self.cache[folio.name]
        if folio.on_list:
            self._take_off(folio)
        else:
            self.proposed.remove(folio)
        self._run("removed", folio, why)
        self._completed()

    def _cached(self, event: str, file: int, index: int) -> Folio:
        if (file, index) not in self.cache:
            raise EventError(f"{event}: folio ({file}, {index}) is not in the cache")
        return self.cache[file, index]

    def _run(self, event: str, folio: Folio | None = None, why: int = 0, call: Call | None = None) -> None:
        handler = self.policy.handlers.get(event)
        if handler is not None:
            self.line = handler.pos.line
            eval.run_handler(handler, self, call or Call(), folio, why)

    def _completed(self) -> None:
        """An event is over: once nothing is proposed any more, the invariants hold."""
        if self.proposed:
            return
        for invariant in self.policy.invariants:
            self.line = invariant.pos.line
            if not eval.value(invariant.cond, eval.Scope(self, Call())):
                values = explain(invariant.cond, self)
                raise InvariantError(f"{self.policy.path}:{self.line}", invariant.text, values)

    # What handlers read.

    @property
    def size(self) -> int:
        """Pages that the policy owns."""
        return sum(folio.pages for folio in self.cache.values() if folio.list != "none")

    def list_size(self, name: str) -> int:
        return sum(folio.pages for folio in self.lists[name])

    # What handlers do.

    def place(self, folio: Folio, name: str, end: End) -> None:
        if folio.list != "none" or folio.name not in self.cache:
            raise PolicyError(
                f"{self.policy.path}:{self.line}: folio {folio.name} is placed, but has been placed before"
            )
        self._put(Op.PLACE, folio, name, end)

    def move(self, folio: Folio, name: str, end: End) -> None:
        if folio.on_list:
            self._take_off(folio)
            self._put(Op.MOVE, folio, name, end)

    def propose(self, call: Call, folio: Folio, far: End) -> None:
        if folio.on_list:
            self._take_off(folio)
            self._propose(call, folio, far)

    def propose_lowest(self, call: Call, name: str, end: End, bound: int, score: ir.ScoreDecl) -> None:
        seats = call.missing
        seated: list[tuple[int, int, Folio]] = []  # score, order of the offer, folio
        for order, folio in enumerate(self.from_end(name, end)[:bound]):
            folio_score = eval.score(score, self, call, folio)
            self._take_off(folio)
            seated.append((folio_score, order, folio))
            if len(seated) > seats:
                highest = max(seated)  # of equal scores, the one that was offered last
                seated.remove(highest)
                self._put(Op.MOVE, highest[2], name, end.far)
        for _, _, folio in sorted(seated):
            self._propose(call, folio, end.far)

    def ghost_add(self, name: str, folio: Folio) -> None:
        self._record(Op.GHOST_ADD, *folio.name, list(self.ghosts).index(name))
        self.ghosts[name].add(folio.name)

    def ghost_take(self, name: str, folio: Folio) -> bool:
        found = self.ghosts[name].take(folio.name)
        if found:
            self._record(Op.GHOST_TAKE, *folio.name, list(self.ghosts).index(name))
        return found

    def from_end(self, name: str, end: End) -> list[Folio]:
        """The folios on a list, in the order in which a scan from `end` meets them."""
        folios = self.lists[name]
        return folios[:] if end is End.HEAD else folios[::-1]

    def _put(self, op: Op, folio: Folio, name: str, end: End) -> None:
        self._record(op, *folio.name, self.policy.list_type.members.index(name), int(end is End.TAIL))
        folios = self.lists[name]
        folios.insert(len(folios) if end is End.TAIL else 0, folio)
        folio.list = name
        folio.on_list = True

    def _take_off(self, folio: Folio) -> None:
        self.lists[folio.list].remove(folio)
        folio.on_list = False

    def _propose(self, call: Call, folio: Folio, far: End) -> None:
        self._record(Op.PROPOSE, *folio.name)
        folio.far = far
        call.proposals.append(folio)
        self.proposed.append(folio)

    # The event log.

    def _record(self, op: Op, file: int, index: int, a: int = 0, b: int = 0) -> None:
        self.records.append(Row(op, file, index, a, b))

    @property
    def decisions(self) -> list[Row]:
        return [row for row in self.records if Op(row.op).is_decision]

    @property
    def header(self) -> Header:
        types = {param.name: param.type for param in self.policy.params}
        return Header(
            policy=self.policy.name,
            lists=self.policy.lists,
            ghosts=tuple(ghost.name for ghost in self.policy.ghosts),
            capacity=self.capacity,
            batch=self.batch,
            params={name: numbers.show(value, types[name]) for name, value in self.params.items()},
        )


def read_params(policy: ir.Policy, given: Mapping[str, int | str]) -> dict[str, int]:
    """The raw value of each param: the given one, held against its type and range, or the default."""
    known = ", ".join(param.name for param in policy.params) or "none"
    for name in given:
        if all(name != param.name for param in policy.params):
            raise ParamError(f"policy {policy.name} has no param {name!r}; it has {known}")
    values = {}
    for param in policy.params:
        value = given.get(param.name, param.default)
        low, high = numbers.show(param.low, param.type), numbers.show(param.high, param.type)
        wanted = f"it is {param.type} in {low}..{high}"
        if isinstance(value, str):
            try:
                value = numbers.parse(value, param.type)
            except ValueError as error:
                raise ParamError(f"param {param.name}: {error}; {wanted}") from None
        if not param.low <= value <= param.high:
            raise ParamError(f"param {param.name}: {numbers.show(value, param.type)} is out of range; {wanted}")
        values[param.name] = value
    return values
