"""`cpolc lsp` ends by a signal, while its reader waits for the editor."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGINT))
def test_a_signal_ends_it(number: signal.Signals) -> None:
    program = Path(sys.executable).with_name("cpolc")
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode()
    server = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert server.stdin and server.stdout
        server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        server.stdin.flush()
        assert server.stdout.readline().startswith(b"Content-Length: ")
        server.send_signal(number)
        assert server.wait(60) == 128 + number
    finally:
        server.kill()
        server.communicate()
