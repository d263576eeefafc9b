"""A recording under nohup goes on after a hangup."""

from __future__ import annotations

import subprocess

import pytest
from loader_types import Build


@pytest.mark.long
def test_hangup_under_nohup_is_no_end(build: Build) -> None:
    record = build("nohup_record")
    for prefix, said in (((), "ends the recording"), (("nohup",), "ignored")):
        done = subprocess.run([*prefix, record], capture_output=True, text=True, check=False, timeout=60)
        assert done.stdout == f"{said}\n", done
