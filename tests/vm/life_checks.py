"""Runs in the machine (guest.py says how): the life of a policy after it was attached. The checks are in life_*.py."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I leaves it out

from guest import main

main("life_params", "life_inputs", "life_replace", "life_kills", "life_shown")
