"""A metric of the service: what may be named, and servers and files that are hostile."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cpol.runtime.operate.trial import metric
from cpol.runtime.operate.trial.metric import MetricError, parse

Serve = Callable[[Callable[[socket.socket], None]], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Answer each connection by a function; returns the URL."""
    servers: list[socket.socket] = []

    def start(answer: Callable[[socket.socket], None]) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        servers.append(server)

        def run() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    try:
                        connection.recv(65536)
                        answer(connection)
                    except OSError:
                        pass

        threading.Thread(target=run, daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}"

    yield start
    for server in servers:
        server.close()


def text(body: str, status: str = "200 OK", more: str = "") -> Callable[[socket.socket], None]:
    data = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{more}Connection: close\r\n\r\n{body}".encode()
    return lambda connection: connection.sendall(data)


PROMETHEUS = """# TYPE latency_seconds summary
latency_seconds{quantile="0.5",path="/a"} 0.01
latency_seconds{quantile="0.99",path="/a"} 0.2
latency_seconds_count 17
# TYPE up gauge
up 1
"""


def test_numbers_and_samples(serve: Serve, tmp_path: Path) -> None:
    url = serve(text("17.5\n"))
    assert parse(f"m={url}", ()).read() == 17.5
    assert parse(f"m={url}/x?y=1", ()).read() == 17.5
    url = serve(text(PROMETHEUS))
    assert parse(f"m={url}/metrics#up", ()).read() == 1
    assert parse(f'm={url}/metrics#latency_seconds{{quantile="0.99"}}', ()).read() == 0.2
    (tmp_path / "m").write_text(PROMETHEUS)
    assert parse(f"m={tmp_path}/m#latency_seconds_count", ()).read() == 17
    with pytest.raises(MetricError, match="has 2 samples latency_seconds; name one"):
        parse(f"m={url}/metrics#latency_seconds", ()).read()
    with pytest.raises(MetricError, match="has no sample nothing"):
        parse(f"m={url}/metrics#nothing", ()).read()


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("m", "is not NAME=URL"),
        ("M=/x", "a name has small letters"),
        ("before=/x", "is taken"),
        ("and=/x", "is taken"),
        ("hits=/x", "is taken"),
        ("m=x", "neither a URL"),
        ("m=file:///etc/shadow", "begins with http://HOST"),
        ("m=ftp://h/x", "begins with http://HOST"),
        ("m=gopher:x", "begins with http://HOST"),
        ("m=http://", "begins with http://HOST"),
        ("m=http://h:0/", "begins with http://HOST"),
        ("m=http://h:99999/", "is no URL"),
        ("m=http://[::1/", "is no URL"),
        ("m=http://user:pass@h/", "no password"),
        ("m=http://h/a b", "characters that a URL may not have"),
        ("m=http://h/\r\nX: y", "characters that a URL may not have"),
        ("m=/x#", None),
        ("m=/x#a b c", "names no sample"),
        ("m=/x#up{", "names no sample"),
    ],
)
def test_words(word: str, said: str | None) -> None:
    if said is None:
        assert parse(word, ("hits",)).sample == ""
        return
    with pytest.raises(MetricError) as error:
        parse(word, ("hits",))
    assert said in str(error.value)


@pytest.mark.parametrize("body", ["", "nan", "inf", "1 2", "<html>", "1" * 200, "\0", "1e999"])
def test_no_number(serve: Serve, body: str) -> None:
    with pytest.raises(MetricError, match="has something else than a number"):
        parse(f"m={serve(text(body))}", ()).read()


def test_sample_that_is_no_number(serve: Serve) -> None:
    with pytest.raises(MetricError, match="is nan"):
        parse(f"m={serve(text('up NaN' + chr(10)))}#up", ()).read()
    with pytest.raises(MetricError, match="no metrics in Prometheus"):
        parse(f"m={serve(text('{]}' * 5 + chr(10)))}#up", ()).read()


def test_counters_by_their_names() -> None:
    assert parse("m=/x#requests_total", ()).is_counter and parse('m=/x#latency_count{a="b"}', ()).is_counter
    assert not parse("m=/x#up", ()).is_counter and not parse("m=/x", ()).is_counter


def test_redirects_are_not_followed(serve: Serve) -> None:
    target = serve(text("1"))
    url = serve(text("", "302 Found", f"Location: {target}\r\n"))
    with pytest.raises(MetricError, match="the server answers 302"):
        parse(f"m={url}", ()).read()


def test_proxies_are_not_used(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert parse(f"m={serve(text('3'))}", ()).read() == 3


@pytest.mark.slow
def test_endless_answers_end(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that never ends, a byte at a time; and headers that do."""
    monkeypatch.setattr(metric, "SECONDS", 0.5)

    def trickle(head: bytes, piece: bytes) -> Callable[[socket.socket], None]:
        def answer(connection: socket.socket) -> None:
            connection.sendall(head)
            while True:
                connection.sendall(piece)
                time.sleep(0.05)

        return answer

    for head, piece in ((b"HTTP/1.1 200 OK\r\n\r\n", b"1"), (b"HTTP/1.1 200 OK\r\nX: ", b"y"), (b"", b"")):
        begun = time.monotonic()
        with pytest.raises(MetricError, match=r"no whole answer within 0\.5 s|timed out"):
            parse(f"m={serve(trickle(head, piece))}", ()).read()
        assert time.monotonic() - begun < 30


def test_large_answers_are_refused(serve: Serve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(metric, "MAX_BYTES", 1000)
    with pytest.raises(MetricError, match="has more than"):
        parse(f"m={serve(text('1' * 2000))}", ()).read()
    (tmp_path / "m").write_text("1" * 2000)
    with pytest.raises(MetricError, match="has more than"):
        parse(f"m={tmp_path}/m", ()).read()


def test_it_asks_by_the_old_protocol() -> None:
    """Servers then have no chunks to answer in. Virtual hosts need the name."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        asked: list[bytes] = []

        def run() -> None:
            connection, _ = server.accept()
            with connection:
                asked.append(connection.recv(65536))
                text("1")(connection)

        threading.Thread(target=run, daemon=True).start()
        host = f"127.0.0.1:{server.getsockname()[1]}"
        assert parse(f"m=http://{host}/x?y", ()).read() == 1
    head = asked[0].decode().split("\r\n")
    assert head[0] == "GET /x?y HTTP/1.0" and head.count(f"Host: {host}") == 1


@pytest.mark.parametrize("size", ["-5", "-1", "5"])
def test_answers_in_chunks_are_refused(serve: Serve, size: str) -> None:
    """They are asked for by HTTP/1.0, which has none. http.client would read a chunk of -1 bytes without a limit."""
    body = f"{size}\r\n17.50\r\n0\r\n\r\n"
    with pytest.raises(MetricError, match=r"the server answers HTTP/1\.0 in chunks"):
        parse(f"m={serve(text(body, '200 OK', 'Transfer-Encoding: chunked' + chr(13) + chr(10)))}", ()).read()


@pytest.mark.parametrize("host", ["a..b", "a" * 64])
def test_names_that_no_host_has(host: str) -> None:
    with pytest.raises(MetricError, match="cannot read http"):
        parse(f"m=http://{host}/", ()).read()


def test_long_lines_are_refused(tmp_path: Path) -> None:
    (tmp_path / "m").write_text('up{a="' + "x" * metric.MAX_LINE + '"} 1\n')
    with pytest.raises(MetricError, match="a line of more than 65,536 characters"):
        parse(f"m={tmp_path}/m#up", ()).read()


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    """Whoever owns the folder must not lead root to another file, nor see what is in it."""
    (tmp_path / "secret").write_text("root:x:0")
    (tmp_path / "link").symlink_to("secret")
    with pytest.raises(MetricError, match="link is a symbolic link"):
        parse(f"m={tmp_path}/link", ()).read()
    with pytest.raises(MetricError, match="null is no regular file"):
        parse("m=/dev/null", ()).read()
    for sample in ("", "#up"):
        with pytest.raises(MetricError) as error:
            parse(f"m={tmp_path}/secret{sample}", ()).read()
        assert "root" not in str(error.value).replace(str(tmp_path), "")


def test_no_server(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(MetricError, match="cannot read http"):
        parse(f"m=http://127.0.0.1:{port}/", ()).read()
    with pytest.raises(MetricError, match="No such file"):
        parse(f"m={tmp_path}/none", ()).read()
    with pytest.raises(MetricError, match="is no regular file"):
        parse(f"m={tmp_path}", ()).read()


def test_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MetricError, match="is no regular file"):
        parse(f"m={tmp_path}/pipe", ()).read()
