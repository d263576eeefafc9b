"""Values that `--input` accepts and refuses, as far as tests reach without cache_ext."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from loader_types import Loader

MakeObject = Callable[[bytes], Path]

MANIFEST = (
    b"cpol 1 p\ninput threads set thread bool 0\ninput files set file bool 0\ninput pages map page u8 7\n"
    b"input weights map file enum:low:high 0\ninput backups set comm bool 0\ninput jobs map comm u8 1\n"
    b"input disks map device u8 1\ninput groups set cgroup bool 0\nlists q\n"
)


@pytest.fixture
def said(loader: Loader, with_manifest: MakeObject) -> Callable[..., str]:
    """Attach with inputs, which are read before the missing cgroup, and return the message."""
    made = with_manifest(MANIFEST)

    def attach(*inputs: str, prefix: tuple[str, ...] = ()) -> str:
        words = [word for text in inputs for word in ("--input", text)]
        done = loader("attach", made, "/nowhere", *words, prefix=prefix)
        assert (done.returncode, done.stdout) == (1, "")
        lines = [line for line in done.stderr.splitlines() if "initial pid namespace, whose" not in line]
        (line,) = lines if prefix == () else done.stderr.splitlines()[:1]
        return line

    return attach


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("threads", "--input needs name=value,value..., not `threads`"),
        ("=1", "--input needs name=value"),
        ("thread=1", "the policy p has no input thread"),
        ("threads=0", "`0` is not the number of a thread: a whole number from 1 to 4194304"),
        ("threads=1,2,x", "`x` is not the number of a thread"),
        ("threads=4194305", "is not the number of a thread"),
        ("backups=systemd-journald", "it has 16 bytes, and the kernel keeps 15: write `systemd-journal`"),
        ("jobs==1", "jobs is a map: write NAME=VALUE"),
        (r"backups=a\b", r"no command is called `a\b`: write a backslash as \x5c"),
        (r"backups=\x00", "write a backslash as"),
        ("jobs=rsync", "jobs is a map: write NAME=VALUE, not `rsync`"),
        ("jobs=rsync=256", "must be a whole number from 0 to 255"),
        ("disks=/no/such=2", "`/no/such` is neither MAJOR:MINOR nor a path that can be opened: No such file"),
        ("disks=/dev/null=2", "/dev/null is neither a block device nor a file or folder; write a mount point"),
        ("disks=4096:1=2", "`4096:1` is neither MAJOR:MINOR nor a path"),
        ("disks=8:1048576=2", "`8:1048576` is neither MAJOR:MINOR nor a path"),
        ("disks=/dev/shm=2", "/dev/shm is on tmpfs: policies do not govern its pages"),
        ("disks=8:1", "disks is a map: write PATH=VALUE"),
        ("groups=/no/such", "there is no cgroup /no/such"),
        ("groups=/etc", "/etc is not a cgroup: it is not on a cgroup2 file system"),
        ("groups=id:12", "write id: and 16 digits"),
        ("files=/no/such", "cannot look at /no/such: No such file or directory"),
        ("files=/dev/null", "/dev/null is neither a file nor a folder"),
        ("files=id:0", "write id: and 16 digits"),
        ("files=id:0123456789abcdeF", "write id: and 16 digits"),
        ("weights=id:0123456789abcdef", "weights is a map: write PATH=VALUE"),
        ("weights=id:0123456789abcdef=middle", "a value of weights must be one of low, high, not `middle`"),
        ("pages=id:0123456789abcdef=1", "write pages as PATH:FIRST..LAST"),
        ("pages=id:0123456789abcdef:2..1=1", "the first page is after the last"),
        ("pages=id:0123456789abcdef:0..18446744073709551616=1", "write pages as PATH:FIRST..LAST"),
        ("pages=id:0123456789abcdef:0..1", "pages is a map: write PATH:FIRST..LAST=VALUE"),
        ("pages=id:0123456789abcdef:0..1=256", "must be a whole number from 0 to 255, not `256`"),
    ],
)
def test_values_are_checked(said: Callable[..., str], setting: str, message: str) -> None:
    assert message in said(setting)


@pytest.mark.parametrize(
    "setting",
    [
        "threads=1",
        "threads=1,1",
        "files=id:0123456789abcdef",
        "weights=id:0123456789abcdef=high",
        "disks=8:1=2,4095:1048575=3,/proc=4",
        "groups=id:0123456789abcdef",
        "pages=id:0123456789abcdef:0..18446744073709551615=255,id:0123456789abcdef:5..5=0",
        "threads=",
    ],
)
def test_valid_values_are_accepted(said: Callable[..., str], setting: str) -> None:
    assert "there is no cgroup /nowhere" in said(setting)


def test_folders_and_their_contents(said: Callable[..., str], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "deeper").mkdir(parents=True)
    assert f"there is no file in {folder}" in said(f"files={folder}")
    os.mkfifo(folder / "fifo")
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "deeper" / "loop").symlink_to(folder)
    assert f"there is no file in {folder}" in said(f"files={folder}")
    assert "link is a symbolic link, which is not followed" in said(f"files={folder / 'link'}")
    assert "fifo is neither a file nor a folder" in said(f"files={folder / 'fifo'}")
    assert "is not a regular file" in said(f"pages={folder}:0..1=1")


def test_deeply_nested_folders(said: Callable[..., str], tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(66):
        folder = folder / "d"
    folder.mkdir(parents=True)
    (folder / "file").touch()
    assert "its folders are nested more than 64 deep" in said(f"files={tmp_path}")


def test_another_pid_namespace_is_a_warning(said: Callable[..., str]) -> None:
    line = said("threads=1", prefix=("unshare", "--pid", "--fork"))
    assert "warning: this is not the initial pid namespace" in line


def test_too_many_inputs(loader: Loader, with_manifest: MakeObject) -> None:
    words = [word for number in range(300) for word in ("--input", f"threads={number + 1}")]
    assert loader("attach", with_manifest(MANIFEST), "/nowhere", *words).returncode == 2
