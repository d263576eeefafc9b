"""The requests of an editor: each is read, carried out by the method `on_REQUEST`, and answered."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from cpol.editor import wire
from cpol.editor.dap.arguments import Arguments, RequestFailed
from cpol.errors import UserError
from cpol.runtime.explore.step import StepError
from cpol.runtime.machine.errors import MachineError

AHEAD = 64
"""The messages that are read before the first of them is answered."""


class Requests:
    """Those that come on one stream, and the answers and events on the other one."""

    def __init__(self, given: BinaryIO, out: BinaryIO, tell: Callable[[str], None]) -> None:
        self.given = given
        self.out = out
        self.tell = tell
        self.number = 0
        self.waiting: queue.Queue[wire.Message | Exception | None] = queue.Queue(AHEAD)
        self.over = False
        self.after: Callable[[], None] | None = None
        """What follows the response to the request."""

    def serve(self) -> None:
        """Answer until the editor leaves.

        Raises:
            UserError: what it sends cannot be read.
        """
        threading.Thread(target=self._read, daemon=True).start()
        while not self.over:
            self._take(self.waiting.get())

    def take_waiting(self) -> bool:
        """Answer a message that has come meanwhile. Whether there was one.

        Raises:
            UserError: the session cannot go on.
        """
        try:
            message = self.waiting.get_nowait()
        except queue.Empty:
            return False
        self._take(message)
        return True

    def _read(self) -> None:
        """Read in a thread of its own, which may wait for the editor when all else has ended."""
        try:
            while (data := wire.read(self.given)) is not None:
                self.waiting.put(self._message(data))
            self.waiting.put(None)
        except (wire.WireError, OSError, ValueError) as error:
            self.waiting.put(error)

    @staticmethod
    def _message(data: bytes) -> wire.Message | wire.NoMessage:
        try:
            message = wire.decode(data)
        except wire.NoMessage as error:
            return error
        return message if isinstance(message, dict) else wire.NoMessage("a message is an object")

    def _take(self, message: wire.Message | Exception | None) -> None:
        """Answer a message, tell what is wrong with it, or end.

        Raises:
            UserError: the session cannot go on.
        """
        if isinstance(message, dict):
            self.answer(message)
            return
        if message is None:
            self.over = True
            return
        why = message.strerror if isinstance(message, OSError) else str(message)
        self.event("output", category="stderr", output=f"{why}\n")
        if not isinstance(message, wire.NoMessage):
            raise UserError(f"the editor's messages: {why}")
        self.tell(str(message))

    def _send(self, message: wire.Message) -> None:
        self.number += 1
        wire.write(self.out, {"seq": self.number, **message})

    def event(self, name: str, **body: Any) -> None:
        self._send({"type": "event", "event": name, "body": body})

    def answer(self, message: wire.Message) -> None:
        """Carry out a request, and send the response."""
        if message.get("type") != "request":
            return
        command = str(message.get("command"))
        head = {"type": "response", "request_seq": message.get("seq", 0), "command": command}
        self.after = None
        try:
            handler = getattr(self, f"on_{command}", None)
            if handler is None:
                raise RequestFailed(f"cpolc dap does not know the request {command!r}")
            body = handler(Arguments(command, message.get("arguments")))
        except (RequestFailed, StepError, UserError, MachineError) as error:
            self._send({**head, "success": False, "message": str(error), "body": {"error": failure(str(error))}})
            return
        self._send({**head, "success": True, "body": body or {}})
        if self.after is not None:
            self.after()


def failure(text: str) -> wire.Message:
    return {"id": 1, "format": "{text}", "variables": {"text": text}, "showUser": True}
