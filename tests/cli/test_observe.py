"""`cpolc observe` without a kernel: a loader of the test's own tells counts."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.cli.observe import Interrupted, View

GROUP = "/sys/fs/cgroup/app"
FAKE = """#!{python} -I
import json, sys
words = sys.argv[1:]
with open({words!r}, "w") as file:
    json.dump(words, file)
fail = {fail!r}
if fail:
    sys.exit("cpol-loader: error: " + fail)
print(json.dumps({{"observing": "{group}"}}), flush=True)
for number, _ in enumerate(sys.stdin, 1):
    row = [90 * number, 10 * number, 3, 2, 40, 30, 5, 1, 7, 6]
    print(json.dumps({{
        "ns": number * 10**9, "gone": number == {gone}, "missed": {missed}, "untold_pages": {untold},
        "untold_cells": 0, "all": row, "other_files": [{other}] + [0] * 9, "other_tasks": [0] * 10,
        "files": [["8:1:5", row], ["8:1:6", [1] + [0] * 9]], "tasks": [[42, "we\\x1bb", row]],
        "names": {{"8:1:5": "/db/ta\\x1b[2Jble"}} if number == 1 else {{}},
        "cells": [["8:1:5", 0, 90 * number, 10 * number]] if "--heat" in words else [], "used_bits": 1000,
    }}), flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    install(tmp_path, monkeypatch)
    return tmp_path


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, fail: str = "", gone: int = 0, missed: int = 0, untold: int = 0,
    other: int = 0,
) -> None:  # fmt: skip
    loader = folder / "loader"
    words = str(folder / "words")
    loader.write_text(
        FAKE.format(
            python=sys.executable,
            words=words,
            fail=fail,
            group=GROUP,
            gone=gone,
            missed=missed,
            untold=untold,
            other=other,
        )
    )
    loader.chmod(0o755)
    monkeypatch.setenv("CPOL_LOADER", str(loader))


def observe(*words: str) -> Result:
    return CliRunner().invoke(cli, ["observe", GROUP, *words], prog_name="cpolc")


def test_once_as_json(folder: Path) -> None:
    done = observe("--once", "--interval", "0.1", "--json")
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["cgroup"] == GROUP and facts["counts"]["hits"] == 90 and facts["counts"]["hit_ratio"] == 0.9
    assert facts["files"][0]["path"] == "/db/ta\x1b[2Jble" and facts["files"][1]["path"] is None
    assert facts["commands"][0]["misses"] == facts["processes"][0]["misses"] == 10
    assert facts["processes"][0]["process"] == 42
    assert [one["pages"] for one in facts["working_set"]] == [1000]
    words = json.loads((folder / "words").read_text())
    assert words[0:2] == ["observe", "--"] and words[2].endswith(".bpf.o") and words[3:] == [GROUP]


def test_tables(folder: Path) -> None:
    done = observe("--once", "--interval", "0.1")
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.output.splitlines()]
    assert "\x1b" not in done.output
    row = ["100", "90.0", "90", "10", "3", "2", "40", "30", "5", "1", "7", "6"]
    assert ["all", *row] in lines and ["/db/ta\\x1b[2Jble", *row] in lines
    assert ["we\\x1bb", *row] in lines and ["42", "we\\x1bb", *row] in lines
    assert ["last", "0.1", "s", *row] in lines
    assert "no tracer sees further uses" in done.output and "working set of the last 0.1 s: 1,000 pages" in done.output


def test_tables_that_are_chosen(folder: Path) -> None:
    done = observe("--once", "--interval", "0.1", "--by", "command", "--rows", "0")
    assert "COMMAND" in done.output and "1 others" in done.output
    assert "FILE" not in done.output and "PROCESS" not in done.output


def test_what_the_counts_lack_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(folder, monkeypatch, gone=1, missed=4, untold=5, other=6)
    done = observe("--interval", "0.1")  # the end of the cgroup ends it
    assert done.exit_code == 0, done.output
    for said in ("4 events were missed", "5 pages came when", "0 others and those that did not fit", "was removed"):
        assert said in done.output, done.output


@pytest.mark.slow
def test_heatmaps(folder: Path) -> None:
    done = observe("--interval", "0.2", "--seconds", "1", "--heatmap", "--svg", "app.svg", "--file", "ble")
    assert done.exit_code == 0, done.output
    assert "/db/ta\\x1b[2Jble: to the right the offset, 64 KiB a column" in done.output
    assert re.search(r"^ +\d\.\d s 9  10% missed$", done.output, re.MULTILINE), done.output
    assert "/db/ta" in (folder / "app.svg").read_text()
    ElementTree.parse(folder / "app.svg")
    assert json.loads((folder / "words").read_text())[1:4] == ["--heat", "4", "--"]
    assert (
        "no use yet of a file that ends in none"
        in observe("--interval", "0.1", "--once", "--heatmap", "--file", "none").output
    )


def test_the_loaders_error_is_the_commands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(folder, monkeypatch, fail="app is no cgroup")
    done = observe()
    assert done.exit_code == 1 and done.output == "cpolc: error: app is no cgroup\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--file", "x"), "--file names the file of a heatmap"),
        (("--heatmap", "--json"), "leave out --json"),
        (("--heatmap", "--by", "file"), "leave out --by"),
        (("--interval", "nan"), "--interval"),
    ],
)
def test_wrong_words(folder: Path, words: tuple[str, ...], said: str) -> None:
    done = observe(*words)
    assert done.exit_code == 2 and said in done.output
    assert not (folder / "words").exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_brings_the_last_table(folder: Path, number: int) -> None:
    words = [sys.executable, "-m", "cpol.cli.main", "observe", GROUP, "--once", "--seconds", "1000", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ}) as process:
        deadline = time.monotonic() + 60
        while not (folder / "words").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(out)["counts"]["hits"] == 90


def test_a_screen_shows_what_the_counts_lack_before_the_tables(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(folder, monkeypatch, missed=7)
    lines = CliRunner().invoke(cli, ["observe", GROUP, "--once", "--interval", "0.1"]).stdout.splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith(("FILE", "COMMAND", "PROCESS"))]
    (missed,) = (number for number, line in enumerate(lines) if line.startswith("7 events were missed"))
    assert len(heads) == 3 and missed < heads[0]


def test_a_long_name_loses_its_middle_on_a_screen() -> None:
    view = View.__new__(View)
    view.name = 10
    assert view.short("/a/b/cdef") == "/a/b/cdef"
    assert view.short("/very/long/path/to/a.db") == "/ve…o/a.db"
    view.name = None
    assert view.short("/very/long/path/to/a.db") == "/very/long/path/to/a.db"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_a_sleep_and_not_a_look(number: signal.Signals) -> None:
    earlier = signal.getsignal(number)
    with Interrupted() as interrupted:
        os.kill(os.getpid(), number)  # as in the middle of a look
        assert interrupted.asked
        interrupted.sleep(1000)
        with pytest.raises(KeyboardInterrupt):  # nobody waits for a look that hangs
            os.kill(os.getpid(), number)
    with Interrupted() as interrupted:
        Timer(0.1, os.kill, (os.getpid(), number)).start()
        interrupted.sleep(1000)
        assert interrupted.asked
    assert signal.getsignal(number) is earlier
