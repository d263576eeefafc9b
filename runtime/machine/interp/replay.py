"""Replays an event log in the interpreter, and compares each recorded decision with the interpreter's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from cpol.compiler import ir
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.events import Log, Op, Row, format_row
from cpol.runtime.machine.events.rows import OF_RANGES
from cpol.runtime.machine.interp.machine import Machine
from cpol.runtime.machine.settings.inputs import Setting


class ReplayError(Exception):
    """The log cannot be replayed, or its decisions differ from the policy's. The message names the line of the log."""


class DifferentError(ReplayError):
    """The policy decides otherwise than in the log."""


def apply(machine: Machine, row: Row) -> None:
    """Apply one event.

    Raises:
        MachineError: the event cannot happen, or the policy is broken.
    """
    match Op(row.op):
        case Op.MISSED:
            machine.missed(row.file, row.page)
        case Op.ADDED:
            machine.added(row.file, row.page, row.a)
        case Op.FIRST_ACCESSED:
            machine.first_accessed(row.file, row.page)
        case Op.ACCESSED:
            machine.accessed(row.file, row.page)
        case Op.REMOVED:
            machine.removed(row.file, row.page, row.a)
        case Op.EVICT:
            machine.evict(row.a)
        case Op.REFUSED:
            machine.refused(row.file, row.page)
        case Op.FALLBACK:
            machine.fallback(row.file, row.page)
        case Op.ADMIT:
            machine.admit(row.file, row.page)
        case Op.TICK:
            machine.tick(row.a)
        case Op.FLAGS:
            machine.set_flags(row.file, row.page, row.a)
        case Op.ROOM:
            machine.set_room(row.a)
        case Op.RW:
            machine.set_writes(row.a)
        case Op.ORIGIN:
            machine.set_origin(row.a, row.b)
        case Op.READERS:
            machine.set_readers(row.file, row.a)
        case Op.TASK:
            machine.set_task(row.a, row.b, (row.file, row.page))
        case _:
            apply_prefetching(machine, row)


def apply_prefetching(machine: Machine, row: Row) -> None:
    """Apply one event of prefetching, in the surroundings that the log said before it."""
    match Op(row.op):
        case Op.AREA:
            machine.set_area(row.file, row.a, row.b)
        case Op.SWAP:
            machine.set_swap(row.file, row.a, row.b)
        case Op.WINDOW:
            machine.set_window(row.file, row.page, row.a, row.b)
        case Op.FAULT:
            machine.fault(machine.fault_of(row))
        case Op.PREFETCH:
            machine.prefetch(machine.fault_of(row))
        case Op.READAHEAD:
            machine.readahead(machine.request_of(row))
        case op if op in OF_RANGES:
            machine.happened(machine.range_of(row))
        case Op.OUT:
            machine.goes_out(machine.out_of(row))
        case _:
            raise AssertionError(row)


Make: TypeAlias = Callable[[ir.Policy, int, Mapping[str, int | str], int, int, Iterable[Setting]], Machine]
"""Makes a machine from a policy, a capacity, params, a batch, a seed and settings of inputs."""


def start(log: Log, policy: ir.Policy, path: Path | str = "<log>", make: Make = Machine) -> Machine:
    """The machine that the header of `log` describes.

    Raises:
        ReplayError: the log was recorded with another policy, or with another length of its array.
        ParamError: the policy cannot attach with these settings.
    """
    header = log.header
    ghosts = tuple(ghost.name for ghost in policy.ghosts)
    if (header.policy, header.lists, header.ghosts) != (policy.name, policy.lists, ghosts):
        raise ReplayError(
            f"{path}: recorded with policy {header.policy} (lists {' '.join(header.lists)}; ghosts "
            f"{' '.join(header.ghosts) or 'none'}), not with the given policy {policy.name} (lists "
            f"{' '.join(policy.lists)}; ghosts {' '.join(ghosts) or 'none'})"
        )
    machine = make(policy, header.capacity, header.params, header.batch, header.seed, header.inputs)
    lengths = tuple(machine.array_lengths.values())
    if lengths != header.array_lengths:
        recorded, has = (" and ".join(map(str, each)) or "no" for each in (header.array_lengths, lengths))
        raise ReplayError(
            f"{path}: recorded with {recorded} lists in the array, but with these params the policy has "
            f"{has}; replay it with the policy that was recorded"
        )
    return machine


def replay(log: Log, policy: ir.Policy, path: Path | str = "<log>", make: Make = Machine) -> Machine:
    """The machine after all events of `log`.

    Raises:
        ReplayError: the log does not fit the policy, or a decision differs.
        MachineError: an event cannot happen, or the policy is broken.
    """
    machine = start(log, policy, path, make)
    position = 0
    while position < len(log.rows):
        line = log.lines[position]
        event = log.rows[position]
        position += 1
        recorded = []
        while position < len(log.rows) and Op(log.rows[position].op).is_decision:
            recorded.append(log.rows[position])
            position += 1
        before = len(machine.records)
        try:
            apply(machine, event)
        except MachineError as error:
            error.add_note(f"replaying {path}:{line}")
            raise
        made = machine.records[before + 1 :]
        if log.header.decisions and made != recorded:
            raise DifferentError(_difference(log, path, line, event, recorded, made))
    return machine


def _difference(log: Log, path: Path | str, line: int, event: Row, recorded: list[Row], made: list[Row]) -> str:
    at = next((i for i, pair in enumerate(zip(recorded, made, strict=False)) if pair[0] != pair[1]), None)
    if at is None:
        at = min(len(recorded), len(made))

    def show(rows: list[Row]) -> str:
        return format_row(rows[at], log.header).strip().replace("\t", " ") if at < len(rows) else "nothing more"

    shown = format_row(event, log.header).replace("\t", " ")
    return (
        f"{path}:{line}: after event '{shown}', decision {at + 1} differs: "
        f"the log has '{show(recorded)}', the interpreter '{show(made)}'"
    )
