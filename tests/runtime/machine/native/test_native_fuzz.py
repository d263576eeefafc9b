"""Random events in programs with AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.compiler.backend import host
from cpol.compiler.backend.c import generate
from cpol.compiler.toolchain import native

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
# Not optimised: the runs are short, and with sanitizers optimisation triples the compile time.
SANITIZERS = ("-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
EVENTS = 60000


def run(source: str, events: bool, folder: Path) -> subprocess.CompletedProcess[str]:
    policy = compile_file(ROOT / source)
    program = folder / f"{policy.name}-{events}"
    text = generate(policy) + f'\n#line 1 "fuzz"\n#include "{HERE / "fuzz.h"}"\n'
    program.with_suffix(".c").write_text(text, encoding="utf-8")
    flags = (*native.COMMON, *SANITIZERS, f"-I{host.NATIVE}", *(("-DCPOL_EVENTS=1",) if events else ()))
    native.compile_c(program.with_suffix(".c"), program, flags)
    return subprocess.run([program, "1", str(EVENTS)], capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.long
def test_random_events_under_sanitizers(tmp_path: Path) -> None:
    sources = ("tests/compiler/backend/everything.cpol", "tests/compiler/backend/whole.cpol", "stdlib/s3fifo.cpol")
    jobs = [(source, events, tmp_path) for source in sources for events in (False, True)]
    with ThreadPoolExecutor(2) as pool:
        for job, done in zip(jobs, pool.map(lambda job: run(*job), jobs), strict=True):
            assert done.returncode == 0, f"{job[0]}, events {job[1]}:\n{done.stderr[:4000]}"
