"""One run: a trace, memory, a medium, a policy, and the kernel's own prefetching beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from cpol.runtime.simulate.prefetch.counts import Counts
from cpol.runtime.simulate.prefetch.kernel import WINDOW, SwapReadahead
from cpol.runtime.simulate.prefetch.medium import Medium
from cpol.runtime.simulate.prefetch.memory import Key, Memory, Page
from cpol.runtime.simulate.prefetch.ondemand import Reader, run_from
from cpol.runtime.simulate.prefetch.protocol import Decision, Fault, Prefetcher, Readahead, Target
from cpol.runtime.simulate.prefetch.rows import Read, Row, Rows, Touch
from cpol.runtime.simulate.prefetch.slots import Place, swap_of
from cpol.runtime.simulate.prefetch.swap_out import SwapOut

MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Result:
    """The counts of swap and of files."""

    swap: Counts
    files: Counts

    @property
    def total(self) -> Counts:
        return self.swap + self.files


class Model:
    """A machine with one processor.

    Args:
        trace: what happens.
        capacity: pages of memory, at least 1.
        medium: what swap and files are on.
        policy: what is asked.
        kernel: the kernel's own readahead of swap, where the policy leaves it to the kernel.
        step_ns: from one row to the next, besides waiting; None: as in the trace.
        window: pages that the kernel's readahead of swap reads at most.
        memory: which pages there are, and which goes next; None: the least recently used.
        before: called with each row before it runs.
    """

    def __init__(
        self,
        trace: Rows,
        capacity: int,
        medium: Medium,
        policy: Prefetcher,
        kernel: SwapReadahead,
        step_ns: int | None = None,
        window: int = WINDOW,
        memory: Memory | None = None,
        before: Callable[[Row], None] | None = None,
    ) -> None:
        self._trace = trace
        self._memory = memory or Memory(capacity)
        self._medium = medium
        self._policy = policy
        self._out = SwapOut(policy, capacity) if policy.has_swap else None
        self._kernel = kernel
        self._step_ns = step_ns
        self._window = window
        self._swap = swap_of(trace.rows, len({row.key for row in trace.rows if isinstance(row, Touch)}))
        self._sizes = defaultdict[int, int](int)
        for row in trace.rows:
            if isinstance(row, Read):
                self._sizes[row.file] = max(self._sizes[row.file], row.index + 1)
        self._readers = defaultdict[tuple[int, int, int], Reader](Reader)
        self._before = before
        self._swaps, self._files = Counts(), Counts()
        self._counts = self._files
        self._last_ns = trace.rows[0].time_ns if trace.rows else 0
        self._now = 0

    def run(self, end: int | None = None) -> Result:
        """Run the whole trace, or up to a row; another call goes on. The counts are those so far."""
        for row in self._trace.rows[self._done : end]:
            self._run(row)
        return Result(replace(self._swaps), replace(self._files))

    @property
    def _done(self) -> int:
        """The rows that ran."""
        return self._swaps.accesses + self._files.accesses

    def _run(self, row: Row) -> None:
        if self._before is not None:
            self._before(row)
        self._now += max(row.time_ns - self._last_ns, 0) if self._step_ns is None else self._step_ns
        self._last_ns = max(self._last_ns, row.time_ns)
        self._swap.begin(self._done)
        self._counts = self._swaps if isinstance(row, Touch) else self._files
        self._counts.accesses += 1
        if isinstance(row, Touch):
            self._touch(row)
        else:
            self._read(row)
        self._shrink(row)

    def _shrink(self, row: Row) -> None:
        """Cut memory back to its capacity, except for what the policy keeps."""
        swap, files = self._swaps, self._files

        def stays(key: Key, page: Page, nothing_else: bool) -> bool:
            if self._out is None:
                return False
            if key == row.key:
                return True  # it is in use
            if key.is_file or page.ahead or self._swap.has_place(key):
                return False
            if nothing_else:
                swap.out_overruled += 1
                return False
            page.kept = self._out.stays(key, self._now // MS, swap)
            return page.kept

        for key, page in self._memory.shrink(stays):
            counts = files if key.is_file else swap
            counts.wasted += page.ahead
            if not key.is_file:
                self._swap.put_out(key)
            if self._out is not None:
                self._out.went(key)

    # Memory.

    def _touch(self, row: Touch) -> None:
        key = row.key
        page = self._memory.find(key)
        if page is not None and not page.ahead and row.is_fault and not page.kept:
            self._memory.drop(key)  # it went meanwhile, or it would not have faulted
            page = None
        if page is not None and not page.ahead:
            page.kept = False
            self._memory.use(key)
        else:
            place = self._swap.place_of(key)
            if place is None:
                self._memory.add(key, Page(self._now, False))  # touched for the first time
            elif page is not None:
                fault = self._fault(row, place, cached=True)
                self._policy.fault(fault)
                self._kernel.hit(fault)
                self._use_ahead(key, page)
            else:
                self._must_read(row, self._fault(row, place, cached=False))
        if row.writes:
            self._swap.wrote(key)
        if self._out is not None:
            self._out.used(row)

    def _fault(self, row: Touch, place: Place, cached: bool) -> Fault:
        self._counts.faults += 1
        return Fault(
            row.page,
            place.slot,
            self._swap.slots(place.device),
            place.device,
            row.first,
            row.last,
            self._window,
            cached,
            cached,
            row.process,
            row.thread,
            row.comm,
            self._now // MS,
        )

    def _must_read(self, row: Touch, fault: Fault) -> None:
        self._policy.fault(fault)
        decision = self._policy.prefetch(fault)
        ready = None if decision.defaulted else self._medium.read(self._now)
        for target in decision.targets:
            self._counts.absent += not self._read_ahead(self._key_of(target, fault, row.process), row.key)
        if decision.defaulted:
            self._counts.defaulted += 1
            for target in self._kernel.targets(fault):
                key = self._key_of(target, fault, row.process)
                if key == row.key:
                    ready = self._medium.read(self._now)
                else:
                    self._read_ahead(key, row.key)
        self._miss(row.key, self._medium.read(self._now) if ready is None else ready)

    def _key_of(self, target: Target, fault: Fault, process: int) -> Key | None:
        """The page that a target names; None: there is none on swap."""
        if target.kind == "slot":
            place = Place(fault.device, target.number)
            key = self._swap.page_at(place)
            return key if key is not None and self._swap.place_of(key) == place else None
        key = Key(False, process, target.number)
        return key if self._swap.place_of(key) is not None else None

    # Files.

    def _read(self, row: Read) -> None:
        key = row.key
        page = self._memory.find(key)
        if row.writes:
            if page is None:
                self._memory.bring(key, Page(self._now, False))
            return
        reader = self._readers[row.file, row.process, row.thread]
        if page is None:
            self._ask(row, reader, marker_reached=False)
        else:
            if page.marked:
                page.marked = False
                self._ask(row, reader, marker_reached=True)
            if page.ahead:
                self._counts.faults += 1
                self._use_ahead(key, page)
            elif self._memory.find(key) is not None:
                self._memory.use(key)
        reader.after = row.index + 1

    def _ask(self, row: Read, reader: Reader, *, marker_reached: bool) -> None:
        file, index = row.file, row.index

        def is_cached(index: int) -> bool:
            return self._memory.find(Key(True, file, index)) is not None

        window = (reader.marked if marker_reached else reader.missing)(index, row.wanted, is_cached)
        request = Readahead(
            file,
            index,
            row.wanted,
            window.start,
            window.pages,
            self._sizes[file],
            window.sequential,
            marker_reached,
            row.process,
            row.thread,
            row.comm,
            self._now // MS,
        )
        decision = self._policy.readahead(request)
        ready = self._now
        behind = index + row.wanted
        marker, missing = sift(decision, behind, is_cached)
        if not decision.defaulted:
            reader.read(index, behind + run_from(missing, behind), marker, missing)
            ready = self._now if marker_reached else self._medium.read(self._now)
            if not marker_reached:  # what is wanted comes in any case
                self._read_file(file, index, range(index + 1, min(behind, self._sizes[file])), -1)
        self._read_file(file, index, missing, marker)
        self._counts.absent += len(decision.targets) - len(missing)
        if decision.defaulted:
            self._counts.defaulted += 1
            ready = self._now if marker_reached else self._medium.read(self._now)
            end = min(window.start + window.pages, self._sizes[file])
            self._read_file(file, index, range(window.start, end), window.marker)
        if not marker_reached:
            self._counts.faults += 1
            self._miss(row.key, ready)

    def _read_file(self, file: int, wanted: int, indices: Iterable[int], marker: int) -> None:
        """Read the pages that are missing, but the wanted one, and put the marker on one of them."""
        for index in indices:
            key = Key(True, file, index)
            if index != wanted and self._memory.find(key) is None:
                self._read_ahead(key, None)
                if index == marker:
                    self._memory.mark(key)

    # Both.

    def _read_ahead(self, key: Key | None, fault: Key | None) -> bool:
        """Read a page, unless there is none, or memory has it, or it is the page of the fault itself."""
        if key is None or key == fault or self._memory.find(key) is not None:
            return False
        self._counts.prefetched += 1
        self._memory.add(key, Page(self._medium.read(self._now), True))
        return True

    def _use_ahead(self, key: Key, page: Page) -> None:
        """The first use of a page that was read ahead."""
        self._counts.used += 1
        self._counts.late += page.ready_ns > self._now
        self._wait(page.ready_ns)
        page.ahead = False
        self._memory.add(key, page)

    def _miss(self, key: Key, ready_ns: int) -> None:
        self._counts.missed += 1
        self._memory.add(key, Page(ready_ns, False))
        self._wait(ready_ns)

    def _wait(self, until_ns: int) -> None:
        if until_ns > self._now:
            self._counts.waited_ns += until_ns - self._now
            self._now = until_ns


def sift(decision: Decision, behind: int, is_cached: Callable[[int], bool]) -> tuple[int, list[int]]:
    """Which target gets the marker (-1: none), and the targets to read: those that go on at `behind`, where the request
    ends, then others in the order of the file.

    The marker gets the first that is missing of those that go on where the request ends, or else of all.
    """
    numbers = [target.number for target in decision.targets]
    missing = [number for number in numbers if not is_cached(number)]
    run = [*range(behind, behind + run_from(numbers, behind))]
    marker = next((number for number in run if number in missing), missing[0] if missing else -1)
    return marker, sorted(missing, key=lambda number: (number not in run, number))
