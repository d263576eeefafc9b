"""The cache: entries are complete, and never another user's."""

from __future__ import annotations

import errno
import os
import pwd
from collections.abc import Callable
from pathlib import Path

import pytest

from cpol.compiler.toolchain import cache
from cpol.compiler.toolchain.cache import CacheError
from cpol.compiler.toolchain.trust import UntrustedError

NOBODY = 65534


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache's folder, which does not exist yet."""
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def write(target: Path) -> None:
    target.write_text("whole")


def test_entry_is_found_after_it_was_made(root: Path) -> None:
    assert cache.find("kind", "entry") is None
    made = cache.find_or_make("kind", "entry", write)
    assert made == root / "kind" / "entry" == cache.find("kind", "entry")
    assert made.read_text() == "whole" and list(made.parent.iterdir()) == [made]
    assert cache.find("other", "entry") is None

    def fail(_: Path) -> None:
        raise AssertionError("it is there")

    assert cache.find_or_make("kind", "entry", fail) == made


def test_incomplete_entry_is_ignored(root: Path) -> None:
    def stop(target: Path) -> None:
        target.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.make("kind", "entry", stop)
    assert cache.find("kind", "entry") is None and list((root / "kind").iterdir()) == []


def test_a_cache_without_room_is_an_error_that_tells_what_to_do(root: Path) -> None:
    def write_too_much(target: Path) -> None:
        target.write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(cache.CacheError, match=rf"^cannot write to the cache {root}/kind: No space left on device; "):
        cache.make("kind", "entry", write_too_much)
    assert cache.find("kind", "entry") is None and list((root / "kind").iterdir()) == []


def test_entries_are_readable_by_all_and_writable_by_none(root: Path) -> None:
    mask = os.umask(0o002)
    try:
        made = cache.make("kind", "entry", write)
    finally:
        os.umask(mask)
    modes = {path: path.stat().st_mode & 0o777 for path in (made, made.parent, root)}
    assert modes == {made: 0o644, made.parent: 0o755, root: 0o755}
    assert cache.find("kind", "entry") == made


def open_folder(root: Path) -> None:
    (root / "kind").chmod(0o775)


def open_root(root: Path) -> None:
    root.chmod(0o777)


def open_above(root: Path) -> None:
    root.parent.chmod(0o777)


def give_folder(root: Path) -> None:
    os.chown(root / "kind", NOBODY, NOBODY)


def give_root(root: Path) -> None:
    os.chown(root, NOBODY, NOBODY)


def give_above(root: Path) -> None:
    os.chown(root.parent, NOBODY, NOBODY)


def open_entry(root: Path) -> None:
    (root / "kind" / "entry").chmod(0o666)


def give_entry(root: Path) -> None:
    os.chown(root / "kind" / "entry", NOBODY, NOBODY)


def link_entry(root: Path) -> None:
    entry = root / "kind" / "entry"
    entry.rename(root / "elsewhere")
    entry.symlink_to(root / "elsewhere")


def link_folder(root: Path) -> None:
    (root / "kind").rename(root.parent / "planted")
    os.chown(root.parent / "planted", NOBODY, NOBODY)
    (root / "kind").symlink_to(root.parent / "planted")


FOLDERS = (open_folder, open_root, open_above, give_folder, give_root, give_above, link_folder)
ENTRIES = (open_entry, give_entry, link_entry)


@pytest.mark.parametrize("spoil", [*FOLDERS, *ENTRIES], ids=lambda spoil: spoil.__name__)
def test_entries_that_others_may_have_written_are_ignored(root: Path, spoil: Callable[[Path], None]) -> None:
    cache.make("kind", "entry", write)
    spoil(root)
    with pytest.raises(UntrustedError, match="name another folder for the cache: CPOL_CACHE="):
        cache.find("kind", "entry")
    if spoil in FOLDERS:
        with pytest.raises(UntrustedError):
            cache.make("kind", "other", write)


def test_no_entry_is_made_in_another_users_folder(root: Path) -> None:
    """As with `sudo -E`: root's process uses the user's home folder."""
    os.chown(root.parent, NOBODY, NOBODY)
    message = f"{root.parent} belongs to nobody, and this is root; name another folder for the cache: CPOL_CACHE=/root/"
    with pytest.raises(UntrustedError, match=f"^{message}"):
        cache.find_or_make("kind", "entry", write)
    assert not root.exists()


@pytest.mark.parametrize("home", ["/nonexistent", "a file", "the cache's own"])
def test_the_advice_names_a_folder_that_can_be_made(home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a file").touch()
    (tmp_path / "the cache's own" / ".cache" / "cpol").mkdir(parents=True)
    own = tmp_path / home
    monkeypatch.setattr(pwd, "getpwuid", lambda _: pwd.struct_passwd(("u", "x", 0, 0, "", str(own), "/bin/sh")))
    monkeypatch.setenv("CPOL_CACHE", str(own / ".cache" / "cpol" if own.is_dir() else tmp_path / "a file"))
    (tmp_path / "the cache's own" / ".cache" / "cpol" / "kind").touch()
    with pytest.raises(CacheError, match=r"; .*name a(nother)? folder.*: CPOL_CACHE=\$\(mktemp -d\)$"):
        cache.make("kind", "entry", write)


def test_sticky_parent_folder_is_safe(root: Path) -> None:
    root.parent.chmod(0o1777)
    assert cache.find_or_make("kind", "entry", write) == cache.find("kind", "entry")


def test_roots_cache_serves_other_users(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = cache.make("kind", "entry", write)
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    assert cache.find("kind", "entry") == made


def test_cache_that_is_not_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "file"))
    assert cache.find("kind", "entry") is None
    with pytest.raises(CacheError, match=r"CPOL_CACHE=.*/file is no folder; unset it, or name a folder: CPOL_CACHE="):
        cache.make("kind", "entry", write)


def test_cache_is_in_the_home_folder_or_as_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CPOL_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.root() == tmp_path / ".cache" / "cpol"
