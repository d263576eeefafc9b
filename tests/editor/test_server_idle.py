"""What the server does while the editor asks nothing: it learns, and it collects memory. Neither holds up a message."""

from __future__ import annotations

import asyncio
import gc
import io
import itertools
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from cpol.compiler.stages import run
from cpol.editor.lsp import garbage, server, warm
from cpol.editor.lsp.listen import Listener


class Steps:
    """Steps without an end. At step `stop`, a message comes."""

    def __init__(self, stop: int = 0) -> None:
        self.done = 0
        self.stop = stop
        self.waiting = asyncio.Queue[bytes | Exception | None]()

    def __iter__(self) -> Iterator[None]:
        return self

    def __next__(self) -> None:
        self.done += 1
        if self.done == self.stop:
            self.waiting.put_nowait(b"next")
        assert self.done < 100, "nobody looked at what came"


def listener(steps: Iterator[None], begun: bool = True) -> Listener:
    made = Listener(server.make(), io.BytesIO(), io.BytesIO(), print, lambda method, uri: "", steps)
    made.initialized = begun
    return made


def test_no_step_is_done_while_messages_wait() -> None:
    async def work() -> None:
        steps = Steps()
        for number in range(3):
            steps.waiting.put_nowait(b"%d" % number)
        one = listener(steps)
        assert [await one._next(steps.waiting) for _ in range(3)] == [b"0", b"1", b"2"]
        assert steps.done == 0

    asyncio.run(work())


def test_a_fault_in_a_step_ends_the_steps_and_not_the_server(caplog: pytest.LogCaptureFixture) -> None:
    def steps() -> Iterator[None]:
        yield
        raise RuntimeError("no such step")

    async def work() -> None:
        one = listener(steps())
        waiting = asyncio.Queue[bytes | Exception | None]()
        asyncio.get_running_loop().call_later(0.01, waiting.put_nowait, b"next")
        assert await one._next(waiting) == b"next"
        assert next(one.idle, "ended") == "ended"

    asyncio.run(work())
    assert "no such step" in caplog.text


def test_a_message_that_comes_is_taken_before_the_next_step() -> None:
    async def work() -> None:
        steps = Steps(stop=4)
        assert await listener(steps)._next(steps.waiting) == b"next"
        assert steps.done == 4

    asyncio.run(work())


def test_the_first_answer_comes_before_all_steps() -> None:
    async def work() -> None:
        steps = Steps()
        asyncio.get_running_loop().call_later(0.01, steps.waiting.put_nowait, b"initialize")
        assert await listener(steps, begun=False)._next(steps.waiting) == b"initialize"
        assert steps.done == 0

    asyncio.run(work())


def test_steps_end() -> None:
    async def work() -> None:
        waiting = asyncio.Queue[bytes | Exception | None]()
        asyncio.get_running_loop().call_later(0.01, waiting.put_nowait, b"late")
        one = listener(iter([None, None]))
        assert await one._next(waiting) == b"late"
        assert next(one.idle, "ended") == "ended"

    asyncio.run(work())


def test_the_sample_is_right() -> None:
    assert run(warm.SAMPLE, warm.PATH).policy.name == "warm"


SELDOM = {
    types.TEXT_DOCUMENT_FORMATTING, types.TEXT_DOCUMENT_REFERENCES, types.TEXT_DOCUMENT_RENAME,
    types.TEXT_DOCUMENT_PREPARE_RENAME, types.TEXT_DOCUMENT_DID_CLOSE,
}  # fmt: skip
"""What nobody asks after a letter."""


def test_all_that_an_editor_asks_after_a_letter_is_asked_before() -> None:
    known = {method for method in server.make().protocol.fm.features if method.startswith("textDocument/")}
    assert known - SELDOM == {*warm.REQUESTS, *warm.TYPED}


@pytest.mark.slow
def test_the_steps_ask_and_keep_nothing_in_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    made, hidden = server.make(), server.make()
    asked = []
    for method, answer in list(hidden.protocol.fm.features.items()):

        def ask(params: object, method: str = method, answer: Any = answer) -> object:
            asked.append(method)
            return answer(params)

        hidden.protocol.fm.features[method] = ask
    assert sum(1 for _ in warm.steps(made, made.converter, lambda: hidden)) > 2 * len(warm.REQUESTS)
    assert asked == list(warm.REQUESTS)
    assert not made.texts.open and not made.texts._known
    assert warm.PATH in hidden.texts.open


class Round:
    """An object that keeps itself."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture
def begun() -> Iterator[None]:
    """The server's way to collect."""
    before = gc.get_threshold()
    garbage.begin()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.mark.usefixtures("begun")
def test_what_a_message_left_is_collected_behind_it() -> None:
    left = [weakref.ref(Round()) for _ in range(garbage.YOUNG)]
    assert all(each() is not None for each in left)
    garbage.settle(idle=False)
    assert not any(each() is not None for each in left)


@pytest.mark.usefixtures("begun")
def test_what_is_old_is_collected_while_the_editor_is_idle() -> None:
    for _ in range(garbage.ROUNDS):
        old = Round()
        gc.collect(0)  # which it outlives
    late = weakref.ref(old)
    del old
    garbage.settle(idle=False)
    assert late() is not None
    garbage.settle(idle=True)
    assert late() is None


@pytest.mark.usefixtures("begun")
def test_a_message_that_leaves_much_is_collected_within() -> None:
    first = weakref.ref(Round())
    left = [[Round()] for _ in range(garbage.MANY)]
    assert first() is None and left


def test_what_the_first_text_took_delays_no_letter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is all new, and the next one is not."""
    clock = itertools.count(step=10)
    made = server.make()
    said: list[str] = []
    monkeypatch.setattr("cpol.editor.lsp.server.time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    monkeypatch.setattr(made, "publish", said.append)
    path = str(tmp_path / "p.cpol")

    async def work() -> None:
        for version, expected in ((1, 1), (2, 2), (3, 2)):
            made.changed(Path(path).as_uri(), "policy p { }", version)
            assert len(said) == expected

    asyncio.run(work())
    assert made.took[path] == 10
