"""Which policy a workload wants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cpol.api.given import Capacity, capacities, processors, whole
from cpol.api.policy import Policy, policies_of
from cpol.api.runs import Progress, as_html, needed, quiet
from cpol.api.trace import Trace, trace_of
from cpol.compiler.compiled import Compiled
from cpol.compiler.policies import stdlib_names
from cpol.errors import RequestError, UserError
from cpol.printable import shown
from cpol.runtime.simulate.advise.advise import Advice, Request, Row
from cpol.runtime.simulate.advise.advise import advise as judge
from cpol.runtime.simulate.advise.judging import check, no_room
from cpol.runtime.simulate.advise.report import page
from cpol.runtime.simulate.advise.told import facts, lines, next_steps
from cpol.runtime.simulate.runs.room import batch_of, followed

CGROUP = "CGROUP"
"""What stands for the cgroup in the commands to go on with."""


class Advised:
    """An advice. Disk reads are those of the half of the trace that judges."""

    COLUMNS = ("policy", "reads", "saves_low", "saves_high", "settings")

    def __init__(self, asked: Request, found: Advice) -> None:
        self.asked, self.found = asked, found

    @property
    def kind(self) -> str:
        """`try` a policy, `keep` the default, record `longer`, or `withheld`: the trace tells too little."""
        return self.found.kind

    @property
    def verdict(self) -> str:
        """The advice in a sentence."""
        return self.found.verdict

    @property
    def policy(self) -> Policy | None:
        """What to try, with its params and inputs; None: nothing."""
        if self.kind != "try":
            return None
        choice = self.found.best.choice
        given = Policy._of(choice.compiled, choice.name, {}, ())
        told = choice.proposal
        made = given.with_params(**choice.texts)
        return made.with_input(told.input, ",".join(told.keys)) if told and told.input else made

    @property
    def saved(self) -> tuple[float, float]:
        """The 95 % interval of what the first policy saves, a share of the default's disk reads. Below 0: it costs."""
        against = self.found.best.against
        return 1 - against.high, 1 - against.low

    @property
    def rows(self) -> list[tuple[str, int, float, float, str]]:
        """The default, and then the policies, that with the fewest reads in the half that chose first."""
        return [_row(each) for each in (self.found.default, *self.found.rows)]

    @property
    def table(self) -> Any:
        """An Arrow table. Raises UserError: pyarrow is missing."""
        columns = {name: [row[place] for row in self.rows] for place, name in enumerate(self.COLUMNS)}
        return needed("pyarrow").table(columns)

    def to_pandas(self) -> Any:
        """A data frame of pandas. Raises UserError: pandas is missing."""
        return needed("pandas").DataFrame(self.rows, columns=list(self.COLUMNS))

    @property
    def facts(self) -> dict[str, Any]:
        """What `cpolc advise --json` prints."""
        return facts(self.asked.trace.path, self.asked, self.found, CGROUP)

    def report(self, path: str | Path, progress: Progress = quiet) -> None:
        """Write the page of `cpolc advise --report`. It runs the default and the first policy at other capacities.

        Raises:
            UserError: the file cannot be written.
        """
        text = page(self.asked, self.found, str(self.asked.trace.path), next_steps(self.found, CGROUP), progress)
        try:
            Path(path).write_text(text, errors="backslashreplace")
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror}") from None

    def __repr__(self) -> str:
        return "\n".join(
            shown(line.text, keep="") for line in lines(self.asked.trace.path, self.asked, self.found, False, CGROUP)
        )

    def _repr_html_(self) -> str:
        from html import escape

        cells = [[name, f"{reads:,}", f"{low:.1%}", f"{high:.1%}", text] for name, reads, low, high, text in self.rows]
        return f"<p><b>{escape(self.verdict)}</b></p>{as_html(self.COLUMNS, cells)}"


def _row(row: Row) -> tuple[str, int, float, float, str]:
    return row.choice.name, row.reads, 1 - row.against.high, 1 - row.against.low, row.choice.settings


def advise(
    trace: Trace | str | Path,
    *,
    memory: Capacity | None = None,
    policies: Policy | str | Path | Sequence[Policy | str | Path] | None = None,
    trials: int = 20,
    seed: int = 1,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Advised:
    """Say which policy a workload wants, and how many disk reads it would save, as `cpolc advise` does.

    The first half of the trace chooses, the second half judges.

    Args:
        memory: for file pages; None: as was recorded.
        policies: those that are judged; None: all of the standard library.
        trials: settings that are tried of each of the best policies; 0: params stay as declared.

    Raises:
        UserError: the trace tells nothing, or Optuna is not installed.
        TraceError, SimulationError, MachineError, ToolError: it cannot run.

    >>> advised = advise(Trace.from_arrays([*range(60)] * 40), memory=50, policies=["mru", "lru"], trials=0)
    >>> advised.kind, advised.policy
    ('try', Policy('mru'))
    """
    given = trace_of(trace).read
    check(given)
    room = followed(given) if memory is None else None
    if memory is None and room is None:
        raise no_room(given)
    if whole("trials", trials, 0, 10_000) and find_spec("optuna") is None:
        raise UserError("optuna, which tunes params, is not installed: pip install optuna; trials=0 does without")
    pages = room.mean if room else capacities([memory or 0], given.distinct)[0]
    own = _named(policies_of(policies)) if policies is not None else {}
    settings = (batch_of(given, None, True), whole("seed", seed, 0, 2**32 - 1), processors(jobs), trials)
    asked = Request(given, room, pages, *settings, list(own), own)
    return Advised(asked, judge(asked, progress))


def _named(policies: Sequence[Policy]) -> Mapping[str, Compiled]:
    """The policies by the names that they have in the table. Raises RequestError."""
    found = dict[str, Compiled]()
    for each in policies:
        if each.label != each.name:
            raise RequestError(f"{each.label}: advise sets params and inputs itself; give the policy without them")
        name = each.word if each.name in stdlib_names() else each.name
        if name in found:
            raise RequestError(f"{name} is given twice; give each policy once")
        found[name] = each.compiled
    return found
