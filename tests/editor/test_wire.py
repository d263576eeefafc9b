"""What an editor sends to `cpolc lsp` and `cpolc dap` may be anything: one line each, and no traceback."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cpol.editor import wire
from cpol.editor.lsp.listen import Listener, log_own_faults
from cpol.editor.lsp.server import make

COMMANDS = ("lsp", "dap")

FRAMES = {
    "huge": b"Content-Length: 99999999999999999999999\r\n\r\n{}",
    "over the limit": b"Content-Length: 67108865\r\n\r\n{}",
    "negative": b"Content-Length: -5\r\n\r\n{}",
    "no number": b"Content-Length: x\r\n\r\n{}",
    "missing": b"Content-Type: x\r\n\r\n{}",
    "no header": b"\r\n{}",
    "a long line": b"x" * 9999,
    "random": random.Random(1).randbytes(100_000),
    "half a message": b'Content-Length: 50\r\n\r\n{"seq": 1}',
    "half a header": b"Content-Length: 50\r\n",
    "half a line": b"Content-Le",
}
"""After each of these, nobody can say where the next message begins."""

BODIES = {
    "broken": b"{broken",
    "empty": b"",
    "not UTF-8": b'"\xff\xff\xff\xff"',
    "deep": b"[" * 200_000,
    "a large number": b"9" * 10_000,
    "an array": b"[1]",
}
"""After each of these, the next message can be read."""


def framed(*bodies: bytes | dict[str, Any]) -> bytes:
    given = [body if isinstance(body, bytes) else json.dumps(body).encode() for body in bodies]
    return b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in given)


def call(number: object, method: object, params: object = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def tell(method: object, params: object = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


INITIALIZE = call(0, "initialize", {"capabilities": {}, "processId": None, "rootUri": None})


def messages(data: bytes) -> list[dict[str, Any]]:
    stream = io.BytesIO(data)
    found = []
    while (body := wire.read(stream)) is not None:
        found.append(wire.decode(body))
    return found


def serve(command: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    words = (sys.executable, "-m", "cpol.cli.main", command)
    return subprocess.run(words, input=given, capture_output=True, timeout=120, check=False)


@pytest.mark.parametrize("data", FRAMES.values(), ids=FRAMES)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(wire.WireError) as error:
        wire.read(io.BytesIO(data))
    assert "\n" not in str(error.value) and len(str(error.value)) < 300


def test_the_largest_message_may_come_and_one_more_byte_may_not() -> None:
    head = b"content-length:67108864\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n"
    with pytest.raises(wire.WireError, match="0 of its 67,108,864 bytes"):
        wire.read(io.BytesIO(head))
    with pytest.raises(wire.WireError, match="64 MiB"):
        wire.read(io.BytesIO(head.replace(b"864", b"865")))


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["huge", "random", "half a message"])
def test_what_is_no_message_ends_a_server_with_one_line(command: str, name: str) -> None:
    done = serve(command, FRAMES[name])
    assert done.returncode == 1
    assert done.stderr.startswith(b"cpolc: error: ") and done.stderr.count(b"\n") == 1, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_server_goes_on_after_messages_that_are_none(command: str) -> None:
    after = INITIALIZE if command == "lsp" else {"seq": 1, "type": "request", "command": "initialize"}
    done = serve(command, framed(*BODIES.values(), after))
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert len(lines) == len(BODIES) and all(line.startswith(b"warning: ") for line in lines), done.stderr
    *refused, last = messages(done.stdout)
    if command == "dap":
        assert [answer["event"] for answer in refused] == ["output"] * len(BODIES) and last["success"] is True
    else:
        assert [answer["id"] for answer in refused] == [None] * len(BODIES)
        assert [answer["error"]["code"] for answer in refused] == [-32700] * (len(BODIES) - 1) + [-32600]
        assert last["id"] == 0 and "capabilities" in last["result"]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_streams_that_cannot_be_used_give_one_line(command: str, tmp_path: Path) -> None:
    words = f"{sys.executable} -m cpol.cli.main {command}"
    for redirected in ("<&-", "</dev/null >&-", f"0>{tmp_path / 'write_only'}"):
        done = subprocess.run(("sh", "-c", f"{words} {redirected}"), capture_output=True, timeout=120, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith(b"cpolc: error: ") and done.stderr.count(b"\n") == 1, (redirected, done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(("before", "code"), [((), 1), ((INITIALIZE, call(1, "shutdown")), 0)])
def test_exit_tells_whether_shutdown_came_first(before: Sequence[dict[str, Any]], code: int) -> None:
    """As the protocol wants it. The editor has not closed the pipe."""
    words = (sys.executable, "-m", "cpol.cli.main", "lsp")
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdin is not None and server.stderr is not None
        os.write(server.stdin.fileno(), framed(*before, tell("exit")))
        assert server.wait(120) == code
        assert server.stderr.read() == b""


def taken(*given: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """What a server answers to messages, which all come before it has time for anything else; and what it tells."""
    log_own_faults()
    out, told = io.BytesIO(), list[str]()
    server = make()
    listener = Listener(server, io.BytesIO(), out, told.append, server.wrong_with, iter(()))
    for message in given:
        listener.take(json.dumps(message).encode())
    return messages(out.getvalue()), told


HOVER = {"textDocument": {"uri": "file:///none.cpol"}, "position": {"line": 0, "character": 0}}


def of(uri: str) -> dict[str, Any]:
    return {**HOVER, "textDocument": {"uri": uri}}


REFUSED = {
    "early": ([call(1, "textDocument/hover", HOVER)], 1, -32002),
    "twice": ([INITIALIZE, {**INITIALIZE, "id": 1}], 1, -32600),
    "late": ([INITIALIZE, call(7, "shutdown"), call(1, "textDocument/hover", HOVER)], 1, -32600),
    "unknown": ([INITIALIZE, {"jsonrpc": "2.0", "id": "a", "method": "cpol/none"}], "a", -32601),
    "unknown, of the protocol": ([INITIALIZE, call(1, "textDocument/moniker", HOVER)], 1, -32601),
    "a notification": ([INITIALIZE, call(1, "textDocument/didClose", HOVER)], 1, -32600),
    "a number as its method": ([INITIALIZE, call(1, 5)], 1, -32600),
    "an object as its method": ([INITIALIZE, call(1, {})], 1, -32600),
    "an array as its id": ([INITIALIZE, call([], "shutdown")], None, -32600),
    "null as its id": ([INITIALIZE, call(None, "shutdown")], None, -32600),
    "another version": ([{**INITIALIZE, "jsonrpc": "1.0"}], None, -32600),
    "no params": ([INITIALIZE, {"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover"}], 1, -32602),
    "an array of params": ([INITIALIZE, call(1, "textDocument/hover", [])], 1, -32602),
    "params of a wrong type": ([INITIALIZE, call(1, "textDocument/hover", {**HOVER, "position": "x"})], 1, -32602),
    "a text that is not open": ([INITIALIZE, call(1, "textDocument/hover", HOVER)], 1, -32602),
    "a text of 2 MiB": (
        [
            INITIALIZE,
            tell(
                "textDocument/didOpen",
                {
                    "textDocument": {
                        "uri": "untitled:x",
                        "languageId": "cpol",
                        "version": 1,
                        "text": "x" * (2 << 20),
                    }
                },
            ),
            call(1, "textDocument/foldingRange", {"textDocument": {"uri": "untitled:x"}}),
        ],
        1,
        -32602,
    ),
    "a folder": ([INITIALIZE, call(1, "textDocument/hover", of("file:///"))], 1, -32602),
    "NUL in a path": ([INITIALIZE, call(1, "textDocument/hover", of("file:///a%00b"))], 1, -32602),
    "no address": ([INITIALIZE, call(1, "textDocument/hover", of("file://[x"))], 1, -32602),
    "an unknown command": ([INITIALIZE, call(1, "workspace/executeCommand", {"command": "none"})], 1, -32602),
}
"""Messages of which the last one is refused, with this id and code."""


@pytest.mark.parametrize(("given", "number", "code"), REFUSED.values(), ids=REFUSED)
def test_a_request_that_cannot_be_carried_out_is_answered(
    given: list[dict[str, Any]], number: object, code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    answers, _ = taken(*given)
    assert (answers[-1]["id"], answers[-1]["error"]["code"]) == (number, code)
    assert len(answers[-1]["error"]["message"]) > 10
    assert "Traceback" not in capfd.readouterr().err


WRONG = {
    "early": [tell("textDocument/didClose", HOVER)],
    "no params": [INITIALIZE, tell("textDocument/didOpen")],
    "a request without an id": [INITIALIZE, tell("textDocument/hover", HOVER)],
    "a change of a text that is not open": [
        INITIALIZE,
        tell("textDocument/didChange", {"textDocument": {"uri": "file:///x", "version": 1}, "contentChanges": []}),
    ],
    "a text that is not open is closed": [INITIALIZE, tell("textDocument/didClose", HOVER)],
    "a text without an address is opened": [
        INITIALIZE,
        tell(
            "textDocument/didOpen",
            {"textDocument": {"uri": "file://[x", "languageId": "cpol", "version": 1, "text": ""}},
        ),
    ],
    "a notebook": [INITIALIZE, tell("notebookDocument/didClose", {"notebookDocument": {"uri": "x"}})],
    "after shutdown": [INITIALIZE, call(1, "shutdown"), tell("textDocument/didClose", HOVER)],
}


@pytest.mark.parametrize("given", WRONG.values(), ids=WRONG)
def test_a_wrong_notification_is_told_in_a_line(given: list[dict[str, Any]]) -> None:
    answers, told = taken(*given)
    assert len(answers) == sum("id" in message for message in given)
    assert len(told) == 1 and "\n" not in told[0]


IGNORED = [
    tell("$/none"),
    tell("cpol/none", {}),
    tell("$/cancelRequest", {"id": 12}),
    {"jsonrpc": "2.0", "id": 99, "result": 5},
    {"jsonrpc": "2.0", "id": None, "result": 5},
    {"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "no"}},
]


@pytest.mark.parametrize("given", IGNORED)
def test_what_the_protocol_wants_ignored_is(given: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    answers, told = taken(INITIALIZE, given)
    assert (len(answers), told) == (1, [])
    assert capfd.readouterr().err == ""
