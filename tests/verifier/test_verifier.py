"""The kernel as a process of the host says of programs what the kernel in a machine says."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import objects
import pytest
import um
from selftests import Selftest, build_cxrun, selftests

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.kernel.vm import Machine, run
from cpol.kernel.vm.image import find_image

SEED = int(os.environ.get("CPOL_SEED", "0"))
STDLIB = sorted((um.ROOT / "stdlib").glob("*.cpol"))[::4]
"""The emulated kernel takes some seconds for each."""
RUN = Path(__file__).resolve().parents[1] / "property" / "run-sources"

pytestmark = pytest.mark.vm


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


def test_both_kernels_say_the_same_of_policies(linux: Path, tmp_path: Path) -> None:
    """They take them after as many instructions, so they looked at the same paths."""
    built = [tmp_path / f"{source.stem}.bpf.o" for source in STDLIB]
    for source, path in zip(STDLIB, built, strict=True):
        bpf.compile_policy(compile_file(source), path)
    here, there = objects.verify(linux, built), in_machine(built)
    assert not [verdict.refusal for verdict in (*here, *there) if verdict.refusal]
    assert [verdict.instructions for verdict in here] == [verdict.instructions for verdict in there]
    print([verdict.instructions for verdict in here])


def in_machine(built: Sequence[Path]) -> list[objects.Verdict]:
    """What the kernel in an emulated machine says."""
    stdout, stderr = bytearray(), bytearray()
    machine = Machine(kernel=find_image(None), memory="1G")
    run(objects.command(built), machine, stdout=stdout.extend, stderr=stderr.extend, timeout=1200)
    verdicts = objects.read(stdout.decode())
    assert set(verdicts) == {str(path) for path in built}, (stdout.decode(), stderr.decode())
    return [verdicts[str(path)] for path in built]


def test_twenty_random_policies() -> None:
    command = [str(RUN), "verify", "--seed", str(SEED), "--policies", "20"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-12000:] + done.stderr
    print(done.stdout)
    last = done.stdout.splitlines()[-1]
    assert last.startswith(f"seed {SEED}, first 0: policies 20 refused 0; "), last
