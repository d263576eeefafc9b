"""The file of a trial: it is whole at any moment, nobody else's is read, and one process goes on with it."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import signal
import time
from pathlib import Path

import pytest

from cpol.runtime.operate.trial.state import BACK, BEFORE, ENDED, NEW, Member, Store, Trial, TrialError


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "trials")
    made.make()
    return made


def trial(number: str = "0123abcd") -> Trial:
    member = Member("/sys/fs/cgroup/a", 7, NEW, {"evict": "lfu"}, "evict", [{"time": 1.5}], [{"time": 2.5}])
    samples = {"slow": [(1.0, 2.0)]}
    return Trial(
        number, "lru", ["--set", "n=1"], "hits > 1", ["m=/x"], 1.0, 0.0, 2.0, [member], "boot", 3.0, samples=samples
    )


def put(store: Store, made: Trial) -> None:
    source = store.folder.parent / "object"
    source.write_bytes(b"an object")
    store.put_object(made, source)
    store.write(made)


def test_what_is_written_is_read(store: Store) -> None:
    made = trial()
    put(store, made)
    (found,) = store.running()
    found.samples = {name: [(a, b) for a, b in values] for name, values in found.samples.items()}
    assert dataclasses.asdict(found) == dataclasses.asdict(made) and found.members[0].old_policy == "lfu"
    assert store.object_of(made).read_bytes() == b"an object"
    assert store.find(made.id) is not None and store.find("ffffffff") is None and store.ended() == []


def test_old_policy_of_a_new_one_that_never_came() -> None:
    """The kind of the new policy is known once it is attached. Until then the cgroup has all that it had."""
    assert Member("/a", 7, NEW, {"evict": "lfu", "prefetch": "leap"}).old_policy == "leap and lfu"
    assert Member("/a", 7, NEW, {"evict": "lfu"}, "prefetch").old_policy == ""
    assert Member("/a", 7, NEW).old_policy == ""


def test_ended_trial_leaves_only_its_result(store: Store) -> None:
    made = trial()
    put(store, made)
    store.ask_to_stop(made)
    made.phase = ENDED
    store.write(made)
    assert store.running() == [] and [one.id for one in store.ended()] == [made.id]
    assert [path.name for path in store.folder.iterdir()] == ["ended"]


def test_one_process_holds_it(store: Store) -> None:
    made = trial()
    put(store, made)
    with store.holding(made.id) as first, store.holding(made.id) as second:
        assert (first, second) == (True, False)
    with store.holding(made.id) as mine:
        assert mine
        made.phase = ENDED
        store.write(made)
    with store.holding(made.id) as mine:
        assert not mine


def test_killed_process_holds_nothing(store: Store) -> None:
    made = trial()
    put(store, made)
    pid = os.fork()
    if pid == 0:
        with store.holding(made.id):
            (store.folder.parent / "held").touch()
            time.sleep(60)
        os._exit(0)
    deadline = time.monotonic() + 30
    while not (store.folder.parent / "held").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    with store.holding(made.id) as mine:
        assert not mine
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with store.holding(made.id) as mine:
        assert mine


@pytest.mark.slow
def test_kill_leaves_the_old_file_or_the_new_one(store: Store) -> None:
    """A process that writes again and again is killed at random moments."""
    made = trial()
    put(store, made)
    for number in range(20):
        pid = os.fork()
        if pid == 0:
            while True:
                for phase in (BEFORE, BACK):
                    made.phase, made.why = phase, phase * 500
                    store.write(made)
        time.sleep(0.002 * number)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        (found,) = store.running()
        assert found.why in ("", found.phase * 500)


@pytest.mark.parametrize(
    "change",
    [
        b"", b"{}", b"[]", b"null", b"\xff", b"{" * 5000, {"phase": "none"}, {"members": []}, {"members": [{}]},
        {"id": "../../x"}, {"members": [{"path": 1}]}, {"more": 1}, {"phase": None},
    ],
)  # fmt: skip
def test_damaged_files_are_refused(store: Store, change: bytes | dict[str, object]) -> None:
    put(store, trial())
    path = store.folder / "0123abcd.json"
    if isinstance(change, dict):
        change = json.dumps({**json.loads(path.read_text()), **change}).encode()
    path.write_bytes(change)
    with pytest.raises(TrialError, match="is damaged"):
        store.running()


def test_other_names_are_no_trials(store: Store) -> None:
    put(store, trial())
    for name in ("x.json", "0123abcd.json.old", "0123ABCD.json", "..json"):
        (store.folder / name).write_text("nonsense")
    assert len(store.running()) == 1


def test_folder_that_others_can_write_is_refused(store: Store) -> None:
    put(store, trial())
    store.folder.chmod(0o770)
    with pytest.raises(TrialError, match="other users can write to"):
        store.running()
    link = store.folder.parent / "link"
    link.symlink_to(store.folder)
    with pytest.raises(TrialError, match="other users can write to"):
        Store(link).make()


def test_folder_that_this_user_may_not_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(TrialError, match=r"trials are noted: Permission denied \(run it with sudo\)$"):
        Store(tmp_path / "trials").make()
