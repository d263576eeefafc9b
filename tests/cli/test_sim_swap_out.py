"""`cpolc sim` for policies that say what stays before it goes out to swap: counts, notes, and both executors."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import cast

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler import compile_file, ir
from cpol.compiler.comm import Comm, parse
from cpol.compiler.stages import run as compiled
from cpol.runtime.machine.events.prefetch import Decided, Request
from cpol.runtime.machine.events.prefetch import Fault as NativeFault
from cpol.runtime.machine.events.prefetch import Out as NativeOut
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.settings.assumed import NOTHING
from cpol.runtime.machine.settings.inputs import Setting
from cpol.runtime.simulate.prefetch.kernel import Vma
from cpol.runtime.simulate.prefetch.medium import Medium
from cpol.runtime.simulate.prefetch.model import Model
from cpol.runtime.simulate.prefetch.protocol import Decision, Fault, Out, Outcome, Readahead
from cpol.runtime.simulate.prefetch.rows import Read, Row, Rows, Touch
from cpol.runtime.simulate.runs.native_policy import NativePolicy, number_of
from cpol.runtime.simulate.simulator import Simulator

MS = 10**6
KEEP_HEAP = Path(__file__).resolve().parents[2] / "stdlib" / "keep_heap.cpol"
COLUMNS = ("--columns", "page=page,process=pid,comm=comm,rw=rw")
ONLY_SWAP = "policy only {\n  keep up to 64\n  on swap(p) { if p.process == 7 { keep p } }\n}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With a trace: a server writes 60 pages of its heap at random; between two, a job writes four new ones."""
    monkeypatch.chdir(tmp_path)
    source = Random(1)
    lines = ["page,pid,comm,rw"]
    for number in range(400):
        lines.append(f"{1000 + source.randrange(60)},7,mysqld,W")
        lines += [f"{9000 + 4 * number + new},8,tar,W" for new in range(4)]
    (tmp_path / "heap.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "only.cpol").write_text(ONLY_SWAP)
    return tmp_path


def sim(*words: str) -> Result:
    return CliRunner().invoke(cli, ["sim", *words], prog_name="cpolc")


def counts_of(*words: str) -> list[tuple[int, ...]]:
    """The faults that had to read, then asked, kept, refused and overruled, of each run."""
    done = sim(*words, "--json")
    assert done.exit_code == 0 and not done.stderr, done.output
    names = ("missed", "out_asked", "out_kept", "out_refused", "out_overruled")
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(run[name] == run["swap"][name] for run in runs for name in names)
    return [tuple(run[name] for name in names) for run in runs]


HEAP = ("--trace", "heap.csv", *COLUMNS, "--capacity", "100")


@pytest.mark.slow
def test_faults_of_the_kept_command_fall() -> None:
    """All faults are of mysqld: no page of tar comes back. With a small quota, not all fall."""
    heap = ("default", "keep_heap", *HEAP)
    default, cold = counts_of(*heap)
    hot = counts_of(*heap, "--input", "hot=mysqld")[1]
    some = counts_of(*heap, "--input", "hot=mysqld", "--set", "most=100")[1]
    assert (default, cold) == ((225, 0, 0, 0, 0), (223, 1788, 5, 0, 0))
    assert (hot, some) == ((0, 3246, 1686, 0, 0), (208, 1868, 100, 250, 0))


def test_memory_that_is_smaller_than_what_is_kept() -> None:
    (run,) = counts_of("keep_heap", *HEAP[:-1], "50", "--input", "hot=mysqld")
    assert run == (236, 5937, 4096, 282, 5)


def test_table_of_what_was_asked() -> None:
    done = sim("none", "only.cpol", *HEAP)
    assert done.exit_code == 0 and done.stderr == ""
    assert done.stdout.splitlines()[1:] == [
        "policy     capacity     missed prefetched       used       late     wasted accuracy coverage    waited ms",
        "only            100        208         12          4          0          8   0.3333   0.0189         29.1",
        "none            100        225          0          0          0          0        -   0.0000         31.3",
        "",
        "policy     capacity     out_asked      out_kept   out_refused out_overruled",
        "only            100         1,836            64           254             0",
    ]


def test_policy_that_only_says_on_swap_leaves_the_rest_to_the_kernel(folder: Path) -> None:
    (folder / "only.cpol").write_text(ONLY_SWAP.replace("== 7", "== 9"))
    default, only = counts_of("default", "only.cpol", *HEAP)
    assert default[0] == only[0] > 0 == default[1] < only[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--trace", "heap.csv", *COLUMNS, "--capacity", "9000"], ["only: with 9,000 pages nothing needs a place in"]),
        (
            ["--trace", "reads.csv", "--columns", "file=0,page=1", "--capacity", "5"],
            ["`p.process`: the csv trace has no processes;", "so nothing goes out to swap;"],
        ),
        (
            ["--trace", "pages.txt", "--capacity", "5"],
            ["`p.process`: the text trace has no processes;", "only: the trace has no writes, so a page that comes"],
        ),
        (["--trace", "pages.txt", "--capacity", "5", "--assume", "process=7", "--assume", "rw=write"], []),
        (["--trace", "app.rec", "--capacity", "3"], []),
    ],
)
def test_notes(folder: Path, words: list[str], said: list[str]) -> None:
    (folder / "reads.csv").write_text("7,1\n7,2\n")
    (folder / "pages.txt").write_text("".join(f"{page % 20}\n" for page in range(60)))
    faults = "".join(f"{n}000,fault,swap:0:{n + 1},{n % 5 + 10},1,7,7,db,0,99\n" for n in range(20))
    (folder / "app.rec").write_text(f"cpol-record 2\n{faults}end,20,0\n")
    done = sim("only.cpol", *words)
    notes = done.stderr.splitlines()
    assert done.exit_code == 0 and len(notes) == len(said), done.stderr
    assert all(part in line for part, line in zip(said, notes, strict=True)), notes


def test_assumed_writes_need_a_place_each_time(folder: Path) -> None:
    (folder / "pages.txt").write_text("".join(f"{page % 20}\n" for page in range(60)))
    words = ("only.cpol", "--trace", "pages.txt", "--capacity", "5", "--assume", "process=9", "--assume")
    assert [counts_of(*words, f"rw={rw}")[0][1] for rw in ("read", "write")] == [20, 55]


# Both executors.


class MachineAsks:
    """The interpreter, asked as native code is."""

    def __init__(self, machine: Machine, comms: list[Comm]) -> None:
        self.machine = machine
        self.comms = {number_of(comm): comm for comm in comms}

    def now(self, ms: int, thread: int, process: int, comm: int) -> None:
        if ms > self.machine.ms:
            self.machine.tick(ms)
        self.machine.set_task(thread, process, self.comms[comm])

    def fault(self, fault: NativeFault) -> None:
        self.machine.fault(fault)

    def prefetch(self, fault: NativeFault) -> Decided:
        return self.machine.prefetch(fault)

    def readahead(self, request: Request) -> Decided:
        return self.machine.readahead(request)

    def goes_out(self, out: NativeOut) -> Decided:
        return self.machine.goes_out(out)


class Both:
    """Native code and the interpreter, which must answer each question alike."""

    has_swap = True

    def __init__(self, policy: ir.Policy, capacity: int, inputs: list[Setting], comms: list[Comm]) -> None:
        told = frozenset(("thread", "process", "comm"))
        self.machine = Machine(policy, capacity, inputs=inputs)
        asks = SimpleNamespace(asks=MachineAsks(self.machine, comms))
        self.native = NativePolicy(Simulator(policy, capacity, inputs=inputs), NOTHING, told, True)
        self.interpreted = NativePolicy(cast(Simulator, asks), NOTHING, told, True)
        self.answers = Counter[Outcome]()
        self.missed = Counter[Comm]()

    def fault(self, fault: Fault) -> None:
        self.native.fault(fault)
        self.interpreted.fault(fault)

    def prefetch(self, fault: Fault) -> Decision:
        self.missed[fault.comm] += 1
        answer = self.native.prefetch(fault)
        assert answer == self.interpreted.prefetch(fault), fault
        return answer

    def readahead(self, request: Readahead) -> Decision:
        answer = self.native.readahead(request)
        assert answer == self.interpreted.readahead(request), request
        return answer

    def swap(self, out: Out) -> Outcome:
        answer = self.native.swap(out)
        assert answer == self.interpreted.swap(out), out
        self.answers[answer] += 1
        return answer


DB, TAR, JOB = map(parse, ("mysqld", "tar", "a very long na"))
EVERYTHING = """policy everything {
  input hot: set of comm
  keep up to 9
  state n: u64 = 0
  area up to 2 { went: u32 = 0  faults: u32 = 0 }
  on fault(p) { p.area.faults += 1 }
  on prefetch(p) { if n % 3 == 0 { prefetch page p.page + p.area.faults  default } }
  on swap(p) {
    n += p.pages
    if hot.has(p.comm) { keep p  n += 1 }
    if p.workingset and not p.shared and p.page - p.first > 3 and p.last > 70 { keep p }
    if p.area.went > 4 or (p.process == 2 and cache.time % 2 == 1) { keep p  p.area.went = 0 }
    p.area.went += p.pages
    if p.area.faults > 9 { p.area.faults = 0 }
  }
}"""
ALL = "policy all {{ keep up to {quota}  on swap(p) {{ keep p }} }}"
POLICIES = {
    "everything": EVERYTHING,
    "small": ALL.format(quota=7),
    "all": ALL.format(quota=100_000),
    "half": "policy half { keep up to cache.capacity / 2  on swap(p) { if random(2) == 0 { keep p } } }",
}


def rows_of(seed: int) -> list[Row]:
    """Three processes and a reader of files; a recording if the seed is odd. Some seconds pass."""
    source, now, rows = Random(seed), 0, list[Row]()
    for _ in range(700):
        now += source.choice([0, 1, 5, 5, 30]) * MS
        who = source.randrange(4)
        if who == 3:
            rows.append(Read(1, source.randrange(30), now, 4, 4, TAR))
            continue
        page, area = source.choice([source.randrange(6), source.randrange(25)]), 100 * who
        where = (area + page, now, who, who, (DB, TAR, JOB)[who], area, area + 24 + 50 * who)
        if seed % 2:
            slot = source.choice([1 + who * 25 + page, source.randrange(100, 500)])
            rows.append(Touch(*where, slot=slot, is_fault=True))
        else:
            rows.append(Touch(*where, writes=source.random() < 0.6))
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", [*POLICIES, "keep_heap"])
def test_interpreter_and_native_code_decide_alike(name: str, seed: int) -> None:
    policy = compile_file(KEEP_HEAP) if name == "keep_heap" else compiled(POLICIES[name], "p.cpol").policy
    inputs: list[Setting] = [("hot", "mysqld", "true")] if policy.inputs else []
    both = Both(policy, 18, inputs, [DB, TAR, JOB, NOTHING.comm])
    rows = rows_of(seed)
    swap = Model(Rows(rows, "test"), 18, Medium(100_000, 0), both, Vma()).run().swap
    assert swap.out_asked == sum(both.answers.values()) > 100
    assert (swap.out_kept, swap.out_refused) == (both.answers["kept"], both.answers["refused"])
    assert (swap.out_kept, swap.out_refused) == (both.machine.keeps_kept, both.machine.keeps_refused)
    assert swap.out_kept > 0 and (swap.out_refused > 0) == (name in ("everything", "small", "half"))
    assert (swap.out_overruled > 0) == (name in ("all", "keep_heap"))


@pytest.mark.slow
def test_others_pay_for_what_is_kept() -> None:
    """A server and a build job share memory that is too small for both."""
    source, rows = Random(1), list[Row]()
    for _ in range(600):
        rows.append(Touch(source.randrange(60), 0, 1, 1, DB, 0, 59, writes=True))
        rows += [Touch(1000 + source.randrange(150), 0, 2, 2, TAR, 1000, 1149, writes=True) for _ in range(2)]
    missed = []
    for inputs in ([], [("hot", "mysqld", "true")]):
        both = Both(compile_file(KEEP_HEAP), 100, inputs, [DB, TAR, NOTHING.comm])
        Model(Rows(rows, "test"), 100, Medium(100_000, 0), both, Vma(), 10_000).run()
        missed.append((both.missed[DB], both.missed[TAR]))
    assert missed == [(245, 503), (0, 719)]
