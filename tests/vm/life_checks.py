"""Runs in the machine (see guest.py): checks of an attached policy's life, which are in life_*.py."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import main

main("life_params", "life_inputs", "life_arrays", "life_flags", "life_kills", "life_shown", "life_prefetch")
