"""What `drop_behind` would let go (streams.py): the same as the policy does."""

from __future__ import annotations

from pathlib import Path

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.advise.streams import AFTER, streams
from cpol.runtime.simulate.traces import Trace, read


def recorded(folder: Path, *events: tuple[str, int, int, int]) -> Trace:
    """A recording of events: what, the thread, the file, the page."""
    lines = [
        f"{number},{what},1:1:{file},{page},1,{who},{who},cat" for number, (what, who, file, page) in enumerate(events)
    ]
    (folder / "app.rec").write_text("\n".join(["cpol-record 3", *lines, f"end,{len(lines)},0", ""]))
    return read(folder / "app.rec", None, details=True)


def streamed(thread: int, pages: range) -> list[tuple[str, int, int, int]]:
    """The kernel reads each page for the request, as the recording has it."""
    return [event for page in pages for event in (("added", thread, 1, page), ("accessed", thread, 1, page))]


def test_the_policy_begins_as_late() -> None:
    (after,) = (param for param in compiled(resolve("drop_behind")).policy.params if param.name == "after")
    assert after.default == AFTER


def test_what_comes_behind_the_first_pages_goes(tmp_path: Path) -> None:
    found = streams(recorded(tmp_path, *streamed(7, range(AFTER + 20))))
    assert found is not None and found.requests == 20 == sum(found.aside) and found.readers == ["cat"]
    assert streams(recorded(tmp_path, *streamed(7, range(AFTER)))) is None


def test_a_run_ends_where_a_thread_reads_elsewhere(tmp_path: Path) -> None:
    half = AFTER // 2 + 10
    there = [*streamed(7, range(half)), ("added", 7, 2, 5), ("accessed", 7, 2, 5)]
    assert streams(recorded(tmp_path, *there, *streamed(7, range(half, 2 * half)))) is None
    beside = [*streamed(7, range(half)), ("added", 8, 2, 5), ("accessed", 8, 2, 5)]  # another thread
    found = streams(recorded(tmp_path, *beside, *streamed(7, range(half, 2 * half))))
    assert found is not None and found.requests == 20


def test_readahead_for_the_stream_goes_with_it(tmp_path: Path) -> None:
    """The page comes for another one of the stream; nobody has to read it then."""
    events = [
        *streamed(7, range(AFTER)),
        ("added", 7, 1, AFTER),
        ("added", 7, 1, AFTER + 1),
        ("added", 9, 1, AFTER + 2),
    ]
    events += [("accessed", 7, 1, AFTER + number) for number in range(3)]
    found = streams(recorded(tmp_path, *events))
    assert found is not None and found.requests == 2 and sum(found.aside) == 4  # the third one is another thread's


def test_the_run_tells_what_is_cached(tmp_path: Path) -> None:
    """In the machine, the second pass found the last 20 pages. Under the policy they went."""
    again = [("accessed", 7, 1, page) for page in range(AFTER + 20)]
    found = streams(recorded(tmp_path, *streamed(7, range(AFTER + 20)), *again))
    assert found is not None and found.requests == 20 and sum(found.aside) == 40
    assert streams(recorded(tmp_path, *streamed(8, range(AFTER + 20)), *again)) is not None  # of 8 alone


def test_what_is_written_stays(tmp_path: Path) -> None:
    events = [*streamed(7, range(AFTER)), ("added", 7, 1, AFTER), ("dirtied", 7, 1, AFTER)]
    assert streams(recorded(tmp_path, *events)) is None
