"""Where a sweep's units are done: in this process, on workers that are started here, or on those of a scheduler."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from importlib.util import find_spec
from typing import NamedTuple

from cpol.errors import RequestError
from cpol.runtime.simulate.runs.jobs import cores
from cpol.runtime.simulate.sweep import here
from cpol.runtime.simulate.sweep.fetched import local
from cpol.runtime.simulate.sweep.unit import Ended, Execute, Unit
from cpol.sizes import read_size, size

MOST_MEMORY = 1 << 50
"""Of a worker, in bytes."""


class Where(NamedTuple):
    """Where to do units.

    `scheduler` is the address of Dask's; None: on this machine. There, `workers` do them, processes or threads of this
    process, each with `memory` bytes, half of them for traces; None: as many as processors, with equal shares.
    """

    scheduler: str | None = None
    workers: int | None = None
    memory: int | None = None
    in_process: bool = False


def bytes_of(text: str) -> int:
    """The bytes of a size such as 4G. Raises RequestError."""
    try:
        return read_size(text, 1, MOST_MEMORY)
    except ValueError as error:
        raise RequestError(str(error), "--worker-memory") from None


def executor_of(where: Where, tell: Callable[[str], None], now: Callable[[str], None] = lambda _: None) -> Execute:
    """What does units there.

    Args:
        tell: is told what happens, such as that a worker is lost.
        now: is told again and again what is run, if that is known.

    Raises:
        RequestError: the settings exclude one another.
    """
    if where.in_process and where.scheduler is not None:
        raise RequestError("runs are in this process or on a scheduler's workers; ask for one of the two")
    if where.scheduler is None and not where.in_process and find_spec("distributed") is None:
        tell("distributed is missing, so all runs are in this process: pip install distributed cryptography")
        where = where._replace(in_process=True)
    if where.in_process:
        jobs = where.workers or cores()
        bound = where.memory * jobs // 2 if where.memory else here.memory()

        def in_threads(units: Sequence[Unit]) -> Generator[Ended, None, None]:
            threads = "1 thread" if jobs == 1 else f"{jobs} threads"
            tell(f"{threads} of this process, which keeps traces of at most {size(bound)} in memory")
            return (yield from here.execute(units, local, jobs, bound, now))

        return in_threads
    from cpol.runtime.simulate.sweep import cluster  # which asks for Dask

    return partial(cluster.execute, scheduler=where.scheduler, workers=where.workers, memory=where.memory, tell=tell)
