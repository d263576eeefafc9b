"""Events and decisions in words."""

from __future__ import annotations

from cpol.runtime.machine.events import ENDS, Header, Op, Row, show_flags
from cpol.runtime.machine.events.prefetch import FAULT_FLAGS, REQUEST_FLAGS
from cpol.runtime.machine.events.rows import OF_RANGES
from cpol.runtime.machine.interp.explain import show_name, show_task


def describe_row(row: Row, header: Header) -> str:
    """An event or a decision in a few words."""
    name = show_name(row.file, row.page)
    match Op(row.op):
        case Op.MISSED:
            return f"miss of {name}"
        case Op.ADDED:
            return f"added {name}" + (f" of {row.a} pages" if row.a > 1 else "")
        case Op.FIRST_ACCESSED:
            return f"first access to {name}"
        case Op.ACCESSED:
            return f"access to {name}"
        case Op.REMOVED:
            return f"removed {name}, {'deleted' if row.a else 'evicted'}"
        case Op.EVICT:
            return f"evict request for {row.a} page{'s'[: row.a != 1]}"
        case Op.REFUSED:
            return f"refused {name}"
        case Op.FALLBACK:
            return f"fallback takes {name}"
        case Op.ADMIT:
            return f"may {name} come in?"
        case Op.TICK:
            return f"{row.a} ms have passed"
        case Op.TASK:
            return f"{show_task((row.a, row.b, (row.file, row.page)))} runs"
        case Op.ROOM:
            return f"there is room for {row.a} page{'s'[: row.a != 1]}"
        case Op.RW:
            return f"requests {'write' if row.a else 'read'}"
        case Op.ORIGIN:
            return f"folios come from the device {row.a} and the cgroup {row.b}"
        case Op.FLAGS:
            return f"{name} is {show_flags(row.a).replace(',', ', ').replace('none', 'clean')}"
        case Op.PLACE:
            return f"place {name} at {ENDS[row.b]} of {header.list_label(row.a)}"
        case Op.MOVE:
            return f"move {name} to {ENDS[row.b]} of {header.list_label(row.a)}"
        case Op.PROPOSE:
            return f"evict {name}"
        case Op.GHOST_ADD:
            return f"{header.ghosts[row.a]}.add({name})"
        case Op.GHOST_TAKE:
            return f"{header.ghosts[row.a]}.take({name})"
        case Op.GHOST_FORGET:
            return f"{header.ghosts[row.a]} forgets {name}"
        case Op.REFUSE:
            return f"refuse {name}"
        case Op.LEAVE:
            return f"leave {name}"
        case Op.RECLAIM:
            return f"reclaim {row.a}"
        case _:
            return describe_prefetching(row)


def describe_prefetching(row: Row) -> str:
    """An event or a decision of prefetching in a few words."""
    name, op = show_name(row.file, row.page), Op(row.op)
    match op:
        case Op.AREA:
            return f"faults are in the pages {row.a} to {row.b}"
        case Op.SWAP:
            return f"faults read the device {row.file} of {row.a} slots, by windows of {row.b}"
        case Op.WINDOW:
            return f"files have {row.page} pages, and the kernel would read {row.b} from {row.a}"
        case Op.FAULT:
            return f"fault of page {row.page} in slot {row.a}{_flags(row.b, FAULT_FLAGS)}"
        case Op.PREFETCH:
            return f"what to prefetch with page {row.page} in slot {row.a}?"
        case Op.READAHEAD:
            return f"request for {row.a} page{'s'[: row.a != 1]} from {name}{_flags(row.b, REQUEST_FLAGS)}"
        case Op.INDEX:
            return f"prefetch {name}"
        case Op.DEFAULT:
            return "default"
        case op if op in OF_RANGES and OF_RANGES[op].whole:
            return f"file {row.file} was {op.label}"
        case op if op in OF_RANGES:
            return f"{row.a} page{'s'[: row.a != 1]} from {name} {'were' if row.a != 1 else 'was'} {op.label}"
        case Op.DROP:
            return "drop"
        case Op.FLUSH:
            return "flush and wait" if row.a else "flush"
        case Op.LEAVE_FILE:
            return "leave the file"
        case Op.AHEAD:
            return f"readahead {row.a}"
        case _:
            return f"prefetch {op.label} {row.page}"


def _flags(flags: int, names: tuple[str, ...]) -> str:
    return "".join(f", {name}" for bit, name in enumerate(names) if flags >> bit & 1)
