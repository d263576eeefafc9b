"""Traces that a process has in memory: those in use, and the last ones."""

from __future__ import annotations

import hashlib
import re
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Condition
from typing import Any, TypeAlias

from cpol.runtime.simulate.sweep.unit import Found, Opened, Reading, Unit
from cpol.runtime.simulate.traces import Aside, Trace, TraceError, as_kernel, read, read_columns

Local: TypeAlias = Callable[[Found, Mapping[str, Any]], AbstractContextManager[Path]]
"""A file of this machine that holds a trace, until it has been read. Raises TraceError, UserError."""

GROWS = 6
"""Bytes that one of a file takes in memory, as a guess before it is read: of lines, of what is compressed."""

OPTION = re.compile(r"--(?=(format|columns|pages)\b)")
"""An option of `cpolc sim`, which is a key of the file of a sweep."""

PLAIN = (".oraclegeneral", ".oraclegeneral.bin")
"""Endings of files whose requests take less memory than on the disk."""


class Kept:
    """Reads each trace once for those that want it at the same time, and keeps the last ones.

    Args:
        local: where the file of a trace is.
        memory: bytes that the traces may take together. One that is larger is read alone.
    """

    def __init__(self, local: Local, memory: int) -> None:
        self._local, self._memory = local, memory
        self._entries: dict[object, _Entry] = {}
        self._change = Condition()

    @contextmanager
    def opened(self, unit: Unit) -> Iterator[Opened]:
        """The trace of a unit, until the block ends.

        Raises:
            TraceError, UserError, OSError: it cannot be had, or is none.
        """
        entry = self._take(unit)
        try:
            if entry.opened is None:
                entry.opened = self._read(unit)
                entry.bytes = bytes_of(entry.opened.trace)
            entry.ready()
            yield entry.opened
        finally:
            self._give(unit, entry)

    def _take(self, unit: Unit) -> _Entry:
        """An entry that this thread may use. It waits for another one that reads the trace, and for room."""
        key, guess = _key(unit), expected_bytes(unit.trace)
        with self._change:
            while True:
                entry = self._entries.get(key)
                if entry is not None and not entry.reading:
                    self._entries[key] = self._entries.pop(key)  # the last one used
                    entry.users += 1
                    return entry
                if entry is None and self._makes_room(guess):
                    entry = self._entries[key] = _Entry(guess, self._change)
                    return entry
                self._change.wait()

    def _makes_room(self, wanted: int) -> bool:
        """Whether there is room, if need be without the traces that nobody uses."""
        taken = sum(each.bytes for each in self._entries.values())
        for key, each in [*self._entries.items()]:
            if taken + wanted > self._memory and not each.users:
                taken -= self._entries.pop(key).bytes
        return not self._entries or taken + wanted <= self._memory

    def _give(self, unit: Unit, entry: _Entry) -> None:
        with self._change:
            entry.users -= 1
            entry.reading = False
            if entry.opened is None:
                del self._entries[_key(unit)]
            self._makes_room(0)
            self._change.notify_all()

    def _read(self, unit: Unit) -> Opened:
        with self._local(unit.trace, unit.storage) as path:
            try:
                with Aside[str]() as aside:
                    aside.begin(lambda: digest_of(path))
                    return Opened(read_trace(path, unit.reading), aside.result())
            except TraceError as error:  # it need not be the user's file, but a copy of an object
                told = (OPTION.sub("[reading] ", part) for part in str(error).split(str(path)))
                raise TraceError(unit.label.join(told)) from None


class _Entry:
    def __init__(self, guess: int, change: Condition) -> None:
        self.opened: Opened | None = None
        self.bytes, self.users, self.reading = guess, 1, True
        self._change = change

    def ready(self) -> None:
        """Others may use it."""
        with self._change:
            self.reading = False
            self._change.notify_all()


def _key(unit: Unit) -> object:
    return unit.trace, unit.reading


def expected_bytes(trace: Found) -> int:
    """What a trace will take in memory, as a guess before it is read."""
    return trace.size * (1 if trace.name.lower().endswith(PLAIN) else GROWS)


def read_trace(path: Path, reading: Reading) -> Trace:
    """The requests that runs are fed. Raises TraceError."""
    columns = read_columns(reading.columns) if reading.columns else None
    trace = as_kernel(read(path, reading.format, pages=reading.pages, details=reading.details, columns=columns))
    _ = trace.numbered  # which all runs need, and which takes memory
    return trace


def digest_of(path: Path) -> str:
    """The SHA-256 of a file. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def bytes_of(trace: Trace) -> int:
    """What a trace takes in memory, but for some KiB."""
    columns: list[object] = [trace.ids, trace.numbered.numbers, *(trace.names or ()), *(trace.comms or ())]
    columns += [trace.times, trace.tasks, trace.processes, trace.writes, trace.sizes, trace.ahead, trace.read]
    return sum(sys.getsizeof(each) for each in columns if isinstance(each, array | bytes))
