"""Runs in the machine (guest.py says how): every command of docs/operating.md, which CPOL_DOCUMENT names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I leaves it out

from guest import DISK, OBJECTS, PINS, check, main, no_bpf_left

DOCUMENT = Path(os.environ["CPOL_DOCUMENT"])
SHOP = Path("/srv/shop")
BIN = Path("/run/cpol-bin")
SECONDS = 120


def commands() -> list[str]:
    """The indented lines outside of fences."""
    found, fenced = [], False
    for line in DOCUMENT.read_text().splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and line.startswith("    ") and line.strip():
            found.append(line.strip())
    return found


def make_the_world() -> None:
    """What the document takes for granted: files, cpolc on the path."""
    for path in (SHOP, BIN, DISK / "shop"):
        path.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "--bind", str(DISK / "shop"), str(SHOP)], check=True)
    for name in ("orders", "index"):
        (SHOP / name).write_bytes(name.encode() * 65536)
    cpolc = BIN / "cpolc"
    cpolc.write_text(f'#!/bin/sh\nexec {os.environ["CPOL_PYTHON"]} -m cpol.cli.main "$@"\n')
    cpolc.chmod(0o755)
    Path("/sys/fs/bpf").chmod(0o711)


@check
def every_command_of_the_document() -> dict[str, str]:
    make_the_world()
    environment = {**os.environ, "PATH": f"{BIN}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
    said: dict[str, str] = {}
    lines = commands()
    assert len(lines) >= 35, lines
    for line in lines:
        background = line.endswith("&")
        process = subprocess.Popen(
            ["bash", "-c", f"exec {line.rstrip('& ')}" if background else line],
            cwd=OBJECTS,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout is not None
        if background:
            said[line] = process.stdout.readline()
            assert said[line].startswith("serving http://"), (line, said[line])
            process.terminate()
        output, _ = process.communicate(timeout=SECONDS)
        assert process.returncode == 0, (line, process.returncode, output)
        said.setdefault(line, output)
    expect(said)
    assert not list(PINS.iterdir())
    no_bpf_left()
    return said


def expect(said: dict[str, str]) -> None:
    """What the document promises of some of them."""

    def check_one(begin: str, pattern: str) -> None:
        found = [said[begin]] if begin in said else [text for line, text in said.items() if line.startswith(begin)]
        assert found and re.search(pattern, found[-1]), (begin, found)

    shop = "/sys/fs/cgroup/shop"
    check_one(f"cpolc attach s3fifo {shop}", f"s3fifo (is attached to|replaced mru on) {shop}")
    check_one(f"cpolc attach mru {shop} --replace", r"mru replaced kv on .*\n.*without a policy for at most [0-9.]+ ms")
    check_one(f"cpolc stat {shop} --json", '"name": "lfu"')
    check_one(f"cpolc stat {shop}", r"\n(hits +(n/a|\d+))\n")
    check_one("cpolc top --once", r"POLICY .*\n(lfu|mru|s3fifo)")
    check_one("cpolc top --batch 2", r"(?s)POLICY.*POLICY")
    check_one("cpolc metrics", r"(?s)cpol_policy_info.*policy=\"lfu\"")
    check_one(f"cpolc set {shop} step=10", r"step = 10 \(was 3\)\nshare = 0.25 \(was 0.1\)")
    check_one(f"cpolc input {shop} headers remove", r"headers: \d+ added, \d+ removed")
    check_one(f"cpolc input {shop} hot list {SHOP}/orders", r"^id:[0-9a-f]{16}\n$")
    check_one(f"cpolc input {shop} scanners clear", "scanners: 1 removed")
    check_one("cpolc detach --gone", "fifo is detached from the removed cgroup")


main()
