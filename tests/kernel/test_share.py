"""The host's folders in a guest: each of the two daemons gets options that it knows, and what it says is not lost."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cpol.kernel.vm.share import LOG, QEMU, RUST, Share, arguments, installed, said


@pytest.mark.parametrize("readonly", [True, False])
@pytest.mark.parametrize("daemon", [RUST, QEMU])
def test_each_daemon_has_its_options(daemon: Path, readonly: bool) -> None:
    words = arguments(daemon, Share("root", Path("/srv/a,b"), readonly), 7)
    assert words[:2] == [str(daemon), "--fd=7"]
    cache = "always" if readonly else ("never" if daemon == RUST else "none")
    assert any(word.endswith(f"cache={cache}") for word in words)
    folder = "--shared-dir=/srv/a,b" if daemon == RUST else "source=/srv/a\\,b"
    assert folder in words


def test_an_installed_daemon_knows_them(tmp_path: Path) -> None:
    """It takes them all, and then finds that its socket is none."""
    daemon = installed()
    assert daemon, "virtiofsd is not installed: run `make setup`"
    words = arguments(daemon, Share("root", tmp_path), 0)
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode and "usage" not in done.stderr.lower() and "unknown option" not in done.stderr.lower()
    wrong = [*words, "--no-such-option"]
    told = subprocess.run(wrong, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
    assert told.returncode and "no-such-option" in told.stderr


def test_what_a_daemon_said_is_told(tmp_path: Path) -> None:
    (tmp_path / f"{LOG}root").write_text("cannot chroot:\n  not permitted\n")
    (tmp_path / f"{LOG}control").write_text("")
    assert said(tmp_path) == "; virtiofsd of root: cannot chroot: not permitted"
    assert said(tmp_path / "none") == ""
