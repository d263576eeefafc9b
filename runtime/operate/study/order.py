"""Which trials a study has, and in which order they run."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from cpol.runtime.operate.study.job import Job
from cpol.runtime.operate.study.spec import Study


class Cell(NamedTuple):
    """What stays the same when variants are compared."""

    program: str
    ratio: float
    swap: str

    @property
    def name(self) -> str:
        return f"{self.program}.{self.ratio:g}.{self.swap}"


class Trial(NamedTuple):
    """One run."""

    cell: Cell
    variant: str
    number: int

    @property
    def id(self) -> str:
        """The name of its file."""
        return f"{self.cell.name}.{self.variant}.{self.number:04}"


def cells(study: Study) -> list[Cell]:
    return [
        Cell(program, ratio, medium) for program in study.programs for ratio in study.ratios for medium in study.media
    ]


def ordered(study: Study) -> list[Trial]:
    """All trials, shuffled by the seed.

    They run in rounds, each with one trial of every variant in every cell, in an order of its own. So a machine that
    becomes slower does so to all variants alike, and a study that is stopped has as many trials of each. A larger
    number of trials only adds rounds.
    """
    return [
        trial
        for number in range(1, study.trials + 1)
        for trial in sorted(
            (Trial(cell, variant, number) for cell in cells(study) for variant in study.variants),
            key=lambda trial: hashlib.sha256(f"{study.seed}:{trial.id}".encode()).digest(),
        )
    ]


def job_of(study: Study, trial: Trial) -> Job:
    program, variant = study.programs[trial.cell.program], study.variants[trial.variant]
    return Job(
        trial.id,
        program.command,
        program.prepare,
        str(study.folder),
        program.timeout,
        int(program.footprint * trial.cell.ratio),
        study.media[trial.cell.swap],
        variant.settings,
        variant.policy,
    )
