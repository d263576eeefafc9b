"""What a worker of a cluster does. The client calls these functions by name, on workers with the same code."""

from __future__ import annotations

import pickle
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from cpol.errors import UserError
from cpol.runtime.simulate.sweep.fetched import local
from cpol.runtime.simulate.sweep.kept import Kept
from cpol.runtime.simulate.sweep.unit import Row, Unit
from cpol.runtime.simulate.sweep.work import run_unit
from cpol.runtime.simulate.sweep.work import version as version

if TYPE_CHECKING:
    from distributed import Worker

SHARE = 0.5
"""Of a worker's memory, what the traces may take that it keeps. The rest is for runs, and for a trace being read."""

FULL = 0.7
"""Of a worker's memory: above that, it keeps none. At 0.8 Dask would give it nothing more to do."""


class _State:
    """What a worker process keeps from unit to unit."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.kept: Kept | None = None


_STATE = _State()


def do(pickled: bytes) -> list[Row]:
    """The rows of a unit. Raises UserError: this worker took the address of one that was the same as the client."""
    unit: Unit = pickle.loads(pickled)
    if unit.version != version():
        raise UserError(f"it has cpol {version()}, and the client {unit.version}")
    rows = run_unit(unit, _traces())
    _relieve()
    return rows


def forget() -> None:
    """Give back what traces take in memory: the sweep has ended. Another one's unit keeps its own until it ends."""
    with _STATE.lock:
        _STATE.kept = None


def _worker() -> Worker:
    from distributed import get_worker

    return get_worker()


def _limit() -> int:
    manager = getattr(_worker(), "memory_manager", None)
    return int(getattr(manager, "memory_limit", None) or 0)


def _traces() -> Kept:
    """The traces of this process. The copies of objects are in the folder of the worker, which goes with it."""
    with _STATE.lock:
        if _STATE.kept is None:
            copies = partial(local, within=Path(_worker().local_directory))
            _STATE.kept = Kept(copies, int((_limit() or _machine()) * SHARE))
        return _STATE.kept


def _machine() -> int:
    """The memory for a worker without a limit: that of the machine or of the cgroup, for each of its processors."""
    from dask.system import CPU_COUNT
    from distributed.system import MEMORY_LIMIT

    return int(MEMORY_LIMIT) // max(1, int(CPU_COUNT))


def _relieve() -> None:
    """Forget the traces if memory is short: a worker that Dask pauses would keep them, and so never go on."""
    import psutil  # which comes with Dask

    limit = _limit()
    if limit and psutil.Process().memory_info().rss > FULL * limit:
        with _STATE.lock:
            _STATE.kept = None
