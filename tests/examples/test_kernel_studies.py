"""examples/studies: the study can be read, and its programs do what their comments say."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cpol.runtime.operate.study.counters import told_by
from cpol.runtime.operate.study.order import ordered
from cpol.runtime.operate.study.spec import read_study

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "studies"


def test_the_study_can_be_read_and_each_line_has_a_comment() -> None:
    study = read_study(EXAMPLE / "mglru.toml")
    assert len(ordered(study)) == 2 * 2 * 2 * 3 * 10
    assert study.machine[0] == "cpolc" and study.baseline == "clock"
    lines = [line for line in (EXAMPLE / "mglru.toml").read_text().splitlines() if line]
    bare = [line for line in lines if "#" not in line]
    repeated = ("size", "sysfs", "timeout", "command", "footprint", "[variants", "algorithm")
    assert all(line.startswith(repeated) for line in bare), bare


def test_the_loop_tells_each_touch(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, str(EXAMPLE / "loop.py"), "1", "3"]
    subprocess.run(command, env={**os.environ, "CPOL_STUDY_OUT": str(out)}, check=True)
    latency, operations = told_by(out)
    assert operations == 3 * 256 == sum(count for _, count in latency["touches"])


@pytest.mark.slow
def test_pagerank_converges_as_its_damping_says(tmp_path: Path) -> None:
    """Each iteration moves ranks by at most 0.85 of what the one before did (Page, Brin and others, 1998)."""
    program, out = tmp_path / "pagerank", tmp_path / "out"
    flags = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]
    subprocess.run(["cc", *flags, "-o", program, str(EXAMPLE / "pagerank.c"), "-lm"], check=True)

    def moved(iterations: int) -> float:
        command = [str(program), "10", str(iterations)]
        environment = {**os.environ, "CPOL_STUDY_OUT": str(out)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert json.loads(out.read_text()) == {"operations": iterations * 16 * 1024}
        return float(done.stdout.rpartition(" ")[2])

    few, many = moved(5), moved(15)
    assert 0 < many <= few * math.pow(0.85, 10) * 1.001
    assert moved(150) < 1e-9
    assert subprocess.run([program, "x", "1"], capture_output=True).returncode == 2
