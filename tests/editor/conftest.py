from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def built() -> Path:
    """The VS Code extension, built from npm packages, which are beside it."""
    subprocess.run((ROOT / "scripts" / "vscode",), check=True, timeout=500)
    return ROOT / "build" / "editors"
