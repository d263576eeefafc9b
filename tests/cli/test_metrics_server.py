"""`cpolc metrics --listen`: what clients get, also hostile ones."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from prometheus_client.openmetrics import exposition as strict_exposition

from cpol.runtime.operate.watch import families, serve

SERVE = """
import sys
from pathlib import Path
from cpol.runtime.operate import loader
fake = Path(sys.argv.pop(1))
loader.find = lambda: fake
from cpol.runtime.operate.watch import serve
serve.SECONDS = 1.5
from cpol.cli.main import main
main()
"""


OPENMETRICS = strict_exposition.CONTENT_TYPE_LATEST.rpartition(";")[0]


class Served:
    """A server in a child process."""

    def __init__(self, fake: Path, address: str) -> None:
        command = [sys.executable, "-c", SERVE, str(fake / "loader"), "metrics", "--listen", address]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        assert self.process.stderr is not None
        said = self.process.stderr.readline()
        assert said.startswith("serving "), said
        self.where = said.removeprefix("serving ").strip()
        self.log = ""
        """What it wrote after that, once it has ended."""

    @property
    def port(self) -> int:
        return int(self.where.rsplit(":", 1)[1].split("/")[0])

    def get(self, path: str = "/metrics", method: str = "GET", accept: str = OPENMETRICS) -> tuple[int, bytes, str]:
        """Return status, body and content type."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)) as connection:
            connection.request(method, path, headers={"Accept": accept})
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers["Content-Type"]

    def open(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def say(self, data: bytes) -> bytes:
        """Send `data` only, and return the response until the server closes."""
        with self.open() as client:
            client.sendall(data)
            return everything(client)

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(10)
        assert self.process.stderr is not None
        with self.process.stderr as stderr:
            self.log = stderr.read()
        assert "Traceback" not in self.log
        return status


def everything(client: socket.socket) -> bytes:
    parts = []
    try:
        while part := client.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


@pytest.fixture
def served(fake_loader: Path) -> Iterator[Served]:
    server = Served(fake_loader, "0")
    yield server
    if server.process.poll() is None:
        assert server.end() == 0


def test_server_listens_on_this_machine_only(served: Served) -> None:
    assert served.where.startswith("http://127.0.0.1:")
    status, body, content_type = served.get()
    assert status == 200 and re.search(rb"^cpol_hits_total\{.*} 900(\.0)?$", body, re.MULTILINE), body
    assert content_type.startswith(strict_exposition.CONTENT_TYPE_LATEST)
    assert served.get("/metrics?x=1")[0] == 200


def test_server_negotiates_the_content_type(served: Served) -> None:
    status, body, content_type = served.get(accept="text/plain")
    assert (status, content_type.split(";")[0]) == (200, "text/plain")
    assert b"cpol_hits_total{" in body and b"# EOF" not in body


def test_wrong_versions_in_accept_are_refused(served: Served) -> None:
    """prometheus_client raises what comparing them raises."""
    wrong = ("application/openmetrics-text; version=abc", "text/plain; version=x.y.z", "text/plain;version=1.\x1b")
    for accept in wrong:
        status, body, _ = served.get(accept=accept)
        assert status == 400 and b"a version that is no number" in body, accept
    assert served.get(accept="text/plain; version=0.0.4")[0] == 200
    assert served.end() == 0
    assert len(served.log.splitlines()) == len(wrong) and "\x1b" not in served.log, served.log


def test_server_refuses_other_paths_and_methods(served: Served) -> None:
    for path in ("/", "/metrics/", "/../etc/passwd", "/metrics/../x", "/%6detrics"):
        assert served.get(path)[0] == 404, path
    for method in ("HEAD", "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get"):
        assert served.get(method=method)[0] == 501, method


@pytest.mark.parametrize(
    "data",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /metrics HTTP/2\r\n\r\n",
        b"\0\0\0\r\n\r\n",
        bytes(range(256)) + b"\r\n\r\n",
        b"GET /metrics HTTP/1.1 x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_malformed_requests(served: Served, data: bytes) -> None:
    said = served.say(data)
    assert b" 200 " not in said and b"cpol_" not in said
    assert served.get()[0] == 200


def test_endless_headers_are_refused(served: Served) -> None:
    said = served.say(b"GET /metrics HTTP/1.1\r\n" + b"x: y\r\n" * 100_000)
    assert said == b"" or said.startswith(b"HTTP/1.0 431 ")
    assert served.say(b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.0 414 ")
    assert served.get()[0] == 200


@pytest.mark.slow
def test_slow_clients_are_disconnected(served: Served) -> None:
    with served.open() as silent, served.open() as slow:
        begun = time.monotonic()
        try:
            for byte in b"GET /metrics HTTP/1.1\r\nHost: slow and slower\r\n" * 10:
                slow.sendall(bytes([byte]))
                time.sleep(0.1)
            raise AssertionError("it may go on for ever")
        except OSError:
            assert time.monotonic() - begun < 10
        assert everything(silent) == b""
    assert served.get()[0] == 200


@pytest.mark.long
def test_limit_of_connections(served: Served) -> None:
    held = [served.open() for _ in range(serve.CONNECTIONS + 20)]
    time.sleep(0.3)
    turned_away = 0
    for client in held:
        client.setblocking(False)
        try:
            turned_away += client.recv(1) == b""
        except BlockingIOError:
            pass
        except ConnectionResetError:
            turned_away += 1
    assert turned_away == 20
    time.sleep(2)  # the other connections time out
    assert served.get()[0] == 200
    for client in held:
        client.close()


@pytest.mark.slow
def test_loader_is_not_run_for_each_request(served: Served, fake_loader: Path) -> None:
    begun = time.monotonic()
    for _ in range(50):
        assert served.get()[0] == 200
    asked = len((fake_loader / "asked").read_text().splitlines())
    assert asked <= 2 + (time.monotonic() - begun) / families.FRESH_SECONDS


@pytest.mark.slow
def test_failed_statistics_are_503_until_they_work(served: Served, fake_loader: Path) -> None:
    (fake_loader / "says").write_text("nonsense")
    status, body, _ = served.get()
    assert status == 503 and b"there are no statistics now" in body
    (fake_loader / "says").write_text("[]")
    time.sleep(families.FRESH_SECONDS)
    assert served.get()[0] == 200


@pytest.mark.slow
def test_failed_statistics_are_read_and_logged_once_a_second(served: Served, fake_loader: Path) -> None:
    (fake_loader / "says").write_text("nonsense")
    begun = time.monotonic()
    for _ in range(50):
        assert served.get()[0] == 503
    asked = len((fake_loader / "asked").read_text().splitlines())
    assert asked <= 2 + (time.monotonic() - begun) / families.FRESH_SECONDS
    assert served.end() == 0
    assert served.log.count("statistics are malformed") == len(served.log.splitlines()) == asked, served.log


def test_unix_socket(fake_loader: Path) -> None:
    path = fake_loader / "socket"
    server = Served(fake_loader, f"unix:{path}")
    assert stat.S_IMODE(path.stat().st_mode) == 0o660
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        assert b"cpol_hits_total{" in everything(client)
    with pytest.raises(serve.AddressError, match="somebody listens"):
        serve.bind(f"unix:{path}")
    assert server.end() == 0 and not path.exists()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    serve.bind(f"unix:{path}").close()
    path.unlink()
    path.write_text("precious")
    with pytest.raises(serve.AddressError, match="no socket: it is left alone"):
        serve.bind(f"unix:{path}")
    assert path.read_text() == "precious"


def test_unix_socket_of_a_server_that_accepts_nobody(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as busy, ExitStack() as stack:
        busy.bind(str(path))
        busy.listen(0)
        status = 0
        while status == 0:  # until no more may wait there
            client = stack.enter_context(closing(socket.socket(socket.AF_UNIX)))
            client.setblocking(False)
            status = client.connect_ex(str(path))
        command = [sys.executable, "-m", "cpol.cli.main", "metrics", "--listen", f"unix:{path}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
        assert done.returncode == 1 and f"somebody listens at {path} already" in done.stderr, done.stderr
        assert path.exists()


@pytest.mark.parametrize(
    "address", ["", "x", "1:2:x", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "unix:/no/such/x"]
)
def test_invalid_addresses(address: str) -> None:
    with pytest.raises(serve.AddressError):
        serve.bind(address)


@pytest.mark.parametrize("address", ["[::1:0", "::1]:0", "[127.0.0.1:0", "]:0", "[:0", "[[::1]]:0"])
def test_brackets_come_in_pairs(address: str) -> None:
    with pytest.raises(serve.AddressError, match=r"is no address: write .* or \[IPV6\]:PORT"):
        serve.bind(address)


def test_the_address_is_shown_as_a_url() -> None:
    assert serve.shown(("::1", 80, 0, 0)) == "http://[::1]:80/metrics"
    assert serve.shown(("127.0.0.1", 80)) == "http://127.0.0.1:80/metrics"
    assert serve.shown("/run/x") == "unix:/run/x"


@pytest.mark.parametrize("address", ["9" * 5000, "é..x:80", os.fsdecode(b"\xff:80")], ids=["digits", "name", "bytes"])
def test_addresses_that_cannot_be(address: str) -> None:
    with pytest.raises(serve.AddressError, match="is no address: write unix:PATH, PORT, HOST:PORT or") as error:
        serve.bind(address)
    assert len(str(error.value)) < 300


def test_address_in_use() -> None:
    with closing(serve.bind("0")) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(serve.AddressError, match="in use"):
            serve.bind(str(port))
