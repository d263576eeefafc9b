"""What settings of one policy read in the half of a trace that chooses, counted where a sweep's units are done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

from cpol.errors import RequestError, UserError
from cpol.runtime.simulate.advise.choices import Choice
from cpol.runtime.simulate.advise.search import Reads
from cpol.runtime.simulate.sweep.fetched import listed
from cpol.runtime.simulate.sweep.policies import source_of
from cpol.runtime.simulate.sweep.unit import Execute, Found, Reading, Unit, Wanted
from cpol.runtime.simulate.sweep.work import version
from cpol.runtime.simulate.traces import Trace


@contextmanager
def on_workers(
    scheduler: str, trace: Trace, reading: Reading, tell: Callable[[str], None]
) -> Iterator[Callable[[int, int, int], Reads]]:
    """Yields what makes such a function of a capacity in pages, a batch and a seed. Its runs are on the workers of a
    scheduler, which read the trace by the path that it has here.

    Raises:
        RequestError: the trace is a recording, whose capacity follows the memory that there was.
        UserError: Dask is missing, no scheduler answers, or the versions of workers differ.
    """
    from cpol.runtime.simulate.sweep.cluster import session  # which asks for Dask

    if trace.format == "record":
        raise RequestError("a recording is tuned on this machine, where it is; leave out the scheduler", "--scheduler")
    (found,) = listed(str(trace.path.absolute()), {})
    with session(scheduler=scheduler, tell=tell) as execute:
        yield lambda pages, batch, seed: halves(execute, found, reading, pages, batch, seed)


def halves(execute: Execute, trace: Found, reading: Reading, pages: int, batch: int, seed: int) -> Reads:
    """A function that tells the disk reads of some settings. It raises UserError: one of them cannot run."""

    def reads(settings: Sequence[Choice]) -> list[int]:
        units = [
            Unit(trace, trace.name, reading, {}, (_wanted(each, pages, batch),), seed, "0", version(), half=True)
            for each in settings
        ]
        found = dict[tuple[Wanted, ...], int]()
        with closing(execute(units)) as ended:
            for unit, (row,) in ended:
                if row.error or row.misses is None:
                    raise UserError(row.error)
                found[unit.runs] = row.misses
        return [found[unit.runs] for unit in units]

    return reads


def _wanted(choice: Choice, pages: int, batch: int) -> Wanted:
    return Wanted(source_of(choice.compiled, choice.texts), str(pages), batch)
