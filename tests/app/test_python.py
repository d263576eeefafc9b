"""`import cpol.app`, over plain files."""

from __future__ import annotations

import errno
import os
import struct
import subprocess
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from app_world import PAGE, World

from cpol import app


@pytest.fixture(autouse=True)
def fake(fake_library: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in {**world.environment(), "CPOL_LIBRARY": str(fake_library)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(app._Library, "_loaded", None)
    yield
    monkeypatch.undo()


def failed(error: int, words: str) -> pytest.RaisesContext[app.InputError]:
    return pytest.raises(app.InputError, match=f"Errno {error}.*{words}")


def test_a_version_is_published_whole(world: World) -> None:
    path = world.array(world.attach(world.own), "degree", size=5)
    with app.Policy() as policy, policy.array("degree") as degree:
        assert policy.cgroup == world.own.stat().st_ino
        assert (len(degree), degree.width, degree.kind, degree.published) == (5, 4, app.Kind.UNSIGNED, 0)
        with degree.version() as entries:
            entries[1] = 7
            entries[4] = 2**32 - 1
            assert degree.entries == (0, 0, 0, 0, 0)
        assert degree.entries == (0, 7, 0, 0, 2**32 - 1) and degree.published == 1
        with pytest.raises(ValueError, match="released"):
            entries[0] = 1
        with pytest.raises(RuntimeError, match="not this time"), degree.version(zero=True):
            raise RuntimeError("not this time")
        assert degree.entries[1] == 7 and degree.published == 1
        with degree.version(zero=True) as entries:
            entries[0] = 3
        assert degree.entries == (3, 0, 0, 0, 0)
    content = path.read_bytes()
    assert struct.unpack_from("<5I", content, PAGE) == (3, 0, 0, 0, 0)  # version 2 lies in the first half
    assert struct.unpack_from("<5I", content, 2 * PAGE) == (0, 7, 0, 0, 2**32 - 1)


@pytest.mark.parametrize(
    ("width", "bits", "kind", "value"),
    [
        (1, 4, "u", 200), (2, 16, "s", -32768), (4, 32, "s", -1), (8, 64, "u", 2**64 - 1), (8, 64, "fix", -65536),
        (1, 1, "bool", 1),
    ],
)  # fmt: skip
def test_types_of_entries(world: World, width: int, bits: int, kind: str, value: int) -> None:
    world.array(world.attach(world.own), "a", size=PAGE, width=width, bits=bits, kind=kind)
    with app.Policy() as policy, policy.array("a") as array:
        with array.version() as entries:
            entries[PAGE - 1] = value
        assert array.entries[PAGE - 1] == value and array.bits == bits and array.kind.name.lower().startswith(kind)
        with pytest.raises(ValueError, match="format"), array.version() as entries:
            entries[0] = 2**64


def test_the_nearest_cgroup_above_has_the_policy(world: World) -> None:
    inner = world.cgroups / "shop" / "database" / "worker"
    inner.mkdir(parents=True)
    with failed(errno.ENOENT, f"no policy governs {inner}"):
        app.Policy(inner)
    world.attach(world.cgroups / "shop")
    assert app.Policy(inner).cgroup == (world.cgroups / "shop").stat().st_ino
    world.array(world.attach(inner.parent, "_prefetch"), "degree")
    with app.Policy(inner) as policy:
        assert policy.cgroup == inner.parent.stat().st_ino
        policy.array("degree").close()
    with failed(errno.EINVAL, "is no cgroup"):
        app.Policy(world.pins)
    with failed(errno.ENOENT, "No such file"):
        app.Policy(world.cgroups / "none")


def test_a_policy_that_was_replaced(world: World) -> None:
    folder = world.attach(world.own)
    path = world.array(folder, "degree")
    with app.Policy() as policy:
        degree = policy.array("degree")
        with degree.version() as entries:
            entries[0] = 1
        path.rename(path.with_suffix(".old"))
        with failed(errno.ESTALE, "was replaced or detached: open it again"), degree.version():
            pytest.fail("it began")
        world.array(folder, "degree")
        with failed(errno.ESTALE, "was replaced"), degree.version():
            pytest.fail("it began")
        assert policy.array("degree").entries[0] == 0


def test_sets_and_maps(world: World) -> None:
    folder = world.attach(world.own)
    world.array(folder, "degree")
    path = folder / "cpol_input_scanners"
    path.touch()
    with app.Policy() as policy:
        policy.add("scanners", 7)
        policy.add("scanners", 8, -5)
        policy.add("scanners", 7, 2)
        assert struct.unpack("<QqQq", path.read_bytes()) == (7, 2, 8, -5)
        policy.remove("scanners", 7)
        assert struct.unpack("<Qq", path.read_bytes()) == (8, -5)
        with failed(errno.ENOENT, "does not hold 7"):
            policy.remove("scanners", 7)
        for key in range(100, 115):
            policy.add("scanners", key)
        with failed(errno.E2BIG, "scanners is full"):
            policy.add("scanners", 115)
        with failed(errno.EINVAL, "degree are no numbers"):
            policy.add("degree", 1)
        with failed(errno.EINVAL, "a set or a map, and no array"):
            policy.array("scanners")
        with failed(errno.ENOENT, "has no input nothing"):
            policy.array("nothing")
        for name in ("", "../scanners", "x" * 65):
            with failed(errno.EINVAL, "no name of an input"):
                policy.add(name, 1)


def test_own_keys() -> None:
    if Path("/proc/self/ns/pid").stat().st_ino == 0xEFFFFFFC:
        assert app.current_process() == os.getpid()
        assert app.current_thread() == app.current_process()
    else:
        with failed(errno.ENOTSUP, "not the initial pid namespace"):
            app.current_thread()


def test_what_is_closed_cannot_be_used(world: World) -> None:
    world.array(world.attach(world.own), "degree")
    policy = app.Policy()
    degree = policy.array("degree")
    policy.close()
    with pytest.raises(ValueError, match="closed"):
        policy.add("scanners", 1)
    assert degree.entries[0] == 0
    degree.close()
    with pytest.raises(ValueError, match="closed"), degree.version():
        pytest.fail("it began")


def test_applications_import_no_compiler() -> None:
    code = "import sys\nfrom cpol import app\nprint([name for name in sys.modules if name.startswith('cpol.compiler')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_entries_are_all_of_one_version(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program publishes twice while they are copied, so the half that is read has the version after next."""
    world.array(world.attach(world.own), "degree", size=4)
    with app.Policy() as policy, policy.array("degree") as degree, policy.array("degree") as other:
        view, calls = degree._view, list[int]()

        def late(address: int) -> memoryview[int]:
            calls.append(address)
            if len(calls) > 1:
                return view(address)
            for value in (1, 2):
                with other.version() as entries:
                    entries[:] = memoryview(array("I", [value] * 4))
            return memoryview(array("I", (0, 0, 2, 2)))  # half before, half after

        monkeypatch.setattr(degree, "_view", late)
        assert degree.entries == (2, 2, 2, 2) and len(calls) == 2


def test_a_process_outside_its_cgroup_namespace_has_no_policy(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.attach(world.cgroups)
    monkeypatch.setenv("FAKE_OWN_CGROUP", str(tmp_path / "own"))
    for path in ("/..", "/../other"):
        (tmp_path / "own").write_text(f"0::{path}\n")
        with failed(errno.ENOENT, "outside of its cgroup namespace"):
            app.Policy()
    (tmp_path / "own").write_text("0::/..app\n")
    (world.cgroups / "..app").mkdir()
    with app.Policy() as policy:
        assert policy.cgroup == world.cgroups.stat().st_ino


def test_a_folder_beside_the_cgroups_is_none(world: World) -> None:
    beside = world.cgroups.with_name(f"{world.cgroups.name}-too")
    beside.mkdir()
    world.attach(beside)
    with failed(errno.EINVAL, "is no cgroup"):
        app.Policy(beside)
