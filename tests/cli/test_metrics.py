"""`cpolc metrics`: its output through parsers and promtool's rules, and its server under hostile clients."""

from __future__ import annotations

import http.client
import json
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
from typing import Any

import pytest
from click.testing import CliRunner
from prometheus_client import parser
from prometheus_client.openmetrics import exposition as strict_exposition
from prometheus_client.openmetrics import parser as strict_parser

import cpol
from cpol.cli import metric_families, prefetch_families, serve
from cpol.cli.main import cli
from cpol.compiler.contract import PREFETCH_STATISTICS, STATISTICS
from cpol.runtime import loader
from cpol.runtime.loader.statistics import End, Statistics, parse, read

ENTRY: dict[str, Any] = {
    "path": "/sys/fs/cgroup/web", "cgroup": 4711, "name": "s3fifo", "state": "attached", "added": 10,
    "accessed": 1 << 63, "hits": 900, "misses": 100, "requests": 5, "evicted": 7, "refused_dirty": 1,
    "refused_busy": 2, "prog_ns": 1_500_000_000, "owned": 3, "lists": [1, 2], "memory": 4096, "ticks": None,
    "of_the_future": 9, "list_names": ["small", "main"],
}  # fmt: skip


def text(policies: list[Statistics]) -> str:
    return metric_families.text(lambda: policies)


BUILD = ("cpol_build_info", frozenset({"version": "1.2.3", "language": "0.1", "module": ""}.items()))


@pytest.fixture(autouse=True)
def versions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What `cpol_build_info` tells."""
    monkeypatch.setattr(cpol, "__version__", "1.2.3")
    monkeypatch.setattr(cpol, "LANGUAGE_VERSION", "0.1")
    monkeypatch.setattr(metric_families, "MODULE_VERSION", tmp_path / "version")


def samples(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Return all samples by name and labels. OpenMetrics goes through its own parser, which is strict."""
    found = {}
    reader = strict_parser if text.endswith("# EOF\n") else parser
    for family in reader.text_string_to_metric_families(text):
        assert family.documentation, family.name
        for sample in family.samples:
            found[sample.name, frozenset(sample.labels.items())] = sample.value
    return found


def labels(**more: str) -> frozenset[tuple[str, str]]:
    return frozenset({"cgroup": "/sys/fs/cgroup/web", "id": "4711", "policy": "s3fifo", **more}.items())


def of_kind(**more: str) -> frozenset[tuple[str, str]]:
    """Labels of a family for both kinds of policies."""
    return labels(**{"kind": "evict", **more})


def test_every_statistic_is_exported() -> None:
    found = samples(text([parse(ENTRY)]))
    assert found == {
        BUILD: 1,
        ("cpol_policy_info", of_kind(state="attached")): 1,
        ("cpol_folio_events_total", labels(event="added")): 10,
        ("cpol_folio_events_total", labels(event="accessed")): 1 << 63,
        ("cpol_hits_total", labels()): 900,
        ("cpol_misses_total", labels()): 100,
        ("cpol_requests_total", labels()): 5,
        ("cpol_evicted_pages_total", labels()): 7,
        ("cpol_refused_pages_total", labels(reason="dirty")): 1,
        ("cpol_refused_pages_total", labels(reason="busy")): 2,
        ("cpol_program_seconds_total", labels()): 1.5,
        ("cpol_owned_pages", labels()): 3,
        ("cpol_memory_bytes", labels()): 4096,
        ("cpol_list_pages", labels(number="0", list="small")): 1,
        ("cpol_list_pages", labels(number="1", list="main")): 2,
        ("cpol_other", of_kind(key="of_the_future")): 9,
    }


def test_overruled_policy_has_its_reason() -> None:
    found = samples(text([parse({**ENTRY, "state": "overruled", "reason": "starves", "offences": 64})]))
    assert found["cpol_policy_info", of_kind(state="overruled", reason="starves")] == 1
    assert found["cpol_offences_total", labels()] == 64


def test_broken_off_policy_stays() -> None:
    broken = {"path": "/sys/fs/cgroup/web", "cgroup": 4711, "name": "s3fifo", "state": "broken off", "list_names": []}
    assert samples(text([parse(broken)])) == {BUILD: 1, ("cpol_policy_info", of_kind(state="broken off")): 1}


ENDED: dict[str, Any] = {
    "path": "/sys/fs/cgroup/web", "cgroup": 4711, "name": "s3fifo", "state": "ended", "exit": "watchdog", "code": 64,
    "message": 'rotates: "64"', "ended_ms": 1000, "more": 5, "held": True, "list_names": [],
}  # fmt: skip


def test_policies_that_ended() -> None:
    """Those that are held appear in the info; of all, the time of the end, once for ends that are alike."""
    gone = {**ENDED, "held": False}
    entries = [ENTRY, {**gone, "ended_ms": 500}, gone, {**gone, "exit": "replaced", "code": 0}, {**ENDED, "cgroup": 9}]
    policies = [parse(entry) for entry in entries]
    assert [one.end is None for one in policies] == [True, False, False, False, False]
    before = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    page = text(policies)
    assert len(page.splitlines()) == len({*page.splitlines()}), "a sample appears twice"
    found = samples(page)
    assert found["cpol_policy_info", of_kind(state="attached")] == 1
    assert found["cpol_policy_info", of_kind(id="9", state="ended", exit="watchdog")] == 1
    assert sum(name == "cpol_policy_info" for name, _ in found) == 2
    ends = {key[1]: value for key, value in found.items() if key[0] == "cpol_policy_exit_timestamp_seconds"}
    why = {"message": 'rotates: "64"', "code": "64", "exit": "watchdog"}
    assert set(ends) == {
        of_kind(**why), of_kind(**{**why, "exit": "replaced", "code": "0"}), of_kind(**{**why, "id": "9"}),
    }  # fmt: skip
    assert abs(ends[of_kind(**why)] - (before + 1)) < 2
    assert found["cpol_other", of_kind(id="9", key="more")] == 5 and found["cpol_hits_total", labels()] == 900
    both = parse({**ENDED, "state": "overruled", "reason": "rotates", "added": 3})
    found = samples(text([both]))
    assert found["cpol_policy_info", of_kind(state="overruled", exit="watchdog", reason="rotates")] == 1
    assert found["cpol_folio_events_total", labels(event="added")] == 3
    assert parse({key: ENDED[key] for key in ("path", "cgroup", "name", "state")}).end == End(
        "unknown", 0, "", 0, False
    )


def everything_counted() -> list[Statistics]:
    numbers = {key: 3 for family in metric_families.FAMILIES for key in family.keys}
    return [Statistics(n, path, "p", "attached", {**numbers, "new": 1}, (4,)) for n, path in enumerate(("/a", "/b"))]


def test_each_counted_statistic_has_a_family() -> None:
    counted = {key for key, unit in STATISTICS.items() if unit} - {"lists"}
    assert counted == metric_families.KNOWN
    counted = {key for key, unit in PREFETCH_STATISTICS.items() if unit} - {"latency"}
    assert counted == prefetch_families.KNOWN


def test_policies_that_prefetch_have_families_of_their_own() -> None:
    numbers = {"faults": 100, "ra_used": 7, "nomem": 1}
    policies = [
        Statistics(4711, "/a", "leap", "attached", numbers, prefetches=True, latency=(0, 4, 36)),
        Statistics(4711, "/a", "lfu", "attached", {"nomem": 5}),
    ]
    found = samples(text(policies))
    assert found["cpol_prefetch_faults_total", labels(cgroup="/a", policy="leap")] == 100
    assert found["cpol_prefetch_used_pages_total", labels(cgroup="/a", policy="leap", of="file")] == 7
    assert found["cpol_nomem_total", labels(cgroup="/a", policy="lfu")] == 5
    buckets = {dict(key[1])["le"]: value for key, value in found.items() if key[0].endswith("fault_seconds_bucket")}
    assert buckets == {"1e-06": 0, "2e-06": 4, "+Inf": 40}


def test_policy_that_evicts_and_prefetches_has_no_sample_twice() -> None:
    """The loader's statistics have it twice, under the same name and cgroup."""
    both = {**ENTRY, "attached_ms": 5, "of_the_future": 9}
    ends = {**ENDED, "held": False}
    entries = [both, {**both, "kind": "prefetch", "lists": []}, ends, {**ends, "kind": "prefetch", "ended_ms": 900}]
    page = text([parse(entry) for entry in entries])
    lines = [line.rpartition(" ")[0] for line in page.splitlines() if not line.startswith("#")]
    assert sorted(lines) == sorted({*lines})
    found = samples(page)
    for kind in ("evict", "prefetch"):
        assert found["cpol_policy_info", of_kind(kind=kind, state="attached")] == 1
        assert found["cpol_other", of_kind(kind=kind, key="of_the_future")] == 9
    for name in ("cpol_policy_attached_timestamp_seconds", "cpol_policy_exit_timestamp_seconds"):
        assert {dict(key[1])["kind"] for key in found if key[0] == name} == {"evict", "prefetch"}


def test_both_formats_have_the_same_samples() -> None:
    policies = [*everything_counted(), parse(ENDED)]
    strict = strict_exposition.generate_latest(metric_families.registry_of(lambda: policies)).decode()
    assert samples(strict) == samples(text(policies)) and len(samples(strict)) > 2 * len(metric_families.FAMILIES)


def test_text_passes_the_rules_of_promtool() -> None:
    """`promtool check metrics` refuses types of OpenMetrics, and complains of names and of missing help."""
    page = text([*everything_counted(), parse(ENDED)])
    comments = [line.split(maxsplit=3) for line in page.splitlines() if line.startswith("#")]
    assert {words[1] for words in comments} == {"HELP", "TYPE"}
    types = {words[2]: words[3] for words in comments if words[1] == "TYPE"}
    assert [words[2] for words in comments if words[1] == "HELP"] == list(types), "each has help, and one"
    for name, type_ in types.items():
        assert type_ in ("counter", "gauge", "untyped") and name.endswith("_total") == (type_ == "counter"), name
        assert re.fullmatch(r"cpol(_[a-z]+)+", name) and not re.search(r"_(count|sum|bucket|counter|gauge)(_|$)", name)
    assert {name for name, _ in samples(page)} == set(types)
    for line in page.splitlines():
        assert line.startswith("#") or re.search(r"\} \S+$", line), "the textfile collector refuses times"


def test_metrics_without_policies() -> None:
    assert samples(text([])) == {BUILD: 1}


def test_versions_of_what_runs(tmp_path: Path) -> None:
    (tmp_path / "version").write_text("9.9\n")
    assert samples(text([])) == {(BUILD[0], frozenset({*BUILD[1]} - {("module", "")} | {("module", "9.9")})): 1}


def test_when_a_policy_was_attached() -> None:
    boot_ms = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
    found = samples(text([parse({**ENTRY, "attached_ms": boot_ms - 90_000})]))
    assert abs(found["cpol_policy_attached_timestamp_seconds", of_kind()] - (time.time() - 90)) < 30
    assert not [key for key in samples(text([parse(ENTRY)])) if "attached" in key[0]], "nobody noted it"


def test_hostile_cgroup_names_in_metrics() -> None:
    names = ['a"b', "a\\b", "a\nb", 'x"} 1\n# EOF\n', "\x1b[2J", "ünï", "\udcff", "a\\", "{", ",", "\r"]
    found = samples(text([Statistics(n, name, "p", "attached", {"hits": n}) for n, name in enumerate(names)]))
    told = {dict(key[1])["id"]: dict(key[1])["cgroup"] for key in found if key[0] == "cpol_hits_total"}
    assert told == {str(n): name.encode(errors="replace").decode() for n, name in enumerate(names)}


@pytest.fixture
def fake_loader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A loader that prints a file and counts its calls."""
    script = tmp_path / "loader"
    (tmp_path / "says").write_text(json.dumps([ENTRY]))
    script.write_text(f'#!/bin/sh\necho x >>{tmp_path}/asked\nexec cat "{tmp_path}/says"\n')
    script.chmod(0o755)
    monkeypatch.setattr(loader, "find", lambda: script)
    return tmp_path


def test_to_standard_output(fake_loader: Path) -> None:
    done = CliRunner().invoke(cli, ["metrics"])
    assert done.exit_code == 0 and samples(done.stdout)["cpol_hits_total", labels()] == 900


@pytest.mark.parametrize("said", ["", "{}", "[1]", "[{}]", '[{"cgroup": "x"}]', "null", '[{"cgroup": 1, "path": 2}]'])
def test_malformed_output_of_the_loader(fake_loader: Path, said: str) -> None:
    (fake_loader / "says").write_text(said)
    if said == "{}":
        assert read() == []
        return
    with pytest.raises(loader.LoaderError, match="statistics are malformed"):
        read()


def test_loader_that_fails_or_hangs(fake_loader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (fake_loader / "loader").write_text("#!/bin/sh\necho 'cpol-loader: error: no permission' >&2; exit 1\n")
    done = CliRunner().invoke(cli, ["metrics"], standalone_mode=False)
    assert str(done.exception) == "no permission"
    (fake_loader / "loader").write_text("#!/bin/sh\nexec sleep 20\n")
    with pytest.raises(loader.LoaderError, match=r"did not end within 0\.2 s"):
        loader.output(["stat"], 0.2)


SERVE = """
import sys
from pathlib import Path
from cpol.runtime import loader
fake = Path(sys.argv.pop(1))
loader.find = lambda: fake
from cpol.cli import serve
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
    assert status == 200 and samples(body.decode())["cpol_hits_total", labels()] == 900
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


def test_loader_is_not_run_for_each_request(served: Served, fake_loader: Path) -> None:
    begun = time.monotonic()
    for _ in range(50):
        assert served.get()[0] == 200
    asked = len((fake_loader / "asked").read_text().splitlines())
    assert asked <= 2 + (time.monotonic() - begun) / metric_families.FRESH_SECONDS


def test_failed_statistics_are_503_until_they_work(served: Served, fake_loader: Path) -> None:
    (fake_loader / "says").write_text("nonsense")
    status, body, _ = served.get()
    assert status == 503 and b"there are no statistics now" in body
    (fake_loader / "says").write_text("[]")
    time.sleep(metric_families.FRESH_SECONDS)
    assert served.get()[0] == 200


def test_failed_statistics_are_read_and_logged_once_a_second(served: Served, fake_loader: Path) -> None:
    (fake_loader / "says").write_text("nonsense")
    begun = time.monotonic()
    for _ in range(50):
        assert served.get()[0] == 503
    asked = len((fake_loader / "asked").read_text().splitlines())
    assert asked <= 2 + (time.monotonic() - begun) / metric_families.FRESH_SECONDS
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
