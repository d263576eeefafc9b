"""Changes to an input that fail halfway: they are undone, or the message says what is left. The map is made up."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from loader_types import Build


@pytest.fixture(scope="module")
def undo(build: Build) -> Path:
    return build("undo")


FULL = "the input hot is full: it holds 65536 elements"


@pytest.mark.parametrize(
    ("room", "broken", "holds", "said"),
    [
        (4, False, "1=1 2=2 3=3 4=4 ", ""),
        (3, False, "2=20 ", f"{FULL}; nothing was changed"),
        (3, True, "1=1 2=2 3=3 ", f"{FULL}; 3 of 4 changes are made, and cannot be undone: Input/output error"),
    ],
)
def test_message_tells_what_is_changed(undo: Path, room: int, broken: bool, holds: str, said: str) -> None:
    done = subprocess.run([undo, str(room), str(int(broken))], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (bool(said), holds), done.stderr
    assert done.stderr == (f"cpol-loader: error: {said}\n" if said else "")
