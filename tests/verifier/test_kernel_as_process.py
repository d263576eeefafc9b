"""The kernel as a process of the host says of programs what the kernel in a machine says."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import um
import um_objects
from refused_policy import make_refused
from um_selftests import Selftest, build_cxrun, selftests

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf

SEED = int(os.environ.get("CPOL_SEED", "0"))
RUN = Path(__file__).resolve().parents[1] / "property" / "run-sources"

pytestmark = [pytest.mark.vm, pytest.mark.long]


@pytest.fixture(scope="module")
def linux() -> Path:
    return um.kernel()


def test_selftests_are_taken_and_refused_for_their_reasons(linux: Path, tmp_path: Path) -> None:
    """Those that the selftests load into the kernel in a machine (tests/kernel/guest-test)."""
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    script = 'for object in "$@"; do echo "== $object"; "$0" --load "$object" && echo "== loaded"; done'
    tests = list(selftests())
    built = [test.build(tmp_path) for test in tests]
    _, said = um.run(linux, ["/bin/sh", "-c", script, str(build_cxrun(tmp_path)), *map(str, built)], exchange, 300)
    parts = re.split(r"^== (/.*)\n", said, flags=re.MULTILINE)
    logs = dict(zip(parts[1::2], parts[2::2], strict=True))
    wrong = [
        complaint for test, path in zip(tests, built, strict=True) if (complaint := against(test, logs[str(path)]))
    ]
    assert not wrong, "\n".join(wrong)
    assert sum(test.expect is not None for test in tests) > 30


def against(test: Selftest, log: str) -> str | None:
    loaded = log.endswith("== loaded\n")
    if test.expect is None:
        return None if loaded else f"{test.name} was refused:\n{log[-2000:]}"
    if loaded:
        return f"{test.name} was taken"
    return None if test.expect in log else f"{test.name} was refused, but not with `{test.expect}`:\n{log[-2000:]}"


def test_a_refusal_is_told_with_the_log(linux: Path, tmp_path: Path) -> None:
    """lfu without the tests that a folio has a record, beside lfu as it is."""
    built = [tmp_path / "lfu.bpf.o", tmp_path / "wrong.bpf.o"]
    bpf.compile_policy(compile_file(um.ROOT / "stdlib" / "lfu.cpol"), built[0])
    make_refused(built[1])
    good, bad = um_objects.verify(linux, built)
    assert good.refusal is None and good.instructions > 0
    assert bad.refusal and re.search(r"^  reason: .*invalid mem access", bad.refusal, re.MULTILINE), bad
    assert re.search(r"^  at: +lfu\.cpol:\d+: ", bad.refusal, re.MULTILINE), bad
    assert re.search(r"^processed \d+ insns", bad.refusal, re.MULTILINE), "the log's end is missing"


def test_examples_are_taken(linux: Path, tmp_path: Path) -> None:
    """`cpolc cost` cannot foretell it of those with loops over lists."""
    paths = sorted((um.ROOT / "examples").glob("*/*.cpol"))
    built = [tmp_path / f"{path.stem}.bpf.o" for path in paths]
    for path, target in zip(paths, built, strict=True):
        bpf.compile_policy(compile_file(path), target)
    refused = [verdict.refusal for verdict in um_objects.verify(linux, built) if verdict.refusal is not None]
    assert not refused, "\n".join(refused)
    assert len(set(built)) == len(paths) > 15


@pytest.mark.parametrize("kind", [[], ["--aimed"]])
def test_twenty_random_policies(kind: list[str]) -> None:
    command = [str(RUN), "verify", *kind, "--seed", str(SEED), "--policies", "20"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-12000:] + done.stderr
    print(done.stdout)
    last = done.stdout.splitlines()[-1]
    assert last.startswith(f"{' '.join(['seed', str(SEED), *kind])}, first 0: policies 20 refused 0; "), last
