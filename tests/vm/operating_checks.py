"""Runs in the machine (see guest.py): every command of docs/operating.md, whose path is CPOL_DOCUMENT.

cpolc is imported once and forked for each command, since Python starts slowly under emulation.
"""

from __future__ import annotations

import importlib
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it
sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from guest import DISK, LOADER, OBJECTS, PINS, check, main, no_bpf_left

DOCUMENT = Path(os.environ["CPOL_DOCUMENT"])
SHOP = Path("/srv/shop")


def commands() -> list[str]:
    """Return the indented lines outside of fences."""
    found, fenced = [], False
    for line in DOCUMENT.read_text().splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and line.startswith("    ") and line.strip():
            found.append(line.strip())
    return found


def make_the_world() -> None:
    """Make the cgroups and files that the page assumes."""
    for path in (SHOP, DISK / "shop"):
        path.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "--bind", str(DISK / "shop"), str(SHOP)], check=True)
    for name in ("orders", "index"):
        (SHOP / name).write_bytes(name.encode() * 65536)
    Path("/sys/fs/bpf").chmod(0o711)


def run_cpolc(words: list[str]) -> int:
    """Run cpolc in this process and return its exit code."""
    from cpol.cli.main import main as cpolc

    sys.argv = words
    try:
        cpolc()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.stdout.flush()
    return 0


def run(line: str) -> tuple[int, str]:
    """Run a command line; return its exit code and output. A background command is ended after its first line."""
    background = line.endswith("&")
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            os.dup2(write, 1)
            os.dup2(write, 2)
            os.close(read)
            os.chdir(OBJECTS)
            words = shlex.split(line.rstrip("& ").replace("$$", str(os.getpid())))
            status = (
                run_cpolc(words)
                if words[0] == "cpolc"
                else subprocess.run(["bash", "-c", line], check=False).returncode
            )
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, encoding="utf-8", errors="replace") as output:
        said = output.readline() if background else output.read()
        if background:
            os.kill(pid, signal.SIGTERM)
            said += output.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said


@check
def every_command_of_the_page() -> dict[str, str]:
    importlib.import_module("cpol.cli.objects")  # import the compiler once
    from cpol.runtime.operate import loader

    make_the_world()
    loader.find = lambda: Path(LOADER)
    said: dict[str, str] = {}
    lines = commands()
    assert len(lines) >= 30, lines
    for line in lines:
        code, said[line] = run(line)
        assert code == 0, (line, code, said[line])
    expect(said)
    assert not list(PINS.iterdir())
    no_bpf_left()
    return said


def expect(said: dict[str, str]) -> None:
    """Check the outputs that the page promises."""

    def check_one(begin: str, pattern: str) -> None:
        found = [said[begin]] if begin in said else [text for line, text in said.items() if line.startswith(begin)]
        assert found and re.search(pattern, found[-1]), (begin, found)

    shop = "/sys/fs/cgroup/shop"
    check_one(f"cpolc attach s3fifo {shop}", f"s3fifo is attached to {shop}")
    check_one(f"cpolc attach kv.bpf.o {shop}", f"kv replaced lfu on {shop} .chances = 3, share = 0.1, bias = 3.\n")
    check_one("cpolc metrics --listen", "serving http://127.0.0.1:9101/metrics")
    check_one(f"cpolc attach mru {shop} --replace", r"mru replaced kv on .*\nthere was no gap: kv governed until mru")
    check_one(f"cpolc stat {shop} --json", '"name": "lfu"')
    check_one(f"cpolc stat {shop}", r"\n(hits +(n/a|\d+))\n")
    check_one("cpolc top --once", r"CGROUP +POLICY .*\n" + shop + " +lfu ")
    check_one("cpolc top --batch 2", r"(?s)POLICY.*POLICY")
    check_one("cpolc metrics", r"(?s)cpol_policy_info.*policy=\"lfu\"")
    check_one(f"cpolc set {shop} chances=10", r"chances = 10 \(was 3\)\nshare = 0.25 \(was 0.1\)")
    check_one(f"cpolc input {shop} headers remove", r"headers: \d+ added, \d+ removed")
    check_one(f"cpolc input {shop} hot list {SHOP}/orders", r"^id:[0-9a-f]{16}\n$")
    check_one(f"cpolc input {shop} scanners clear", "scanners: 1 removed")
    check_one(f"cpolc attach lfu {shop} --replace --trial", "lfu was kept, because the rule holds: major_faults <= ")
    check_one("cpolc trial status", r"keep if major_faults <= before \+ 100\n")
    check_one("cpolc detach --gone", "lfu is detached from the removed cgroup")
    check_one("cpolc list --all", r"lfu +\(a removed cgroup\) \(ended: its cgroup was removed")
    check_one(
        "cpolc apply --dry-run",
        r"attach +\S+worker-1: s3fifo: .*\n.*worker-2.*\n2 would be changed, 0 as they should be",
    )
    check_one("cpolc apply --json", r'"action": "keep", "policy": "s3fifo", .*"action": "keep"')
    check_one("cpolc status /sys/fs/cgroup/worker-1", r"policy +s3fifo\nstate +attached\nattached +by cpolc apply, ")
    check_one("cpolc status /sys/fs/cgroup/worker-2", r'"section": "workers"')
    check_one("cpolc apply --detach", r"detach +/sys/fs/cgroup/worker-1: s3fifo: .*\n1 changed, 0 as they should be")
    check_one("cpolc list --all", r"kv +.*\(ended: another policy replaced it \(mru\)")


main()
