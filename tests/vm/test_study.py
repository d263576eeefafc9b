"""`cpolc study` on Debian's kernel, a machine a trial: it swaps, puts everything back, and repeats nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from vm_types import CHECKOUT

pytestmark = [pytest.mark.vm, pytest.mark.long]

CPOLC = [sys.executable, "-m", "cpol.cli.main"]
STATE = (
    "cat /sys/kernel/mm/lru_gen/enabled /proc/swaps; ls /sys/fs/cgroup | grep cpol; ls /sys/block; lsmod | grep zram"
)
AROUND = f'{{ {STATE}; }} >$CPOL_EXCHANGE/before; "$@"; code=$?; {{ {STATE}; }} >$CPOL_EXCHANGE/after; exit $code'
"""Runs a trial, and notes what a trial changes, before it and after it."""
CHECKED = """
import pathlib, subprocess, sys
done = subprocess.run(sys.argv[1:])
before, after = (pathlib.Path("EXCHANGE", name).read_text() for name in ("before", "after"))
assert before == after, f"{before} is now {after}"
assert before.startswith("0x0007") and "Filename" in before and "zram" not in before, before
sys.exit(done.returncode)
"""
"""Starts a machine, and fails if the trial left something there."""


def study_in(folder: Path, trials: int) -> Path:
    """The file of a study, whose machines see this checkout."""
    (folder / "exchange").mkdir(exist_ok=True)
    checked = folder / "checked.py"
    checked.write_text(CHECKED.replace("EXCHANGE", str(folder / "exchange")))
    machine = [sys.executable, str(checked), *CPOLC, "vm", "run", "--kernel", "stock", "--memory", "1G"]
    machine += ["--exchange", str(folder / "exchange"), "--env", f"PYTHONPATH={CHECKOUT / 'src'}", "--"]
    machine += ["/bin/sh", "-c", AROUND, "around"]
    cpolc = folder / "cpolc"
    cpolc.write_text(f'#!/bin/sh\nexec {sys.executable} -m cpol.cli.main "$@"\n')
    cpolc.chmod(0o755)
    text = (CHECKOUT / "tests/vm/study_loop.toml").read_text()
    text = text.replace("LOOP", str(CHECKOUT / "examples/studies/loop.py")).replace("trials = 2", f"trials = {trials}")
    path = folder / "study.toml"
    path.write_text(f"{text}\n[machine]\ncommand = {json.dumps(machine)}\ncpolc = {json.dumps(str(cpolc))}\n")
    return path


def cpolc_study(*words: object) -> Any:
    command = [*CPOLC, "study", *map(str, words), "--json"]
    paths = [str(CHECKOUT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_study_in_machines(tmp_path: Path) -> None:
    first = cpolc_study("run", study_in(tmp_path, 2))
    assert (first["there"], first["done"], first["failed"]) == (0, 4, 0)
    trials = tmp_path / "study.study/trials"
    kept = {path.name: path.read_bytes() for path in trials.iterdir()}
    again = cpolc_study("run", study_in(tmp_path, 3))
    assert (again["trials"], again["there"], again["done"]) == (6, 4, 2)
    assert all((trials / name).read_bytes() == content for name, content in kept.items()), "a trial was repeated"
    outcomes = [json.loads(path.read_text()) for path in trials.iterdir()]
    assert len({each["boot"] for each in outcomes}) == 6
    for each in outcomes:
        assert each["counters"]["pswpin"] > 1000 and each["counters"]["pgmajfault"] > 1000, each
        assert each["left"] == [] and each["operations"] == 2 * 24 * 256
        wanted = "0x0000" if ".clock." in each["id"] else "0x0007"
        assert each["settings"]["/sys/kernel/mm/lru_gen/enabled"][1] == wanted
    told = cpolc_study("report", tmp_path / "study.study")
    rows = told["cells"][0]["rows"]
    assert [len(row["seconds"]) for row in rows] == [3, 3]
    assert not any("boots were not fresh" in note or "nothing was swapped in" in note for note in told["notes"])
    print(json.dumps(told["cells"][0]["verdict"]), json.dumps(rows))
