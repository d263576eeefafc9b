"""Pages that are about to go out to swap, in the interpreter and in native code (docs/semantics.md, Swap-out)."""

from __future__ import annotations

from random import Random

import pytest

from cpol.compiler import comm
from cpol.compiler.backend import manifest
from cpol.compiler.stages import run
from cpol.runtime.explore.check.asking import out
from cpol.runtime.explore.check.native import Shadow
from cpol.runtime.machine.errors import EventError
from cpol.runtime.machine.events import LogError, Op, format_header, format_row, parse
from cpol.runtime.machine.events.prefetch import Decided, Out
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.replay import replay
from cpol.runtime.machine.interp.snapshot import snapshot

PAGES = Out(10, 4, 0, 99, 7)

EVERYTHING = """policy everything {
  input hot: set of comm
  input few: set of process
  keep up to 9
  state n: u64 = 0
  area up to 2 { went: u32 = 0 }
  on swap(p) {
    n += p.pages
    if hot.has(p.comm) or few.has(p.process) { keep p  n += 1 }
    if p.workingset and not p.shared and p.page - p.first > 3 { keep p }
    if p.last % 2 == 0 or p.area.went > 4 { keep p }
    p.area.went += p.pages
  }
}"""


def machine_of(body: str) -> Machine:
    return Machine(run(f"policy p {{ {body} }}", "p.cpol").policy, 1)


def keeps(machine: Machine) -> dict[str, int]:
    counts: dict[str, int] = snapshot(machine)["keeps"]
    return counts


def test_pages_go_unless_the_policy_keeps_them() -> None:
    machine = machine_of("keep up to 8  state n: u64 = 0  on swap(p) { n += p.pages  if n > 8 { keep p } }")
    assert machine.goes_out(PAGES) == Decided(defaulted=True)
    assert machine.goes_out(PAGES) == Decided(defaulted=True)
    assert machine.goes_out(PAGES) == Decided(kept=True)
    assert [Op(row.op) for row in machine.decisions] == [Op.HOLD]


def test_a_policy_without_the_handler_lets_them_go() -> None:
    assert machine_of("on fault(p) { }").goes_out(PAGES) == Decided(defaulted=True)


def test_the_quota_is_for_each_second() -> None:
    machine = machine_of("keep up to 9  on swap(p) { keep p }")
    assert [machine.goes_out(PAGES).kept for _ in range(3)] == [True, True, False]
    assert keeps(machine) == {"second": 0, "pages": 8, "kept": 8, "refused": 4}
    assert machine.goes_out(Out(10, 1, 0, 99, 7)).kept
    machine.tick(999)
    assert not machine.goes_out(Out(10, 1, 0, 99, 7)).kept
    machine.tick(1000)
    assert [machine.goes_out(PAGES).kept for _ in range(3)] == [True, True, False]
    assert keeps(machine) == {"second": 1, "pages": 8, "kept": 17, "refused": 9}
    machine.tick(5000)
    assert keeps(machine)["pages"] == 8
    assert machine.goes_out(PAGES).kept
    assert keeps(machine) == {"second": 5, "pages": 4, "kept": 21, "refused": 9}


def test_the_first_keep_of_a_call_counts() -> None:
    machine = machine_of("keep up to 6  on swap(p) { keep p  keep p  for i in 1..3 { keep p } }")
    assert machine.goes_out(PAGES) == Decided(kept=True)
    assert machine.goes_out(PAGES) == Decided(defaulted=True, refused=True)
    assert keeps(machine) == {"second": 0, "pages": 4, "kept": 4, "refused": 4}


def test_pages_are_of_the_task_that_was_named_last() -> None:
    whose = 'if p.comm == "mysqld" or few.has(p.process) { keep p }'
    machine = machine_of(f"keep up to 99  input few: set of process  on swap(p) {{ {whose} }}")
    assert not machine.goes_out(PAGES).kept
    machine.set_task(3, 4, comm.parse("mysqld"))
    assert machine.goes_out(PAGES).kept
    machine.set_task(3, 4, comm.parse("mysqldump"))
    assert not machine.goes_out(PAGES).kept
    machine.fill("few", (4,), 1)
    assert machine.goes_out(PAGES).kept
    machine.set_task(4, 3)
    assert not machine.goes_out(PAGES).kept


@pytest.mark.parametrize("wrong", [Out(10, 0, 0, 99), Out(100, 1, 0, 99), Out(98, 3, 0, 99), Out(5, 1, 6, 99)])
def test_pages_lie_in_their_area(wrong: Out) -> None:
    with pytest.raises(EventError, match="are not in the area"):
        machine_of("on swap(p) { }").goes_out(wrong)


def test_who_does_not_prefetch_is_not_asked() -> None:
    machine = machine_of("list q  on added(f) { place f at tail of q }  on evict { scan q from head as f { evict f } }")
    with pytest.raises(EventError, match="the policy prefetches nothing"):
        machine.goes_out(PAGES)


def test_a_log_can_be_replayed() -> None:
    machine = Machine(run(EVERYTHING, "e.cpol").policy, 1)
    random = Random(5)
    for _ in range(100):
        machine.set_task(random.randrange(3), random.randrange(3))
        machine.tick(machine.ms + random.randrange(400))
        machine.goes_out(out(random.randrange(3), random.randrange(99), random.choice([1, 2, 16]), random.randrange(4)))
    lines = [format_header(machine.header), *(format_row(row, machine.header) + "\n" for row in machine.records)]
    text = "".join(lines)
    assert "\nout\t" in text and "\n\thold\n" in text and "\tshared,workingset\n" in text
    again = replay(parse(line.encode() for line in text.splitlines(keepends=True)), machine.policy)
    assert again.records == machine.records


@pytest.mark.parametrize("line", ["out\t1\t2", "out\t1\t2\tcached", "out\t1\t-2\tnone", "\thold\t3"])
def test_wrong_lines_are_refused(line: str) -> None:
    head = format_header(machine_of("on swap(p) { }").header)
    with pytest.raises(LogError):
        parse(text.encode() for text in [*head.splitlines(keepends=True), "out\t1\t2\tnone\n", line + "\n"])


@pytest.mark.parametrize("seed", range(3))
def test_native_code_decides_as_the_interpreter(seed: int) -> None:
    random = Random(seed)
    inputs = [("hot", "mysqld", "true"), ("few", "2", "true")]
    machine = Machine(run(EVERYTHING, "e.cpol").policy, 1, seed=seed + 1, inputs=inputs)
    shadow = Shadow(machine)
    for _ in range(300):
        if random.random() < 0.3:
            name = comm.parse(random.choice(["mysqld", "tar"]))
            machine.set_task(random.randrange(4), random.randrange(4), name)
            machine.tick(machine.ms + random.randrange(400))
        machine.goes_out(out(random.randrange(3), random.randrange(99), random.choice([1, 2, 16]), random.randrange(4)))
        shadow.follow()
    assert keeps(machine)["kept"] > 20 and keeps(machine)["refused"] > 20


def test_the_loader_is_told_the_quota() -> None:
    text = "policy p { param n: u64 = 4 in 1..9 pages  keep up to n * 2  on swap(p) { keep p } }"
    policy = run(text, "p.cpol").policy
    assert "keep param:n,int:2,mul" in manifest.lines(policy)
    assert not any(line.startswith("keep ") for line in manifest.lines(machine_of("on swap(p) { }").policy))
