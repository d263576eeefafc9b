"""The faults, requests, ranges and pages that go out that steps of a test stand for, and readahead."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler import ir
from cpol.runtime.machine.events.prefetch import Fault, Out, Range, Request
from cpol.runtime.machine.interp import Machine

FAULT_WINDOW, REQUEST_WINDOW = 8, 32
"""The kernel's own windows, as it comes: 2^page-cluster, and 128 KiB."""

PROCESS = 1 << 52
"""The areas of a process are named by their first page, which is less, and by the number of the process."""


def faults(step: ir.Fault, around: ir.Surroundings, device: int) -> Iterator[Fault]:
    """The faults of a step, in the surroundings of its test. Each process has areas of its own."""
    first, last = around.area
    how = (step.how != "", step.how == "prefetched")
    area, window = first + step.task * PROCESS, around.window or FAULT_WINDOW
    for number, page in enumerate(step.pages):
        yield Fault(page, step.slot + number, around.slots, first, last, area, device, *how, window)


def request(step: ir.Request, around: ir.Surroundings, device: int) -> Request:
    """The request of a step. The kernel's own readahead begins with it, or before it if it is a fault of a mapping."""
    window = around.window or REQUEST_WINDOW
    start = max(0, step.index - window // 2) if step.mapped else step.index
    how = (step.sequential, step.marker, step.mapped)
    return Request(step.file, step.index, step.wanted, start, window, around.size, *how, device)


def range_of(step: ir.Range, around: ir.Surroundings, device: int) -> Range:
    """The range of a step."""
    return Range(step.event, step.file, step.index, step.pages, around.size, device)


def out_of(step: ir.Out, around: ir.Surroundings) -> Out:
    """The pages of a step that are about to go out. Each process has areas of its own."""
    first, last = around.area
    return Out(step.page, step.pages, first, last, first + step.task * PROCESS, step.shared, step.workingset)


def read_ahead(machine: Machine, file: int, key: int, pages: int) -> None:
    """Readahead brings a folio of so many pages, unless its page is cached or it does not fit."""
    if (file, key) in machine.cache or (file, key) in machine.left or pages > machine.capacity:
        return
    machine.missed(file, key)
    if machine.asks_admission and not machine.admit(file, key):
        return
    while machine.occupied + pages > machine.capacity:
        machine.make_room(min(machine.batch, machine.capacity))
    machine.added(file, key, pages)
    machine.reclaim()
