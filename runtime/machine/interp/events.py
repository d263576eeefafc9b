"""The events of the abstract machine (docs/semantics.md, Events).

Each event checks that it can happen, runs its handler, then checks the invariants.
"""

from __future__ import annotations

from dataclasses import replace

from cpol.compiler import comm, ir
from cpol.compiler.comm import UNKNOWN, Comm
from cpol.compiler.vocabulary.folio import FOLIO_FLAGS
from cpol.runtime.machine.errors import EventError, InvariantError, PolicyError
from cpol.runtime.machine.events import Op
from cpol.runtime.machine.events.prefetch import NOTHING, Decided, Fault, Out, Range, Request
from cpol.runtime.machine.interp import eval
from cpol.runtime.machine.interp.effects import Effects
from cpol.runtime.machine.interp.explain import explain
from cpol.runtime.machine.interp.prefetch import decided
from cpol.runtime.machine.interp.run import run, run_handler
from cpol.runtime.machine.interp.scope import Scope
from cpol.runtime.machine.interp.state import Call, Folio

EVICTED = ir.REASON.members.index("evicted")
DELETED = ir.REASON.members.index("deleted")
MAX_U64 = 2**64 - 1


class Events(Effects):
    """The events of a machine, one method each. `file` and `index` name a folio.

    Raises:
        EventError: the event cannot happen now.
        PolicyError: the handler breaks a rule of the machine.
        InvariantError: an invariant does not hold after the event.
    """

    @property
    def asks_admission(self) -> bool:
        """Whether the policy has a handler of `admit`."""
        return "admit" in self.policy.handlers

    def missed(self, file: int, index: int) -> None:
        self._not_cached("missed", file, index)
        self.record(Op.MISSED, file, index)
        for ghost in self.ghosts.values():
            ghost.hold((file, index))
        self._announce(file, index)
        self._completed()

    def admit(self, file: int, index: int) -> bool:
        """Whether the policy admits the folio into the cache."""
        self._not_cached("admit", file, index)
        if not self.asks_admission:
            raise EventError("admit: the policy has no handler of admit")
        self.record(Op.ADMIT, file, index)
        if self.announced != (file, index):
            self._announce(file, index)
        call = Call()
        self._run("admit", Folio(file, index, 1, {}), call=call)
        if call.refused:
            self.refused_admission += 1
            self._arrived(file, index)
        self._completed()
        return not call.refused

    def added(self, file: int, index: int, pages: int = 1) -> None:
        self._not_cached("added", file, index)
        if pages < 1:
            raise EventError(f"added: a folio has at least 1 page, not {pages}")
        self.record(Op.ADDED, file, index, pages)
        self.clock += 1
        if self.announced != (file, index):
            self._announce(file, index)
        folio = Folio(file, index, pages, {field.name: field.init for field in self.policy.cells}, origin=self.origin)
        self.cache[folio.name] = folio
        self._run("added", folio)
        if not folio.on_list and folio.name not in self.left:
            raise PolicyError(f"{self.here}: added did not place folio ({file}, {index})")
        self._arrived(file, index)
        self._run_every_events()
        self._completed()

    def _announce(self, file: int, index: int) -> None:
        """Run the handler of `missed`: once for each folio that comes, even without an event `missed` before it."""
        self._run("missed", Folio(file, index, 1, {}))
        self.announced = file, index

    def _arrived(self, file: int, index: int) -> None:
        """End the miss: the folio was added, or refused by the policy."""
        self.announced = None
        for ghost in self.ghosts.values():
            if ghost.held == (file, index):
                ghost.release()

    def first_accessed(self, file: int, index: int) -> None:
        folio = self._owned("first_accessed", file, index)
        if folio.was_read:
            raise EventError(f"first_accessed: folio ({file}, {index}) has been accessed before")
        self.record(Op.FIRST_ACCESSED, file, index)
        folio.was_read = True
        self._run("first_accessed", folio)
        self._completed()

    def accessed(self, file: int, index: int) -> None:
        folio = self._owned("accessed", file, index)
        if not folio.was_read:
            raise EventError(
                f"accessed: folio ({file}, {index}) has not been accessed before: first_accessed is missing"
            )
        self.record(Op.ACCESSED, file, index)
        self.clock += 1
        self._run("accessed", folio)
        self._run_every_events()
        self._completed()

    def removed(self, file: int, index: int, why: int) -> None:
        """The folio leaves the cache; `why` is EVICTED or DELETED."""
        folio = self.left.get((file, index)) or self._owned("removed", file, index)
        if why not in (EVICTED, DELETED):
            raise EventError(f"removed: {why} is neither evicted (0) nor deleted (1)")
        self.record(Op.REMOVED, file, index, why)
        self._remove(folio, why)

    def evict(self, wanted: int) -> list[Folio]:
        """One evict request for `wanted` pages. The caller must then call `removed` or `refused` for each proposal."""
        if not self.policy.evicts:
            raise EventError("evict: the policy only prefetches, so it has no folios")
        if not 1 <= wanted <= ir.MAX_BATCH:
            raise EventError(f"evict: wanted is 1 to {ir.MAX_BATCH} pages, not {wanted}")
        self.record(Op.EVICT, a=wanted)
        call = Call(wanted)
        for _ in range(ir.EVICT_ROUNDS):
            self._run("evict", call=call)
            if call.proposals:
                break
        self._completed()
        return call.proposals

    def refused(self, file: int, index: int) -> None:
        """A proposed folio could not go."""
        folio = self._owned("refused", file, index)
        if folio not in self.proposed:
            raise EventError(f"refused: folio ({file}, {index}) is not proposed")
        self.record(Op.REFUSED, file, index)
        self.refusals += 1
        self.proposed.remove(folio)
        self.put_back(folio)
        self._completed()

    def fallback(self, file: int, index: int) -> None:
        """The machine itself evicts a folio that was not proposed."""
        folio = self.left.get((file, index)) or self._owned("fallback", file, index)
        if folio in self.proposed:
            raise EventError(f"fallback: folio ({file}, {index}) is proposed")
        self.record(Op.FALLBACK, file, index)
        self.fallbacks += 1
        self._remove(folio, EVICTED)

    def _remove(self, folio: Folio, why: int) -> None:
        if folio.name in self.left:
            del self.left[folio.name]
        else:
            del self.cache[folio.name]
            self.size -= folio.pages
            if folio.on_list:
                self.take_off(folio)
            else:
                self.proposed.remove(folio)
            if folio.pinned and why == EVICTED:
                self.pins_overruled += folio.pages
            self.unpin(folio)
            folio.flags = 0
            self._run("removed", folio, why)
        self._completed()

    def tick(self, ms: int) -> None:
        """`ms` milliseconds have passed since the policy was attached."""
        if not self.ms <= ms <= MAX_U64:
            raise EventError(f"tick: time does not go back: {ms} ms comes after {self.ms} ms")
        self.record(Op.TICK, a=ms)
        before, self.ms = self.ms, ms
        for every in self.policy.everies:
            if every.unit == "ms":
                periods = ms // self._period(every) - before // self._period(every)
                if periods:
                    run(every.body, Scope(self, Call(periods=periods)))
        self._completed()

    def set_task(self, thread: int, process: int, comm: Comm = UNKNOWN) -> None:
        """Set the task that causes the events from now on."""
        self.record(Op.TASK, *comm, thread, process)
        self.task = thread, process, comm

    def set_room(self, pages: int) -> None:
        """The cache may hold so many pages from now on. Nothing is evicted by that alone."""
        if pages < 1:
            raise EventError(f"room: it is at least 1 page, not {pages}")
        self.record(Op.ROOM, a=pages)
        self.capacity = pages

    def set_writes(self, writes: int) -> None:
        """Set whether the requests from now on write: 0 or 1."""
        if writes not in (0, 1):
            raise EventError(f"rw: {writes} is neither read (0) nor write (1)")
        self.record(Op.RW, a=int(writes))
        self.writes = bool(writes)

    def set_origin(self, device: int, cgroup: int) -> None:
        """Set where folios come from, from now on."""
        self.record(Op.ORIGIN, a=device, b=cgroup)
        self.origin = device, cgroup

    def set_readers(self, file: int, readers: int) -> None:
        """Set how often a file is open for reading, from now on."""
        self.record(Op.READERS, file, a=readers)
        self.readers[file] = readers

    def set_flags(self, file: int, index: int, flags: int) -> None:
        """What the folio is from now on: bits of FOLIO_FLAGS."""
        folio = self._owned("flags", file, index)
        if flags >> len(FOLIO_FLAGS):
            raise EventError(f"flags: {flags} has bits that mean nothing")
        self.record(Op.FLAGS, file, index, flags)
        folio.flags = flags
        self._completed()

    # Prefetching.

    def fault(self, fault: Fault) -> None:
        """A swap fault. One that must read is followed by `prefetch`."""
        self._surround(fault)
        self.record(Op.FAULT, 0, fault.page, fault.slot, fault.flags)
        self.decided = NOTHING
        self._run("fault", call=Call(fault=fault))
        self._completed()

    def prefetch(self, fault: Fault) -> Decided:
        """What the policy prefetches at a fault that must read, before the kernel's own readahead."""
        self._surround(fault)
        if fault.flags:
            raise EventError("prefetch: the page is cached, so nothing must be read")
        self.record(Op.PREFETCH, 0, fault.page, fault.slot)
        return self._ask("prefetch", Call(fault=fault))

    def readahead(self, request: Request) -> Decided:
        """What the policy prefetches at a request of file readahead."""
        self._surround_request(request)
        self.record(Op.READAHEAD, request.file, request.index, request.wanted, request.flags)
        return self._ask("readahead", Call(request=request))

    def happened(self, range: Range) -> Decided:
        """What the policy does about a file that was opened, or about a range that was read or written."""
        self._surround_range(range)
        self.record(Op[range.event.upper()], range.file, range.index, range.pages)
        return self._ask(range.event, Call(request=range))

    def goes_out(self, out: Out) -> Decided:
        """What the policy does about pages that are about to go out to swap, which are of the task named last."""
        self._surround_out(out)
        self.record(Op.OUT, 0, out.page, out.pages, out.flags)
        _, process, command = self.task
        return self._ask("swap", Call(fault=replace(out, process=process, comm=comm.number(command))))

    def _ask(self, event: str, call: Call) -> Decided:
        call.defaulted = event not in self.policy.handlers
        self._run(event, call=call)
        self.decided = decided(call)
        self._completed()
        return self.decided

    # Shared by the events.

    def _owned(self, event: str, file: int, index: int) -> Folio:
        if (file, index) in self.left:
            raise EventError(f"{event}: folio ({file}, {index}) is left to the kernel")
        if (file, index) not in self.cache:
            raise EventError(f"{event}: folio ({file}, {index}) is not in the cache")
        return self.cache[file, index]

    def _not_cached(self, event: str, file: int, index: int) -> None:
        if not self.policy.evicts:
            raise EventError(f"{event}: the policy only prefetches, so it has no folios")
        if (file, index) in self.cache or (file, index) in self.left:
            raise EventError(f"{event}: folio ({file}, {index}) is in the cache already")

    def _run(self, event: str, folio: Folio | None = None, why: int = 0, call: Call | None = None) -> None:
        handler = self.policy.handlers.get(event)
        if handler is not None:
            self.pos = handler.pos
            run_handler(handler, self, call or Call(), folio, why)

    def _run_every_events(self) -> None:
        """Run the blocks `every … events` that are due, after the handler of an event that advanced the clock."""
        for number, every in enumerate(self.policy.everies):
            if every.unit == "events":
                passed = self.clock - self.every_last.get(number, 0)
                periods, begun = divmod(passed, self._period(every))
                if periods:
                    self.every_last[number] = self.clock - begun
                    run(every.body, Scope(self, Call(periods=periods)))

    def _period(self, every: ir.Every) -> int:
        self.pos = every.pos
        return eval.value(every.period, Scope(self, Call()))

    def _completed(self) -> None:
        """End an event: check the invariants, unless proposals are pending."""
        if self.proposed:
            return
        for invariant in self.policy.invariants:
            self.pos = invariant.pos
            if not eval.value(invariant.cond, Scope(self, Call())):
                values = explain(invariant.cond, self)
                raise InvariantError(self.here, invariant.text, values)
