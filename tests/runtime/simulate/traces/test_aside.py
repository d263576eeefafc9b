"""Calls beside their user."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from cpol.runtime.simulate.traces import Aside


def test_calls_run_in_order_in_one_other_thread() -> None:
    threads = list[int]()

    def call(number: int) -> int:
        threads.append(threading.get_ident())
        return number

    with Aside[int]() as aside:
        for number in range(5):
            aside.begin(partial(call, number))
        assert [aside.result() for _ in range(5)] == [0, 1, 2, 3, 4]
    assert len(set(threads)) == 1 and threading.get_ident() not in threads


def test_a_call_runs_while_its_user_goes_on() -> None:
    go_on = threading.Event()
    with Aside[bool]() as aside:
        aside.begin(lambda: go_on.wait(60))
        go_on.set()  # a call that ran here would wait in vain
        assert aside.result()


def test_what_a_call_raises_is_for_its_user() -> None:
    def fail() -> int:
        raise KeyError("no such trace")

    with Aside[int]() as aside:
        aside.begin(fail)
        aside.begin(lambda: 3)
        with pytest.raises(KeyError, match="no such trace"):
            aside.result()
        assert aside.result() == 3


def test_the_thread_ends_with_the_block() -> None:
    with Aside[threading.Thread]() as aside:
        aside.begin(threading.current_thread)
        thread = aside.result()
        assert thread is not threading.current_thread() and thread.is_alive()
    thread.join(60)
    assert not thread.is_alive()
