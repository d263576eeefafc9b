"""The report of a study as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from cpol.runtime.operate.study import report
from cpol.runtime.operate.study.kept import Kept
from cpol.runtime.operate.study.latency import PERCENTILES
from cpol.runtime.operate.study.notes import notes
from cpol.runtime.operate.study.statistics import Compared
from cpol.version import __version__

LEFT: Final = 150
RIGHT: Final = 620
HIGH: Final = 200
"""Of a chart of points."""
FAILURES: Final = 50


class Scale(NamedTuple):
    """From values to places on the page."""

    low: float
    high: float
    begin: float
    end: float

    def at(self, value: float) -> str:
        share = 0.5 if self.high == self.low else (value - self.low) / (self.high - self.low)
        return f"{self.begin + share * (self.end - self.begin):.1f}"


class Picture(NamedTuple):
    """What is drawn of a cell."""

    found: Compared
    verdict: str
    seconds: Scale
    """To the right."""
    upwards: Scale
    """The same, in the chart of points."""
    faults: Scale


def pictured(found: Compared) -> Picture:
    seconds = [each for row in found.rows for each in row.seconds] or [0.0]
    faults = [each for row in found.rows for each in row.faults] or [0]
    return Picture(
        found,
        report.verdict(found),
        Scale(min(seconds), max(seconds), LEFT, RIGHT),
        Scale(min(seconds), max(seconds), HIGH - 20, 10),
        Scale(min(faults), max(faults), LEFT, RIGHT),
    )


def page(kept: Kept, found: Sequence[Compared]) -> str:
    """The page as HTML."""
    environment = Environment(
        loader=PackageLoader("cpol.runtime.operate", "study"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    failures = sorted(
        (trial.id, outcome.failure, outcome.stderr) for trial, outcome in kept.outcomes.items() if outcome.failure
    )
    return environment.get_template("report.html.j2").render(
        study=kept.study,
        notes=notes(kept, found),
        pictures=[pictured(each) for each in found],
        report=report,
        percentiles=PERCENTILES,
        legend=report.LEGEND,
        failures=failures[:FAILURES],
        more=max(0, len(failures) - FAILURES),
        version=__version__,
    )
