"""Runs in the machine (see guest.py): checks of trials, which are in trial_*.py."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it
sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from guest import main

main("trial_loader", "trial_runs")
