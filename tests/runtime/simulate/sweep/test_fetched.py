"""Traces by path, glob and URL."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from clusters import environment, put, s3

from cpol.errors import UserError
from cpol.runtime.simulate.sweep import fetched
from cpol.runtime.simulate.sweep.fetched import PREFIX, listed, local, private_folder, shown
from cpol.runtime.simulate.sweep.unit import Found


def names(pattern: str, storage: Mapping[str, Any] | None = None) -> list[str]:
    return [each.name for each in listed(pattern, storage or {})]


def wrong(pattern: str, storage: Mapping[str, Any] | None = None) -> str:
    with pytest.raises(UserError) as error:
        listed(pattern, storage or {})
    return str(error.value)


def read(found: Found, storage: Mapping[str, Any], within: Path | None = None) -> bytes:
    with local(found, storage, within) as path:
        return path.read_bytes()


# --- files


def test_a_path_is_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.txt"
    file.write_text("1\n")
    (found,) = listed(str(file), {})
    assert found == Found(str(file), 2, f"2-{file.stat().st_mtime_ns}-{file.stat().st_ctime_ns}")
    with local(found, {}) as path:
        assert path == file
    assert names(f"file://{file}") == [str(file)]
    monkeypatch.chdir(tmp_path)
    assert names("a.txt") == [str(file)]


def test_a_glob_is_its_files_by_name(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.csv", "deep/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert names(f"{tmp_path}/*") == [str(tmp_path / name) for name in ("a.txt", "b.txt", "c.csv")]
    assert names(f"{tmp_path}/**/*.txt") == [str(tmp_path / name) for name in ("a.txt", "b.txt", "deep/d.txt")]


@pytest.mark.parametrize("name", ["a[1].txt", "?", "*", "s3:", "a::b", " ", "\x1b[31m", "a\nb", "\udcff"])
def test_a_file_with_a_hostile_name_is_found_and_read_as_it_is(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("1\n")
    (tmp_path / "other").touch()
    (found,) = listed(str(tmp_path / name), {})
    assert found.name == str(tmp_path / name)
    with local(found, {}) as path:
        assert path.read_text() == "1\n"


def test_a_path_that_leads_nowhere_says_so(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    assert re.fullmatch(rf"{tmp_path}/no: there is no such file on \S+", wrong(f"{tmp_path}/no"))
    assert wrong(f"{tmp_path}/no*") == f"{tmp_path}/no*: no file matches; correct the glob, or name a file"
    assert wrong(str(tmp_path)) == f"{tmp_path} is a folder; to name the traces in it, write {tmp_path}/*"
    assert wrong(f"{tmp_path}/pipe").startswith(f"{tmp_path}/pipe is no file, and each of its runs may read")
    assert "Too many levels of symbolic links" in wrong(f"{tmp_path}/loop")
    assert wrong("") == "'' names no trace; give a path, a glob or a URL"
    assert wrong("a\0b").startswith("'a\\x00b' names no trace")
    assert wrong("file://etc/passwd").startswith("file://etc/passwd: a URL of a file has an absolute path")


def test_a_file_that_has_changed_is_not_the_one_that_was_found(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("1\n")
    (found,) = listed(str(file), {})
    os.utime(file, (1, 1))  # on each machine, a copy has its own time
    with local(found, {}) as path:
        assert path == file
    file.write_text("1\n2\n")
    with pytest.raises(UserError, match=r"a\.txt: it has 4 bytes on \S+, and 2 where the sweep began; .* --retry$"):
        read(found, {})


def test_a_file_that_changes_and_keeps_its_time_is_another(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("1\n")
    (found,) = listed(str(file), {})
    time.sleep(0.02)
    file.write_text("2\n")
    os.utime(file, ns=(file.stat().st_atime_ns, int(found.stamp.split("-")[1])))
    (now,) = listed(str(file), {})
    assert now.stamp.split("-")[:2] == found.stamp.split("-")[:2] and now != found


def test_a_glob_follows_no_links_to_folders_and_counts_a_file_once(tmp_path: Path) -> None:
    for name in ("a/1.bin", "a/b/2.bin", "a/.hidden/3.bin", "a/[x]/4.bin"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    for name in ("up", "again"):
        (tmp_path / "a" / "b" / name).symlink_to("..")
    (tmp_path / "a" / "c.bin").symlink_to("1.bin")
    (tmp_path / "link").symlink_to("a")
    ours = ["a/1.bin", "a/[x]/4.bin", "a/b/2.bin"]
    assert names(f"{tmp_path}/**/*.bin") == [str(tmp_path / name) for name in ours]
    assert names(f"{tmp_path}/a/**") == names(f"{tmp_path}/**/**") == [str(tmp_path / name) for name in ours]
    assert names(f"{tmp_path}/**/b/**/2.bin") == [str(tmp_path / "a/b/2.bin")]
    assert names(f"{tmp_path}/link/**/2*") == [str(tmp_path / "link/b/2.bin")]
    assert names(f"{tmp_path}/*/1.bin") == [str(tmp_path / "a/1.bin")]


def test_what_a_glob_finds_and_cannot_be_read_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "t.txt").write_text("1\n")
    assert [each[:2] for each in listed(f"{tmp_path}/*", {})] == [
        (str(tmp_path / name), size) for name, size in (("gone", 0), ("loop", 0), ("pipe", 0), ("t.txt", 2))
    ]


# --- URLs


def test_an_object_of_which_a_store_says_nothing_harms_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    from fsspec.implementations.memory import MemoryFileSystem

    store = MemoryFileSystem()
    for name in ("a", "b"):
        store.pipe_file(f"/odd/{name}.txt", b"1\n")
    really = MemoryFileSystem.info

    def info(self: Any, path: str, **options: Any) -> Any:
        if path == "/odd/a.txt":
            raise PermissionError(path)
        return really(self, path, **options)

    matching = store.glob("/odd/*", detail=True)
    monkeypatch.setattr(MemoryFileSystem, "glob", lambda *_, **__: matching)
    monkeypatch.setattr(MemoryFileSystem, "info", info)
    assert [each[:2] for each in listed("memory://odd/*.txt", {})] == [
        ("memory:///odd/a.txt", -1),
        ("memory:///odd/b.txt", 2),
    ]
    store.rm("/odd", recursive=True)


@pytest.mark.parametrize(
    ("url", "storage", "why"),
    [
        ("s3://KEYID:hush@b/x", {}, "s3://b/x: credentials stand in the URL; take them out"),
        ("https://u:hush@h/x*", {}, "https://h/x*: credentials stand in the URL"),
        ("https://h/x?X-Amz-Signature=hush&a=1", {}, "https://h/x?X-Amz-Signature=…&a=1: credentials stand in the URL"),
        ("https://h/x?sig=hush", {}, "https://h/x?sig=…: credentials stand in the URL"),
        *(
            (f"https://h/x?{name}=hush", {}, f"https://h/x?{name}=…: credentials stand in the URL")
            for name in ("pass", "pw", "jwt", "hmac", "code", "Cookie")
        ),
        ("https://h/x#token=hush", {}, "https://h/x#…: what follows # names no object"),
        ("https://u:hush@h/x?a=1#hush", {}, "https://h/x?a=1#…: credentials stand in the URL"),
        ("https://h/x", {"headers": {"Cookie": "hush"}}, "Cookie of its store holds credentials"),
        ("s3://b/x", {"secret": "hush"}, "s3://b/x: the option secret of its store holds credentials"),
        ("s3://b/x", {"key": "hush"}, "the option key of its store"),
        ("s3://b/x", {"client_kwargs": {"aws_secret_access_key": "hush"}}, "client_kwargs.aws_secret_access_key of"),
        ("s3://b/x", {"endpoint_url": "http://u:hush@h"}, "the option endpoint_url of"),
        ("abfs://b/x", {"connection_string": "hush"}, "the option connection_string of"),
        ("simplecache::s3://KEYID:hush@b/x", {}, "simplecache::s3://b/x: credentials stand in the URL"),
        ("zip://a::s3://b/hush", {}, "a URL within a URL cannot be read"),
        ("zz://b/x", {}, "zz://b/x: fsspec knows no store 'zz'"),
        ("s3://", {}, "s3:// names no object; write s3://BUCKET/NAME"),
        ("http://[1/x", {}, "http://[1/x: cannot be opened: Invalid IPv6 URL; correct the URL"),
        ("memory://none/x", {}, "memory://none/x: there is no such object"),
        ("memory://none/x*", {}, "memory://none/x*: no object matches"),
        ("memory://none/\x1b]x", {}, "memory://none/\N{REPLACEMENT CHARACTER}]x: there is no such object"),
    ],
)
def test_a_url_that_is_of_no_use_says_why_and_shows_no_credentials(url: str, storage: dict[str, Any], why: str) -> None:
    said = wrong(url, storage)
    assert why in said
    assert "hush" not in said.replace("s3://b/hush", "") and "KEYID" not in said
    assert said.replace("\N{REPLACEMENT CHARACTER}", "").isprintable()


def test_a_store_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "gcsfs there: pip install gcsfs" in wrong("gs://b/x")
    monkeypatch.setitem(sys.modules, "s3fs", None)
    from fsspec.registry import _registry

    monkeypatch.delitem(_registry, "s3", raising=False)
    assert re.search(r"s3://b/x: a package that reads s3 is missing on \S+; .*pip install s3fs$", wrong("s3://b/x"))
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert wrong("s3://b/x") == "s3://b/x: URLs need the package fsspec: pip install fsspec"


def test_what_a_message_shows_of_a_url() -> None:
    assert shown("https://u:p@h:1/a?token=t&b=2") == "https://h:1/a?token=…&b=2"
    assert shown("/a?token=t") == "/a?token=t"
    assert shown("s3://b/a\x1b@x") == "s3://b/a\N{REPLACEMENT CHARACTER}@x"


@pytest.fixture
def memory() -> Iterator[Any]:
    """A store in this process."""
    import fsspec

    store = fsspec.filesystem("memory")
    store.pipe({"/sweep/a.csv.zst": b"a" * 10, "/sweep/b": b"b" * 10, "/sweep/c": b"c" * 10, "/sweep/[x]?": b"x"})
    yield store
    store.rm("/sweep", recursive=True)


@pytest.mark.usefixtures("memory")
def test_objects_are_found_by_name_and_by_glob() -> None:
    assert names("memory://sweep/?") == ["memory:///sweep/b", "memory:///sweep/c"]
    assert names("memory://sweep/[x]?") == ["memory://sweep/[x]?"]
    assert wrong("memory://sweep") == "memory://sweep is a folder; to name the traces in it, write memory://sweep/*"


@pytest.mark.usefixtures("memory")
def test_a_copy_is_private_keeps_only_its_ending_and_goes(tmp_path: Path) -> None:
    (found,) = listed("memory://sweep/a*", {})
    with local(found, {}, tmp_path) as path, local(found, {}, tmp_path) as other:
        assert path.read_bytes() == other.read_bytes() == b"a" * 10
        assert re.fullmatch(r"[0-9a-f]{32}\.csv\.zst", path.name)
        assert path.parent.parent == tmp_path and path.parent.stat().st_mode & 0o777 == 0o700
        assert path != other
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    "name", ["s3://b/../../etc/passwd", "s3://b/x.\x1b[31m", "s3://b/.", "s3://b/", "s3://b/a.b/c"]
)
def test_a_hostile_name_is_in_no_file_name(name: str) -> None:
    assert re.fullmatch("[0-9a-f]{32}", fetched.copy_name(Found(name, 0, "")))


def test_an_object_that_has_changed_is_not_the_one_that_was_found(memory: Any, tmp_path: Path) -> None:
    (found,) = listed("memory://sweep/b", {})
    read(found, {})
    memory.pipe("/sweep/b", b"other")
    with pytest.raises(UserError, match=r"memory://sweep/b: it is not what the sweep found .*; run the sweep again"):
        read(found, {}, tmp_path)
    assert not [*tmp_path.iterdir()]


def test_a_copy_that_is_cut_short_is_none(memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = listed("memory://sweep/b", {})
    monkeypatch.setattr(type(memory), "get_file", lambda _, __, path: Path(path).write_bytes(b"b"))
    with pytest.raises(UserError, match=r"memory://sweep/b: 1 of 10 bytes came; run the sweep again with --retry$"):
        read(found, {}, tmp_path)
    assert not [*tmp_path.iterdir()]


def gone(path: str) -> None:
    """Somebody tidies up while a store writes a copy."""
    shutil.rmtree(Path(path).parent)
    Path(path).write_bytes(b"b" * 10)


def full(_: str) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(("write", "why"), [(gone, "No such file or directory"), (full, "No space left on device")])
def test_what_is_wrong_with_this_machine_is_not_said_of_the_store(
    memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[str], None], why: str
) -> None:
    (found,) = listed("memory://sweep/b", {})
    monkeypatch.setattr(type(memory), "get_file", lambda _, __, path: write(path))
    with pytest.raises(UserError, match=rf"cannot be copied to {tmp_path} on \S+: {why}; name another folder in TMPD"):
        read(found, {}, tmp_path)


def test_copies_need_room_for_one_at_a_time(memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = listed("memory://sweep/b", {})

    def usage(_: Path) -> SimpleNamespace:
        return SimpleNamespace(free=15 - sum(path.stat().st_size for path in tmp_path.glob("*/*")))

    monkeypatch.setattr(fetched.shutil, "disk_usage", usage)
    for content in (b"1" * 10, b"2" * 10):
        memory.pipe("/sweep/b", content)
        (found,) = listed("memory://sweep/b", {})
        assert read(found, {}, tmp_path) == content
    memory.pipe("/sweep/b", b"3" * 16)
    (found,) = listed("memory://sweep/b", {})
    with pytest.raises(UserError, match=r"b: 16 bytes, but .* has 15 left; name a folder with more room in TMPDIR"):
        read(found, {}, tmp_path)


@pytest.mark.slow
def test_copies_of_a_process_that_was_killed_go_with_the_next_one(tmp_path: Path) -> None:
    script = f"""
import os, signal
from pathlib import Path
from cpol.runtime.simulate.sweep.fetched import private_folder
with private_folder(Path({str(tmp_path)!r})) as folder:
    print(folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", script], env=environment(), stdout=subprocess.PIPE)
    left = Path(killed.stdout.decode().strip())
    assert left.is_dir() and left.name.startswith(PREFIX)
    with private_folder(tmp_path) as mine, private_folder(tmp_path) as other:
        assert not left.exists()
        assert {*tmp_path.iterdir()} == {mine, other}


# --- an S3 server


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ACCESS_KEY_ID", "AKIATEST"), ("SECRET_ACCESS_KEY", "hush"), ("DEFAULT_REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)


@pytest.mark.slow
@pytest.mark.usefixtures("credentials")
def test_objects_of_an_s3_server(tmp_path: Path) -> None:
    with s3() as storage:
        hostile = ["a/x.csv", "a/[1]?.csv", "a/\x1b[31m.csv", "a/../../etc/passwd"]
        for name in hostile:
            put(storage, name, b"1\n2\n")
        assert names("s3://traces/a/*.csv", storage) == sorted(f"s3://traces/{name}" for name in hostile[:3])
        assert names("s3://traces/a/[1]?.csv", storage) == ["s3://traces/a/[1]?.csv"]
        for each in listed("s3://traces/**", storage):
            assert read(each, storage) == b"1\n2\n"
        (found,) = listed("s3://traces/a/x.csv", storage)
        put(storage, "a/x.csv", b"3\n4\n")
        with pytest.raises(UserError, match=r"a/x\.csv: it is not what the sweep found"):
            read(found, storage, tmp_path)
        (found,) = listed("s3://traces/a/x.csv", storage)
        assert read(found, storage) == b"3\n4\n"
        assert wrong("s3://traces/no", storage) == "s3://traces/no: there is no such object; correct the name"
        assert (
            wrong("s3://nobucket/*", storage)
            == "s3://nobucket/*: no object matches; correct the glob, or name an object"
        )
        assert wrong("s3://traces/a", storage).startswith("s3://traces/a is a folder; to name the traces in it, write")


@pytest.mark.slow
def test_without_credentials_an_s3_server_gives_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in (("AWS_EC2_METADATA_DISABLED", "true"), ("HOME", str(tmp_path))):
        monkeypatch.setenv(name, value)
    said = wrong("s3://traces/x", {"endpoint_url": "http://127.0.0.1:9", "skip_instance_cache": True})
    assert re.match(r"s3://traces/x: there are no credentials on \S+; set them in the environment", said)


def test_what_may_not_be_read_says_so(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("403 at https://h/x?X-Amz-Signature=hush\nmore")

    monkeypatch.setattr(type(memory), "info", refuse)
    said = wrong("memory://sweep/b")
    assert re.match(
        r"memory://sweep/b: permission is denied on \S+ \(403 at https://h/x\); give this process cred", said
    )
