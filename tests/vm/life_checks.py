"""Runs in the machine (guest.py says how): the life of a policy after it was attached. The checks are in life_*.py."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I leaves it out

from guest import main

for part in ("params", "inputs", "replace", "kills", "shown"):
    importlib.import_module(f"life_{part}")
main()
