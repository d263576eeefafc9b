"""Runs tasks beside one another. Each spends its time in C, which other threads do not wait for."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Sequence
from queue import Empty, SimpleQueue
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")

TURN = 0.2
"""Seconds between two looks at how far the tasks are."""


class Task(NamedTuple, Generic[T]):
    """Something to run, and its name for the progress line."""

    name: str
    run: Callable[[], T]


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0))


def completed(tasks: Sequence[Task[T]], jobs: int, show: Callable[[str], None]) -> Generator[tuple[int, T], None, None]:
    """The number and the result of each task, as they end. At most `jobs` run at once; they begin in order.

    If a task raises, or the caller closes this, the tasks that have begun end first: they use what the caller may free.
    Only Ctrl-C leaves them behind: whoever catches it must end the process without freeing anything.
    """
    todo, done = SimpleQueue[int](), SimpleQueue[tuple[int, T, None] | tuple[int, None, BaseException]]()
    running: dict[int, str] = {}
    for number in range(len(tasks)):
        todo.put(number)

    def serve() -> None:
        while True:
            try:
                number = todo.get_nowait()
            except Empty:
                return
            running[number] = tasks[number].name
            try:
                done.put((number, tasks[number].run(), None))
            except BaseException as error:  # each of them is for the caller
                done.put((number, None, error))
            running.pop(number, None)

    threads = [threading.Thread(target=serve, daemon=True) for _ in range(min(jobs, len(tasks)))]
    for thread in threads:
        thread.start()
    began = time.monotonic()
    try:
        for ended in range(len(tasks)):
            while True:
                try:
                    each = done.get(timeout=TURN)
                    break
                except Empty:
                    names = ", ".join([*running.values()])
                    show(f"{ended} of {len(tasks)} runs, {time.monotonic() - began:.0f} s; now {names}"[:100])
            match each:
                case (_, _, BaseException() as error):
                    raise error
                case (number, result, None):
                    yield number, result
    except KeyboardInterrupt:
        threads.clear()
        raise
    finally:
        _drop(todo)
        for thread in threads:
            thread.join()


def _drop(todo: SimpleQueue[int]) -> None:
    try:
        while True:
            todo.get_nowait()
    except Empty:
        return
