"""Serves metrics over HTTP, with prometheus_client's handler and limits.

The process runs as root and its clients may be hostile. It serves at most `CONNECTIONS` clients at
a time and closes further connections at once. Each connection ends after `SECONDS`. The address
decides who may read.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from socketserver import TCPServer, ThreadingMixIn
from types import FrameType
from typing import Any

from prometheus_client import CollectorRegistry, MetricsHandler
from prometheus_client.exposition import choose_encoder

from cpol.runtime.operate.loader import LoaderError

CONNECTIONS = 32
SECONDS = 5.0
"""Time limit of a connection, for the request and the answer."""
UNIX = "unix:"
HOST = "127.0.0.1"
"""The default host. Other machines can connect only if an address is given."""


class AddressError(Exception):
    """The address is invalid or in use. The message says why."""


class Handler(MetricsHandler):
    """Answers GET of `/metrics`, with one request a connection."""

    server: Server

    def setup(self) -> None:
        super().setup()
        self.deadline = threading.Timer(SECONDS, self.cut_off)
        self.deadline.daemon = True
        self.deadline.start()

    def finish(self) -> None:
        self.deadline.cancel()
        super().finish()

    def cut_off(self) -> None:
        with contextlib.suppress(OSError):  # the connection has ended already
            self.connection.shutdown(socket.SHUT_RDWR)

    def do_GET(self) -> None:
        if self.path.partition("?")[0] != "/metrics":
            self.send_error(404, explain="there is only /metrics")
            return
        accept = self.headers.get("Accept", "")
        try:
            choose_encoder(accept)
        except (TypeError, ValueError):  # it compares versions, which a client may have written in any way
            print(f"cpolc: a client sent a wrong Accept header: {accept[:100]!a}", file=sys.stderr, flush=True)
            self.send_error(400, explain="the Accept header has a version that is no number")
            return
        try:
            super().do_GET()
        except LoaderError as error:
            self.server.log(error)
            self.send_error(503, explain="there are no statistics now")


class Server(ThreadingMixIn, TCPServer):
    """Serves each connection in its own thread, up to CONNECTIONS."""

    daemon_threads = True
    timeout = 0.2
    """Seconds between two checks for the end."""

    def __init__(self, listener: socket.socket, registry: CollectorRegistry) -> None:
        super().__init__(listener.getsockname(), Handler.factory(registry), bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.free = threading.BoundedSemaphore(CONNECTIONS)
        self.logged: LoaderError | None = None
        self.logging = threading.Lock()

    def log(self, error: LoaderError) -> None:
        """Log why a reading of the statistics failed, once for all clients that it failed for."""
        with self.logging:
            if error is not self.logged:
                print(f"cpolc: error: {error}", file=sys.stderr, flush=True)
            self.logged = error

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self.free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # the thread could not be started
            self.free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # the client has closed it, or it timed out
            super().handle_error(request, client_address)


def bind(address: str) -> socket.socket:
    """Listen at `unix:PATH`, `HOST:PORT`, `[IPV6]:PORT` or `PORT`.

    The file of a socket is for its owner and group only. A file left by a dead server is replaced.

    Raises:
        AddressError: the address is invalid or in use.
    """
    try:
        if address.startswith(UNIX):
            return _bind_unix(Path(address.removeprefix(UNIX)))
        host, _, port = address.rpartition(":")
        host = (host[1:-1] if host[:1] == "[" and host[-1:] == "]" else host) or HOST
        is_port = port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 1 << 16
        if not is_port or {"[", "]"} & {*host}:
            raise AddressError(_no_address(address))
        host.encode("idna")  # as bind() does, but before there is a socket
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, int(port)), family=family, backlog=CONNECTIONS)
    except OSError as error:
        raise AddressError(f"cannot listen at {address}: {error.strerror or error}") from None
    except UnicodeError:  # a name that no host can have
        raise AddressError(_no_address(address)) from None


def _no_address(address: str) -> str:
    return f"`{address:.200}` is no address: write unix:PATH, PORT, HOST:PORT or [IPV6]:PORT"


def shown(where: str | tuple[Any, ...]) -> str:
    """The name of a listening socket as `bind` takes it, or the URL where it answers."""
    if isinstance(where, str):
        return f"{UNIX}{where}"
    host, port = where[:2]
    return f"http://[{host}]:{port}/metrics" if ":" in host else f"http://{host}:{port}/metrics"


def _bind_unix(path: Path) -> socket.socket:
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise AddressError(f"{path} is there and no socket: it is left alone; name another path")
        with socket.socket(socket.AF_UNIX) as probe:
            probe.setblocking(False)
            if probe.connect_ex(str(path)) in (0, errno.EAGAIN):  # EAGAIN: as many wait there as may
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


def serve(listener: socket.socket, registry: CollectorRegistry, ready: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM. `ready` is called when clients can connect."""

    over = False

    def end(number: int, frame: FrameType | None) -> None:  # does not raise: a destructor could lose it
        nonlocal over
        over = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    name = listener.getsockname() if listener.family == socket.AF_UNIX else None
    try:
        with Server(listener, registry) as server:
            ready()
            while not over:
                server.handle_request()
    finally:
        if name is not None:
            Path(name).unlink(missing_ok=True)
