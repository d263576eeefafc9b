"""Events without a folio, and the effects of their handlers (docs/semantics.md: Prefetching, Ranges of files,
Swap-out).
"""

from __future__ import annotations

from cpol.compiler.ir import PREFETCH_TARGETS
from cpol.compiler.types import Space
from cpol.compiler.vocabulary.event import EVENTS
from cpol.runtime.machine.errors import EventError
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.events.prefetch import (
    CACHED,
    MAPPED,
    MARKER,
    OUT_FLAGS,
    PREFETCHED,
    REQUEST_FLAGS,
    SEQUENTIAL,
    SHARED,
    WORKINGSET,
    Decided,
    Fault,
    Out,
    Range,
    Request,
    Target,
)
from cpol.runtime.machine.events.rows import OF_RANGES
from cpol.runtime.machine.interp.state import Call, State

SECOND = 1000
"""Milliseconds of the period for which the quota of kept pages holds."""

BELOW = 2**62
"""Pages, slots and indices are less, so that no sum of two of them and no stride leads back among them."""

MOST = 2**64 - 1
"""Of targets over the limit, which native code counts in 64 bits."""


class Prefetching(State):
    """A state with the effects of `prefetch` and `default`, and with what the log says before a fault or a request."""

    def aim(self, call: Call, space: Space, target: int, count: int, stride: int) -> None:
        """`prefetch`: record `count` targets, as far as they are in range, new, and within the limit."""
        count = max(count, 1)
        for number in range(min(count, PREFETCH_TARGETS)):
            self._aim(call, Target(space, target + number * stride))
        call.over_limit = min(call.over_limit + max(count - PREFETCH_TARGETS, 0), MOST)

    def _aim(self, call: Call, target: Target) -> None:
        if not self._in_range(call, target):
            call.out_of_range += 1
        elif target in call.targets:
            call.duplicates += 1
        elif len(call.targets) == PREFETCH_TARGETS:
            call.over_limit = min(call.over_limit + 1, MOST)
        else:
            call.targets.append(target)
            file = call.request.file if call.request is not None else 0
            self.record(Op[target.space.upper()], file, target.number)

    def _in_range(self, call: Call, target: Target) -> bool:
        space, number = target
        if space == "index":
            request = call.request
            assert isinstance(request, Request)  # the checker allows it only there
            return 0 <= number < request.size and not request.index <= number < request.index + request.wanted
        fault = call.fault
        assert isinstance(fault, Fault)
        if space == "slot":
            return 0 < number < fault.slots and number != fault.slot
        return fault.first <= number <= fault.last and number != fault.page

    def default(self, call: Call) -> None:
        """`default`: the kernel's own prefetching runs, too."""
        if not call.defaulted:
            self.record(Op.DEFAULT)
        call.defaulted = True

    def drop(self, call: Call) -> None:
        """`drop`: the range leaves the cache."""
        if not call.dropped:
            self.record(Op.DROP)
        call.dropped = True

    def hold(self, call: Call) -> None:
        """`keep`: the pages stay this time, if the quota of this second has room for them. The first counts."""
        if call.held is not None:
            return
        assert isinstance(call.fault, Out)  # the checker allows it only there
        pages, second = call.fault.pages, self.ms // SECOND
        kept = self.keeps[1] if self.keeps[0] == second else 0
        call.held = kept + pages <= self.keep_quota
        if call.held:
            self.keeps = second, kept + pages
            self.keeps_kept += pages
            self.record(Op.HOLD)
        else:
            self.keeps_refused += pages

    def flush(self, call: Call, wait: bool) -> None:
        """`flush`: the range is written back, and its writer waits for that if one of them says so."""
        if not call.flushed or (wait and not call.waited):
            self.record(Op.FLUSH, a=int(wait))
        call.flushed = True
        call.waited = call.waited or wait

    def leave_file(self, call: Call) -> None:
        """`leave`: the kernel need not tell of this open file any more. It may all the same."""
        if not call.left:
            self.record(Op.LEAVE_FILE)
        call.left = True

    def ahead(self, call: Call, pages: int) -> None:
        """`readahead`: the window of the file that was opened. The last one counts."""
        if call.window != pages:
            self.record(Op.AHEAD, a=pages)
        call.window = pages

    # What the log says before an event, if it differs from what it said last.

    def set_area(self, area: int, first: int, last: int) -> None:
        """Set the area of the faults from now on."""
        self._prefetches("area")
        if not 0 <= first <= last < BELOW:
            raise EventError(f"area: the pages {first} to {last} are no area")
        self.record(Op.AREA, area, 0, first, last)
        self.area = area, first, last

    def set_swap(self, device: int, slots: int, window: int) -> None:
        """Set the swap device of the faults from now on, and most pages that the kernel's own readahead reads."""
        self._prefetches("swap")
        if not 0 <= slots < BELOW:
            raise EventError(f"swap: a device has no {slots} slots")
        if not 1 <= window <= PREFETCH_TARGETS:
            raise EventError(f"swap: the window is 1 to {PREFETCH_TARGETS} pages, not {window}")
        self.record(Op.SWAP, device, 0, slots, window)
        self.swap = device, slots, window

    def set_window(self, device: int, size: int, start: int, window: int) -> None:
        """Set the device and the size of the file of the requests from now on, and the kernel's own window."""
        self._prefetches("window")
        if max(size, start, window) >= BELOW:
            raise EventError("window: a number is 2**62 or more")
        self.record(Op.WINDOW, device, size, start, window)
        self.window = device, size, start, window

    def fault_of(self, row: Row) -> Fault:
        """The fault of a row, in the area and on the device that the log said last."""
        area, first, last = self.area
        device, slots, window = self.swap
        flags = row.b if row.op == Op.FAULT else 0
        if flags not in (0, CACHED, CACHED | PREFETCHED):
            raise EventError(f"fault: {flags} are no flags of a fault")
        how = bool(flags & CACHED), bool(flags & PREFETCHED)
        return Fault(row.page, row.a, slots, first, last, area, device, *how, window)

    def request_of(self, row: Row) -> Request:
        """The request of a row, of the file and with the window that the log said last."""
        device, size, start, window = self.window
        if row.b >> len(REQUEST_FLAGS):
            raise EventError(f"readahead: {row.b} are no flags of a request")
        how = (bool(row.b & SEQUENTIAL), bool(row.b & MARKER), bool(row.b & MAPPED))
        return Request(row.file, row.page, row.a, start, window, size, *how, device)

    def range_of(self, row: Row) -> Range:
        """The range of a row, of the file that the log said last."""
        device, size, _, _ = self.window
        event = OF_RANGES[Op(row.op)].name
        return Range(event, row.file, row.page, row.a, size, device)

    def out_of(self, row: Row) -> Out:
        """The pages of a row that go out, in the area that the log said last."""
        area, first, last = self.area
        if row.b >> len(OUT_FLAGS):
            raise EventError(f"out: {row.b} are no flags of pages that go out")
        return Out(row.page, row.a, first, last, area, bool(row.b & SHARED), bool(row.b & WORKINGSET))

    def _prefetches(self, event: str) -> None:
        if not self.policy.prefetches:
            raise EventError(f"{event}: the policy prefetches nothing")

    def _surround(self, fault: Fault) -> None:
        self._prefetches("fault")
        if self.area != (fault.area, fault.first, fault.last):
            self.set_area(fault.area, fault.first, fault.last)
        if self.swap != (fault.device, fault.slots, fault.window):
            self.set_swap(fault.device, fault.slots, fault.window)
        if not fault.first <= fault.page <= fault.last:
            raise EventError(f"fault: the page {fault.page} is not in its area, {fault.first} to {fault.last}")
        if not 0 < fault.slot < fault.slots:
            raise EventError(f"fault: the device has {fault.slots} slots, and no page in slot {fault.slot}")
        if fault.prefetched and not fault.cached:
            raise EventError("fault: a page that was prefetched is cached")

    def _surround_request(self, request: Request) -> None:
        self._prefetches("readahead")
        if self.window != (request.device, request.size, request.start, request.window):
            self.set_window(request.device, request.size, request.start, request.window)
        if request.wanted < 1:
            raise EventError(f"readahead: a request wants at least 1 page, not {request.wanted}")
        if request.index + request.wanted >= BELOW:
            raise EventError("readahead: a number is 2**62 or more")

    def _surround_range(self, range: Range) -> None:
        self._prefetches(range.event)
        device, size, *own = self.window
        if (device, size) != (range.device, range.size):
            self.set_window(range.device, range.size, *own)
        whole = EVENTS[range.event].whole
        if whole and (range.index or range.pages):
            raise EventError(f"{range.event}: no page of the file was read or written yet")
        if not whole and range.pages < 1:
            raise EventError(f"{range.event}: a range has at least 1 page, not {range.pages}")
        if range.index + range.pages >= BELOW:
            raise EventError(f"{range.event}: a number is 2**62 or more")

    def _surround_out(self, out: Out) -> None:
        self._prefetches("out")
        if self.area != (out.area, out.first, out.last):
            self.set_area(out.area, out.first, out.last)
        if out.pages < 1 or not out.first <= out.page <= out.page + out.pages - 1 <= out.last:
            raise EventError(
                f"out: {out.pages} pages from {out.page} on are not in the area, {out.first} to {out.last}"
            )


def decided(call: Call) -> Decided:
    """What the handler of this call decided. If it said nothing of a range, or
    does not keep pages, the kernel does what it does by itself.
    """
    counts = (call.out_of_range, call.duplicates, call.over_limit)
    silent = isinstance(call.request, Range) and not (call.dropped or call.flushed) and call.window is None
    silent = silent or (isinstance(call.fault, Out) and not call.held)
    whether = (call.dropped, call.flushed, call.waited, call.left)
    held = (call.held is True, call.held is False)
    return Decided(tuple(call.targets), call.defaulted or silent, *counts, *whether, call.window, *held)
