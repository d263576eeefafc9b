"""Policies that evict, with the kernel's readahead played anew (played.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import apart, asking

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.advise.advise import Advice, Request, Row, advise, decide, on_readahead
from cpol.runtime.simulate.advise.asked import asked
from cpol.runtime.simulate.advise.choices import Choice
from cpol.runtime.simulate.advise.interval import Interval
from cpol.runtime.simulate.advise.played import Played, can_play, played
from cpol.runtime.simulate.advise.proposals import Proposal
from cpol.runtime.simulate.runs.room import followed
from cpol.runtime.simulate.traces import read


def choice(name: str, proposal: Proposal | None = None) -> Choice:
    return Choice(name, compiled(resolve(name)), {}, proposal)


def row(name: str, reads: int, ratio: float, again: int | None = None) -> Row:
    return Row(
        choice(name),
        reads,
        reads,
        Interval(ratio, ratio - 0.01, ratio + 0.01),
        played=None if again is None else Played(again, again),
    )


def advised(path: Path, *policies: str) -> Advice:
    trace = read(path, details=True)
    room = followed(trace)
    assert room is not None
    return advise(Request(trace, room, room.mean, 32, 1, 1, 0, policies), lambda _: None)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return asking(tmp_path / "app.rec", apart(2000), 100)


def test_without_readahead_nothing_differs(recording: Path) -> None:
    """But for the places at which the two models put the room's changes."""
    found = advised(recording, "s3fifo", "lru", "arc", "sieve")
    assert found.default.played is not None
    assert [each.played is not None for each in found.rows] == [True, True, True, False]
    for each in (found.default, *found.rows[:3]):
        assert each.played is not None
        assert each.played.reads == pytest.approx(each.reads, rel=0.03)
        assert each.played.chosen_by == pytest.approx(each.chosen_by, rel=0.03)
    assert "readahead" not in [doubt.name for doubt in found.doubts]


def test_the_halves_make_up_the_whole(recording: Path) -> None:
    requests = asked(recording)
    whole = played(choice("lru"), requests, len(requests.rows.rows), 1)
    halves = played(choice("lru"), requests, 1000, 1)
    assert whole.reads == 0 and halves.whole == whole.chosen_by and 0 < halves.reads < halves.whole


def test_too_many_requests_are_not_played(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpol.runtime.simulate.advise.asked.MOST", 1999)
    found = advised(recording, "s3fifo")
    assert found.default.played is None and found.rows[0].played is None


def test_which_policies_can_be_played() -> None:
    told = Proposal("get_scan", "scanners", ("7",), "", ())
    assert can_play(choice("s3fifo")) and can_play(choice("get_scan", told))
    assert not can_play(choice("linux_lru", Proposal("backup", "commands", ("tar",), "", (), aside=b"")))


def test_a_gain_that_readahead_takes_back_is_none() -> None:
    default = row("linux_lru", 1000, 1.0, again=1000)
    assert decide([row("arc", 900, 0.9, again=890)], default, 1000)[0] == "try"
    kind, text = decide([row("arc", 900, 0.9, again=990)], default, 1000)
    assert kind == "keep" and "arc saves 10% of the disk reads if readahead" in text and "1% if it is played" in text
    assert decide([row("arc", 900, 0.9)], row("linux_lru", 1000, 1.0), 1000)[0] == "try", "nobody played it"


def test_a_difference_is_told() -> None:
    assert [*on_readahead(row("arc", 900, 0.9, again=930))] == [*on_readahead(row("arc", 900, 0.9))] == []
    (doubt,) = on_readahead(row("arc", 900, 0.9, again=990))
    assert doubt.name == "readahead" and "arc reads 990 pages, and not 900" in doubt.text
