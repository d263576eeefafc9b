"""Which cgroups the loader refuses, and to whom."""

from __future__ import annotations

from pathlib import Path

import pytest
from loader_types import Loader, assert_matches, refusal


def test_paths_that_are_not_cgroups(loader: Loader, objects: Path, tmp_path: Path) -> None:
    fifo = objects / "fifo.bpf.o"
    (tmp_path / "file").touch()
    assert_matches("there is no cgroup .*/gone; make it with mkdir", refusal(loader("attach", fifo, tmp_path / "gone")))
    assert_matches("is not a cgroup, but a file; name a folder", refusal(loader("attach", fifo, tmp_path / "file")))
    assert_matches("is not a cgroup", refusal(loader("attach", fifo, tmp_path)))
    assert_matches("is not a cgroup", refusal(loader("attach", fifo, "/proc")))
    assert_matches("is not a cgroup", refusal(loader("detach", "/proc/self")))
    assert_matches("is not a cgroup", refusal(loader("stat", "/")))


def cgroup2_mount() -> str:
    """Return this machine's mount point of cgroup2."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, kind = line.partition(" - ")
        if kind.startswith("cgroup2 "):
            return fields.split()[4]
    raise AssertionError("this machine has no cgroup2 mounted; the loader cannot be tested on it")


def test_root_cgroup(loader: Loader, objects: Path) -> None:
    root = cgroup2_mount()
    if Path(root).stat().st_ino == 1:
        message = f"{root} is the root cgroup"
    else:  # a cgroup namespace: this root has a limit
        message = "no permission|has no cache_ext|no memory controller"
    assert_matches(message, refusal(loader("attach", objects / "fifo.bpf.o", root)))


@pytest.mark.parametrize(
    "prefix",
    [
        ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
        ("setpriv", "--bounding-set=-all", "--inh-caps=-all"),
    ],
    ids=["nobody", "no capabilities"],
)
def test_without_privileges(loader: Loader, prefix: tuple[str, ...]) -> None:
    assert_matches("no permission: this needs root", refusal(loader("list", prefix=prefix)))


def test_in_a_user_namespace(loader: Loader) -> None:
    assert_matches("no permission: this needs root", refusal(loader("list", prefix=("unshare", "-Ur"))))
