"""The files that tell a guest what to run, which kernel/vm writes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from cpol.kernel.vm.machine import Machine, write_control


def test_words_that_are_no_text(tmp_path: Path) -> None:
    """File names and variables are bytes, also on the command line."""
    word, folder, scratch = os.fsdecode(b"a \xff'"), tmp_path / os.fsdecode(b"\xfe"), tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    control = write_control(scratch, Machine(environment={"NAME": word}), ["printf", "%s", word], folder)
    for script in (f". {control}/command", f'. {control}/environment; printf %s "$NAME"'):
        done = subprocess.run(["sh", "-c", script], capture_output=True, check=True)
        assert done.stdout == b"a \xff'"
    assert (control / "directory").read_bytes() == os.fsencode(f"{folder}\n")
