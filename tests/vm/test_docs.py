"""Consoles of the documentation that need a kernel with cache_ext (```console vm): one machine per page."""

from __future__ import annotations

import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from vm_types import CHECKOUT

from cpol.kernel.vm import Disk, Machine, run
from cpol.runtime.operate import loader

pytestmark = pytest.mark.vm

DOC: dict[str, Any] = runpy.run_path(str(CHECKOUT / "tests" / "docs" / "doc_blocks.py"))
PAGES = [page for page in DOC["PAGES"] if any(block.info == "console vm" for block in DOC["blocks"](page))]
MARK = "--- step of the page: exit code "


def test_pages_with_vm_consoles_exist() -> None:
    assert CHECKOUT / "docs" / "tutorial.md" in PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_consoles_on_the_kernel(page: Path, kernel: Path, tmp_path: Path) -> None:
    """Commands that compile objects run on the host; the others run in the machine, which has a disk at /srv."""
    blocks, steps = DOC["blocks"](page), []
    for block in blocks:
        if block.words[:1] == ["cpol"] and len(block.words) > 1:
            (tmp_path / block.words[1]).write_text(block.text, encoding="utf-8")
        for step in DOC["steps"](block) if block.info == "console" else []:
            if ".bpf.o" in step.command:
                words = [sys.executable, "-m", "cpol.cli.main", *shlex.split(step.command)[1:]]
                subprocess.run(words, cwd=tmp_path, check=True)
        if block.info == "console vm":
            steps += DOC["steps"](block)
    loader.find()  # build it here, since the machine would be slow
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    source, python = shlex.quote(str(CHECKOUT / "src")), shlex.quote(sys.executable)
    cpolc = f'cpolc() {{ PYTHONPATH={source} {python} -m cpol.cli.main "$@"; }}'
    disk = tmp_path / "disk"
    with disk.open("wb") as file:
        file.truncate(128 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", disk], check=True)
    lines = [
        "mount /dev/vda /srv",
        cpolc,
        f"cd {shlex.quote(str(tmp_path))}",
        *(f"{step.command} 2>&1; echo '{MARK}'$?" for step in steps),
    ]
    stdout, stderr = bytearray(), bytearray()
    machine = Machine(kernel=kernel, memory="1G", disks=(Disk(disk),), exchange=exchange)
    command = ("bash", "-c", "\n".join(lines))
    run(command, machine, stdout=stdout.extend, stderr=stderr.extend, directory=CHECKOUT, timeout=900)
    rest = stdout.decode(errors="replace")
    for step in steps:
        output, mark, rest = rest.partition(MARK)
        code, _, rest = rest.partition("\n")
        assert mark, f"{step.place}: {step.command}: the machine ended: {output}{stderr.decode(errors='replace')}"
        assert int(code) == step.code, f"{step.place}: {step.command}: {output}"
        assert DOC["matches"](step.output, output), f"{step.place}: {step.command} prints:\n{output}"
