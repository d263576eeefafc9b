"""How the server listens: what comes is checked, before a handler sees it, and all that asks for an answer gets one.

The protocol's library would leave a request without an answer if its params are of the wrong type, if it comes after
`shutdown`, or if it is no request at all.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO, Final

from cattrs import transform_error
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer

from cpol.editor import wire
from cpol.editor.lsp import garbage

AHEAD: Final = 16
"""The messages that are read before the first of them is answered."""

Tell = Callable[[str], None]
"""Is told what is wrong with a message, in one line."""


class Writer:
    """What pygls writes to. The stream stays open when the editor leaves: it is that of the process."""

    def __init__(self, out: BinaryIO) -> None:
        self.out = out

    def write(self, data: bytes) -> None:
        self.out.write(data)
        self.out.flush()

    def close(self) -> None:
        """Nothing is left to write."""


class OwnFaults(logging.Handler):
    """Of what pygls logs, shows the faults of this server. Those of a client are in the answer to it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.shown = logging.StreamHandler()

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not isinstance(error, JsonRpcException):
            self.shown.emit(record)


def log_own_faults() -> None:
    """Have pygls log nothing else."""
    log = logging.getLogger("pygls")
    log.handlers, log.propagate = [OwnFaults()], False
    log.setLevel(logging.ERROR)


class Listener:
    """Takes the messages of one editor, on two streams.

    Args:
        tell: is told what is wrong with a message.
        wrong: says what is wrong with an address of a text, for a method; empty: nothing.
        idle: is asked for a step whenever the editor wants nothing.
    """

    def __init__(
        self,
        server: LanguageServer,
        given: BinaryIO,
        out: BinaryIO,
        tell: Tell,
        wrong: Callable[[str, str], str],
        idle: Iterator[None],
    ) -> None:
        self.server = server
        self.protocol = server.protocol
        self.given = given
        self.out = out
        self.tell = tell
        self.wrong = wrong
        self.idle = idle
        self.initialized = False
        self.ending = False
        self.room = threading.Semaphore(AHEAD)
        self.protocol.set_writer(Writer(out))

    async def listen(self) -> None:
        """Answer until the editor leaves.

        Raises:
            WireError: what comes is no message.
            OSError: the editor cannot be read.
            SystemExit: the editor ended the server; the code is that of the protocol.
        """
        waiting = asyncio.Queue[bytes | Exception | None]()
        threading.Thread(target=self._read, args=(asyncio.get_running_loop(), waiting), daemon=True).start()
        while (data := await self._next(waiting)) is not None:
            if isinstance(data, Exception):
                raise data
            self.take(data)
            self.room.release()
            await asyncio.sleep(0)  # for what waits for a time
            garbage.settle(waiting.empty())

    async def _next(self, waiting: asyncio.Queue[bytes | Exception | None]) -> bytes | Exception | None:
        """What comes next. Until it comes, steps of `idle` are done, once the editor has begun."""
        while self.initialized and waiting.empty() and self._step():
            garbage.settle(waiting.empty())
            await asyncio.sleep(0)  # for what came meanwhile
        return await waiting.get()

    def _step(self) -> bool:
        """Do a step of `idle`; False if there was none. A fault in one ends them, not the server."""
        try:
            return next(self.idle, self) is not self
        except Exception:
            logging.getLogger("pygls").exception("a fault of cpolc lsp, while idle")
            self.idle = iter(())
            return False

    def _read(self, loop: asyncio.AbstractEventLoop, waiting: asyncio.Queue[bytes | Exception | None]) -> None:
        """Read in a thread of its own, which may wait for the editor when all else has ended."""
        data: bytes | Exception | None = b""
        while isinstance(data, bytes):
            try:
                data = wire.read(self.given)
            except (wire.WireError, OSError) as error:
                data = error
            self.room.acquire()
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(waiting.put_nowait, data)

    def take(self, data: bytes) -> None:
        """Have a message handled, or refuse it."""
        try:
            message = wire.decode(data)
        except wire.NoMessage as error:
            self.refuse(None, JsonRpcParseError(str(error)))
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self.refuse(None, JsonRpcInvalidRequest('a message is an object with "jsonrpc": "2.0"'))
            return
        number = message.get("id")
        if "id" in message and (isinstance(number, bool) or not isinstance(number, int | str)):
            if "method" in message:
                self.refuse(None, JsonRpcInvalidRequest("the id of a request is a number or a string"))
            return  # an answer to what nobody asked
        try:
            if "method" in message:
                self._check(message["method"], "id" in message)
            structured = self._structured(message)
            self._check_text(message, structured)
            self.protocol.handle_message(structured)
        except JsonRpcException as error:
            if "id" in message and "method" in message:
                self.refuse(number, error)
            else:
                self.tell(error.message)
            return
        self.initialized |= getattr(self.protocol, "server_capabilities", None) is not None
        self.ending |= message.get("method") == types.SHUTDOWN and self.initialized

    def _check(self, method: object, request: bool) -> None:
        """Whether a method is known, and may be called now.

        Raises:
            JsonRpcException: it cannot; the message says why.
        """
        if not isinstance(method, str):
            raise JsonRpcInvalidRequest("the method of a message is a string")
        if method == types.EXIT and not request:
            return
        if self.ending:
            raise JsonRpcInvalidRequest(f"{method!r} comes after `shutdown`; only `exit` may follow it")
        if not self.initialized and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized(f"{method!r} comes before `initialize`, which is the first request")
        if method.startswith("notebookDocument/"):
            raise JsonRpcInvalidRequest(f"cpolc lsp serves no notebooks, so it does not want {method!r}")
        if self.initialized and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("`initialize` comes twice")
        if request and method not in self.protocol.fm.features and method not in self.protocol.fm.builtin_features:
            raise JsonRpcMethodNotFound(f"cpolc lsp does not know the request {method!r}")
        kind = self.protocol.get_message_type(method)
        if request and kind is not None and not hasattr(kind, "id"):
            raise JsonRpcInvalidRequest(f"{method!r} is a notification, and has no id")

    def _check_text(self, message: dict[str, Any], structured: Any) -> None:
        """Whether there is the text that a message is about.

        Raises:
            JsonRpcException: there is none; the message says why.
        """
        text = getattr(getattr(structured, "params", None), "text_document", None)
        uri = getattr(text, "uri", None)
        if uri is not None and (what := self.wrong(message["method"], uri)):
            raise JsonRpcInvalidParams(f"{message['method']!r}: {what}")

    def _structured(self, message: dict[str, Any]) -> Any:
        """A message as pygls has it.

        Raises:
            JsonRpcException: a part of it is missing, or of the wrong type.
        """
        method = message.get("method")
        if method is not None and self.protocol.get_message_type(method) is None:
            message = {"params": None, **message}  # which JSON-RPC lets a message leave out
        try:
            return self.protocol.structure_message(message)
        except JsonRpcException as error:
            if error.__cause__ is None:
                raise
            what = "; ".join(transform_error(error.__cause__, "message", format_exception=_why)[:3])
            raise JsonRpcInvalidParams(f"{method or 'an answer'!r}: {what}") from None

    def refuse(self, number: int | str | None, error: JsonRpcException) -> None:
        """Answer with an error, and tell it."""
        self.tell(error.message)
        answer = {"code": error.code, "message": error.message}
        wire.write(self.out, {"jsonrpc": "2.0", "id": number, "error": answer})


def _why(error: BaseException, kind: type | None) -> str:
    """What is wrong with a part of a message."""
    if isinstance(error, KeyError):
        return "it is missing"
    wanted = getattr(kind, "__name__", "")
    return f"it is not of type {wanted}" if wanted else str(error)


def serve(listener: Listener) -> None:
    """Serve an editor until it leaves; see Listener.listen for what it raises."""
    log_own_faults()
    asyncio.run(listener.listen())
