"""What a sweep is to run: units, their traces and policies, and what is said of those that cannot be."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest
from sweeps import keys, rows, spec_in, sweep, unit_of

from cpol.compiler.compiled import compiled
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.policies import resolve
from cpol.errors import UserError
from cpol.runtime.simulate.sweep import here, kept, plan
from cpol.runtime.simulate.sweep.assign import GUILTY
from cpol.runtime.simulate.sweep.plan import AT_ONCE, policies_of, traces_of, units_of
from cpol.runtime.simulate.sweep.spec import read_spec
from cpol.runtime.simulate.sweep.unit import Found, Row, Unit, failed


def test_traces_take_turns_within_the_bound(tmp_path: Path) -> None:
    """Two that do not fit beside one another are not in memory at the same time."""
    paths = [keys(tmp_path / f"{number}.txt", number, 30_000) for number in range(4)]
    traces = kept.Kept(lambda found, _: nullcontext(Path(found.name)), 1 << 19)
    inside, most = [0], [0]

    def use(path: Path) -> None:
        with traces.opened(unit_of(path)):
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            time.sleep(0.02)
            inside[0] -= 1

    threads = [threading.Thread(target=use, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert most == [1]


def test_memory_is_within_the_limit_of_the_cgroup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "LEAST", 1)
    own, inner = tmp_path / "own", tmp_path / "root" / "a" / "b"
    inner.mkdir(parents=True)
    own.write_text("0::/a/b\n")
    free = here.memory(own, tmp_path / "root")
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert free == pytest.approx(here.available() // 2, rel=0.2) and here.available() < total
    (inner / "memory.max").write_text("max\n")
    (inner.parent / "memory.max").write_text("4096\n")
    assert here.memory(own, tmp_path / "root") == 2048
    own.unlink()
    assert here.memory(own, tmp_path / "root") > 2048


def test_units(tmp_path: Path) -> None:
    spec = read_spec(spec_in(tmp_path, "batches = [1, 2]\n"))
    big, small = Found("/big.zst", AT_ONCE, "1"), Found("/small", AT_ONCE // 18, "1")
    own = policies_of(spec, compiled)
    assert (own.details, own.base) == (False, "lru") and [each.name for each in own.sources] == ["lru", "s3fifo"]
    units = [*units_of(spec, own, {"small": small, "big": big}, "1")]
    assert [(unit.label, len(unit.runs)) for unit in units] == [("big", 1)] * 8 + [("small", 3)] * 2 + [("small", 2)]
    assert len({(unit.runs[0].policy, unit.runs[0].capacity, unit.runs[0].batch) for unit in units[:8]}) == 8
    details = next(units_of(spec, own._replace(details=True), {"small": small}, "1")).reading
    assert details.details and str(details) == ""
    assert [*traces_of(spec, lambda pattern, _: [Found(f"{tmp_path}/traces/x", 1, "")])] == ["traces/x"]


@pytest.mark.parametrize(
    ("policies", "more", "place", "says"),
    [
        ('"lru", "fifoo"', "", "1:20", "`fifoo` is not in the standard library; did you mean `fifo`?"),
        ('"lru", "leap"', "", "1:20", "leap evicts nothing"),
        ('"lru"', "[params.lru]\nx = 1\n", "5:1", "lru: policy lru has no param 'x'"),
        ('"s3fifo"', "[params.s3fifo]\nthreshold = 99\n", "5:13", "99 is out of range"),
        ('"s3fifo"', '[params.s3fifo]\nthreshold = [1, "1"]\n', "5:17", "threshold=1 is the same as 1; leave out one"),
        ('"s3fifo"', "[params.s3fifo]\nthreshold = 1\nsmall_percent = [5, 0]\n", "6:21", "out of range"),
        ('"lru", "belady"', "[params.belady]\nx = 1\n", "5:1", "`belady` has no params; leave them out"),
        ('"all"', "[params.all]\nx = 1\n", "5:1", '`all` has no params; name the policy beside it: policies = ["all"'),
        ('"lru", "./lru.cpol", "lru.cpol"', "", "1:20", "two files here have a policy named lru"),
        ('"lru", "lru.cpol"', "", "1:20", "two files here have a policy named lru"),
        ('"lru", "best.cpol"', "", "1:20", "a policy here is called belady, as the optimum; give it another name"),
        ('"lru", "/dev/zero"', "", "1:20", "/dev/zero is no regular file, which a policy is"),
        ('"lru", "./pipe"', "", "1:20", "pipe is no regular file, which a policy is"),
        ('"lru", "same.cpol"', "", "1:20", "no such policy file"),
        ('"lru"', 'base = "fifo"\n', "4:8", "`base` is fifo, which is none of the policies here: lru"),
    ],
)
def test_policies_that_cannot_be(policies: str, more: str, place: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "lru.cpol").write_text(resolve("lru").read_text() + "\n")
    (tmp_path / "best.cpol").write_text(resolve("lru").read_text().replace("policy lru", "policy belady"))
    os.mkfifo(tmp_path / "pipe")
    spec, out = spec_in(tmp_path, more, policies=policies), tmp_path / "out"
    with pytest.raises(UserError) as caught:
        sweep(spec, out)
    assert str(caught.value).startswith(f"{spec}:{place}: ") and says in str(caught.value)
    assert not out.exists()


def test_policies_with_inputs_are_told_of(tmp_path: Path) -> None:
    said: list[str] = []
    made = policies_of(read_spec(spec_in(tmp_path, policies='"all", "query"')), compiled, said.append)
    assert said == ["query has inputs, which no sweep fills; it may miss what lru misses"]
    every = {each.name for each in made.sources}
    assert {"lru", "s3fifo", "query"} <= every and not {"graph", "keep_files", "get_scan", "leap"} & every


def test_many_settings_are_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [*range(1, 51)]
    spec = spec_in(
        tmp_path, f"[params.s3fifo]\nsmall_percent = {numbers}\nghost_percent = {numbers}\nthreshold=[1, 2]\n"
    )
    made = policies_of(read_spec(spec), compiled).sources
    assert len({*made}) == 5001 and made[-1].params == (
        ("ghost_percent", "50"),
        ("small_percent", "50"),
        ("threshold", "2"),
    )
    monkeypatch.setattr(plan, "MOST_PLANNED", 20_005)
    with pytest.raises(
        UserError, match=r"these are 30,006 runs, and a sweep has 20,005 at most; divide it among files"
    ):
        sweep(spec, tmp_path / "out")
    monkeypatch.setattr(plan, "MOST_PLANNED", 10_001)
    with pytest.raises(UserError, match="these are 10,002 runs"):  # before any policy is compiled
        policies_of(read_spec(spec), lambda path: pytest.fail(str(path)))
    assert not (tmp_path / "out").exists()


def test_files_that_a_glob_finds_and_nobody_can_read_fail_their_rows_only(tmp_path: Path) -> None:
    spec, out = spec_in(tmp_path, traces=1), tmp_path / "out"
    folder = tmp_path / "traces"
    (folder / "gone").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    assert sweep(spec, out)[2:4] == (16, 12)
    reasons = {row.trace: row.error for row in rows(out) if row.error}
    assert "there is no such file" in reasons["traces/gone"] and "Too many levels" in reasons["traces/loop"]
    assert "is no file, and each of its runs may read a trace anew" in reasons["traces/pipe"]
    keys(folder / "nowhere")
    (folder / "nowhere").rename(tmp_path / "elsewhere")
    (folder / "gone").unlink()
    (folder / "gone").symlink_to("../elsewhere")
    assert sweep(spec, out)[2:4] == (4, 8)


def test_what_lost_its_workers_is_done_again(tmp_path: Path) -> None:
    spec, out = spec_in(tmp_path), tmp_path / "out"

    def lost(units: Sequence[Unit]) -> Generator[tuple[Unit, list[Row]], None, None]:
        yield from ((unit, failed(unit, GUILTY)) for unit in units)

    assert sweep(spec, out, execute=lost)[2:4] == (12, 12)
    assert sweep(spec, out)[:4] == (12, 0, 12, 0)


def test_reasons_speak_of_the_file_of_a_sweep(tmp_path: Path) -> None:
    spec, out = spec_in(tmp_path, traces=1), tmp_path / "--format"
    (tmp_path / "traces" / "--format").write_text("1 2\n3 4\n")
    sweep(spec, out)
    (reason,) = {row.error for row in rows(out) if row.error}
    assert reason.startswith("traces/--format: ") and "write [reading] columns object=COLUMN" in reason
    assert "--" not in reason.removeprefix("traces/--format")


@pytest.mark.parametrize(
    ("policies", "base"),
    [('"fifo", "all"', "fifo"), ('"all"', "lru"), ('"all", "fifo"', "lru"), ('"all", "lru"', "lru")],
)
def test_base_of_all_policies(policies: str, base: str, tmp_path: Path) -> None:
    found = policies_of(read_spec(spec_in(tmp_path, policies=policies)), compiled)
    assert found.base == base and len(found.sources) > 20


def test_wrong_policy_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "wrong.cpol").write_text("policy wrong { lst all }\n")
    with pytest.raises(CompileError, match=r"wrong\.cpol:1:"):
        sweep(spec_in(tmp_path, policies='"lru", "wrong.cpol"'), tmp_path / "out")


def test_hostile_names_of_traces(tmp_path: Path) -> None:
    """Bytes that are no UTF-8, control characters, glob characters: rows have them as far as they can be shown."""
    spec, out = spec_in(tmp_path, traces=1), tmp_path / "out"
    names = [b"\xff.txt", b"a\nb\x1b[31m.txt", b"[x]*.txt", "\u202e.txt".encode(), b" "]
    for name in names:
        keys(tmp_path / "traces" / os.fsdecode(name))
    (tmp_path / "traces" / os.fsdecode(b"\xfe.txt")).write_bytes(b"")
    with pytest.raises(UserError, match="two traces have names that are shown as traces/\ufffd"):
        sweep(spec, out)
    for name in (b"\xff.txt", "\u202e.txt".encode()):
        (tmp_path / "traces" / os.fsdecode(name)).unlink()
    assert sweep(spec, out)[2:4] == (20, 4)
    shown = {row.trace for row in rows(out)}
    assert shown == {f"traces/{name}" for name in ("t0.txt", "a\ufffdb\ufffd[31m.txt", "[x]*.txt", " ", "\ufffd.txt")}
    reasons = {row.error for row in rows(out) if row.error}
    assert reasons == {"traces/\ufffd.txt: the trace is empty; name a file with requests"}
