"""The effects of handlers on the state. Each writes its line in the event log (runtime/machine/events)."""

from __future__ import annotations

from collections.abc import Callable

from cpol.compiler import ir
from cpol.compiler.ir import End
from cpol.runtime.machine.errors import PolicyError
from cpol.runtime.machine.events import Op
from cpol.runtime.machine.interp.ghost import Name
from cpol.runtime.machine.interp.prefetch import Prefetching
from cpol.runtime.machine.interp.state import Call, Folio


class Effects(Prefetching):
    """A state with the effects of statements. `label` names a list: `queue`, or `generation.5` of an array."""

    def place(self, folio: Folio, label: str, end: End) -> None:
        self._comes(folio, "placed")
        self.size += folio.pages
        self._put(Op.PLACE, folio, label, end)

    def leave(self, folio: Folio) -> None:
        self._comes(folio, "left")
        self.record(Op.LEAVE, *folio.name)
        self.unpin(folio)
        del self.cache[folio.name]
        self.left[folio.name] = folio

    def _comes(self, folio: Folio, what: str) -> None:
        if folio.list != "none" or folio.name not in self.cache:
            raise PolicyError(f"{self.here}: folio {folio.name} is {what}, but has been placed or left before")

    def refuse(self, call: Call, folio: Folio) -> None:
        self.record(Op.REFUSE, *folio.name)
        call.refused = True

    def move(self, folio: Folio, label: str, end: End) -> None:
        """Move a folio that is on a list. For a proposed folio it does nothing."""
        if folio.on_list:
            self.take_off(folio)
            self._put(Op.MOVE, folio, label, end)

    def put_back(self, folio: Folio) -> None:
        """Return a refused proposal to the far end of its list."""
        self._put(Op.MOVE, folio, folio.list, folio.far)

    def pin(self, folio: Folio) -> None:
        """Keep a folio that is on a list, or is coming, if the quota has room for it."""
        if folio.pinned or folio in self.proposed or folio.name not in self.cache:
            return
        if self.pinned + folio.pages > self.quota:
            self.pins_refused += folio.pages
            return
        folio.pinned = True
        self.pinned += folio.pages

    def want(self, pages: int) -> None:
        """`reclaim`: an eviction of so many pages is to come. The greatest number that is wanted counts."""
        if pages:
            self.record(Op.RECLAIM, a=pages)
            self.reclaims += 1
            self.wanted = max(self.wanted, pages)

    def unpin(self, folio: Folio) -> None:
        if folio.pinned:
            folio.pinned = False
            self.pinned -= folio.pages

    def propose(self, call: Call, folio: Folio, far: End) -> None:
        """Propose a folio that is on a list. For a pinned folio it does nothing."""
        if folio.pinned:
            self.pins_kept += folio.pages
        elif folio.on_list:
            self.take_off(folio)
            self._propose(call, folio, far)

    def propose_lowest(self, call: Call, label: str, end: End, bound: int, score: Callable[[Folio], int]) -> None:
        """`evict lowest`: propose the folios with the lowest scores among the first `bound` of a list.

        It keeps the candidates with the lowest scores, as many as pages are missing. All others go to the far end,
        as pinned ones do.
        For `evict highest`, the scores are negated.
        """
        wanted = call.missing
        candidates: list[tuple[int, int, Folio]] = []  # score, order in which they came, folio
        for order, folio in enumerate(self.from_end(label, end)[:bound]):
            folio_score = score(folio)
            self.take_off(folio)
            if folio.pinned:
                self.pins_kept += folio.pages
                self._put(Op.MOVE, folio, label, end.far)
                continue
            candidates.append((folio_score, order, folio))
            if len(candidates) > wanted:
                highest = max(candidates)  # of equal scores, the one that came last
                candidates.remove(highest)
                self._put(Op.MOVE, highest[2], label, end.far)
        for _, _, folio in sorted(candidates):
            self._propose(call, folio, end.far)

    def ghost_add(self, name: str, folio: Folio, record: dict[str, int]) -> None:
        self.record(Op.GHOST_ADD, *folio.name, self._ghost_number(name))
        self.ghosts[name].add(folio.name, record)

    def ghost_take(self, name: str, folio: Folio) -> bool:
        """Forget the folio, and return whether the ghost remembered it."""
        found = self.ghosts[name].take(folio.name)
        if found:
            self.record(Op.GHOST_TAKE, *folio.name, self._ghost_number(name))
        return found

    def ghost_forget(self, name: str) -> None:
        forgotten = self.ghosts[name].forget()
        if forgotten is not None:
            self.record(Op.GHOST_FORGET, *forgotten, self._ghost_number(name))

    def record_of(self, of: ir.RecordField | ir.SetRecord, folio: Folio | None, call: Call) -> dict[str, int]:
        """The record of a file, thread or area, or the initial values if it has none."""
        declaration = next(ghost for ghost in self.policy.ghosts if ghost.name == of.record)
        initial = {field.name: field.init for field in declaration.fields}
        return self.ghosts[of.record].entries.get(self._owner(of, folio, call), initial)

    def set_record(self, of: ir.SetRecord, folio: Folio | None, call: Call, value: int) -> None:
        """Store a field in the record of a file, thread or area, which becomes the newest."""
        record = {**self.record_of(of, folio, call), of.name: value}
        self.ghosts[of.record].add(self._owner(of, folio, call), record)

    def _owner(self, of: ir.RecordField | ir.SetRecord, folio: Folio | None, call: Call) -> Name:
        """The key of a record: (file, 0), (thread, 0) or (area, 0)."""
        if isinstance(of, ir.RecordField) and of.key is not None:
            return of.key, 0
        if of.record == "task":
            return self.task[0], 0
        if of.record == "area":
            assert call.fault is not None  # the checker allows it only there
            return call.fault.area, 0
        assert folio is not None or call.request is not None
        return (folio.file if folio is not None else call.request.file if call.request is not None else 0), 0

    def _ghost_number(self, name: str) -> int:
        return list(self.ghosts).index(name)

    def take_off(self, folio: Folio) -> None:
        """Take a folio off its list; `folio.list` keeps the name."""
        self.lists[folio.list].remove(folio)
        folio.on_list = False

    def _put(self, op: Op, folio: Folio, label: str, end: End) -> None:
        self.record(op, *folio.name, self.list_numbers[label], int(end is End.TAIL))
        folios = self.lists[label]
        folios.insert(len(folios) if end is End.TAIL else 0, folio)
        folio.list = label
        folio.on_list = True

    def _propose(self, call: Call, folio: Folio, far: End) -> None:
        self.record(Op.PROPOSE, *folio.name)
        folio.far = far
        call.proposals.append(folio)
        self.proposed.append(folio)
