"""A thread of its own for what can happen beside a run: reading the next part of a trace."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, Self, TypeVar

T = TypeVar("T")


class Aside(Generic[T]):
    """Runs calls one by one beside its user: `begin` starts one, `result` waits for what it returns or raises.

    A pool of `concurrent.futures` would keep a user who presses Ctrl-C waiting until the call ends, which may read a
    pipe that nobody writes to. This thread is left behind.
    """

    def __init__(self) -> None:
        self._calls = SimpleQueue[Callable[[], T] | None]()
        self._ends = SimpleQueue[tuple[T, None] | tuple[None, BaseException]]()

    def __enter__(self) -> Self:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._calls.put(None)

    def begin(self, call: Callable[[], T]) -> None:
        """Start a call, after those that have begun."""
        self._calls.put(call)

    def result(self) -> T:
        """What the oldest call returned that nobody asked for yet. Raises what it raised."""
        match self._ends.get():
            case (_, BaseException() as error):
                raise error
            case (returned, None):
                return returned

    def _serve(self) -> None:
        while (call := self._calls.get()) is not None:
            try:
                self._ends.put((call(), None))
            except BaseException as error:  # each of them is for the user
                self._ends.put((None, error))
