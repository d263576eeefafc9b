"""A debugger for tests: it starts `cpolc dap`, and speaks the Debug Adapter Protocol with it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Message = dict[str, Any]


class Refused(Exception):
    """The adapter refused a request."""


class Debugger:
    """Sends requests, and keeps the events that come meanwhile."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.number = 0
        self.events: list[Message] = []

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self) -> Message:
        """The next message, whose header must be as the protocol says."""
        out = self.process.stdout
        assert out is not None
        header = out.readline()
        name, _, length = header.partition(b": ")
        assert name == b"Content-Length" and out.readline() == b"\r\n", header
        message: Message = json.loads(out.read(int(length)))
        return message

    def request(self, command: str, **arguments: Any) -> Message:
        """The body of the response.

        Raises:
            Refused: the request failed.
        """
        self.ask(command, **arguments)
        answer = self.answer()
        assert answer["type"] == "response" and answer["request_seq"] == self.number and answer["command"] == command
        if not answer["success"]:
            raise Refused(answer["message"])
        body: Message = answer["body"]
        return body

    def ask(self, command: str, **arguments: Any) -> None:
        """Send a request, and wait for nothing."""
        self.number += 1
        message = {"seq": self.number, "type": "request", "command": command, "arguments": arguments}
        data = json.dumps(message).encode()
        self.send(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))

    def answer(self) -> Message:
        """The next response."""
        while (answer := self.read())["type"] == "event":
            self.events.append(answer)
        return answer

    def wait(self, event: str) -> Message:
        """The body of the next event of this name."""
        while True:
            for number, known in enumerate(self.events):
                if known["event"] == event:
                    del self.events[: number + 1]
                    body: Message = known["body"]
                    return body
            message = self.read()
            assert message["type"] == "event", message
            self.events.append(message)

    def go(self, command: str) -> str:
        """Go somewhere. Returns why it stopped, and at which event."""
        self.request(command, threadId=1)
        body = self.wait("stopped")
        return f"{body['reason']}: {self.frame()['name']}"

    def frame(self) -> Message:
        frame: Message = self.request("stackTrace", threadId=1)["stackFrames"][0]
        return frame

    def scope(self, name: str) -> dict[str, Message]:
        """The variables of a scope by name."""
        scopes = self.request("scopes", frameId=self.frame()["id"])["scopes"]
        return self.parts(next(scope for scope in scopes if scope["name"] == name))

    def parts(self, variable: Message) -> dict[str, Message]:
        found = self.request("variables", variablesReference=variable["variablesReference"])["variables"]
        return {part["name"]: part for part in found}

    def watch(self, text: str) -> str:
        result: str = self.request("evaluate", expression=text, frameId=1, context="watch")["result"]
        return result


@contextmanager
def debugger() -> Iterator[Debugger]:
    """A debugger whose adapter was initialised. It is ended afterwards."""
    command = (sys.executable, "-m", "cpol.cli.main", "dap")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        made = Debugger(process)
        try:
            capabilities = made.request("initialize", adapterID="cpol", linesStartAt1=True, columnsStartAt1=True)
            assert capabilities["supportsStepBack"] is True
            yield made
        finally:
            process.kill()


def launched(made: Debugger, policy: Path | str, lines: tuple[int, ...] = (), **arguments: Any) -> list[Message]:
    """Launch, set breakpoints, begin. Returns the breakpoints."""
    made.request("launch", policy=str(policy), **arguments)
    made.wait("initialized")
    source = {"path": str(policy)}
    answer = made.request("setBreakpoints", source=source, breakpoints=[{"line": line} for line in lines])
    made.request("configurationDone")
    made.wait("stopped")
    found: list[Message] = answer["breakpoints"]
    return found
