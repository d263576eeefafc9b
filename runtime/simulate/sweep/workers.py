"""The workers of Dask: those of a scheduler that somebody started, and those that are started here."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing import resource_tracker
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeAlias

from cpol.errors import RequestError, UserError
from cpol.runtime.simulate.runs.jobs import cores
from cpol.runtime.simulate.sweep.fetched import brief, private_folder
from cpol.sizes import size

CONNECT = 10.0
"""Seconds to wait for a scheduler."""

MEMORY = 0.9
"""Of the memory of the machine or the cgroup, what the workers that are started here may take together."""

SMALLEST = 256 << 20
"""Bytes that a worker needs at least: Python, cpol and Dask take most of that."""

OWN = {
    # a worker is to be killed before the machine is out of memory; it has nothing to write to the disk instead
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
    # nobody looks at these pages, and others on the machine need not
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
"""Settings of Dask for a cluster that is started here."""

Tell: TypeAlias = Callable[[str], None]

Client: TypeAlias = Any  # Dask's, which has few types


def needed() -> Any:
    """Dask. Raises UserError: it is missing."""
    try:
        import distributed
    except ImportError:
        raise UserError("distributed is missing, by which sweeps run on a cluster: pip install distributed") from None
    return distributed


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of a scheduler that somebody started. Raises UserError: none answers."""
    distributed = needed()
    try:
        client = distributed.Client(address, timeout=CONNECT, set_as_default=False, name="cpol-sweep")
    except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:
        raise UserError(
            f"no scheduler answers at {address} ({brief(error)}); "
            "start one with `dask scheduler`, or correct the address"
        ) from None
    try:
        yield client
    finally:
        client.close(timeout=5)


@contextmanager
def started(workers: int | None, memory: int | None, tell: Tell) -> Iterator[Client]:
    """A client of workers that are started here, and end at the end.

    They are reached over the loopback device, which all users of the machine share; so they are encrypted, with keys
    that only this process and its workers know.

    Raises:
        RequestError: so many workers, or so little memory, make no sense.
        UserError: they do not start.
    """
    count = cores() if workers is None else workers
    if count < 1:
        raise RequestError(f"{count} workers do nothing; give 1 or more", "--workers")
    each = memory or 0
    if memory is None:
        needed()
        from distributed.system import MEMORY_LIMIT

        each = int(MEMORY_LIMIT * MEMORY) // count
    if each < SMALLEST:
        raise RequestError(
            f"{size(each)} is too little memory for a worker, which takes {size(SMALLEST)} before it does anything; "
            "give fewer workers, or more memory"
        )
    distributed = needed()
    import dask

    with ExitStack() as stack:
        folder = stack.enter_context(private_folder())
        stack.enter_context(dask.config.set(OWN))
        try:
            cluster = _uninterrupted(
                partial(
                    distributed.LocalCluster,
                    n_workers=count,
                    threads_per_worker=1,
                    memory_limit=each,
                    local_directory=str(folder),
                    security=distributed.Security.temporary(),
                    dashboard_address=None,
                    scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                    silence_logs=logging.CRITICAL,
                )
            )
            stack.callback(_end, cluster)
            client = stack.enter_context(distributed.Client(cluster, set_as_default=False))
        except ImportError as error:
            raise UserError(f"{brief(error)}; pip install distributed cryptography") from None
        except (OSError, TimeoutError, RuntimeError) as error:
            raise UserError(
                f"the workers did not start ({brief(error)}). A script that starts them needs "
                '`if __name__ == "__main__":` before what it does, since each worker loads it, too'
            ) from None
        tell(f"{count} worker{'s' * (count > 1)}, one thread and at most {size(each)} each")
        yield client


def _uninterrupted(begin: Callable[[], Any]) -> Any:
    """Begin a cluster whose processes never get the SIGINT of Ctrl-C, which a terminal sends to all of them.

    It is blocked in a thread of its own: threads and processes that begin there inherit that. To end them is up to this
    process.
    """
    begun: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def work() -> None:
        resource_tracker.ensure_running()  # which would take the signal off again
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            begun.put((begin(), None))
        except BaseException as error:  # for the thread that waits
            begun.put((None, error))

    Thread(target=work, daemon=True).start()
    try:
        cluster, error = begun.get()
    except KeyboardInterrupt:
        with suppress(Empty):  # or all of it ends with this process
            cluster, _ = begun.get(timeout=5)
            if cluster is not None:
                _end(cluster)
        raise
    if error is not None:
        raise error
    return cluster


def _end(cluster: Any) -> None:
    """End the workers at once: what they still do is of no use to anybody."""

    async def kill() -> None:
        import asyncio

        closing = (nanny.close(timeout=0.25) for nanny in cluster.workers.values())
        await asyncio.gather(*closing, return_exceptions=True)

    with suppress(Exception):
        cluster.sync(kill)
    cluster.close(timeout=10)
