"""The core in user space, with random events and programs, and faults that were found so."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from random import Random

import pytest
from core_build import build, run
from quick import examples

from cpol.compiler.contract import KFUNCS

EVENTS = 5_000_000
"""The mutants of test_core_mutants.py are found in two million."""

INPUTS = 10_000
SEED = os.environ.get("CPOL_SEED", "1")
DRIVERS = Path(__file__).parent / "drivers"


@pytest.fixture(scope="session")
def programs() -> Path:
    return build("random", "cases", "threads", "fuzz")


CASES = re.findall(r'^\t\{ "([a-z-]+)", \w+ \},$', (DRIVERS / "cases.c").read_text(), re.MULTILINE)


def test_each_kfunc_is_tried_on_what_is_foreign() -> None:
    text = (DRIVERS / "cases" / "foreign.c").read_text()
    assert re.findall(r'^\t\{ "(\w+)", \w+ \},$', text, re.MULTILINE) == list(KFUNCS)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_case(programs: Path, case: str) -> None:
    assert run(programs / "core-cases", case) == f"{case}\n"


@pytest.mark.slow
def test_all_cases_in_one_run(programs: Path) -> None:
    """None sees what another one left."""
    assert run(programs / "core-cases").split() == CASES


def test_a_case_that_is_not_there(programs: Path) -> None:
    assert subprocess.run([programs / "core-cases", "no-such-case"]).returncode == 1


@pytest.mark.slow
def test_random_events(programs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = run(programs / "core-random", SEED, str(examples(EVENTS)))
    with capsys.disabled():
        print(f"\n{report}", end="")
    numbers = {name: int(number) for number, name in re.findall(r"(\d+) ([a-z]+)", report)}
    assert numbers["events"] >= examples(EVENTS)
    # All that can happen did, and often.
    for name in (
        "added",
        "accessed",
        "removed",
        "migrated",
        "replaced",
        "split",
        "collapsed",
        "went",
        "attached",
        "foreign",
    ):
        assert numbers.get(name, 0) > examples(50), f"{name}: {report}"


@pytest.mark.slow
def test_random_events_of_threads(programs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """2 to 8 threads under ThreadSanitizer, which ends the run at the first data race."""
    report = run(programs / "core-threads", SEED, str(examples(300_000)))
    with capsys.disabled():
        print(f"\n{report}", end="")


@pytest.mark.slow
def test_moves_are_batched(programs: Path) -> None:
    """A policy that moves a folio at each access takes its lock for at most one access in 15."""
    lines = run(programs / "core-threads", "locks").splitlines()
    found = [re.fullmatch(r"(\d) threads: (\d+) accesses, lock taken (\d+) times: .*", line) for line in lines]
    counts = [tuple(int(number) for number in match.groups()) for match in found if match]
    assert [threads for threads, _, _ in counts] == [1, 2, 4, 8]
    for _, accesses, taken in counts:
        assert 0 < taken * 15 <= accesses, lines


@pytest.mark.slow
def test_a_reason_is_kept_whole(programs: Path) -> None:
    """A program says why its policy ends while another CPU detaches it: what is kept is no half of a reason."""
    assert run(programs / "core-threads", "ends") == "500 policies ended\n"


@pytest.mark.long
def test_fuzzer(programs: Path, tmp_path: Path) -> None:
    """libFuzzer from random worlds on, for a moment; `make soak-core` gives it more time, and keeps what it finds."""
    random = Random(SEED)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number in range(64):
        (corpus / str(number)).write_bytes(random.randbytes(random.randint(100, 2000)))
    fuzz = [str(programs / "core-fuzz"), str(corpus), f"-runs={INPUTS}", f"-seed={int(SEED) + 1}", "-max_len=4096"]
    done = subprocess.run([*fuzz, f"-artifact_prefix={tmp_path}/"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert f"Done {INPUTS} runs" in done.stderr


def test_a_world_is_repeated(programs: Path) -> None:
    first, again = (run(programs / "core-random", "7", "1") for _ in range(2))
    assert first == again
