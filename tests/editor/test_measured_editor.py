"""The page of figures has those of the file beside it."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_of_the_figures() -> None:
    made = runpy.run_path(str(ROOT / "tests" / "bench" / "editor_keystrokes.py"))
    facts = json.loads(made["JSON"].read_text(encoding="utf-8"))
    assert made["page"](facts) == made["PAGE"].read_text(encoding="utf-8")
    facts["policies"]["fifo"]["right"]["count"] += 1
    assert made["page"](facts) != made["PAGE"].read_text(encoding="utf-8")
