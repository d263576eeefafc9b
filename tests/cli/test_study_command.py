"""`cpolc study`, with a process in place of machines: it resumes, refuses what changed, and escapes what others say."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from studies import kept_in, study_in

from cpol.cli.main import cli
from cpol.runtime.operate.study import run as runs
from cpol.runtime.operate.study.kept import keep, opened
from cpol.runtime.operate.study.order import ordered
from cpol.runtime.operate.study.page import page
from cpol.runtime.operate.study.report import lines
from cpol.runtime.operate.study.spec import read_study
from cpol.runtime.operate.study.statistics import compared

OUTCOME = json.dumps(
    {
        **{"cpol_study": 1, "id": "loop.0.5.none.slow.0001", "seconds": 1.0, "failure": "", "exit": 0, "stderr": ""},
        **{"oom_kills": 0, "counters": {}, "peak": None, "operations": None, "latency": {}, "settings": {}},
        **{"boot": "", "release": "", "left": [], "wall": 0.0},
    }
)


def study(*words: object) -> Result:
    return CliRunner().invoke(cli, ["study", *map(str, words)])


def counted(done: Result) -> dict[str, int]:
    return {key: json.loads(done.stdout)[key] for key in ("trials", "there", "done", "failed", "undone")}


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "log"
    monkeypatch.setenv("FAKE_LOG", str(path))
    return path


@pytest.mark.slow
def test_a_study_runs_once_in_its_order_and_more_trials_are_added(tmp_path: Path, log: Path) -> None:
    file = study_in(tmp_path, 2)
    assert counted(study("run", file, "--json")) == {"trials": 4, "there": 0, "done": 4, "failed": 0, "undone": 0}
    assert log.read_text().split() == [trial.id for trial in ordered(read_study(file))]
    assert counted(study(file, "--json")) == {"trials": 4, "there": 4, "done": 0, "failed": 0, "undone": 0}
    file = study_in(tmp_path, 3, title='"Another title"', seed="9")
    assert counted(study(file, "--json")) == {"trials": 6, "there": 4, "done": 2, "failed": 0, "undone": 0}
    assert len(log.read_text().split()) == len(set(log.read_text().split())) == 6
    done = study("report", tmp_path / "study.study")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("Another title\n  6 of 6 trials were done\n  kernel: 6.12\n")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_killed_study_loses_and_repeats_nothing(number: signal.Signals, tmp_path: Path) -> None:
    file, log, folder = study_in(tmp_path, 4), tmp_path / "log", tmp_path / "study.study"
    words = [sys.executable, "-m", "cpol.cli.main", "study", "run", str(file), "--json"]
    environment = {**os.environ, "FAKE_LOG": str(log), "FAKE_STOP": "4"}
    running = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    machine = tmp_path / "log.on"
    while not machine.exists() and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    while machine.exists():  # the machine ends, too, and may need time for that
        time.sleep(0.01)
    assert running.returncode == (-9 if number == signal.SIGKILL else 128 + number), said
    assert b"Traceback" not in said
    done = sorted(path.stem for path in (folder / "trials").glob("*.json"))
    assert done == sorted(log.read_text().split()[:3])
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]
    again = subprocess.run(words, env={**os.environ, "FAKE_LOG": str(log)}, capture_output=True, text=True, check=True)
    assert json.loads(again.stdout)["there"] == 3 and json.loads(again.stdout)["done"] == 5
    seen = log.read_text().split()
    assert seen[3] == seen[4] and len(set(seen)) == 8, "only the trial that was cut runs again"


@pytest.mark.slow
def test_a_study_that_changed_is_refused(tmp_path: Path, log: Path) -> None:
    script = tmp_path / "work.sh"
    script.write_text("true\n")
    file = study_in(tmp_path)
    file.write_text(file.read_text().replace('["true"]', '["sh", "work.sh"]'))
    assert study(file).exit_code == 0
    script.write_text("sleep 1\n")
    done = study(file)
    assert done.exit_code == 1 and "another one: work.sh changed (what programs write belongs in" in done.stderr
    script.write_text("true\n")
    file.write_text(file.read_text().replace('"7"', '"5"'))
    done = study(file)
    assert done.exit_code == 1 and "variants changed; name another folder (-o FOLDER)" in done.stderr
    assert len(log.read_text().split()) == 4
    assert counted(study(file, "--fresh", "--json"))["done"] == 4
    aside = [path for path in (tmp_path / "study.study").iterdir() if path.name.startswith("trials-")]
    assert len(aside) == 1 and len([*(aside[0] / "trials").iterdir()]) == 4, "what was there is set aside"
    assert "4 of 4 trials were done" in study("report", aside[0]).stdout
    (tmp_path / "study.study/study.json").unlink()
    assert counted(study(file, "--json"))["there"] == 4, "what is set aside is no other thing"


@pytest.mark.slow
def test_machines_that_fail(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = study_in(tmp_path, 2)
    monkeypatch.setenv("FAKE_BREAK", "fast.0001")
    done = study(file)
    assert done.exit_code == 1
    assert "warning: loop.0.5.none.fast.0001 was not done: exit code 3: kernel panic\n" in done.stderr
    assert log.read_text().split().count("loop.0.5.none.fast.0001") == runs.ATTEMPTS
    assert "3 of 4 trials" in done.stdout and "1 could not be done" in done.stdout
    told = json.loads(study("report", tmp_path / "study.study", "--json").stdout)
    assert told["missing"] == 1
    assert [row["missing"] for row in told["cells"][0]["rows"]] == [0, 1]
    monkeypatch.delenv("FAKE_BREAK")
    assert counted(study(file, "--json")) == {"trials": 4, "there": 3, "done": 1, "failed": 0, "undone": 0}


@pytest.mark.slow
def test_a_machine_may_refuse_what_the_trial_told(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LATE", "fast.0001")
    done = study(study_in(tmp_path, 2))
    assert done.exit_code == 1
    assert "loop.0.5.none.fast.0001 was not done: exit code 1: the disk is lost\n" in done.stderr
    assert len([*(tmp_path / "study.study/trials").iterdir()]) == 3


@pytest.mark.slow
def test_machines_that_all_fail_end_the_study(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_BREAK", "loop")
    done = study(study_in(tmp_path, 9))
    assert done.exit_code == 1 and "3 trials in a row could not be done" in done.stderr
    assert len(log.read_text().split()) == runs.FAILING * runs.ATTEMPTS


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "exit code 0, and no outcome: the machine said nothing"),
        ("a kernel", "exit code 0, and no outcome: a kernel"),
        ('{"cpol_study": 1, "id": "loop.0.5.none.other.0001"}', "outcome that is none: it is not the outcome of loop."),
        ('{"cpol_study": 1, "id": ', "outcome that is none: "),
        (OUTCOME.replace('"exit": 0', '"exit": "a"'), "outcome that is none: a counter is no whole number"),
        (OUTCOME.replace('"left": []', '"left": "abc"'), "outcome that is none: `left` is no list"),
    ],
)
def test_a_machine_without_an_outcome(line: str, why: str, tmp_path: Path) -> None:
    script = tmp_path / "machine.sh"
    script.write_text(f"cat <<'END'\n{line}\nEND\n")
    study_ = read_study(study_in(tmp_path, command=json.dumps(["sh", str(script)])))
    trial = next(each for each in ordered(study_) if each.id == "loop.0.5.none.slow.0001")
    with pytest.raises(runs.MachineError) as error:
        runs.once(study_, trial)
    assert why in str(error.value)


@pytest.mark.slow
def test_a_script_that_takes_too_long_takes_along_what_it_started(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = tmp_path / "machine.sh"
    script.write_text(f"sleep 600 & echo $! >{pid}; wait\n")
    file = study_in(tmp_path, command=json.dumps(["sh", str(script)]))
    file.write_text(
        f"{file.read_text()}boot_timeout = 1\n".replace('footprint = "256M"', 'footprint = "256M"\ntimeout = 1')
    )
    study_ = read_study(file)
    with pytest.raises(runs.MachineError, match="had not ended after 2 s"):
        runs.once(study_, ordered(study_)[0])
    status = Path(f"/proc/{int(pid.read_text())}/status")
    while status.exists() and "State:\tZ" not in status.read_text():  # its new parent may not look at it
        time.sleep(0.01)


def test_without_a_temporary_folder_no_machine_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(runs.tempfile, "TemporaryFile", full)
    done = study(study_in(tmp_path))
    assert done.exit_code == 1 and "for what the machine says: No space left on device; see TMPDIR" in done.stderr


def test_a_machine_that_is_none(tmp_path: Path) -> None:
    done = study(study_in(tmp_path, command='["no-such-machine"]'))
    assert done.exit_code == 1 and "cannot run no-such-machine: No such file" in done.stderr


@pytest.mark.slow
def test_a_program_that_fails_is_kept_and_is_no_time(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = study_in(tmp_path, 3)
    monkeypatch.setenv("FAKE_FAIL", "fast.0002")
    done = study(file, "--json")
    assert done.exit_code == 1 and counted(done)["failed"] == 1
    monkeypatch.delenv("FAKE_FAIL")
    assert counted(study(file, "--json"))["done"] == 0, "a failure is an outcome"
    html = tmp_path / "page.html"
    done = study("report", tmp_path / "study.study", "--html", html)
    assert "6 of 6 trials were done, of which 1 failed" in done.stdout
    assert "fast: 1 failed, 0 are missing" in done.stdout
    assert "&lt;b&gt;no &amp; memory" in html.read_text() and "<b>" not in html.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["", "{", "[]", '{"cpol_study": 1}', "\0", '{"cpol_study": 1, "id": "x"}'])
def test_a_damaged_trial_is_one_error(damage: str, tmp_path: Path) -> None:
    file = study_in(tmp_path)
    assert study(file).exit_code == 0
    path = tmp_path / "study.study/trials/loop.0.5.none.fast.0002.json"
    path.write_text(damage)
    for words in (["report", tmp_path / "study.study"], [file]):
        done = study(*words)
        assert done.exit_code == 1 and done.stderr.startswith(f"cpolc: error: {path} is damaged: "), done.stderr
    path.unlink()
    assert study(file).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, 0, "1", None, True, [1]])
def test_a_time_that_is_none_is_damage(value: object, tmp_path: Path) -> None:
    assert study(study_in(tmp_path)).exit_code == 0
    path = tmp_path / "study.study/trials/loop.0.5.none.fast.0002.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "seconds": value}))
    done = study("report", tmp_path / "study.study")
    assert done.exit_code == 1 and "is damaged" in done.stderr


def test_what_is_no_folder_of_a_study(tmp_path: Path) -> None:
    done = study("report", tmp_path)
    assert done.exit_code == 1 and "is no folder of a study; name one that `cpolc study run` made" in done.stderr
    assert study("report", tmp_path, "--html", "x.pdf").exit_code == 2
    assert study("rport", tmp_path).exit_code == 2


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    file = study_in(tmp_path)
    before = sorted(tmp_path.iterdir())
    done = study(file, "-o", tmp_path)
    assert done.exit_code == 1 and "holds other files, and no study; name a folder that is empty" in done.stderr
    assert study(file, "-o", file).exit_code == 2
    done = study(file, "-o", "/dev/null")
    assert done.exit_code == 1 and "cannot make the folder /dev/null" in done.stderr
    assert sorted(tmp_path.iterdir()) == before, "nothing was written"
    (tmp_path / "half" / "trials").mkdir(parents=True)
    (tmp_path / "half" / ".study.json.x7").touch()
    with opened(read_study(file), tmp_path / "half", False) as kept:
        assert kept.outcomes == {}, "a run that was killed at its begin is no other thing"


def test_two_runs_at_a_time_are_refused(tmp_path: Path) -> None:
    file = study_in(tmp_path)
    with opened(read_study(file), tmp_path / "study.study", False):
        done = study(file)
    assert done.exit_code == 1 and "another `cpolc study run` adds to" in done.stderr


HOSTILE = "<script>alert(1)</script>\"'&\x1b[2J\u202e"


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags = set[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not any(name.startswith("on") or name in ("href", "src") for name, _ in attrs)


def test_what_others_say_is_escaped(tmp_path: Path) -> None:
    """A program's words, the names of its latencies, a kernel's release, what could not be put back."""
    kept = kept_in(
        tmp_path,
        {"slow": [1.0, 2.0, 3.0], "fast": [1.0, 2.0, 4.0]},
        lambda trial: {
            "failure": HOSTILE if trial.number == 3 else "",
            "stderr": HOSTILE,
            "latency": {HOSTILE: ((1000, 10),)},
            "left": [HOSTILE],
        },
    )
    found = compared(kept)
    seen = Seen()
    seen.feed(page(kept, found))
    assert "script" not in seen.tags and {"svg", "table", "pre"} <= seen.tags
    with opened(kept.study, tmp_path / "out", False):
        for trial, outcome in kept.outcomes.items():
            keep(tmp_path / "out", trial, outcome)
    done = study("report", tmp_path / "out")
    assert done.exit_code == 0 and "\x1b" not in done.stdout and "\\x1b[2J" in done.stdout
    assert any("\x1b" in line for line in lines(kept, found))


def test_a_half_of_a_character_is_shown(tmp_path: Path) -> None:
    """JSON may have one, and no terminal takes it."""
    kept = kept_in(
        tmp_path, {"slow": [1.0, 2.0], "fast": [1.0, 2.0]}, lambda _: {"failure": "\ud800", "left": ["\udfff"]}
    )
    with opened(kept.study, tmp_path / "out", False):
        for trial, outcome in kept.outcomes.items():
            keep(tmp_path / "out", trial, outcome)
    done = study("report", tmp_path / "out", "--html", tmp_path / "page.html")
    assert done.exit_code == 0, done.output
    assert "\\xed\\xa0\\x80" in done.stdout


def test_an_empty_table_of_the_machine_is_no_trial_here(tmp_path: Path) -> None:
    file = study_in(tmp_path)
    file.write_text(file.read_text().partition("[machine]")[0] + "[machine]\n# command = ...\n")
    done = study(file)
    assert done.exit_code == 1 and "study.toml:19:1: " in done.stderr and "there is no `command`" in done.stderr


def test_boots_that_were_not_fresh_are_on_the_first_screen(tmp_path: Path) -> None:
    kept = kept_in(tmp_path, {"slow": [1.0, 2.0], "fast": [1.0, 2.0]})
    for outcome in kept.outcomes.values():
        outcome.boot = "the same"
    said = [*lines(kept, compared(kept))]
    assert "boots were not fresh: 4 trials ran in 1 boot" in "\n".join(said[:5])


def test_settings_that_did_not_take_are_told(tmp_path: Path) -> None:
    kept = kept_in(
        tmp_path, {"slow": [1.0, 2.0], "fast": [1.0, 2.0]}, lambda _: {"settings": {"/sys/a": ("0x0007", "0x0007")}}
    )
    assert "fast had the same settings in the machine, so they are one variant" in "\n".join(
        lines(kept, compared(kept))
    )


def test_a_setting_that_a_killed_trial_left_is_told(tmp_path: Path) -> None:
    kept = kept_in(
        tmp_path,
        {"slow": [1.0, 2.0], "fast": [1.0, 2.0]},
        lambda trial: {"settings": {"/sys/a": ("7" if trial.number == 2 else "0", "7"), "/sys/b": ("1", "2")}},
    )
    said = "\n".join(lines(kept, compared(kept)))
    assert "/sys/a held 0 or 7 before trials wrote it; something else writes it, or a trial" in said
    assert "/sys/b" not in said


def test_the_time_left_is_that_of_the_cell(tmp_path: Path) -> None:
    file = study_in(tmp_path, 3, ratios="[0.5, 0.75]")
    order = ordered(read_study(file))
    kept = kept_in(tmp_path, {"slow": [1.0], "fast": [1.0]})
    outcome = next(iter(kept.outcomes.values()))
    outcome.wall = 60.0
    assert runs.estimate({}, order) == ""
    assert runs.estimate({order[0]: outcome}, order[1:]) == ", about 11 min 0 s left"


def test_a_trial_needs_what_it_is_given() -> None:
    done = study("trial", "x")
    assert done.exit_code == 1 and "this is no trial of a study" in done.stderr
    done = CliRunner().invoke(cli, ["study", "trial"], input="{}")
    assert done.exit_code == 1 and "this is no trial of a study" in done.stderr
