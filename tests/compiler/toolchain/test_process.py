"""Tools that do not end are killed, and the message says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.compiler import compile_source
from cpol.compiler.backend import bpf
from cpol.compiler.toolchain import process
from cpol.compiler.toolchain.process import ToolSlowError

FIFO = "policy p { list q  on added(f) { place f at tail of q }  on evict { scan q from head as f { evict f } } }"


def test_a_tool_that_does_not_end_is_killed() -> None:
    with pytest.raises(ToolSlowError, match=r"^sleep had not ended after 0\.2 s, and was killed$"):
        process.run(["sleep", "600"], seconds=0.2)


def test_a_policy_that_clang_does_not_get_through(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An action of 40 statements, called 26 times, took more than six minutes."""

    def slow(command: list[str], folder: Path) -> str:
        raise ToolSlowError(f"{command[0]} had not ended after 600 s, and was killed")

    monkeypatch.setattr(process, "run", slow)
    with pytest.raises(bpf.BpfError, match=r"the policy is too large\..*call large ones less often"):
        bpf.compile_policy(compile_source(FIFO, "p.cpol"), tmp_path / "p.bpf.o")
