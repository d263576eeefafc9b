"""The entries that the loader writes to the journal: fields, digest, hostile names, sockets that are not there."""

from __future__ import annotations

import hashlib
import os
import random
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from loader_types import Build


@pytest.fixture(scope="module")
def program(build: Build) -> Path:
    return build("note_audit")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
        made.bind(str(tmp_path / "socket"))
        made.settimeout(10)
        yield made


def note(program: Path, journal: Path, syslog: Path, *words: str | bytes) -> str:
    done = subprocess.run([program, journal, syslog, *words], capture_output=True, text=True, check=True, timeout=30)
    return done.stderr


def fields(data: bytes) -> dict[str, bytes]:
    """Read journald's native protocol (https://systemd.io/JOURNAL_NATIVE_PROTOCOL)."""
    found: dict[str, bytes] = {}
    while data:
        line, _, rest = data.partition(b"\n")
        name, equals, value = line.partition(b"=")
        if equals:
            data = rest
        else:
            (length,) = struct.unpack_from("<Q", rest)
            value, data = rest[8 : 8 + length], rest[8 + length :].removeprefix(b"\n")
        assert name.decode() not in found
        found[name.decode()] = value
    return found


def test_entry_of_journald(program: Path, server: socket.socket, tmp_path: Path) -> None:
    (tmp_path / "lru.bpf.o").write_bytes(b"an object")
    note(program, tmp_path / "socket", tmp_path / "none", "lru", "/sys/fs/cgroup/a", str(tmp_path / "lru.bpf.o"))
    entry = fields(server.recv(1 << 16))
    digest = hashlib.sha256(b"an object").hexdigest()
    assert entry["CPOL_OBJECT_SHA256"].decode() == digest
    expected = {
        "CPOL_ACTION": "attach", "CPOL_RESULT": "done", "CPOL_POLICY": "lru", "CPOL_CGROUP": "/sys/fs/cgroup/a",
        "CPOL_CGROUP_ID": "7", "CPOL_UID": str(os.getuid()), "PRIORITY": "5", "SYSLOG_FACILITY": "10",
    }  # fmt: skip
    assert {key: entry[key].decode() for key in expected} == expected and "CPOL_REASON" not in entry
    assert entry["MESSAGE"].decode().startswith(f"attach lru on /sys/fs/cgroup/a by uid {os.getuid()}")
    assert entry["MESSAGE"].decode().endswith(f": done; object sha256:{digest}")
    login = Path("/proc/self/loginuid").read_text() if Path("/proc/self/loginuid").exists() else ""
    assert entry.get("CPOL_LOGINUID", b"").decode() == ("" if login == str(2**32 - 1) else login)


def test_failure_is_noted_with_its_reason(program: Path, server: socket.socket, tmp_path: Path) -> None:
    (tmp_path / "o").write_bytes(b"")
    note(program, tmp_path / "socket", tmp_path / "none", "lru", "/a", str(tmp_path / "o"), "refused by\nthe verifier")
    entry = fields(server.recv(1 << 16))
    assert entry["CPOL_RESULT"] == b"failed" and entry["CPOL_REASON"] == b"refused by\nthe verifier"
    assert rb"failed: refused by\x0athe verifier" in entry["MESSAGE"] and entry["PRIORITY"] == b"4"


def test_names_cannot_forge_a_field(program: Path, server: socket.socket, tmp_path: Path) -> None:
    (tmp_path / "o").write_bytes(b"")
    name = b"/a\nCPOL_RESULT=done\nCPOL_UID=0\n\xff"
    note(program, tmp_path / "socket", tmp_path / "none", "lru", name, str(tmp_path / "o"), "no")
    entry = fields(server.recv(1 << 16))
    assert entry["CPOL_CGROUP"] == name and entry["CPOL_RESULT"] == b"failed"
    assert rb"/a\x0aCPOL_RESULT=done" in entry["MESSAGE"]


def test_syslog_where_journald_is_not(program: Path, server: socket.socket, tmp_path: Path) -> None:
    (tmp_path / "o").write_bytes(b"")
    note(program, tmp_path / "none", tmp_path / "socket", "lru", "/a\n<0>kernel: x", str(tmp_path / "o"))
    said = server.recv(1 << 16).decode()
    assert said.startswith("<85>cpol-loader[") and r": attach lru on /a\x0a<0>kernel: x by uid " in said


def test_missing_sockets_are_no_error(program: Path, tmp_path: Path) -> None:
    (tmp_path / "o").write_bytes(b"")
    assert note(program, tmp_path / "none", tmp_path / "none", "lru", "/a", str(tmp_path / "o")) == ""


def test_full_socket_is_not_waited_for(program: Path, server: socket.socket, tmp_path: Path) -> None:
    (tmp_path / "o").write_bytes(b"")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as other:
        with pytest.raises(BlockingIOError):
            while True:
                other.sendto(b"x", str(tmp_path / "socket"))
        note(program, tmp_path / "socket", tmp_path / "socket", "lru", "/a", str(tmp_path / "o"))


@pytest.mark.slow
def test_digest_of_any_length(program: Path, server: socket.socket, tmp_path: Path) -> None:
    source, path = random.Random(7), tmp_path / "o"
    for size in (0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 4097, *(source.randrange(10**5) for _ in range(8))):
        data = source.randbytes(size)
        path.write_bytes(data)
        note(program, tmp_path / "socket", tmp_path / "none", "lru", "/a", str(path))
        assert fields(server.recv(1 << 16))["CPOL_OBJECT_SHA256"].decode() == hashlib.sha256(data).hexdigest(), size
