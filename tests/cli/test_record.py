"""`cpolc record` without a kernel: a loader of the test's own writes the recording."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.runtime.operate.record.identity import mounts

CPOLC = Path(sys.executable).with_name("cpolc")
GROUP = "/sys/fs/cgroup/app"
WHOLE = "cpol-record 1\n1,accessed,8:0:2,0,1,1,1,\nend,1,0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def set_loader(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    loader = folder / "loader"
    loader.write_text(f"#!/bin/sh\n{script}\n")
    loader.chmod(0o755)
    monkeypatch.setenv("CPOL_LOADER", str(loader))


def record(*words: str) -> Result:
    return CliRunner().invoke(cli, ["record", *words], prog_name="cpolc")


def test_whole_recording_replaces_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_loader(folder, monkeypatch, f"echo \"$@\" >words; printf '{WHOLE}'")
    (folder / "app.rec").write_text("an earlier one")
    done = record(GROUP, "-o", "app.rec", "--seconds", "7", "--no-comm", "--no-names")
    assert done.exit_code == 0, done.output
    assert (folder / "app.rec").read_text() == WHOLE
    words = (folder / "words").read_text().split()
    assert words[:6] == ["record", "--seconds", "7", "--no-comm", "--no-names", "--"] and words[7:] == [GROUP]
    assert Path(words[6]).name.endswith(".bpf.o") and Path(words[6]).is_file()


def test_failed_recording_leaves_the_file_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_loader(folder, monkeypatch, "echo cpol-record 1; exit 1")
    (folder / "app.rec").write_text("an earlier one")
    assert record(GROUP, "-o", "app.rec").exit_code == 1
    assert (folder / "app.rec").read_text() == "an earlier one"
    assert sorted(path.name for path in folder.iterdir()) == ["app.rec", "loader"]


def test_standard_output(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_loader(folder, monkeypatch, f"printf '{WHOLE}'")
    done = subprocess.run([CPOLC, "record", GROUP, "-o", "-"], capture_output=True, text=True, check=True)
    assert done.stdout == WHOLE


def test_standard_output_that_appends(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the file already stays, also if the recording fails."""
    for script, status in ((f"printf '{WHOLE}'", 0), ("exit 1", 1)):
        set_loader(folder, monkeypatch, script)
        with (folder / "all.rec").open("ab") as out:
            done = subprocess.run([CPOLC, "record", GROUP, "-o", "-"], stdout=out, check=False)
        assert done.returncode == status
    assert (folder / "all.rec").read_text() == WHOLE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_reaches_the_loader(folder: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    end = f"trap 'printf \"{WHOLE}\"; exit 0' TERM"
    set_loader(folder, monkeypatch, f"{end}; echo begun >&2; while :; do sleep 0.1; done")
    with subprocess.Popen([CPOLC, "record", GROUP, "-o", "app.rec"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None and process.stderr.readline() == "begun\n"
        process.send_signal(number)
        assert process.wait(60) == 0
    assert (folder / "app.rec").read_text() == WHOLE


@pytest.mark.slow
def test_hangup_under_nohup_ends_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_loader(folder, monkeypatch, f"trap 'exit 1' TERM; kill -HUP $PPID; sleep 1; printf '{WHOLE}'")
    done = subprocess.run(["nohup", CPOLC, "record", GROUP, "-o", "app.rec"], check=False, timeout=60)
    assert done.returncode == 0 and (folder / "app.rec").read_text() == WHOLE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_while_the_recorder_is_built(folder: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Nothing is written yet, so nothing is left."""
    set_loader(folder, monkeypatch, "touch ran")
    compiler = folder / "clang"
    compiler.write_text(f"#!/bin/sh\ntouch {folder}/begun\nexec sleep 2\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CPOL_CACHE", str(folder / "cache"))
    monkeypatch.setenv("CPOL_CLANG", str(compiler))
    with subprocess.Popen([CPOLC, "record", GROUP, "-o", "app.rec"]) as process:
        end = time.monotonic() + 60
        while not (folder / "begun").exists() and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(number)
        process.wait(60)
    assert sorted(path.name for path in folder.iterdir()) == ["begun", "cache", "clang", "loader"]


def test_killed_loader(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_loader(folder, monkeypatch, "kill -9 $$")
    assert record(GROUP, "-o", "app.rec").exit_code == 128 + signal.SIGKILL
    assert not (folder / "app.rec").exists()


def test_folder_that_is_missing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_loader(folder, monkeypatch, "touch ran")
    done = record(GROUP, "-o", "none/app.rec")
    assert (done.exit_code, done.stderr) == (1, "cpolc: error: cannot write none/app.rec: No such file or directory\n")
    assert not (folder / "ran").exists()


def test_without_compiler(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_loader(folder, monkeypatch, "exit 0")
    monkeypatch.setenv("CPOL_CACHE", str(folder / "cache"))
    monkeypatch.setenv("CPOL_CLANG", "no-such-clang")
    done = record(GROUP, "-o", "app.rec")
    assert done.exit_code == 1 and "the recorder has to be built first" in done.stderr
    assert "no-such-clang" in done.stderr


@pytest.mark.parametrize(
    "words", [[GROUP], ["-o", "x"], [GROUP, "-o", "x", "--seconds", "0"], [GROUP, "other", "-o", "x"]]
)
def test_wrong_usage(folder: Path, words: list[str]) -> None:
    assert record(*words).exit_code == 2
    assert not [*folder.iterdir()]


def test_lost_events_are_told_by_the_simulator(folder: Path) -> None:
    (folder / "app.rec").write_text("cpol-record 1\n1,accessed,8:0:2,0,1,1,1,\nend,1,1200\n")
    words = ["sim", "fifo", "--trace", "app.rec", "--capacity", "10"]
    done = CliRunner().invoke(cli, words, prog_name="cpolc")
    assert done.exit_code == 0
    assert done.stderr == "note: app.rec: 1,200 events were lost while it was recorded, so it lacks requests\n"


def recorded_start(folder: Path, *lines: str) -> Path:
    path = folder / "app.rec"
    events = sum(not line.startswith("name,") for line in lines)
    path.write_text("\n".join(("cpol-record 2", "# time_ns,event", *lines, f"end,{events},0", "")))
    return path


def lines_of(path: Path) -> tuple[str, list[str]]:
    """The file as a recording names it, and lines of its start."""
    status = path.stat()
    device = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    mounted = mounts(Path("/proc/self/mountinfo").read_bytes())[device]
    root, place = max((one for one in mounted if os.fsencode(path).startswith(one[1])), key=lambda one: len(one[1]))
    name = root.rstrip(b"/").decode() + "/" + str(path.relative_to(place.decode()))
    file = f"{device}:{status.st_ino}"
    return file, [f'name,{file},"{name}"', f"1,added,{file},0,4,1,1,sh", f"2,accessed,{file},1,2,1,1,sh"]


def test_replay_writes_what_was_touched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, lines = lines_of(Path(__file__))
    gone = ["name,0:0:1,/gone", "3,accessed,0:0:1,0,1,1,1,sh"]
    recorded_start(folder, *lines, *gone)
    set_loader(folder, monkeypatch, f'test "$1" = identify && echo "{file} 700"')
    done = record("--replay", "app.rec", "-o", "app.start")
    assert done.exit_code == 0, done.output
    assert done.output == "app.start: 1 files, 2 pages, 7 entries; 1 more files are not there\n"
    assert (folder / "app.start").read_text().split() == ["2", "700", "5", "0", "0", "1", "66"]


def test_replay_needs_files_that_are_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, lines = lines_of(Path(__file__))
    recorded_start(folder, *lines)
    set_loader(folder, monkeypatch, "echo 0:0:1 700")  # the file became another one
    done = record("--replay", "app.rec", "-o", "app.start")
    assert done.exit_code == 1 and "none of its 1 files is on this machine" in done.output, done.output
    recorded_start(folder, *lines[1:])
    done = record("--replay", "app.rec", "-o", "app.start")
    assert done.exit_code == 1 and "has no names of files; record without --no-names" in done.output, done.output
    recorded_start(folder, f"1,removed,{file},0,1,1,1,sh")
    done = record("--replay", "app.rec", "-o", "app.start")
    assert done.exit_code == 1 and "no page of a file was touched" in done.output, done.output
    assert not (folder / "app.start").exists()


@pytest.mark.parametrize("output", ["app.rec", "./app.rec", "link"])
def test_replay_spares_its_recording(folder: Path, monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    file, lines = lines_of(Path(__file__))
    path = recorded_start(folder, *lines)
    (folder / "link").hardlink_to(path)
    before = path.read_text()
    set_loader(folder, monkeypatch, f'echo "{file} 700"')
    done = record("--replay", "app.rec", "-o", output)
    assert done.exit_code == 1 and "would write over app.rec, which is read; give another file" in done.output
    assert path.read_text() == (folder / "link").read_text() == before


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "record what? Name a cgroup, or --replay RECORDING"),
        ((GROUP, "--replay", "app.rec"), "--replay records nothing: it goes with -o alone"),
        (("--seconds", "3", "--replay", "app.rec"), "--replay records nothing: it goes with -o alone"),
    ],
)
def test_replay_or_a_cgroup(folder: Path, words: tuple[str, ...], why: str) -> None:
    done = record(*words, "-o", "app.start")
    assert done.exit_code == 2 and why in done.output, done.output
