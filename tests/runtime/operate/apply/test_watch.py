"""The watch over a tree of folders: none that comes is missed, however fast."""

from __future__ import annotations

import ctypes
import errno
import threading
import time
from pathlib import Path

import pytest

from cpol.runtime.operate.apply.watch import Watch, WatchError


def settled(watch: Watch, seconds: float = 0.3) -> bool:
    """Whether there was a change, once no more come."""
    changed = False
    while watch.wait(seconds):
        changed = True
    return changed


@pytest.mark.slow
def test_folders_that_come_and_go(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    watch = Watch(tmp_path)
    assert not watch.wait(0)
    (tmp_path / "a" / "b" / "c" / "d").mkdir(parents=True)
    assert settled(watch)
    (tmp_path / "a" / "b" / "c" / "d" / "e").mkdir()  # in a folder that came later
    assert settled(watch)
    (tmp_path / "a" / "b" / "c" / "d" / "e").rmdir()
    assert settled(watch)
    (tmp_path / "a" / "file").write_text("no folder")
    assert not settled(watch)
    watch.close()


def test_folders_that_come_fast(tmp_path: Path) -> None:
    """Each folder that is left is watched, also those made before the watch on the one above."""
    watch = Watch(tmp_path)

    def make() -> None:
        for number in range(200):
            path = tmp_path / str(number % 20) / str(number) / "x"
            path.mkdir(parents=True)
            if number % 3 == 0:
                path.rmdir()

    thread = threading.Thread(target=make)
    thread.start()
    while thread.is_alive():
        watch.wait(0.01)
    thread.join()
    settled(watch)
    for path in [*tmp_path.rglob("*")]:
        (path / "new").mkdir()
        assert watch.wait(5), path
    watch.close()


def test_waiting_ends_in_time(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    begun = time.monotonic()
    assert not watch.wait(0.05)
    assert time.monotonic() - begun >= 0.05
    watch.close()


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(WatchError, match="there is no folder"):
        Watch(tmp_path / "missing")


def test_more_folders_than_the_kernel_has_watches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits then looks now and then."""
    for number in range(20):
        (tmp_path / str(number)).mkdir()
    add = Watch._add

    def full(watch: Watch, path: str) -> bool:
        if len(watch._paths) < 8:
            return add(watch, path)
        monkeypatch.setattr(ctypes, "get_errno", lambda: errno.ENOSPC)
        monkeypatch.setattr("cpol.runtime.operate.apply.watch._LIBC", NoRoom())
        return add(watch, path)

    class NoRoom:
        def inotify_add_watch(self, *_: object) -> int:
            return -1

    monkeypatch.setattr(Watch, "_add", full)
    monkeypatch.setattr("cpol.runtime.operate.apply.watch.POLL_SECONDS", 0.05)
    watch = Watch(tmp_path)
    assert watch.partly
    assert watch.wait(None) and watch.wait(60) and not watch.wait(0)
    watch.close()
