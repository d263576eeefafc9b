"""Policies that prefetch are judged (ahead.py) where the model of the kernel's readahead is near the machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import apart, asking, recorded

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.advise.advise import Row, fewer_waits, on_waits
from cpol.runtime.simulate.advise.ahead import Ahead, Prefetching, able, heard, prefetching
from cpol.runtime.simulate.advise.asked import asked
from cpol.runtime.simulate.advise.choices import Choice
from cpol.runtime.simulate.advise.interval import Interval
from cpol.runtime.simulate.advise.proposals import Proposal
from cpol.runtime.simulate.traces import read

POLICIES = able(("stride", "stream"), ())


def test_policies_are_compared_where_the_model_is_near(tmp_path: Path) -> None:
    path = asking(tmp_path / "app.rec", apart(2000), 100)
    found = prefetching(heard(read(path, details=True)), POLICIES, lambda _: None)
    assert found is not None and found.why == "" and found.machine is not None and found.kernel is not None
    told = path.read_text().count(",missed,")
    assert found.machine.waits == found.machine.reads == told and found.requests == 2000
    assert found.kernel.waits == pytest.approx(told, rel=0.03)
    assert {row.name: row.waits for row in found.rows}["stride"] == pytest.approx(told, rel=0.05)


def test_nothing_is_said_where_the_model_is_off(tmp_path: Path) -> None:
    path = asking(tmp_path / "app.rec", apart(2000), 100, silent=4)
    found = prefetching(heard(read(path, details=True)), POLICIES, lambda _: None)
    assert found is not None and found.rows == [] and found.kernel is not None
    assert found.why.startswith("the model of the kernel's own readahead is off by 3")


def test_nothing_is_said_of_few_waits(tmp_path: Path) -> None:
    path = asking(tmp_path / "app.rec", apart(800), 140)
    found = prefetching(heard(read(path, details=True)), POLICIES, lambda _: None)
    assert found is not None and found.kernel is None and "under 400 tells nothing" in found.why


def test_a_recording_that_does_not_tell(tmp_path: Path) -> None:
    trace = read(recorded(tmp_path / "app.rec", apart(500), 100), details=True)
    found = prefetching(heard(trace), POLICIES, lambda _: None)
    assert found is not None and found.machine is None and "what requests asked for" in found.why
    (tmp_path / "keys.txt").write_text("1\n2\n")
    assert prefetching(heard(read(tmp_path / "keys.txt", details=True)), POLICIES, lambda _: None) is None


def test_which_policies_the_model_can_run() -> None:
    names = {name for name, _, _ in able((), ())}
    assert {"stride", "stream", "readahead"} <= names
    assert not names & {"leap", "lru", "drop_behind", "random_access", "uncached"}  # swap; evicts; drops; told nothing
    told = Proposal("random_access", "scattered", ("7",), "", ())
    assert "random_access" in {name for name, _, _ in able((), (told,))}


def test_requests_ask_for_as_much_as_the_last_one(tmp_path: Path) -> None:
    events = ["missed,8:0:1,0,4", "accessed,8:0:1,0,1", "accessed,8:0:1,1,1", "dirtied,8:0:1,9,1", "marked,8:0:1,16,2"]
    events += ["accessed,8:0:1,17,1", "accessed,8:0:1,18,1", "accessed,8:0:1,19,1", "accessed,8:0:2,5,1"]
    lines = [f"{number},{event},7,7,cat" for number, event in enumerate(events)]
    path = tmp_path / "app.rec"
    path.write_text("\n".join(["cpol-record 3", "room,0,9,9", *lines, f"end,{len(lines)},0", ""]))
    found = asked(path)
    assert [(row.index, row.wanted, row.writes) for row in found.rows.rows if hasattr(row, "wanted")] == [
        *((0, 4, False), (1, 3, False), (9, 1, True)),
        *((17, 1, False), (18, 2, False), (19, 1, False), (5, 1, False)),
    ]
    assert found.missed == 1 and found.rooms == [(0, 9)]


@pytest.mark.parametrize(("waits", "doubted"), [(1100, True), (1000, False)])
def test_fewer_reads_may_mean_more_waits(waits: int, doubted: bool) -> None:
    told = Proposal("random_access", "scattered", ("7",), "", (), unbrought=b"")
    made = compiled(resolve("random_access"))
    row = Row(Choice("random_access", made, {}, told), 500, 500, Interval(0.8, 0.7, 0.9))
    usual = Ahead("default", 1000, 900)
    found = Prefetching(Ahead("the machine", 1000, 900), usual, [Ahead("random_access", waits, 500)], "", 5000)
    doubts = [*on_waits(row, found)]
    assert [each.name for each in doubts] == ["waits"] * doubted
    assert all("requests wait 10.0% more often" in each.text for each in doubts)
    assert [each.text.endswith("nothing here tells") for each in on_waits(row, None)] == [True]
    assert [*on_waits(row._replace(choice=Choice("lru", made, {})), found)] == []


def test_what_saves_waits_is_named_beside_the_verdict() -> None:
    """Not if it reads more for it, nor if it saves next to nothing."""

    def found(*rows: Ahead) -> Prefetching:
        return Prefetching(Ahead("the machine", 1000, 5000), Ahead("default", 1000, 5000), list(rows), "", 4000)

    best = fewer_waits(found(Ahead("greedy", 10, 9000), Ahead("stride", 200, 5100), Ahead("stream", 600, 5000)))
    assert best is not None and best.name == "stride"
    assert fewer_waits(found(Ahead("stream", 980, 5000))) is None
    assert fewer_waits(found()) is None and fewer_waits(None) is None
