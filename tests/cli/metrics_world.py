"""What tests of `cpolc metrics` share: an entry of the statistics, and a loader that prints it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cpol.runtime.operate import loader

ENTRY: dict[str, Any] = {
    "path": "/sys/fs/cgroup/web", "cgroup": 4711, "name": "s3fifo", "state": "attached", "added": 10,
    "accessed": 1 << 63, "hits": 900, "misses": 100, "requests": 5, "evicted": 7, "refused_dirty": 1,
    "refused_busy": 2, "prog_ns": 1_500_000_000, "owned": 3, "lists": [1, 2], "memory": 4096, "ticks": None,
    "of_the_future": 9, "list_names": ["small", "main"],
}  # fmt: skip


@pytest.fixture
def fake_loader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A loader that prints a file and counts its calls."""
    script = tmp_path / "loader"
    (tmp_path / "says").write_text(json.dumps([ENTRY]))
    script.write_text(f'#!/bin/sh\necho x >>{tmp_path}/asked\nexec cat "{tmp_path}/says"\n')
    script.chmod(0o755)
    monkeypatch.setattr(loader, "find", lambda: script)
    return tmp_path
