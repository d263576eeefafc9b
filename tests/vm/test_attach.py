"""Policies on the real page cache: one machine runs all checks of attach_checks.py, and tells the result of each."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf, c
from cpol.kernel.vm import Disk, Machine, run
from cpol.runtime import loader

pytestmark = pytest.mark.vm

SCRIPT = Path(__file__).parent / "attach_checks.py"
POLICIES = ("fifo", "lfu", "mru", "s3fifo")
_SOURCE = SCRIPT.read_text()
NAMES = [f"attach_works_{name}" for name in POLICIES]
NAMES += re.findall(r"^@check\ndef (\w+)", _SOURCE, re.MULTILINE)
"""The checks, in the order in which the machine runs them."""

Results = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def results(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """What each check said."""
    folder = tmp_path_factory.mktemp("attach")
    make_objects(folder)
    disk = folder / "disk"
    with disk.open("wb") as file:
        file.truncate(256 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(disk)], check=True)
    machine = Machine(kernel=kernel, memory="1G", disks=(Disk(disk),), exchange=folder)
    stdout, stderr = bytearray(), bytearray()
    command = (sys.executable, "-I", str(SCRIPT), str(loader.find()), str(folder))
    code = run(command, machine, stdout=stdout.extend, stderr=stderr.extend, directory=CHECKOUT, timeout=1800)
    lines = [json.loads(line) for line in stdout.decode().splitlines()]
    assert code == 0 and lines and lines[-1] == {"name": "done"}, (code, stdout.decode(), stderr.decode())
    return {line["name"]: line for line in lines}


def make_objects(folder: Path) -> None:
    """The policies, and one that the verifier has to refuse."""
    for path in (CHECKOUT / "stdlib").glob("*.cpol"):
        bpf.compile_policy(compile_file(path), folder / f"{path.stem}.bpf.o")
    everything = CHECKOUT / "tests" / "compiler" / "backend" / "everything.cpol"
    bpf.compile_policy(compile_file(everything), folder / "everything.bpf.o")
    make_refused(folder / "refused.bpf.o")
    built = subprocess.run([str(loader.BUILD), "--sanitize"], capture_output=True, text=True, check=True)
    (folder / "sanitized-loader").write_text(built.stdout.strip())


def make_refused(out: Path) -> None:
    """LFU without the test whether a folio has a record."""
    policy = compile_file(CHECKOUT / "stdlib" / "lfu.cpol")
    scratch = out.parent / "refused"
    scratch.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        right = c.generate(replace(policy, path="lfu.cpol"))
        wrong = re.sub(r"if \(!cpol_rec\w*\)\s*(?:return|continue);", "", right)
        assert wrong != right
        wrong = wrong.replace("cpol_meta(c,", "cpol_look_up_again(c,")
        again = "#define cpol_look_up_again(c, f) cpol_look_up(f)\n"
        patch.setattr(c, "generate", lambda _: again + wrong)
        out.write_bytes(bpf.build(policy, scratch).read_bytes())


@pytest.mark.parametrize("name", NAMES)
def test_in_the_machine(results: Results, name: str) -> None:
    assert name in results, f"only {list(results)} were run"
    assert "failure" not in results[name], results[name]["failure"]
    print(json.dumps(results[name]))
