"""The host's folders in a guest: each of the two daemons gets options that it knows, and what it says is not lost."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cpol.kernel.vm.image import modules_beside
from cpol.kernel.vm.share import LOG, QEMU, READONLY, RUST, Share, arguments, installed, said


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


def test_a_kernel_of_another_root_comes_with_its_modules(tmp_path: Path) -> None:
    image = tmp_path / "boot" / "vmlinuz-1.2-x"
    assert modules_beside(image) is None
    (tmp_path / "lib" / "modules" / "1.2-x").mkdir(parents=True)
    assert modules_beside(image) == tmp_path / "lib" / "modules"
    assert modules_beside(tmp_path / "build" / "bzImage") is None
    assert modules_beside(Path("/boot/vmlinuz-1.2-x")) is None


def test_the_guest_sees_those_in_place_of_the_hosts(tmp_path: Path) -> None:
    """They stand where the host's do, in the daemon's own mount namespace only; and nothing can be written there."""
    (tmp_path / "1.2-x").mkdir()
    enter = ["unshare", "--mount", "--propagation", "private", "sh", "-c", READONLY, "sh", str(tmp_path)]
    script = "ls /lib/modules; touch /lib/modules/new 2>/dev/null || echo kept"
    done = subprocess.run(
        [*enter, "sh", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout, done.returncode) == ("1.2-x\nkept\n", 0), done.stderr
    assert "1.2-x" not in [each.name for each in Path("/lib/modules").iterdir()]
