"""Studies for tests: their files, with fake_machine.py in place of a machine, and outcomes that need none."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cpol.runtime.operate.study.kept import Kept
from cpol.runtime.operate.study.order import Trial, ordered
from cpol.runtime.operate.study.outcome import Outcome
from cpol.runtime.operate.study.spec import read_study

FAKE = Path(__file__).with_name("fake_machine.py")
TEXT = f"""
title = "Two settings"
seed = 3
trials = TRIALS
ratios = [0.5]

[swap.none]

[variants.slow]
sysfs = {{ "/sys/kernel/mm/lru_gen/enabled" = "0" }}

[variants.fast]
sysfs = {{ "/sys/kernel/mm/lru_gen/enabled" = "7" }}

[programs.loop]
command = ["true"]
footprint = "256M"

[machine]
command = {json.dumps([sys.executable, str(FAKE)])}
"""


def study_in(folder: Path, trials: int = 2, **replaced: str) -> Path:
    """The file of a study. `replaced`: its lines that begin with the key get the value."""
    lines = TEXT.replace("TRIALS", str(trials)).splitlines()
    for key, value in replaced.items():
        lines = [f"{key} = {value}" if line.startswith(f"{key} =") else line for line in lines]
    path = folder / "study.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def kept_in(
    folder: Path, seconds: Mapping[str, Sequence[float]], of: Callable[[Trial], Mapping[str, Any]] = lambda _: {}
) -> Kept:
    """A study whose variants took these seconds; `of` gives more of an outcome."""
    most = max(map(len, seconds.values()))
    text = TEXT.replace("TRIALS", str(max(2, most)))
    for number, name in enumerate(seconds):
        text = text.replace(("slow", "fast")[number], name) if number < 2 else f"{text}\n[variants.{name}]\n"
    path = folder / "kept.toml"
    path.write_text(text)
    study = read_study(path)
    outcomes = {
        trial: Outcome(trial.id, seconds[trial.variant][trial.number - 1], boot=trial.id, release="6.12", **of(trial))
        for trial in ordered(study)
        if trial.number <= len(seconds[trial.variant])
    }
    return Kept(folder, study, outcomes)
