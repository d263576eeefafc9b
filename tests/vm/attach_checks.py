"""Runs in the machine (guest.py says how): policies are attached, and what becomes of them. The checks: attach_*.py."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I leaves it out

from guest import main

for part in ("policies", "cgroups", "ghosts", "loader"):
    importlib.import_module(f"attach_{part}")
main()
