"""The systemd unit that attaches a service's policy. tests/vm/life_shown.py tests its capabilities
and system calls."""

from __future__ import annotations

import errno
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli
from cpol.runtime.operate import loader
from cpol.runtime.operate.trial.state import FOLDER

UNIT = Path(__file__).resolve().parents[3] / "runtime" / "operate" / "systemd" / "cpol@.service"
CONFINE = Path(__file__).resolve().parents[2] / "vm" / "confine.py"
CPOLC = "/usr/local/bin/cpolc"
CGROUP = "/sys/fs/cgroup/system.slice/web.service"


def settings() -> list[tuple[str, str]]:
    """Return the unit's settings in order."""
    lines = [line for line in UNIT.read_text().splitlines() if line and not line.startswith(("#", "["))]
    return [(key, value) for key, _, value in (line.partition("=") for line in lines)]


def commands() -> dict[str, list[str]]:
    """Return the commands that it runs for the service `web` with the policy lfu."""
    values = {
        "$OPTIONS": ["--set", "sample=3"],
        "${POLICY}": ["lfu"],
        "${CGROUP}": ["/sys/fs/cgroup/system.slice/web.service"],
    }
    found = {}
    for key, value in settings():
        if key.startswith("Exec"):
            program, *words = value.removeprefix("-").split()
            assert program == CPOLC
            found[key] = [part for word in words for part in values.get(word, [word])]
    return found


def test_unit_runs_existing_commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[list[str]] = []

    def run(words: list[str]) -> int:
        ran.append([*words])
        return 0

    monkeypatch.setattr(loader, "run", run)
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path))
    made = commands()
    assert sorted(made) == ["ExecReload", "ExecStart", "ExecStop", "ExecStopPost"]
    for words in made.values():
        done = CliRunner().invoke(cli, words)
        assert done.exit_code == 0, done.output
    assert [[words[0], *words[1:-2], words[-1]] if words[0] == "attach" else words for words in ran] == [
        ["attach", "--set", "sample=3", "--", CGROUP],
        ["attach", "--set", "sample=3", "--replace", "--", CGROUP],
        ["detach", "--", CGROUP],
        ["detach", "--gone"],
    ]


def test_unit_is_restricted() -> None:
    found = dict(settings())
    assert set(found["CapabilityBoundingSet"].split()) == {"CAP_BPF", "CAP_PERFMON", "CAP_DAC_READ_SEARCH", "CAP_CHOWN"}
    assert found["NoNewPrivileges"] == found["PrivateNetwork"] == "yes" and found["ProtectSystem"] == "strict"
    assert "AmbientCapabilities" not in found


def test_drop_in_adds_one_capability() -> None:
    lines = (UNIT.with_name("cpol@.service.d") / "stock-kernel.conf").read_text().splitlines()
    assert [line for line in lines if line[:1] not in ("", "#")] == ["[Service]", "CapabilityBoundingSet=CAP_SYS_ADMIN"]


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    program = tmp_path / "cpolc"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "cpol@.service").write_text(UNIT.read_text().replace(CPOLC, str(program)))
    shutil.copytree(UNIT.with_name("cpol@.service.d"), tmp_path / "cpol@.service.d")
    (tmp_path / "web.service").write_text("[Unit]\nDescription=Web\n[Service]\nExecStart=/bin/sh\n")
    command = ["systemd-analyze", "verify", "--man=no", "cpol@web.service"]
    done = subprocess.run(
        command,
        env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


APPLY = UNIT.with_name("cpol-apply.service")


def test_apply_unit_is_restricted_in_the_same_way() -> None:
    """What keeps cpol@.service in its bounds holds for the other unit, too, with the same drop-in."""
    own = {"Type", "TimeoutStartSec", "Environment", "EnvironmentFile", "RemainAfterExit"}
    given = {(key, value) for key, value in settings() if not key.startswith("Exec") and key not in own}
    given -= {(key, value) for key, value in given if key in ("Description", "BindsTo", "After", "WantedBy")}
    lines = [line for line in APPLY.read_text().splitlines() if line and not line.startswith(("#", "["))]
    found = [tuple(line.split("=", 1)) for line in lines]
    assert len(given) > 20 and given <= {*found}
    assert ("Type", "notify") in found
    drop_ins = [unit.with_name(f"{unit.name}.d") / "stock-kernel.conf" for unit in (UNIT, APPLY)]
    first, second = ([line for line in path.read_text().splitlines() if line[0] != "#"] for path in drop_ins)
    assert first == second


def test_systemd_accepts_the_apply_unit(tmp_path: Path) -> None:
    program = tmp_path / "cpolc"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / APPLY.name).write_text(APPLY.read_text().replace(CPOLC, str(program)))
    shutil.copytree(APPLY.with_name(f"{APPLY.name}.d"), tmp_path / f"{APPLY.name}.d")
    command = ["systemd-analyze", "verify", "--man=no", APPLY.name]
    environment = {"SYSTEMD_UNIT_PATH": f"{tmp_path}:", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


TRIALS = UNIT.with_name("cpol-trials.service")


def test_trials_unit_is_restricted_in_the_same_way() -> None:
    """But for the network, and for /tmp: a metric of a trial may be a URL, or a file there."""
    own = {"Type", "TimeoutStartSec", "Environment", "EnvironmentFile", "RemainAfterExit", "Restart", "RestartSec"}
    lines = [line for line in APPLY.read_text().splitlines() if line and not line.startswith(("#", "["))]
    given = {(key, value) for key, value in (line.split("=", 1) for line in lines) if not key.startswith("Exec")}
    given = {(key, value) for key, value in given if key not in own and not key.startswith("Condition")}
    given -= {(key, value) for key, value in given if key in ("Description", "WantedBy")}
    given -= {("PrivateNetwork", "yes"), ("RestrictAddressFamilies", "AF_UNIX"), ("PrivateTmp", "yes")}
    found = [tuple(line.split("=", 1)) for line in TRIALS.read_text().splitlines() if "=" in line and line[0] != "#"]
    assert len(given) > 20 and given <= {*found}, given - {*found}
    assert ("RestrictAddressFamilies", "AF_UNIX AF_INET AF_INET6") in found
    assert ("StateDirectory", str(FOLDER.relative_to("/var/lib"))) in found
    drop_ins = [unit.with_name(f"{unit.name}.d") / "stock-kernel.conf" for unit in (UNIT, TRIALS)]
    first, second = ([line for line in path.read_text().splitlines() if line[0] != "#"] for path in drop_ins)
    assert first == second


def test_trials_unit_sees_what_a_trial_names() -> None:
    """Its folder and its metrics may be below /tmp or /home, and are only read. The unit writes elsewhere."""
    found = [tuple(line.split("=", 1)) for line in TRIALS.read_text().splitlines() if "=" in line and line[0] != "#"]
    settings = dict(found)
    assert settings.keys().isdisjoint({"PrivateTmp", "InaccessiblePaths", "TemporaryFileSystem", "RootDirectory"})
    assert settings["ProtectSystem"] == "strict" and settings["ProtectHome"] == "read-only"
    assert ("Environment", "TMPDIR=/var/log/cpol") in found and settings["LogsDirectory"] == "cpol"


def test_systemd_accepts_the_units_of_trials(tmp_path: Path) -> None:
    program = tmp_path / "cpolc"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / TRIALS.name).write_text(TRIALS.read_text().replace(CPOLC, str(program)))
    shutil.copytree(TRIALS.with_name(f"{TRIALS.name}.d"), tmp_path / f"{TRIALS.name}.d")
    shutil.copy(TRIALS.with_suffix(".timer"), tmp_path)
    command = ["systemd-analyze", "verify", "--man=no", TRIALS.name, TRIALS.with_suffix(".timer").name]
    environment = {"SYSTEMD_UNIT_PATH": f"{tmp_path}:", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_start_and_reload_end_in_time() -> None:
    """A unit of type oneshot has no limit of itself."""
    assert dict(settings())["TimeoutStartSec"] == "3min"


def confined(tmp_path: Path, *words: str | Path, unit: Path = UNIT) -> subprocess.CompletedProcess[str]:
    """Run Python under a unit's filter of system calls."""
    environment = {**os.environ, "CPOL_CACHE": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    (tmp_path / "cache").mkdir(mode=0o700, exist_ok=True)
    command = [sys.executable, str(CONFINE), str(unit), sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.long
def test_system_calls_suffice_for_python_clang_and_the_loader(tmp_path: Path) -> None:
    """On a kernel without cache_ext. tests/vm/life_shown.py does the rest."""
    made = tmp_path / "lfu.bpf.o"
    done = confined(tmp_path, "-m", "cpol.cli.main", "lfu", "-o", made)
    assert done.returncode == 0 and made.exists(), done.stderr
    done = confined(tmp_path, "-m", "cpol.cli.main", "attach", made, "/nowhere", "--set", "sample=3")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no cgroup /nowhere" in done.stderr


WRITES_A_TRIAL = """
import sys
from pathlib import Path
from cpol.runtime.operate.trial.state import ENDED, NEW, Member, Store, Trial
store = Store(Path(sys.argv[1]) / "trials")
store.make()
trial = Trial("00000001", "lru", [], "refaults <= before", [], 0, 0, 1, [Member("/x", 1, NEW)], "boot", 0)
store.put_object(trial, Path(__file__))
store.write(trial)
with store.holding(trial.id) as mine:
    print(mine, len(store.running()))
trial.phase = ENDED
store.write(trial)
print(len(store.ended()))
"""


def test_system_calls_suffice_for_a_trial(tmp_path: Path) -> None:
    """The timer's service goes on with a trial whose process was killed: all that it writes, it may write."""
    program = tmp_path / "program.py"
    program.write_text(WRITES_A_TRIAL)
    done = confined(tmp_path, program, tmp_path, unit=TRIALS)
    assert (done.stdout, done.stderr) == ("True 1\n1\n", "")


@pytest.mark.slow
def test_other_system_calls_are_refused(tmp_path: Path) -> None:
    allowed = runpy.run_path(str(CONFINE))["allowed_by"](UNIT.read_text())
    assert {"bpf", "open_by_handle_at", "execve"} <= allowed
    refused = "chroot mount init_module perf_event_open ptrace reboot kexec_load keyctl setuid userfaultfd personality"
    assert not allowed & {
        *refused.split(),
        "io_uring_setup",
        "process_vm_readv",
        "pivot_root",
        "swapon",
        "settimeofday",
    }
    ask = "import ctypes; c = ctypes.CDLL(None, use_errno=True); print(c.personality(0xFFFFFFFF), ctypes.get_errno())"
    assert confined(tmp_path, "-c", ask).stdout == f"-1 {errno.EPERM}\n"
    assert confined(tmp_path, "-c", ask.replace("personality(0xFFFFFFFF)", "getpid() > 0")).stdout == "True 0\n"
