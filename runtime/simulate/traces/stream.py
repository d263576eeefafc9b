"""A trace that is read part by part, so that it never is in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from cpol.runtime.simulate.traces import source
from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.faults import RECORD
from cpol.runtime.simulate.traces.formats import FORMATS
from cpol.runtime.simulate.traces.formats.record import Room
from cpol.runtime.simulate.traces.parser import Back, Numbers, Parser
from cpol.runtime.simulate.traces.requests import Names, Requests

PART = 1 << 21
"""The bytes of a part that native code reads."""


class Stream:
    """A sequence of requests that can be read once.

    Args:
        path: the file.
        format: a format with a parser in C: a binary one, or lines of text.
        head: the first bytes.
        pieces: the others.
        pages: whether to cut requests into pages of 4 KiB.
        details: whether to keep times and tasks.
        sizes: whether to keep the bytes of each request.
        given: whether the user named the format. Then a line of text is a key, whatever it has.

    Raises:
        TraceError: an uncompressed binary file does not consist of whole records, or is of no known version.
    """

    names: Names | None = None  # no such format names files
    lost = left = unread = 0
    rooms: tuple[Room, ...] = ()  # only recordings tell

    def __init__(
        self,
        path: Path,
        format: str,
        head: bytes,
        pieces: Iterator[bytes],
        pages: bool,
        details: bool,
        *,
        sizes: bool = False,
        given: bool = False,
    ) -> None:
        self.path = path
        self.format = format
        known = FORMATS[format]
        layout = known.layout(path, head) if known.layout else "lines" if given and format == "text" else format
        before = known.header
        self.records = _records(path, layout, before)
        self.requests = 0  # so far
        self.distinct = 0  # different objects; whoever runs the trace counts them
        self.sized = sizes
        self.deletions = 0  # skipped operations that delete; known at the end
        self.carries = known.carries | (known.paged if pages else frozenset())
        self._parser = Parser(path, layout, pages, details, before=before, sizes=sizes)
        self._pieces = chain((head[before:],), pieces)
        self._before = before
        self._bare = self.records is not None and not (pages or details or sizes)

    @property
    def back(self) -> Back | None:
        """The requests so far whose times go back, if there are any."""
        return self._parser.back

    def parts(self, numbers: Numbers | None = None) -> Iterator[Requests]:
        """The requests, in order. With `numbers`, they have these in place of ids.

        Raises:
            TraceError: the trace is malformed, or has no requests; the message says where and why.
        """
        if self._bare and numbers is not None:
            yield from self._read(numbers)
        else:
            for piece in self._pieces:
                self._parser.feed(piece)
                yield self._take(numbers)
        _, self.deletions = self._parser.finish()
        yield self._take(numbers)
        if not self.requests:
            raise TraceError(
                f"{self.path}: no requests in the trace, read as {self.format}; name another file, or another --format"
            )

    def _read(self, numbers: Numbers) -> Iterator[Requests]:
        """The parts of a file that native code reads. The first is short: the run waits for it."""
        try:
            with self.path.open("rb", buffering=0) as file:
                file.seek(self._before)
                size = source.CHUNK // 4
                while part := self._parser.read(file.fileno(), numbers, size):
                    self.requests += len(part)
                    yield part
                    size = PART
        except OSError as error:
            raise TraceError(f"{self.path}: cannot be read: {error.strerror or error}") from None

    def _take(self, numbers: Numbers | None) -> Requests:
        part = self._parser.take(numbers)
        self.requests += len(part)
        return part


def _records(path: Path, layout: str, before: int) -> int | None:
    """The number of records of an uncompressed binary trace behind so many bytes; None: the end tells it.

    Raises:
        TraceError: there is a part of one.
    """
    size, record = source.plain_size(path), RECORD.get(layout)
    if not record or size is None:
        return None
    size -= before
    if size % record:
        raise TraceError(
            f"{path}: {size:,} bytes{' of records' if before else ''} are not a multiple of {record}, the size of a "
            f"record of {layout.rstrip('12')}: "
            "the trace is cut off, or of another format; fetch it again, or give another --format"
        )
    return size // record
