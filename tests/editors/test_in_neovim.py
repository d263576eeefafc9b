"""Debian's Neovim with the files of editors/nvim: what is wrong, what lint finds, hover, a lens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from correspondence import GRAMMAR

POLICY = """policy p {
  /// what is old
  list queue
  on added(f) { place f at tail of quue }
  on evict { scan queue from head as f { evict f } }
  test t(capacity: 2) { access 1, 2, 3  expect queue.is(2, 3) }
}
"""
ERROR, HINT = 1, 4


@pytest.mark.slow
def test_neovim_shows_what_the_server_says(tmp_path: Path) -> None:
    policy, out = tmp_path / "p.cpol", tmp_path / "out"
    policy.write_text(POLICY)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",  # cpolc
        "HOME": str(tmp_path),
        "NVIM_FILES": str(GRAMMAR.parent / "nvim"),
        "POLICY": str(policy),
        "OUT": str(out),
    }
    script = Path(__file__).with_name("in_neovim.lua")
    command = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-S", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0 and out.exists(), done.stderr
    seen = json.loads(out.read_text())
    assert (seen["filetype"], seen["comment"]) == ("cpol", "// %s")
    (wrong,) = seen["wrong"]
    assert (wrong["line"], wrong["column"], wrong["severity"]) == (3, 35, ERROR)
    assert wrong["message"].startswith("there is no list `quue`")
    assert [each["message"].split("\n")[0] for each in seen["lint"]] == [
        "`p` has no invariant",
        "`p` has no doc comment",
    ]
    assert {each["severity"] for each in seen["lint"]} == {HINT}
    assert seen["hover"] == "```cpol\nlist queue\n```\n\nwhat is old"
    assert seen["ran"].startswith("p: 1 test passed")
