"""A small HTTP server for one read-only page. Its clients may be hostile: what they send, hold and cost is bounded.

A request is a head of at most `HEAD_BYTES`, complete within `HEAD_SECONDS`; an answer has to be taken within
`ANSWER_SECONDS`; then the connection is closed. At most `CONNECTIONS` are served at a time, more are closed at once.
The page is made at most once each `FRESH_SECONDS`, however many ask.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

HEAD_BYTES = 8192
HEAD_SECONDS = 5.0
ANSWER_SECONDS = 10.0
CONNECTIONS = 32
FRESH_SECONDS = 1.0
UNIX = "unix:"
HOST = "127.0.0.1"
"""Where it listens when only a port is given: other machines have no business here unless an address is named."""


class AddressError(Exception):
    """There is no listening there; the message says why."""


class PageError(Exception):
    """The page cannot be made now; the message says why."""


@dataclass
class Page:
    """The page, made anew when it is asked for and not fresh."""

    make: Callable[[], str]
    """Makes it, in a thread. Raises PageError."""
    content_type: str
    made: tuple[float, HTTPStatus, bytes] | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def get(self) -> tuple[HTTPStatus, bytes]:
        """The page as it is now, or why there is none."""
        async with self.lock:
            if self.made is None or time.monotonic() - self.made[0] >= FRESH_SECONDS:
                try:
                    status, body = HTTPStatus.OK, (await asyncio.to_thread(self.make)).encode()
                except PageError as error:
                    print(f"cpolc: error: {error}", file=sys.stderr, flush=True)
                    status, body = HTTPStatus.SERVICE_UNAVAILABLE, b"there are no statistics now\n"
                self.made = (time.monotonic(), status, body)
            return self.made[1], self.made[2]


@dataclass
class Server:
    """Answers GET and HEAD of `/metrics`."""

    page: Page
    path: str = "/metrics"
    connections: int = 0

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from its begin to its end."""
        if self.connections >= CONNECTIONS:
            writer.transport.abort()
            return
        self.connections += 1
        try:
            await self.answer(reader, writer)
        except (OSError, TimeoutError):
            writer.transport.abort()
        finally:
            self.connections -= 1

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read a request and answer it.

        Raises:
            TimeoutError: it did not come, or the answer was not taken, in time.
            OSError: the client has gone.
        """
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_SECONDS)
        except asyncio.LimitOverrunError:
            status, body, bare = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, b"", False
        except asyncio.IncompleteReadError:
            writer.transport.abort()
            return
        else:
            status, body, bare = await self.result(head)
        text = status is HTTPStatus.OK
        fields = {
            "Content-Type": self.page.content_type if text else "text/plain; charset=utf-8",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        }
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            fields["Allow"] = "GET, HEAD"
        lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in fields.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode() + (b"" if bare else body))
        writer.close()
        await asyncio.wait_for(writer.wait_closed(), ANSWER_SECONDS)

    async def result(self, head: bytes) -> tuple[HTTPStatus, bytes, bool]:
        """Status and body of a request, and whether it wants no body."""
        words = head.split(b"\r\n", 1)[0].split(b" ")
        if len(words) != 3 or words[2] not in (b"HTTP/1.0", b"HTTP/1.1"):
            return HTTPStatus.BAD_REQUEST, b"this is no HTTP/1 request\n", False
        if words[0] not in (b"GET", b"HEAD"):
            return HTTPStatus.METHOD_NOT_ALLOWED, b"it can only be read\n", False
        if words[1].split(b"?", 1)[0] != self.path.encode():
            return HTTPStatus.NOT_FOUND, f"there is only {self.path}\n".encode(), words[0] == b"HEAD"
        return *(await self.page.get()), words[0] == b"HEAD"


def bind(address: str) -> socket.socket:
    """Listen at `unix:PATH`, `HOST:PORT`, `[IPV6]:PORT` or `PORT`.

    A socket's file is for its owner and group only; one that a dead server left is replaced.

    Raises:
        AddressError: it is no address, or somebody listens there already.
    """
    try:
        if address.startswith(UNIX):
            return _bind_unix(Path(address.removeprefix(UNIX)))
        host, _, port = address.rpartition(":")
        host = host.removeprefix("[").removesuffix("]") or HOST
        if not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
            raise AddressError(f"`{address}` is no address: write unix:PATH, PORT or HOST:PORT")
        family, kind, protocol, _, where = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(where)
            listener.listen(CONNECTIONS)
        except BaseException:
            listener.close()
            raise
        return listener
    except OSError as error:
        raise AddressError(f"cannot listen at {address}: {error.strerror or error}") from None


def _bind_unix(path: Path) -> socket.socket:
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise AddressError(f"{path} is there and no socket: it is left alone; name another path")
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(str(path)) == 0:
                raise AddressError(f"somebody listens at {path} already")
        path.unlink()
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o117)
    try:
        listener.bind(str(path))
        listener.listen(CONNECTIONS)
    except BaseException:
        listener.close()
        raise
    finally:
        os.umask(before)
    return listener


async def serve(listener: socket.socket, page: Page, ready: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM; `ready` is called when clients can connect."""
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, over.set)
    name = listener.getsockname() if listener.family == socket.AF_UNIX else None
    server = await asyncio.start_server(Server(page).connected, sock=listener, limit=HEAD_BYTES)
    async with server:
        ready()
        await over.wait()
    if name:
        Path(name).unlink(missing_ok=True)
