"""cpolc discover: a policy that misses less, what is said of it, and what it refuses."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler.stages import run_file


def cpolc(*words: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, words)])


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Popular pages that change now and then, a loop, and pages that come once."""
    source = random.Random(1)
    path, pages = tmp_path / "keys.txt", []
    for number in range(6000):
        hot = min(int(source.paretovariate(0.8)), 400) + 400 * (number // 2000)
        pages += [hot, 5000 + number % 150, *([10_000 + number] if number % 3 else [])]
    path.write_text("".join(f"{page}\n" for page in pages))
    return path


@pytest.mark.long
def test_what_it_finds_compiles_and_passes_the_checks(trace: Path) -> None:
    output = trace.with_name("mine.cpol")
    words = ("discover", trace, "--capacity", "100,300", "--budget", 32, "-o", output)
    done = cpolc(*words)
    assert done.exit_code == 0, done.output
    text = output.read_text()
    assert text.startswith("/// mine: found by a search that began with `")
    assert "--budget 32 --seed 1 -o mine.cpol\npolicy mine {" in re.sub(r"\n/// +", " ", text)
    assert "keys.txt (sha256 " in text and "Judged on:\n///   the second halves of these" in text
    assert cpolc("fmt", "--check", output).exit_code == 0
    assert cpolc("check", output).exit_code in (0, 3)
    assert run_file(output).policy.name == "mine"
    ours, best = re.findall(r"of LRU's misses in the mean: mine ([\d.]+), (\w+)", done.output)[0]
    assert 0.3 < float(ours) < 1.1 and best != "mine"
    again = json.loads(cpolc(*words, "--json", "--jobs", 1).stdout)
    assert output.read_text() == text and again["policy"] == "mine" and again["score"] < again["start"]


@pytest.mark.long
def test_ctrl_c_writes_the_best_so_far(trace: Path) -> None:
    output = trace.with_name("mine.cpol")
    words = ["discover", str(trace), "--capacity", "100,300", "--budget", "1000000", "-o", str(output)]
    started = subprocess.Popen(
        [sys.executable, "-c", "from cpol.cli.main import main; main()", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(90)
    started.send_signal(signal.SIGINT)
    out, error = started.communicate(timeout=120)
    assert started.returncode == 130, error
    assert re.search(r"note: interrupted after [\d,]+ of 1,000,000 candidates", error)
    assert "interrupted" in output.read_text() and "is written" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "-"], "-o - names no policy; give a file: -o mine.cpol"),
        (["-o", "lru.cpol"], "`lru` is in the standard library already"),
        (["-o", "2.cpol"], "a policy has the name of its file"),
        (["-o", "mine.txt"], "a policy has the name of its file"),
        (["-o", "nowhere/mine.cpol"], "there is no folder nowhere; make it first"),
        (["--held-out", "keys.txt", "-o", "mine.cpol"], "keys.txt is given twice"),
        (["--capacity", "0", "-o", "mine.cpol"], "0"),
        (["--sample", "most", "-o", "mine.cpol"], "most"),
        (["--profile", "none", "-o", "mine.cpol"], "there is no kernel profile `none`"),
        (["--held-out", "gone.txt", "-o", "mine.cpol"], "gone.txt"),
        (["--held-out", "few.txt", "-o", "mine.cpol"], "it has 3 requests; a search takes 1,000 or more"),
    ],
)
def test_bad_input_is_one_error(trace: Path, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(trace.parent)
    Path("few.txt").write_text("1\n2\n3\n")
    done = cpolc("discover", "keys.txt", *words)
    assert done.exit_code in (1, 2) and message in done.output and "Traceback" not in done.output
    assert not Path("mine.cpol").exists() and done.output.count("rror:") == 1
