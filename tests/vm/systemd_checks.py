"""Runs in the machine (guest.py), as a service of a real systemd: the units, installed as docs/operating.md says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import CGROUPS, LOADER, PINS, big_file, check, eventually, good, kernel_lines, main, no_bpf_left, obj

CHECKOUT = Path(__file__).resolve().parents[2]
UNITS = CHECKOUT / "runtime" / "operate" / "systemd"
INSTALLED = Path("/etc/systemd/system")
CONFIG = Path("/etc/cpol/web.conf")
RULES = Path("/etc/cpol.d/web.conf")
WEB = CGROUPS / "system.slice" / "web.service"
CPOLC = "/usr/local/bin/cpolc"


def installed(policy: str) -> Path:
    return CONFIG.parent / f"{policy}.bpf.o"


def systemctl(*words: str) -> str:
    done = subprocess.run(["systemctl", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"systemctl {' '.join(words)}: {done.stderr}\n{journal('-n', '30')}"
    return done.stdout.strip()


def journal(*words: str) -> str:
    return subprocess.run(["journalctl", "--no-pager", *words], capture_output=True, text=True, check=True).stdout


def shown(unit: str) -> tuple[str, str]:
    """The state of a unit, and how its last start, reload or stop ended."""
    lines = dict(line.split("=", 1) for line in systemctl("show", unit, "-p", "ActiveState,Result").splitlines())
    return lines["ActiveState"], lines["Result"]


def policies() -> list[str]:
    return [line["name"] for line in kernel_lines(WEB)] if WEB.exists() else []


def cpolc(*words: str) -> str:
    done = subprocess.run([CPOLC, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def attached_with(threshold: int) -> bool:
    """Whether the unit's last attach had this param, by what it told the journal."""
    return f"threshold = {threshold}" in journal("-u", "cpol@web", "-o", "cat", "-n", "6")


def nothing_of_web_left() -> None:
    eventually(lambda: not kernel_lines(), "a policy is left")
    assert not list(PINS.iterdir()), list(PINS.iterdir())
    no_bpf_left()


@check
def installed_as_the_page_says() -> None:
    """The units and the drop-ins of a kernel with the module; a service that reads; a loader that no compiler made."""
    page = (CHECKOUT / "docs" / "operating.md").read_text()
    for line in page.splitlines():
        if line.startswith("install ") and "runtime/operate/systemd/" in line:
            subprocess.run(line.split(), cwd=CHECKOUT, check=True)
    assert (INSTALLED / "cpol@.service.d" / "stock-kernel.conf").exists(), "the page has other commands"
    Path(CPOLC).unlink(missing_ok=True)
    Path(CPOLC).symlink_to(CHECKOUT / ".venv" / "bin" / "cpolc")
    shutil.copy(LOADER, "/usr/local/bin/cpol-loader")
    for name in ("cpol@", "cpol-apply"):
        drop_in = INSTALLED / f"{name}.service.d" / "loader.conf"
        drop_in.write_text("[Service]\nEnvironment=CPOL_LOADER=/usr/local/bin/cpol-loader\n")
    file = big_file("web", 16 << 20)
    (INSTALLED / "web.service").write_text(
        f"[Service]\nExecStart=/bin/sh -c 'while cat {file} >/dev/null; do sleep 1; done'\nMemoryMax=12M\n"
        "[Install]\nWantedBy=multi-user.target\n"
    )
    CONFIG.parent.mkdir(exist_ok=True)
    for name in ("lfu", "s3fifo"):  # the units do not see /tmp, where these are now
        shutil.copy(obj(name), installed(name))
    CONFIG.write_text(f"POLICY={installed('s3fifo')}\nOPTIONS=--set threshold=1\n")
    systemctl("daemon-reload")


@check
def a_service_gets_its_policy() -> str:
    systemctl("enable", "cpol@web")
    systemctl("start", "web")
    eventually(lambda: shown("cpol@web")[0] != "activating", "cpol@web is still being started", 180)
    assert shown("cpol@web") == ("active", "success"), journal("-u", "cpol@web")
    assert policies() == ["s3fifo"] and attached_with(threshold=1), journal("-u", "cpol@web")
    said = cpolc("status", "web")
    assert "s3fifo" in said and "system.slice/web.service" in said and "by cpolc attach" in said, said
    return said


@check
def a_reload_takes_what_the_file_and_a_drop_in_say() -> None:
    CONFIG.write_text(f"POLICY={installed('s3fifo')}\n")
    drop_in = INSTALLED / "cpol@web.service.d" / "options.conf"
    drop_in.parent.mkdir()
    drop_in.write_text("[Service]\nEnvironment=OPTIONS='--set threshold=3'\n")
    systemctl("daemon-reload")
    assert str(drop_in) in systemctl("show", "cpol@web", "-p", "DropInPaths")
    systemctl("reload", "cpol@web")
    assert policies() == ["s3fifo"] and attached_with(threshold=3), journal("-u", "cpol@web")
    shutil.rmtree(drop_in.parent)
    systemctl("daemon-reload")
    CONFIG.write_text(f"POLICY={installed('lfu')}\n")
    systemctl("reload", "cpol@web")
    assert policies() == ["lfu"]


@check
def a_reload_that_fails_leaves_the_old_policy() -> str:
    CONFIG.write_text("POLICY=/etc/cpol/gone.bpf.o\n")
    done = subprocess.run(["systemctl", "reload", "cpol@web"], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and policies() == ["lfu"]
    said = journal("-u", "cpol@web", "-o", "cat", "-n", "10")
    assert "/etc/cpol/gone.bpf.o" in said, said
    CONFIG.write_text(f"POLICY={installed('lfu')}\n")
    return said


@check
def a_service_that_starts_anew_gets_it_again() -> None:
    first = WEB.stat().st_ino
    systemctl("restart", "web")
    eventually(lambda: policies() == ["lfu"], "the policy is not there again", 180)
    assert WEB.stat().st_ino != first
    assert [line["cgroup"] for line in kernel_lines()] == [str(WEB.stat().st_ino)]


@check
def a_service_that_dies_leaves_nothing() -> None:
    eventually(lambda: shown("cpol@web")[0] == "active", "cpol@web is not active", 180)
    systemctl("kill", "-s", "KILL", "web")
    eventually(lambda: shown("web")[0] == "failed" and shown("cpol@web")[0] == "inactive", "the units go on", 180)
    nothing_of_web_left()
    systemctl("disable", "cpol@web")
    systemctl("reset-failed")


@check
def cpol_apply_serves_units_that_come_later() -> str:
    RULES.parent.mkdir(exist_ok=True)
    RULES.write_text(f"[web]\npolicy = {installed('lfu')}\nunit = web.service\n")
    systemctl("start", "cpol-apply")
    assert shown("cpol-apply") == ("active", "success") and not kernel_lines()
    for _ in range(2):
        systemctl("start", "web")
        eventually(lambda: policies() == ["lfu"], "cpol-apply has not attached it", 180)
        systemctl("stop", "web")
        eventually(lambda: not kernel_lines(), "the policy outlives the service", 180)
    systemctl("start", "web")
    eventually(lambda: policies() == ["lfu"], "cpol-apply has not attached it", 180)
    said = cpolc("status", "web")
    assert "by cpolc apply" in said and "[web]" in said, said
    return said


@check
def cpol_apply_reloads_and_takes_no_wrong_file() -> None:
    RULES.write_text("[web]\npolicy = lfu\nunits = web.service\n")
    systemctl("reload", "cpol-apply")
    eventually(lambda: f"{RULES}:3:" in journal("-u", "cpol-apply", "-o", "cat"), "the journal names no line", 180)
    assert policies() == ["lfu"] and shown("cpol-apply")[0] == "active"
    RULES.write_text(f"[web]\npolicy = {installed('s3fifo')}\nunit = web.service\n")
    systemctl("reload", "cpol-apply")
    eventually(lambda: policies() == ["s3fifo"], "cpol-apply has not attached it", 180)
    systemctl("stop", "cpol-apply")
    assert policies() == ["s3fifo"], "the page says that policies stay when the service stops"
    systemctl("stop", "web")
    good("detach", "--gone")
    nothing_of_web_left()


@check
def the_journal_says_who_changed_what() -> list[str]:
    """journald's own answer to the command of the page."""
    lines = journal("-t", "cpol-loader", f"CPOL_CGROUP={WEB}", "-o", "json").splitlines()
    entries = [json.loads(line) for line in lines]
    done = [f"{one['CPOL_ACTION']} {one['CPOL_POLICY']} {one['CPOL_RESULT']}" for one in entries]
    assert done[:3] == ["attach s3fifo done", "replace s3fifo done", "replace lfu done"], done
    assert all(one["CPOL_UID"] == one["_UID"] == "0" for one in entries)
    attached = entries[0]
    assert len(attached["CPOL_OBJECT_SHA256"]) == 64 and attached["_SYSTEMD_UNIT"] == "cpol@web.service", attached
    return done


main()
