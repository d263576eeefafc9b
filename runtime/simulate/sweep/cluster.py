"""Does units on workers of Dask: those of a scheduler that runs, or of one that is started here, and ends with it.

Dask carries units to workers and rows back. Which worker does which unit is decided here (assign.py): a worker gets
units only once it has shown that it runs the same code, one that joins later, too.
"""

from __future__ import annotations

import pickle
import platform
import re
import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeAlias

from cpol.errors import RequestError, UserError
from cpol.runtime.simulate.sweep import member
from cpol.runtime.simulate.sweep.assign import GUILTY, Assignment
from cpol.runtime.simulate.sweep.fetched import brief
from cpol.runtime.simulate.sweep.unit import Ended, Execute, Unit, failed
from cpol.runtime.simulate.sweep.work import version
from cpol.runtime.simulate.sweep.workers import Client, Tell, connected, started
from cpol.sizes import size

POLL = 0.5
"""Seconds between two looks at which workers there are."""

PATIENCE = 60.0
"""Seconds to wait for a worker, if there is none."""

QUIET = 2.0
"""Seconds to wait for one before the user is told."""

RESULT = 10.0
"""Seconds to wait for the rows of a unit that has ended."""

ADDRESS = re.compile(r"(tcp|tls|ws|wss)://(\[[0-9a-fA-F:.]+\]|[^/:@\s]+):\d{1,5}/?")

Future: TypeAlias = Any


def execute(
    units: Sequence[Unit],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    memory: int | None = None,
    tell: Tell = lambda _: None,
    patience: float = PATIENCE,
) -> Generator[Ended, None, None]:
    """Do the units; each is yielded as it ends. To close this cancels the rest, and ends what was started here.

    Args:
        scheduler: the address of a Dask scheduler; None: start workers here.
        workers: how many to start here; None: one for each processor. Each has one thread.
        memory: bytes for each of them; None: an equal part of the machine's.
        tell: is told what happens: how many workers there are, and which are lost or refused.
        patience: seconds to wait for a worker, if there is none.

    Raises:
        RequestError: an argument makes no sense.
        UserError: Dask is missing, no scheduler answers, a worker's version differs, or no worker is left.
    """
    with session(scheduler=scheduler, workers=workers, memory=memory, tell=tell, patience=patience) as do:
        yield from do(units)


@contextmanager
def session(
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    memory: int | None = None,
    tell: Tell = lambda _: None,
    patience: float = PATIENCE,
) -> Iterator[Execute]:
    """What does units, as often as somebody asks: workers keep their traces in between. The arguments are as above.

    Raises as `execute` does.
    """
    if scheduler is not None and (workers is not None or memory is not None):
        raise RequestError("workers of a scheduler are started by whoever started it, who says how many and how large")
    if scheduler is not None and not (isinstance(scheduler, str) and ADDRESS.fullmatch(scheduler)):
        raise RequestError(f"{scheduler!r} is no address of a scheduler; write tcp://HOST:PORT", "--scheduler")
    with ExitStack() as stack:
        opened = connected(scheduler) if scheduler else started(workers, memory, tell)
        client, met = stack.enter_context(opened), dict[str, str]()
        if scheduler:
            stack.callback(_forget, client, met)

        def do(units: Sequence[Unit]) -> Generator[Ended, None, None]:
            run = _Run(client, units, tell, patience, here=scheduler is None, met=met)
            try:
                yield from run.ended()
            finally:
                run.cancel()

        yield do


def _forget(client: Client, met: dict[str, str]) -> None:
    """Workers that go on without us give back what they keep. Those that are gone would not answer for long."""
    with suppress(Exception):  # the scheduler may be gone
        there = client.nthreads()
        taken = [worker for worker, why in met.items() if not why and worker in there]
        client.run(member.forget, workers=taken, on_error="ignore")


class _Event(NamedTuple):
    """What other threads tell the one that decides."""

    ended: Future | None = None
    probed: dict[str, str] | None = None  # by worker, why it cannot take part; empty: it can


class _Run:
    """The units of a sweep on the workers of a client."""

    def __init__(
        self, client: Client, units: Sequence[Unit], tell: Tell, patience: float, here: bool, met: dict[str, str]
    ) -> None:
        self._client, self._units, self._tell, self._patience, self._here = client, units, tell, patience, here
        self._met = met  # workers that were asked, in this run or in one before, and why one is refused; empty: taken
        self._assigned = Assignment(units)
        self._flying: dict[str, tuple[int, str, Future]] = {}  # by key
        self._events: SimpleQueue[_Event] = SimpleQueue()
        self._asked: set[str] = set()  # workers that were asked what they are, and those that are refused
        self._name, self._tries = f"cpol-sweep-{uuid.uuid4().hex}", 0
        self._since = time.monotonic()  # there was a worker
        self._waiting = False  # for one, as the user has been told
        self._polled = 0.0

    def ended(self) -> Generator[Ended, None, None]:
        while self._assigned.left:
            for number, reason in self._look():
                yield self._units[number], failed(self._units[number], reason)
            self._fill()
            for event in self._some_events():
                if event.probed is not None:
                    self._meet(event.probed)
                if event.ended is not None and (done := self._take(event.ended)):
                    yield done

    def _some_events(self) -> list[_Event]:
        """What has happened, or happens next. None for a while: nothing does."""
        events = []
        with suppress(Empty):
            events.append(self._events.get(timeout=POLL))
            while True:
                events.append(self._events.get_nowait())
        return events

    def cancel(self) -> None:
        """Nothing more is begun. What a worker is doing ends with its unit."""
        futures = [future for _, _, future in self._flying.values()]
        self._flying.clear()
        with suppress(Exception):  # the scheduler may be gone
            if futures:
                self._client.cancel(futures, force=True)

    def _look(self) -> list[tuple[int, str]]:
        """See who joined and who is gone. Returns the units that killed workers, and what to say of each.

        Raises UserError: the scheduler is gone, or there was no worker for too long.
        """
        now = time.monotonic()
        if now - self._polled < POLL:
            return []
        self._polled = now
        try:
            there = self._client.nthreads()
        except Exception as error:
            raise self._no_scheduler(error) from None
        if new := [worker for worker in there if worker not in self._asked]:
            self._asked.update(new)
            Thread(target=self._probe, args=(new,), daemon=True).start()
        self._asked.intersection_update(there)
        guilty = []
        for worker in self._assigned.workers:
            if worker not in there:
                guilty += self._lose(worker)
        if self._assigned.workers:
            self._since, self._waiting = now, False
        elif now - self._since > self._patience:
            raise UserError(
                f"for {self._patience:.0f} s there was no worker with which the sweep could go on; start some "
                "(dask worker ADDRESS), and run the sweep again: it goes on from what has ended"
            )
        elif not there and not self._waiting and now - self._since > QUIET:
            self._waiting = True
            self._tell(f"there is no worker yet; waiting for one, {self._patience:.0f} s at most")
        return guilty

    def _lose(self, worker: str) -> list[tuple[int, str]]:
        lost = self._assigned.gone(worker)
        for key, (number, _, future) in [*self._flying.items()]:
            if number in lost.had:
                del self._flying[key]
                with suppress(Exception):
                    self._client.cancel([future], force=True)
        self._tell(f"the worker {worker} is gone; what it had ({len(lost.had)}) runs again")
        return [(number, GUILTY) for number in lost.guilty]

    def _probe(self, workers: list[str]) -> None:
        """Ask workers what they are, by expressions that any Python understands."""
        found: dict[str, str] = {}
        try:
            python = self._ask(workers, "'.'.join(__import__('platform').python_version_tuple()[:2])")
            own = ".".join(platform.python_version_tuple()[:2])
            same = []
            for worker, told in python.items():
                if told == own:
                    same.append(worker)
                else:
                    found[worker] = f"it runs Python {brief(told)}, and the client {own}"
            if same:
                expression = f"__import__('importlib').import_module({member.__name__!r}).version()"
                for worker, told in self._ask(same, expression).items():
                    found[worker] = _difference(told)
        except Exception as error:
            found.update((worker, f"it does not answer ({brief(error)})") for worker in workers if worker not in found)
        self._events.put(_Event(probed=found))

    def _ask(self, workers: list[str], expression: str) -> dict[str, Any]:
        return dict(self._client.run(eval, expression, workers=workers, on_error="return"))

    def _meet(self, found: dict[str, str]) -> None:
        """Take workers that are the same. Raises UserError if one is not, of those that were there at the start."""
        threads = self._client.nthreads()
        found = {worker: told for worker, told in found.items() if worker in threads}
        refused = {worker: why for worker, why in found.items() if why}
        new = {worker for worker, why in found.items() if self._met.get(worker) != why}
        for worker, why in refused.items():
            if not self._met:
                raise UserError(
                    f"the worker {worker} cannot take part: {why}; install the same cpol and Python for the client and "
                    f"all workers ({len(refused)} of {len(found)} differ)"
                )
            if worker in new:
                self._tell(f"the worker {worker}, which joined, gets nothing to do: {why}")
        sizes = {} if self._here else self._client.scheduler_info()["workers"]
        for worker in found.keys() - refused.keys():
            self._assigned.joined(worker, threads[worker])
            if worker in new and not self._here:
                memory = sizes.get(worker, {}).get("memory_limit")
                most = f"at most {size(memory)}" if memory else "memory without a limit"
                self._tell(f"the worker {worker}: {threads[worker]} thread{'s' * (threads[worker] > 1)}, {most}")
        self._met.update(found)

    def _fill(self) -> None:
        """Give work to all workers that have room, in turn."""
        given = True
        while given:
            given = False
            for worker in self._assigned.workers:
                number = self._assigned.give(worker)
                if number is not None:
                    self._submit(worker, number)
                    given = True

    def _submit(self, worker: str, number: int) -> None:
        self._tries += 1
        key = f"{self._name}-{number}-{self._tries}"
        try:
            future = self._client.submit(
                member.do,
                pickle.dumps(self._units[number], pickle.HIGHEST_PROTOCOL),
                key=key,
                workers=[worker],
                allow_other_workers=False,
                pure=False,
                priority=-self._tries,
            )
        except Exception as error:
            raise self._no_scheduler(error) from None
        self._flying[key] = (number, worker, future)
        future.add_done_callback(lambda done: self._events.put(_Event(ended=done)))

    def _take(self, future: Future) -> Ended | None:
        """The rows of a unit that has ended. None: it has not, or not here."""
        if (flight := self._flying.get(future.key)) is None:
            return None
        number, worker, _ = flight
        unit = self._units[number]
        try:
            rows = future.result(timeout=RESULT)
        except Exception as error:
            if self._client.status != "running":
                raise self._no_scheduler(f"the client is {self._client.status}") from None
            if future.status != "error":  # Dask has given it up, or its rows are lost
                self._again(future.key)
                return None
            if type(error).__name__ != "KilledWorker":
                rows = failed(unit, f"a worker could not do it: {brief(error)}")
            elif self._assigned.killed(worker, number):  # it came back before anybody looked
                rows = failed(unit, GUILTY)
            else:
                del self._flying[future.key]
                return None
        del self._flying[future.key]
        self._assigned.ended(worker, number)
        return unit, rows

    def _again(self, key: str) -> None:
        """A unit runs once more. If its worker is gone, the next look finds that out."""
        number, worker, _ = self._flying[key]
        self._polled = 0.0
        if worker in self._client.nthreads():
            del self._flying[key]
            self._assigned.back(worker, number)

    def _no_scheduler(self, error: object) -> UserError:
        return UserError(
            f"the scheduler no longer answers ({brief(error)}); what has ended is kept: run the sweep again to go on"
        )


def _difference(told: object) -> str:
    """Why a worker is not the same as the client, by what it says of its version. Empty: it is."""
    if isinstance(told, ImportError):
        return f"it has no cpol with sweeps ({brief(told)}), and the client has {version()}"
    if isinstance(told, Exception):
        return f"it does not answer ({brief(told)})"
    return "" if told == version() else f"it has cpol {brief(told)}, and the client {version()}"
