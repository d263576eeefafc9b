"""Runs in the machine (see guest.py): checks of attached policies, which are in attach_*.py."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import main

main(
    "attach_policies",
    "attach_cgroups",
    "attach_ghosts",
    "attach_origins",
    "attach_records",
    "attach_state",
    "attach_capacity",
    "attach_replace",
    "attach_loader",
    "attach_unit",
    "attach_many",
    "attach_faults",
)
