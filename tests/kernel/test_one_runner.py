"""One runner of machines, kernel/vm: nobody else starts QEMU or has an init, and it takes any path."""

from __future__ import annotations

import os
import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from cpol.kernel.vm import Disk, Machine, VmError, qemu
from cpol.kernel.vm.machine import GUEST_INIT, write_control

ROOT = Path(__file__).resolve().parents[2]
STARTS_QEMU = re.compile(r"qemu-system-[\w$]+[\"']?\s+-[a-zA-Z]|\s-(?:append|fsdev|chardev)\b")
"""A call of QEMU with arguments, or one of these arguments."""
IS_AN_INIT = re.compile(r"""\b(?:rd)?init=[/"$]|\becho o >/proc/sysrq-trigger""")
"""A kernel's argument for one, or its last act."""
HOSTILE = 'a \'b, "c"\\ $(d) ünï'
"""The name of a folder."""


def sources() -> dict[str, str]:
    """The texts of all scripts and modules of the checkout but kernel/vm and this file, by name."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    found = {}
    for name in os.fsdecode(listed.stdout).split("\0"):
        path = ROOT / name
        if name.startswith("kernel/vm/") or path == Path(__file__) or not path.is_file() or path.is_symlink():
            continue
        if path.suffix == ".py" or path.read_bytes()[:2] == b"#!" or name.startswith("tests/kernel/guest-"):
            found[name] = path.read_text()
    return found


@pytest.mark.slow
def test_only_the_runner_starts_machines() -> None:
    texts = sources()
    assert {"tests/kernel/run", "tests/kernel/run-arm64", "scripts/demo", "tests/kernel/guest-lib"} <= set(texts)
    for name, text in texts.items():
        assert not (found := STARTS_QEMU.search(text)), f"{name} starts QEMU by itself: {found[0]!r}"
        assert not (found := IS_AN_INIT.search(text)), f"{name} has an init of its own: {found[0]!r}"
    for name in ("tests/kernel/run", "tests/kernel/run-arm64"):
        assert '/.venv/bin/cpolc" vm run' in texts[name]


@pytest.mark.parametrize("script", ["run", "run-arm64"])
def test_help_is_printed_and_nothing_runs(script: str, tmp_path: Path) -> None:
    """Not even what a run needs is there: a compiler, and a kernel in the cache."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("sed", "grep", "dirname"):
        (tools / tool).symlink_to(f"/usr/bin/{tool}")
    environment = {"PATH": str(tools), "CPOL_CACHE": str(tmp_path / "cache")}
    path = ROOT / "tests" / "kernel" / script
    for option, code in (("--help", 0), ("-h", 0), ("--no-such-option", 2)):
        command = ["/bin/bash", str(path), option]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == code, done.stderr
        assert (f"tests/kernel/{script} " in done.stdout) == (code == 0)
        assert "PART" in done.stdout or "unknown argument: --no-such-option" in done.stderr
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    "line",
    ['timeout 5 qemu-system-x86_64 -M q35 -m "$memory"', "qemu -fsdev local,path=/", '\t-append "root=/dev/root ro"'],
)
def test_a_second_runner_would_be_seen(line: str) -> None:
    assert STARTS_QEMU.search(line)


def plumbing(folder: Path) -> qemu.Plumbing:
    return qemu.Plumbing(folder / "control", folder / "exchange", folder / "console", 3, 4)


@pytest.mark.parametrize("length", [1, 200])
def test_qemu_takes_any_path(tmp_path: Path, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """QEMU's parser of options reads two commas as one. The kernel takes blanks in quotes."""
    monkeypatch.setattr(qemu, "program", lambda _: "qemu")
    folder = tmp_path / "a b, c='d'".ljust(length, "l")
    folder.mkdir()
    disk = folder / "disk"
    disk.write_bytes(bytes(4096))
    line = qemu.command_line(
        image=folder / "bzImage", accel="tcg", memory="1G", cpus=2, disks=(Disk(disk),), plumbing=plumbing(folder)
    )
    values = {}
    for option, text in pairwise(line):
        if option in ("-chardev", "-fsdev", "-drive"):
            fields = dict(word.partition("=")[::2] for word in re.split(r"(?<!,),(?!,)", text))
            values[fields["id"]] = (fields.get("path") or fields["file"]).replace(",,", ",")
    assert {values["console"], values["control"], values["exchange"], values["disk0"]} == {
        str(folder / name) for name in ("console", "control", "exchange", "disk")
    }
    assert line[line.index("-kernel") + 1] == str(folder / "bzImage")
    assert f'init="{folder}/control/init"' in line[line.index("-append") + 1]


def test_a_quote_in_the_temporary_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VmError, match="has a quote in its name: set TMPDIR"):
        qemu.root_argument(plumbing(tmp_path / 'a"b'))


def test_scripts_of_the_guest_take_any_path(tmp_path: Path) -> None:
    """The shell of the guest sees the folder and the command's words as they are."""
    folder = tmp_path / HOSTILE
    folder.mkdir()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    control = write_control(
        scratch, Machine(environment={"OBJECTS": str(folder)}), ["printf", "%s", str(folder)], folder
    )
    assert (control / "init").read_bytes() == GUEST_INIT.read_bytes()
    script = '. ./environment; cd "$(cat directory)" && pwd && echo "$OBJECTS" && . "$OLDPWD/command"'
    done = subprocess.run(["sh", "-c", script], cwd=control, capture_output=True, text=True, check=True)
    assert done.stdout == f"{folder}\n{folder}\n{folder}"


@pytest.mark.parametrize("hidden", ["/run", "/proc/self", "/dev/shm", "/sys/fs"])
def test_a_folder_that_the_guest_has_itself_is_refused(tmp_path: Path, hidden: str) -> None:
    with pytest.raises(VmError, match=r"the guest has its own /\w+ and does not see .*: start from another folder"):
        write_control(tmp_path, Machine(), ["true"], Path(hidden))


def test_init_hides_what_the_runner_refuses() -> None:
    """What guest/init mounts over the host's tree, beside folders in these."""
    mounted = set(re.findall(r"^ *mount -t \S+ (?:-o \S+ )?\S+ /(\w+)", GUEST_INIT.read_text(), re.MULTILINE))
    assert mounted == {"proc", "sys", "dev", "run"}
