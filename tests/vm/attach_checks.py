"""Runs in the machine (guest.py says how): policies are attached, and what becomes of them. The checks: attach_*.py."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I leaves it out

from guest import main

main("attach_policies", "attach_cgroups", "attach_ghosts", "attach_capacity", "attach_loader")
