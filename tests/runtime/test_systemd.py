"""The systemd unit that attaches a service's policy. tests/vm/life_checks.py tests its capabilities."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli
from cpol.runtime import loader

UNIT = Path(__file__).resolve().parents[2] / "runtime" / "systemd" / "cpol@.service"
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


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    program = tmp_path / "cpolc"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "cpol@.service").write_text(UNIT.read_text().replace(CPOLC, str(program)))
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
